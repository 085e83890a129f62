"""How terms are found: offsets, words, guards, overlaps, replacements that fit, and bad input."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.counted_work import growth

from tactful.errors import UnknownNameError
from tactful.terms import Guard, Lexicon, Term, TermMatch, find_terms, load_terms
from tactful.terms.lexicon import variants


def lexicon(*terms: Term, lang: str = "en") -> Lexicon:
    return Lexicon(lang, terms, classes=load_terms(lang).classes)


def term(*forms: str, to: tuple[str, ...] = ("other",), guard: Guard | None = None) -> Term:
    return Term("term.jargon", forms, to, "Because.", "Guide", guard=guard)


def words(text: str, *terms: Term) -> list[str]:
    return [match.words for match in find_terms(text, terms=lexicon(*terms))]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        pytest.param("one", ["one"], id="plain"),
        pytest.param("addict~/s", ["addict", "addicts"], id="stem"),
        pytest.param("commit~/s/ted it", ["commit it", "commits it", "committed it"], id="three"),
        pytest.param("-/illegals", [None, "illegals"], id="absent"),
        pytest.param("man/men of letters", ["man of letters", "men of letters"], id="phrase"),
    ],
)
def test_variants(pattern: str, expected: list[str | None]) -> None:
    assert variants(pattern) == expected


@pytest.mark.parametrize("pattern", ["", "a/b c/d/e", "a//b", "a/b~c/d"])
def test_a_wrong_notation_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"word|stem|number"):
        variants(pattern)


def test_a_match_has_all_its_fields() -> None:
    (found,) = find_terms("She is wheelchair-bound.", "en")
    assert found == TermMatch(
        "term.disability",
        7,
        23,
        "wheelchair-bound",
        ("using a wheelchair", "a wheelchair user"),
        "A wheelchair gives people freedom of movement; it does not bind them.",
        "NCDJ Disability Language Style Guide",
        "avoid",
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("wheelchair-bound", id="hyphen"),
        pytest.param("wheelchair bound", id="space"),
        pytest.param("wheelchair\u2011bound", id="non-breaking hyphen"),
        pytest.param("wheelchair\u2013bound", id="dash"),
        pytest.param("wheelchair\nbound", id="line break"),
        pytest.param("WHEELCHAIR-BOUND", id="capitals"),
    ],
)
def test_spellings_of_one_term(text: str) -> None:
    assert [match.words for match in find_terms(f"He is {text}!")] == [text]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("wheelchair. Bound", id="two sentences"),
        pytest.param("wheelchair, bound", id="comma"),
        pytest.param("wheelchair     bound", id="columns"),
        pytest.param("wheelchair_bound", id="identifier"),
        pytest.param("https://example.org/wheelchair-bound", id="address"),
        pytest.param("https://example.org/a-wheelchair-bound-b", id="inside an address"),
        pytest.param("@wheelchair-bound", id="handle"),
        pytest.param("#wheelchair-bound", id="tag"),
        pytest.param("a.wheelchair-bound@example.org", id="mail"),
        pytest.param("wheelchair-bound.html", id="file"),
        pytest.param("wheelchairs bound", id="other word"),
    ],
)
def test_what_is_no_term(text: str) -> None:
    assert find_terms(text) == []


def test_apostrophes_are_one() -> None:
    for mark in "'\u2019":
        assert words(f"A child with Down{mark}s syndrome", term("down's syndrome"))


def test_accents_may_be_composed_decomposed_or_missing() -> None:
    own = lexicon(term("minusválido"), lang="es")
    for text in ("un minusválido", "un minusva\u0301lido", "un minusvalido", "un MINUSVÁLIDO"):
        (found,) = find_terms(text, terms=own)
        assert text[found.start : found.end] == text[3:]


def test_the_leftmost_and_longest_term_counts() -> None:
    terms = term("b"), term("b c"), term("a b"), term("c d e")
    assert words("b c d e", *terms) == ["b c"]
    assert words("a b c d e", *terms) == ["a b", "c d e"]


def test_a_later_term_replaces_an_earlier_one() -> None:
    own = lexicon(term("cab", to=("taxi",)), term("cab", to=("car",)))
    assert find_terms("A cab came.", terms=own)[0].replacements == ("car",)


@pytest.mark.parametrize(
    ("guard", "text", "expected"),
    [
        (Guard(after=frozenset(["the"])), "the cab", True),
        (Guard(after=frozenset(["the"])), "a cab", False),
        (Guard(after=frozenset(["the"])), "Not the. Cab", False),
        (Guard(before=frozenset(["driver"])), "cab driver", True),
        (Guard(before=frozenset(["driver"])), "cab, driver", False),
        (Guard(not_after=frozenset(["yellow"])), "yellow-cab", False),
        (Guard(not_after=frozenset(["yellow"])), "cab", True),
        (Guard(not_before=frozenset(["driver"])), "cab driver", False),
        (Guard(near=frozenset(["city"])), "cab in the city", True),
        (Guard(near=frozenset(["city"])), "cab in a b c d e f g city", False),
        (Guard(not_near=frozenset(["city"])), "city of the cab", False),
        (Guard(noun=True), "the cab is late", True),
        (Guard(noun=True), "the cab", True),
        (Guard(noun=True), "the cab driver", False),
        (Guard(lower=True), "Cab fares rose.", True),
        (Guard(lower=True), "We saw Cab Calloway.", False),
        (Guard(lower=True), "Cab Calloway sang.", False),
        (Guard(lower=True), "It rained. Cab fares rose.", True),
        (Guard(lower=True), "We took Cab today.", False),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else None,
)
def test_guards(guard: Guard, text: str, expected: bool) -> None:
    assert bool(words(text, term("cab", guard=guard))) is expected


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        pytest.param("He is an addict.", "He is a person with an addiction.", id="article"),
        pytest.param("Addicts came.", "People with an addiction came.", id="capital"),
        pytest.param("An addict came.", "A person with an addiction came.", id="both"),
        pytest.param("NO ADDICTS HERE", "NO PEOPLE WITH AN ADDICTION HERE", id="capitals"),
        pytest.param("The addict’s dog", "The person with an addiction’s dog", id="possessive"),
    ],
)
def test_a_replacement_fits(text: str, replaced: str) -> None:
    own = lexicon(term("addict~/s", to=("person/people with an addiction",)))
    (found,) = find_terms(text, terms=own)
    assert text[: found.start] + found.replacements[0] + text[found.end :] == replaced


def test_a_spanish_article_follows_the_replacement() -> None:
    own = lexicon(
        term("minusválid~o/a/os/as", to=("person~a/a/as/as con discapacidad",)), lang="es"
    )
    for text, replaced in (
        ("Habló un minusválido.", "Habló una persona con discapacidad."),
        ("Ayuda al minusválido", "Ayuda a la persona con discapacidad"),
        ("Los minusválidos votan", "Las personas con discapacidad votan"),
        ("La minusválida votó", "La persona con discapacidad votó"),
    ):
        (found,) = find_terms(text, terms=own)
        assert text[: found.start] + found.replacements[0] + text[found.end :] == replaced


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ("Habló un hombre de color.", "Habló un hombre negro."),
        ("Habló una mujer de color.", "Habló una mujer negra."),
        ("Hay plazas de minusválidos.", "Hay plazas accesibles."),
        ("Los políticos autistas callan.", "Los políticos que no escuchan callan."),
        ("Siempre dando palos de ciego.", "Siempre actuando sin rumbo."),
        ("Es lesbiana confesa.", "Es abiertamente lesbiana."),
        ("Llegó una patera cargada de gente.", "Llegó una embarcación con gente."),
        ("Fue a la reunión de padres.", "Fue a la reunión de familias."),
        ("Esos ilegales trabajan.", "Esas personas en situación irregular trabajan."),
    ],
)
def test_spanish_replacements_have_gender_number_and_form(text: str, replaced: str) -> None:
    (found,) = find_terms(text, terms=load_terms("es"))
    assert text[: found.start] + found.replacements[0] + text[found.end :] == replaced


def test_a_word_of_the_text_can_be_kept() -> None:
    own = lexicon(term("cancer sufferer~/s", to=("person/people with {1}",)))
    assert find_terms("Cancer sufferers", terms=own)[0].replacements == ("People with Cancer",)
    assert find_terms("ten cancer sufferers", terms=own)[0].replacements == ("people with cancer",)


def test_levels() -> None:
    text = "A wheelchair-bound man in a wheelchair"
    assert [match.level for match in find_terms(text)] == ["avoid", "advice"]
    assert [match.level for match in find_terms(text, level="avoid")] == ["avoid"]


def test_a_project_adds_and_allows() -> None:
    own = load_terms("en").with_project(
        [
            {"forms": ["cab~/s"], "kind": "jargon", "replacements": ["taxi~/s"], "reason": "So."},
            {"forms": ["taxi"], "kind": "jargon", "replacements": ["x"], "reason": "So.",
             "lang": "es"},
        ],
        ["wheelchair bound", "Gimp Club"],
    )  # fmt: skip
    found = find_terms("Two cabs and a taxi for wheelchair-bound guests", terms=own)
    assert [(each.words, each.source) for each in found] == [("cabs", "the project's own terms")]
    assert find_terms("At the Gimp Club", terms=own) == []


def test_what_a_project_allows_counts_for_all_forms() -> None:
    own = load_terms("en").with_project(allow=["midget"])
    assert find_terms("They called them midgets.", terms=own) == []
    assert find_terms("They called them midgets.")


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="language of the terms"):
        load_terms("xx")


@given(st.text(max_size=200))
def test_any_text_is_answered(text: str) -> None:
    for lang in ("en", "es"):
        free = 0
        for match in find_terms(text, lang):
            assert free <= match.start < match.end <= len(text)
            assert text[match.start : match.end] == match.words
            free = match.end


@pytest.mark.parametrize(
    "piece",
    [
        pytest.param("wheelchair ", id="starts of a term"),
        pytest.param("the blind-", id="one long word"),
        pytest.param("-" * 10, id="hyphens"),
        pytest.param("a" * 10, id="one word"),
        pytest.param("wheelchair-bound://", id="addresses"),
    ],
)
def test_work_grows_with_the_length_only(piece: str) -> None:
    assert growth(find_terms, piece * 20, piece * 200) < 1.5
