"""The built-in taxonomies say what the papers say; every number cites its section."""

import re
from collections import Counter

import pytest

from tactful.taxonomies import (
    ConditionEntry,
    LabelEntry,
    Taxonomy,
    VariableEntry,
    find_entry,
    load_taxonomy,
    taxonomy_names,
)
from tactful.taxonomies.schema import GuidedEntry


@pytest.fixture(params=taxonomy_names())
def taxonomy(request: pytest.FixtureRequest) -> Taxonomy:
    return load_taxonomy(request.param)


def test_every_entry_is_explained_in_its_own_words(taxonomy: Taxonomy) -> None:
    for texts in (
        [entry.definition for entry in taxonomy.entries],
        [entry.example for entry in taxonomy.entries],
        [entry.question for entry in taxonomy.entries],
    ):
        assert [text for text, times in Counter(texts).items() if times > 1] == []
    assert all(entry.question.endswith("?") for entry in taxonomy.entries)


GUIDED = ("pcl", "unhealthy", "toxicity", "stereotype", "frame", "term")


def guided_entries() -> list[GuidedEntry]:
    entries = [entry for name in GUIDED for entry in load_taxonomy(name).entries]
    return [entry for entry in entries if isinstance(entry, GuidedEntry)]


def test_every_entry_of_a_report_has_questions_to_ask_and_what_it_is_not() -> None:
    entries = guided_entries()
    assert len(entries) == sum(len(load_taxonomy(name).entries) for name in GUIDED)
    assert [entry.id for entry in entries if not (entry.ask and entry.not_when)] == []


def test_no_question_and_no_exception_is_said_twice() -> None:
    """Several findings of one text are listed below each other."""
    said = Counter(text for entry in guided_entries() for text in (*entry.ask, *entry.not_when))
    assert [text for text, times in said.items() if times > 1] == []


def test_what_is_not_pcl_is_what_the_paper_says() -> None:
    """Pérez-Almendros et al. 2020, section 3.2: harsh facts, and open hostility."""
    entry = find_entry("pcl")
    assert isinstance(entry, LabelEntry)
    harsh, hostile = entry.not_when
    assert "harsh facts" in harsh
    assert "insults and hatred" in hostile


def test_the_guidance_never_prescribes_how_a_group_is_called() -> None:
    naming = re.compile(
        r"\b(person|people|identity)[- ]first\b|\b(say|write|use|call|term|wording|phrase)\b.*"
        r"\b(instead of|rather than)\b|\bpreferred\b|\bcorrect term\b",
        re.IGNORECASE,
    )
    for entry in guided_entries():
        for text in (*entry.ask, *entry.not_when):
            assert not naming.search(text), f"{entry.id}: {text}"


def test_spanish_examples_have_an_english_gloss() -> None:
    entries = load_taxonomy("stereotype").entries
    assert all(entry.example_gloss and entry.example_gloss != entry.example for entry in entries)


def test_pcl_has_seven_categories_in_three_families() -> None:
    """Pérez-Almendros et al. 2020, section 4.1, in the order of the SemEval label lists."""
    pcl = load_taxonomy("pcl")
    assert [(name.removeprefix("pcl."), find_entry(name).family) for name in pcl.categories()] == [
        ("unbalanced_power_relations", "saviour"),
        ("shallow_solution", "saviour"),
        ("presupposition", "expert"),
        ("authority_voice", "expert"),
        ("metaphor", "poet"),
        ("compassion", "poet"),
        ("the_poorer_the_merrier", "poet"),
    ]
    assert pcl.entry("pcl.other").kind == "fallback"  # "Other", never used: section 4.1
    assert len(pcl.not_this) == 2  # section 3.2


