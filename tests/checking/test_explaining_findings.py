"""Short explanations: about this text, in at most 40 words, safe to print."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tactful.checking.explanation import MOST_WORDS, explain_finding
from tactful.checking.people import mentions, spoken_of
from tactful.detectors.load import embedded_cards
from tactful.errors import UnknownNameError, UsageError
from tactful.types import Frame, Implication

SET: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("explanations.yaml").read_text(encoding="utf-8")
)["explanations"]
IDS = sorted({name for card in embedded_cards() for name in card.ids} | {"term.age", "my.own"})


def explained(case: dict[str, Any]) -> str:
    frame = case.get("frame")
    return explain_finding(
        case["kinds"],
        case["text"],
        case["words"],
        case.get("lang", "en"),
        Frame(implications=(Implication(**frame),)) if frame else None,
        experimental=case.get("experimental", False),
    )


@pytest.mark.parametrize("case", SET, ids=[str(number) for number in range(1, len(SET) + 1)])
def test_the_set_that_was_read(case: dict[str, Any]) -> None:
    assert explained(case) == case["expected"]
    assert len(case["expected"].split()) <= MOST_WORDS


def test_the_set_covers_the_families_and_repeats_nothing() -> None:
    assert len(SET) >= 60
    texts = [case["text"] for case in SET]
    assert len(set(texts)) == len(texts)
    by_kind: dict[str, list[str]] = defaultdict(list)
    for case in SET:
        for kind in case["kinds"]:
            by_kind[kind].append(case["expected"])
    assert set(IDS) - set(by_kind) == {"term.age"}  # terms explain themselves
    for kind, said in by_kind.items():
        assert len(set(said)) == len(said), kind


def test_the_marked_words_are_named() -> None:
    for case in SET:
        quoted = [each.lower() for each in case["words"]]
        named = case["expected"].lower()
        assert not quoted or any(any(w in named for w in each.split()) for each in quoted)


def test_the_strongest_category_is_explained() -> None:
    text, words = "They sit at the window with their smiles.", ["smiles"]
    merry = explain_finding({"pcl.the_poorer_the_merrier": 0.9, "pcl": 0.95}, text, words)
    assert merry.startswith("“smiles” makes hardship look pleasant")
    assert explain_finding({"pcl.presupposition": 0.9}, text, words) != merry


def test_a_cue_outside_the_marked_words_explains_nothing() -> None:
    text = "Of course the tenants sit at the window."
    said = explain_finding({"pcl.presupposition": 0.9}, text, ["sit at the window"])
    assert said.startswith("“sit at the window”")
    assert explain_finding({"pcl.presupposition": 0.9}, text, []).startswith("“Of course”")


def test_without_words_the_sentence_is_the_subject() -> None:
    assert explain_finding({"pcl.metaphor": 0.9}, "Blue boats.", []) == (
        "The sentence hides the situation of the people it speaks of behind an image."
    )
    assert explain_finding({"pcl.metaphor": 0.9}, "Blue boats.", [], "es").startswith("La frase ")


def test_a_frame_names_the_group_and_the_statement() -> None:
    frame = Frame(implications=(Implication("black folks", "black folks are late"),))
    said = explain_finding({"frame.group": 0.9}, "Some text.", ["text"], "en", frame)
    assert said == "“text” seems to tell readers that Black people are late."
    other = Frame(target_groups=("women",), implied_statements=("nobody can park.",))
    said = explain_finding({"frame.group": 0.9}, "Some text.", ["Some", "text"], "en", other)
    assert (
        said
        == "The words “Some” and “text” seem to tell readers, about women, that nobody can park."
    )
    assert explain_finding({"frame.group": 0.9}, "Some text.", ["text"], "es", other) == (
        "«text» parece dar a entender, sobre «women»: «nobody can park»."
    )


def test_a_frame_without_a_statement_names_the_group() -> None:
    frame = Frame(target_groups=("muslim folks",))
    said = explain_finding({"frame.group": 0.9}, "Some text.", ["text"], "en", frame)
    assert said == (
        "“text” hits Muslim people as a whole; readers may think less of anyone among them."
    )
    assert explain_finding({"frame.group": 0.9}, "T.", [], "en", Frame()).startswith("The sentence")


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(probability: float) -> None:
    with pytest.raises(UsageError, match="expected a number from 0 to 1"):
        explain_finding({"pcl": probability}, "Some text.", [])


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="fr"):
        explain_finding({"pcl": 0.9}, "Some text.", [], "fr")


PIECES = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            "poor souls",
            "all landlords are",
            "single mothers with a disability",
            "\x1b[31m\u202e",
            "x" * 300,
            "a b " * 200,
            "«»“”{group}%s",
            "",
        ]
    ),
)
FRAMES = st.one_of(
    st.none(),
    st.builds(
        lambda groups, statements: Frame(
            target_groups=tuple(groups), implied_statements=tuple(statements)
        ),
        st.lists(PIECES, max_size=3),
        st.lists(PIECES, max_size=3),
    ),
)


@given(
    st.dictionaries(st.sampled_from(IDS), st.floats(0, 1), max_size=5),
    st.lists(PIECES, max_size=6).map(" ".join),
    st.lists(PIECES, max_size=5),
    st.sampled_from(["en", "es"]),
    FRAMES,
    st.booleans(),
)
def test_explanations_are_short_and_printable(
    kinds: dict[str, float],
    text: str,
    words: list[str],
    lang: str,
    frame: Frame | None,
    experimental: bool,
) -> None:
    said = explain_finding(kinds, text, words, lang, frame, experimental=experimental)
    assert 5 <= len(said.split()) <= MOST_WORDS
    assert said.endswith(".")
    assert "\n" not in said
    assert "\x1b" not in said
    assert "\u202e" not in said


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("lang", ["en", "es"])
def test_every_id_has_an_explanation_with_words_and_without(name: str, lang: str) -> None:
    text = "The drawer of the baker is green."
    with_words = explain_finding({name: 0.6}, text, ["drawer", "green"], lang)
    without = explain_finding({name: 0.6}, text, [], lang)
    assert with_words != without
    assert "drawer" in with_words
    assert "green" in with_words
    assert "{" not in with_words + without


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The old man sat down.", ["the old man"]),
        (
            "Women, Black families and the homeless came.",
            ["women", "Black families", "the homeless"],
        ),
        ("The poor man left; the poor stayed.", ["the poor man", "the poor"]),
        ("These people left.", ["these people"]),
        ("People left.", []),
        (
            "Las personas mayores y la gente humilde.",
            ["las personas mayores", "las personas humildes"],
        ),
        ("Los inmigrantes y mujeres.", ["los inmigrantes", "las mujeres"]),
    ],
    ids=["one", "many", "alone", "these", "bare", "spanish", "articles"],
)
def test_people_are_found_by_their_names(text: str, found: list[str]) -> None:
    assert [each.words for each in mentions(text)] == found


def test_the_nearest_people_are_meant() -> None:
    text = "Nurses met the tenants, and the landlords only care about rent."
    assert spoken_of(text, ["only care about"], "en") == "landlords"
    assert spoken_of(text, ["Nurses met"], "en") == "nurses"
    assert spoken_of("Children know that you are wrong.", ["wrong"], "en", addressed=True) == (
        "the person addressed"
    )
