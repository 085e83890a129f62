"""The cues: their files keep the schema, and each is chosen by its sentences."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from tests.checking.cue_schema import CueFile, CueRecord, read_cue_file

from tactful.checking.cues import FILES, FOLDER, OTHER, find_cues, load_cues
from tactful.checking.people import mentions
from tactful.detectors.load import embedded_cards
from tactful.errors import TaxonomyError
from tactful.taxonomies import load_taxonomy
from tactful_lab.evaluation.identity_bias import phrasings

LANGUAGES = ("en", "es")


@cache
def records() -> list[CueRecord]:
    return [cue for name in FILES for cue in read_cue_file(FOLDER / f"{name}.yaml").cues]


def known_ids() -> set[str]:
    families = ("pcl", "unhealthy", "toxicity", "stereotype", "frame", "term")
    return {each for name in families for each in load_taxonomy(name).ids()} | {OTHER}


@pytest.mark.parametrize("name", FILES)
def test_every_file_keeps_the_schema(name: str) -> None:
    assert isinstance(read_cue_file(FOLDER / f"{name}.yaml"), CueFile)


def test_no_file_is_forgotten() -> None:
    assert {path.stem for path in FOLDER.glob("*.yaml")} == {*FILES, "people"}


def test_names_are_unique_and_kinds_are_known() -> None:
    cues = records()
    assert [name for name, count in Counter(cue.id for cue in cues).items() if count > 1] == []
    assert {kind for cue in cues for kind in cue.kinds} <= known_ids()


def test_there_are_moves_for_every_id_that_is_reported() -> None:
    cues = records()
    assert sum(1 for cue in cues if cue.patterns) >= 70
    reported = {name for card in embedded_cards() for name in card.ids}
    assert len(reported) == 28 + 12
    for name in reported:
        assert any(name in cue.kinds and cue.patterns for cue in cues), name
        assert any(cue.kinds == (name,) and not cue.patterns for cue in cues), name


def test_no_two_cues_say_the_same() -> None:
    for lang in LANGUAGES:
        moves = Counter(getattr(cue.move, lang) for cue in records())
        assert [move for move, count in moves.items() if count > 1] == []


@pytest.mark.parametrize("cue", [each for each in records() if each.patterns], ids=lambda c: c.id)
def test_its_sentences_choose_it(cue: CueRecord) -> None:
    for sentence in cue.chosen_by:
        found = next(find_cues([cue.kinds[0]], sentence, []))
        assert found.cue.id == cue.id, sentence
        assert found.quote in sentence


def test_every_pattern_is_used_by_a_sentence_or_is_of_another_language() -> None:
    for cue in load_cues():
        record = next(each for each in records() if each.id == cue.id)
        if record.patterns:
            used = [p for p in cue.patterns if any(p.search(s) for s in record.chosen_by)]
            assert used, cue.id


def test_marked_words_come_before_the_rest_of_the_sentence() -> None:
    text = "Of course the less fortunate are grateful."
    kinds = ["pcl.presupposition", "pcl.unbalanced_power_relations", "pcl.compassion"]
    assert next(find_cues(kinds, text, [])).quote == "Of course"
    assert next(find_cues(kinds, text, ["grateful"])).quote == "grateful"
    assert next(find_cues(kinds, text, ["less fortunate"])).quote == "the less fortunate"


def test_a_category_comes_before_the_root_of_its_family() -> None:
    fallbacks = [found.cue.id for found in find_cues(["pcl", "pcl.metaphor"], "A text.", [])]
    assert fallbacks == ["pcl.metaphor", "pcl"]


@pytest.mark.parametrize(
    ("kind", "fallback"),
    [("pcl.other", "pcl"), ("term.age", "term"), ("my.own", "other"), ("", "other")],
)
def test_an_id_without_cues_has_those_above_it(kind: str, fallback: str) -> None:
    assert [found.cue.id for found in find_cues([kind], "A text.", [])] == [fallback]
    assert [found.cue.id for found in find_cues([], "A text.", [])] == ["other"]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("a+", "without '*'"),
        ("a.*b", "without '*'"),
        ("a{2,}", "without '*'"),
        ("a{2,500}", "at most 90"),
        ("(?<=a)b", "look-behind"),
        ("(?P<x>a)(?P=x)", "back-references"),
    ],
    ids=["plus", "star", "open", "long", "behind", "back"],
)
def test_unbounded_patterns_are_refused(tmp_path: Path, pattern: str, problem: str) -> None:
    with pytest.raises(TaxonomyError, match=re.escape(problem)):
        read_cue_file(written(tmp_path, patterns=f"['{pattern}']"))


@pytest.mark.parametrize("pattern", ["[*+]", r"\+", "a{0,3}", "(?:ab){2}c?"])
def test_bounded_patterns_are_kept(tmp_path: Path, pattern: str) -> None:
    assert read_cue_file(written(tmp_path, patterns=f"['{pattern}']")).cues[0].patterns == (
        pattern,
    )


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"move": "Say it"}, "full stop"),
        ({"move": f"{'Say it ' * 9}{{quote}}."}, "at most 18 words"),
        ({"move": "Say {what}."}, "only {quote}, {who}"),
        ({"move": "Say {who}."}, "the group 'who'"),
        ({"reading": "Names nobody."}, "small letter"),
        ({"reading": f"names {'x ' * 30}."}, "the group included"),
        ({"chosen_by": "[]"}, "'chosen_by'"),
        ({"patterns": "[]", "chosen_by": "[]", "kinds": "[pcl, frame]"}, "one kind"),
    ],
    ids=["stop", "long", "name", "who", "capital", "long-reading", "no-sentence", "fallback"],
)
def test_flaws_are_named(tmp_path: Path, fields: dict[str, str], problem: str) -> None:
    with pytest.raises(TaxonomyError, match=re.escape(problem)) as error:
        read_cue_file(written(tmp_path, **fields))
    assert "cues.yaml" in str(error.value)


def written(folder: Path, **fields: str) -> Path:
    given = {
        "kinds": "[pcl]",
        "patterns": "['a']",
        "move": "Say it.",
        "reading": "names nobody.",
        "chosen_by": "[a]",
    } | fields
    path = folder / "cues.yaml"
    path.write_text(
        "words: {}\ncues:\n  - id: one\n"
        f"    kinds: {given['kinds']}\n    patterns: {given['patterns']}\n"
        f"    move: {{en: '{given['move']}', es: '{given['move']}'}}\n"
        f"    reading: {{en: '{given['reading']}', es: '{given['reading']}'}}\n"
        f"    chosen_by: {given['chosen_by']}\n",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("name", phrasings())
def test_people_are_recognised(name: str) -> None:
    if name == "Colleagues":  # nobody's identity
        return
    assert [found.words.lower() for found in mentions(f"{name} came.")] == [name.lower()]