def test_unhealthy_asks_the_unfair_question_only_below_generalisation() -> None:
    """Price et al. 2020, Appendix A: questions 2 to 8, and 4 only "if yes" to 3."""
    unhealthy = load_taxonomy("unhealthy")
    assert len(unhealthy.categories()) == 7
    unfair = "unhealthy.generalisation_unfair"
    assert unhealthy.hierarchy()[unfair] == "unhealthy.generalisation"
    assert [e.id for e in unhealthy.children("unhealthy.generalisation")] == [unfair]


def test_an_unhealthy_attribute_does_not_make_a_comment_unhealthy() -> None:
    """Price et al. 2020, section 2: some comments are healthy and show an attribute."""
    entries = [e for e in load_taxonomy("unhealthy").entries if isinstance(e, LabelEntry)]
    assert {e.id for e in entries if e.parent and e.implies_parent} == {
        "unhealthy.generalisation_unfair"
    }


def test_toxicity_has_the_categories_of_civil_comments() -> None:
    """The columns of the files (Borkan et al. 2019), under the names of the Perspective API."""
    toxicity = load_taxonomy("toxicity")
    columns = {entry.id: entry.source_names[0] for entry in toxicity.entries}
    assert columns == {
        "toxicity": "target",
        "toxicity.severe": "severe_toxicity",
        "toxicity.insult": "insult",
        "toxicity.threat": "threat",
        "toxicity.profanity": "obscene",
        "toxicity.identity_attack": "identity_attack",
        "toxicity.sexually_explicit": "sexual_explicit",
    }
    assert set(toxicity.hierarchy().values()) == {None, "toxicity"}


def test_only_severe_toxicity_makes_a_comment_toxic() -> None:
    """Jigsaw's instructions: very toxic is a level of toxicity; all else is asked separately."""
    entries = [e for e in load_taxonomy("toxicity").entries if isinstance(e, LabelEntry)]
    assert [e.id for e in entries if e.parent and e.implies_parent] == ["toxicity.severe"]


@pytest.mark.parametrize(
    "harmless",
    ["mention of a group", "quotation", "report about violence", "swear word at an object",
     "medical or educational text about sex"],
)  # fmt: skip
def test_what_is_not_toxic_is_said(harmless: str) -> None:
    assert any(harmless in sentence for sentence in load_taxonomy("toxicity").not_this)


def test_stereotype_has_ten_categories_and_three_attributes() -> None:
    """Ariza-Casabona et al. 2022, sections 4.1.1 and 4.1.2."""
    stereotype = load_taxonomy("stereotype")
    assert len(stereotype.categories()) == 10
    hierarchy = stereotype.hierarchy()
    assert hierarchy.pop("stereotype") is None
    assert hierarchy == dict.fromkeys(stereotype.categories(), "stereotype")
    assert [entry.id for entry in stereotype.of_kind("attribute")] == [
        "stereotype.racial_target",
        "stereotype.other_target",
        "stereotype.implicit",
    ]


def test_frame_answers_and_numbers() -> None:
    """Sap et al. 2020, section 2; the numbers are those of the SBIC files."""
    frame = load_taxonomy("frame")
    answers = {
        entry.id: {answer.value: answer.number for answer in entry.answers}
        for entry in frame.entries
        if isinstance(entry, VariableEntry)
    }
    three = {"yes": 1.0, "maybe": 0.5, "no": 0.0}
    assert answers == {
        "frame.offensive": three,
        "frame.intent": {"yes": 1.0, "probably": 0.66, "probably_not": 0.33, "no": 0.0},
        "frame.lewd": three,
        "frame.group": {"yes": 1.0, "no": 0.0},
        "frame.target_group": {},
        "frame.implied_statement": {},
        "frame.in_group": three,
    }


def test_frame_is_linearised_as_in_equation_1() -> None:
    """Sap et al. 2020, section 4, equation 1."""
    frame = load_taxonomy("frame")
    tokens = {e.id: e.token for e in frame.entries if isinstance(e, VariableEntry)}
    assert [[tokens[name] for name in part] for part in frame.linearisation] == [
        ["lewd", "off", "int", "grp"],
        ["G"],
        ["S"],
        ["ing"],
    ]


