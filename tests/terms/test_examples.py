"""Every term is found where it should be, and not where it should not."""

from itertools import chain

import pytest
from tests.terms.term_file import read_terms

from tactful.terms import Lexicon, Term, find_terms, load_terms
from tactful.terms.lexicon import FOLDER, KINDS, LANGUAGES, NEXT, PLACEHOLDER, variants

FILES = sorted(
    path.relative_to(FOLDER).as_posix()
    for lang in LANGUAGES
    for path in (FOLDER / lang).glob("*.yaml")
    if path.stem != "word_classes"
)


def alone(term: Term, lang: str) -> Lexicon:
    """Return a lexicon with one term."""
    return Lexicon(lang, (term,), classes=load_terms(lang).classes)


@pytest.mark.parametrize("relative", FILES)
def test_a_file_keeps_the_schema(relative: str) -> None:
    assert (FOLDER / relative).stem in KINDS
    read_terms(FOLDER / relative)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_terms_match_their_examples(lang: str) -> None:
    for term in load_terms(lang).terms:
        only = alone(term, lang)
        for text in term.match:
            found = find_terms(text, terms=only)
            assert found, f"{term.forms} is not found in: {text}"
            assert all(text[each.start : each.end] == each.words for each in found)
        for text in term.no_match:
            assert not find_terms(text, terms=only), f"{term.forms} is found in: {text}"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_variant_of_a_form_is_found(lang: str) -> None:
    for term in load_terms(lang).terms:
        free = Term(term.id, term.forms, term.replacements, term.reason, term.source)
        only = alone(free, lang)
        for each in filter(None, chain.from_iterable(map(variants, term.forms))):
            (found,) = find_terms(each, terms=only)
            assert found.words.casefold() == each.casefold()
            assert found.replacements
            assert not any("{" in text or "/" in text for text in found.replacements)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_replacement_is_not_a_term_to_avoid(lang: str) -> None:
    for replacement in {each for term in load_terms(lang).terms for each in term.replacements}:
        for each in variants(replacement):
            text = PLACEHOLDER.sub("x", each or "").replace(NEXT, "x")
            found = find_terms(text, lang, level="avoid")
            assert not found, f"'{each}' has '{found[0].words}'"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_form_is_in_one_unguarded_term_only(lang: str) -> None:
    seen: dict[str, str] = {}
    for term in load_terms(lang).terms:
        if term.guard is None:
            for form in term.forms:
                for each in variants(form):
                    if each is not None:
                        words = each.replace("-", " ").casefold()
                        assert words not in seen, f"'{words}' is in '{seen[words]}' and {form}"
                        seen[words] = form


@pytest.mark.parametrize(("lang", "number"), [("en", 525), ("es", 266)])
def test_no_term_is_lost(lang: str, number: int) -> None:
    assert len(load_terms(lang).terms) == number
