"""Translations: every entry has one, it says as much as the original, and nothing is left over."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tactful.errors import TaxonomyError, UnknownNameError
from tactful.taxonomies import Taxonomy, load_taxonomy, taxonomy_names
from tactful.taxonomies.schema import GuidedEntry
from tactful.taxonomies.translations import TRANSLATED, load_translated, read_translation

FOLDER = Path(__file__).resolve().parents[2] / "src" / "tactful" / "taxonomies"
SPANISH = TRANSLATED["es"]
ENGLISH = re.compile(
    r"\b(the|of|and|or|is|are|it|that|this|with|they|people|someone|when|what|which|who|does|would|"
    r"group|from|their|for|not|nor|but|by|be|been|was|were|has|have|an|as|at|on|if)\b",
    re.IGNORECASE,
)
SECOND_PERSON = re.compile(
    r"\b(tú|tu|tus|te|ti|contigo|tuy[oa]s?|usted(es)?|vosotr[oa]s|os|vuestr[oa]s?|pregúntate)\b",
    re.IGNORECASE,
)


def guided(taxonomy: Taxonomy) -> dict[str, GuidedEntry]:
    return {each.id: each for each in taxonomy.entries if isinstance(each, GuidedEntry)}


def pairs(name: str) -> Iterator[tuple[str, str, str]]:
    """Yield a place, the original and the translation of all that is translated."""
    ours, theirs = load_translated(name, "es"), load_taxonomy(name)
    yield f"{name}: name", theirs.name, ours.name
    yield f"{name}: definition", theirs.definition, ours.definition
    for number, both in enumerate(zip(theirs.not_this, ours.not_this, strict=True)):
        yield f"{name}: not_this {number}", *both
    for source, family in zip(theirs.families, ours.families, strict=True):
        yield f"{family.id}: name", source.name, family.name
        yield f"{family.id}: definition", source.definition, family.definition
    said = guided(ours)
    for entry_id, original in guided(theirs).items():
        entry = said[entry_id]
        for field in ("name", "definition", "question"):
            yield f"{entry_id}: {field}", getattr(original, field), getattr(entry, field)
        for field in ("ask", "not_when"):
            both_lists = zip(getattr(original, field), getattr(entry, field), strict=True)
            for number, (before, after) in enumerate(both_lists):
                yield f"{entry_id}: {field} {number}", before, after


def test_every_taxonomy_with_guidance_is_translated_and_every_file_is_known() -> None:
    with_guidance = [name for name in taxonomy_names() if guided(load_taxonomy(name))]
    assert sorted(SPANISH) == sorted(with_guidance)
    assert sorted(path.stem for path in (FOLDER / "es").iterdir()) == sorted(SPANISH)


@pytest.mark.parametrize("name", SPANISH)
def test_every_entry_has_its_words(name: str) -> None:
    data = yaml.safe_load((FOLDER / "es" / f"{name}.yaml").read_text(encoding="utf-8"))
    assert [entry["id"] for entry in data["entries"]] == load_taxonomy(name).ids()
    same = {place for place, before, after in pairs(name) if before == after}
    assert same == set()


@pytest.mark.parametrize("name", SPANISH)
def test_questions_and_clauses_have_the_marks_of_the_language(name: str) -> None:
    for entry in guided(load_translated(name, "es")).values():
        for question in (entry.question, *entry.ask):
            assert re.fullmatch(r"¿[A-ZÁÉÍÓÚÑ«][^¿?]*\?", question), question
        for clause in entry.not_when:
            assert re.fullmatch(r"[a-záéíóúñ«].*[\wáéíóúñ»]", clause), clause
        assert entry.definition.endswith(".")


@pytest.mark.parametrize("name", SPANISH)
def test_nothing_is_left_in_english_and_nobody_is_called_you(name: str) -> None:
    for place, _, text in pairs(name):
        assert not ENGLISH.search(text), f"{place}: {text}"
        assert not SECOND_PERSON.search(text), f"{place}: {text}"
        assert not re.search("[\"“”'`]", text), f"{place}: quotation marks are «»"


@pytest.mark.parametrize("name", SPANISH)
def test_no_translation_is_twice_as_long_as_its_original(name: str) -> None:
    for place, before, after in pairs(name):
        # Names are too short for a ratio to say anything.
        assert len(after) <= max(2 * len(before), 40), f"{place}: {len(after)} to {len(before)}"


def test_no_question_and_no_exception_is_said_twice() -> None:
    entries = [entry for name in SPANISH for entry in guided(load_translated(name, "es")).values()]
    said = Counter(text for entry in entries for text in (*entry.ask, *entry.not_when))
    assert [text for text, times in said.items() if times > 1] == []


@pytest.mark.parametrize("name", SPANISH)
def test_only_words_are_laid_over_the_original(name: str) -> None:
    ours, theirs = load_translated(name, "es"), load_taxonomy(name)
    assert ours.hierarchy() == theirs.hierarchy()
    assert ours.citation == theirs.citation
    for entry, original in zip(ours.entries, theirs.entries, strict=True):
        assert type(entry) is type(original)
        assert (entry.source_names, entry.family) == (original.source_names, original.family)
        # Examples of stereotypes are Spanish already, with a gloss; the others are translated.
        assert (entry.example == original.example) == (name == "stereotype")
    assert load_translated(name, "en") is theirs


def test_what_is_not_translated_is_said() -> None:
    with pytest.raises(UnknownNameError, match="no taxonomy in 'es' named 'stigma'"):
        load_translated("stigma", "es")
    with pytest.raises(UnknownNameError, match="language of the taxonomies named 'fr'"):
        load_translated("pcl", "fr")
    with pytest.raises(UnknownNameError, match="no taxonomy named 'pcll'"):
        load_translated("pcll", "es")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("¿Aplica la frase", "Aplica la frase", "begin with '¿'"),
        ("religión?\n", "religión\n", "a question that ends with"),
        (
            "      - se cita ese lenguaje",
            "      - cuando se cita ese lenguaje",
            "go on after 'when'",
        ),
        ("para rechazarlo\n", "para rechazarlo.\n", "no full stop"),
        ("id: stereotype.health", "id: stereotype.illness", "keep the ids and the order"),
        (
            "      - se informa de un delito y su",
            "      - x\n      - y su",
            "of 'stereotype.security'",
        ),
        ("name: Salud pública", "nombre: Salud pública", "'nombre'"),
        ("name: Salud pública", "name: ''", "blank"),
        ("name: Salud pública", 'name: "Salud\\npública"', "one line"),
        ("lang: es", "lang: Spanish", "lang"),
        ("id: stereotype\nlang", "id: pcl\nlang", "expected stereotype"),
    ],
)
def test_a_translation_that_does_not_fit_is_refused(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    text = (FOLDER / "es" / "stereotype.yaml").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "stereotype.yaml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TaxonomyError, match=re.escape(said)) as caught:
        read_translation(path, load_taxonomy("stereotype"))
    assert str(path) in str(caught.value)