def stigma_conditions(stigmatized: bool) -> list[ConditionEntry]:
    entries = load_taxonomy("stigma").entries
    return [
        entry
        for entry in entries
        if isinstance(entry, ConditionEntry) and entry.stigmatized is stigmatized
    ]


def test_stigma_has_93_and_29_conditions() -> None:
    """Mei et al. 2023, sections 3.1 and 4.1; the authors' files have 108 and 30 rows."""
    stigmatized, others = stigma_conditions(True), stigma_conditions(False)
    assert len({entry.published_name for entry in stigmatized}) == 93
    assert len({entry.published_name for entry in others}) == 29
    assert sum(len(entry.forms) for entry in stigmatized) == 108
    assert sum(len(entry.forms) for entry in others) == 30
    assert all(entry.id.startswith("stigma.") for entry in stigmatized)
    assert all(entry.id.startswith("non_stigma.") for entry in others)


def test_stigma_families_have_the_sizes_of_the_paper() -> None:
    """Mei et al. 2023, section 3.1, plus "unemployed", which the printed list leaves out."""
    assert Counter(entry.family for entry in stigma_conditions(True)) == {
        "ethnicity": 7,
        "disability": 11,
        "disease": 20,
        "drug_use": 5,
        "education": 1,
        "physical_traits": 12,
        "mental_illness": 6,
        "profession": 2,
        "religion": 4,
        "sexuality": 3,
        "socioeconomic_status": 1,
        "other": 20 + 1,
    }


def test_eleven_stigmatized_conditions_have_sub_conditions_in_the_file() -> None:
    """The paper says seven (section 4.2); a note must tell the reader so."""
    assert sum(len(entry.forms) > 1 for entry in stigma_conditions(True)) == 11
    notes = " ".join(load_taxonomy("stigma").notes)
    assert re.search(r"seven conditions have sub-conditions.*eleven", notes)


@pytest.mark.parametrize(
    ("entry_id", "phrase"),
    [
        ("stigma.undocumented_immigrant", "is an undocumented immigrant"),
        ("stigma.smoking_cigarettes", "is smoking cigarettes"),
        ("stigma.living_in_public_housing", "is living in public housing"),
        ("stigma.genital_herpes", "has genital herpes"),
        ("stigma.bacterial_std", "has a bacterial STD"),
    ],
)
def test_the_corrected_grammar(entry_id: str, phrase: str) -> None:
    entry = find_entry(entry_id)
    assert isinstance(entry, ConditionEntry)
    assert " ".join(entry.forms[0].phrase("singular", "corrected")) == phrase
    assert " ".join(entry.forms[0].phrase("singular", "published")) != phrase


def test_no_corrected_form_breaks_its_article() -> None:
    wrong = re.compile(r"\ba [aeio]|\ban [^aeiouhAEIOUH]|  | $")
    for entry in [*stigma_conditions(True), *stigma_conditions(False)]:
        for form in entry.forms:
            for number in ("singular", "plural"):
                said = " ".join(form.phrase(number, "corrected"))
                assert not wrong.search(said), f"{entry.id}: {said!r}"


def test_every_kind_of_term_has_an_entry() -> None:
    from tactful.terms.lexicon import IDS, ROOT, load_terms

    assert load_taxonomy("term").ids() == [ROOT, *IDS]
    for lang in ("en", "es"):
        assert {term.id for term in load_terms(lang).terms} == set(IDS)


def test_the_examples_of_the_terms_have_terms() -> None:
    from tactful.taxonomies.translations import load_translated
    from tactful.terms import find_terms

    for lang in ("en", "es"):
        for entry in load_translated("term", lang).entries:
            found = {match.id for match in find_terms(entry.example, lang)}
            assert found if entry.id == "term" else entry.id in found, entry.example
