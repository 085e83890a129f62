"""The lessons keep their schema, are many and varied, and are split by prompt."""

import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest
from factory.lessons import generate
from factory.lessons.load import FOLDER, Lesson, filled, lessons_of, read_lesson_file, read_lessons
from factory.lessons.schema import IDS, ids_of

from tactful.corpora.detests import CATEGORIES
from tactful.taxonomies import load_taxonomy
from tactful_lab.evaluation.identity_bias import neutral_sentences

LANGUAGES = ("english", "spanish")
FILES = {language: sorted((FOLDER / language).glob("*.yaml")) for language in LANGUAGES}
LEAST_ITEMS = {"english": 7_000, "spanish": 2_300}
TAUGHT = {
    "english": frozenset(
        name
        for root, names in ids_of("english").items()
        for name in (root, *(f"{root}.{name}" for name in names))
    ),
    "spanish": frozenset(
        {
            "stereotype",
            *(f"stereotype.{name}" for name in IDS["stereotype"]),
            "toxicity",
            "toxicity.insult",
            "toxicity.threat",
            "toxicity.identity_attack",
        }
    ),
}
"""The ids that the lessons of a language have to show, and to show the absence of."""
LEAST_GROUPS = 80
MOST_GENERATED = 1 / 5
MOST_ALIKE = 0.7
"""How much of their character shingles two texts may share, unless they are a contrast pair."""
SHINGLE = 6


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def lessons(language: str) -> list[Lesson]:
    return lessons_in(language)


@cache
def lessons_in(language: str) -> list[Lesson]:
    return read_lessons(language)


def test_files_keep_the_schema(language: str) -> None:
    for path in FILES[language]:
        kind, found = read_lesson_file(path).kind, list(lessons_of(path))
        assert all(lesson.labels for lesson in found), path
        if kind == "contrast":
            assert all(lesson.pair for lesson in found), path
        if kind not in ("contrast", "harmful"):
            values = [value for lesson in found for value in lesson.labels.values()]
            assert max(values) < 0.5, path


def test_every_folder_is_a_language() -> None:
    assert {path.parent.name for path in FOLDER.rglob("*.yaml")} == set(LANGUAGES)


def test_there_are_enough(language: str, lessons: list[Lesson]) -> None:
    assert len(lessons) >= LEAST_ITEMS[language]


def test_few_are_generated(lessons: list[Lesson]) -> None:
    assert sum(lesson.generated for lesson in lessons) <= MOST_GENERATED * len(lessons)


def test_the_generated_file_is_what_the_generator_writes() -> None:
    assert generate.FILE.read_text(encoding="utf-8") == generate.document()


def test_many_groups_are_named_neutrally() -> None:
    assert len(set(generate.GROUPS)) == len(generate.GROUPS) >= LEAST_GROUPS


def test_a_fifth_of_what_was_written_is_validation(language: str, lessons: list[Lesson]) -> None:
    written = Counter(lesson.part for lesson in lessons if not lesson.generated)
    assert 0.18 <= written["validation"] / written.total() <= 0.25
    prompts = [read_lesson_file(path).prompt for path in FILES[language]]
    assert len(set(prompts)) == len(prompts)


def test_every_id_is_taught_both_ways(language: str, lessons: list[Lesson]) -> None:
    for name in sorted(TAUGHT[language]):
        values = [lesson.labels[name] for lesson in lessons if name in lesson.labels]
        assert any(value < 0.5 for value in values), f"no lesson says that {name} is absent"
        assert any(value >= 0.5 for value in values), f"no lesson shows {name}"


def test_no_text_is_there_twice(lessons: list[Lesson]) -> None:
    counts = Counter(" ".join(lesson.text.casefold().split()) for lesson in lessons)
    assert [text for text, count in counts.items() if count > 1] == []


def test_no_lesson_is_a_sentence_that_measures_bias() -> None:
    measuring = {sentence.text.casefold() for sentence in neutral_sentences()}
    assert measuring
    assert [
        lesson.text for lesson in lessons_in("english") if lesson.text.casefold() in measuring
    ] == []


def test_the_package_does_not_import_the_factory() -> None:
    source = FOLDER.parents[1] / "src"
    assert [
        path
        for path in source.rglob("*.py")
        if re.search(r"^\s*(from|import) factory\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    ] == []


def test_no_two_texts_are_nearly_the_same(lessons: list[Lesson]) -> None:
    assert near_duplicates([lesson for lesson in lessons if not lesson.generated]) == []


def near_duplicates(lessons: list[Lesson]) -> list[tuple[str, str]]:
    """Return the texts that share most of their shingles, and are no contrast pair.

    Two such texts share one of their rarest shingles at least, so only these are looked up.
    """
    shingles = [_shingles(lesson.text) for lesson in lessons]
    common = Counter(shingle for own in shingles for shingle in own)
    holders: dict[str, list[int]] = defaultdict(list)
    found = []
    for row, own in enumerate(shingles):
        rarest = sorted(own, key=lambda shingle: (common[shingle], shingle))
        rarest = rarest[: int((1 - MOST_ALIKE) * len(own)) + 1]
        for other in sorted({other for shingle in rarest for other in holders[shingle]}):
            alike = len(own & shingles[other]) / len(own | shingles[other])
            twins = lessons[row].pair is not None and lessons[row].pair == lessons[other].pair
            if alike > MOST_ALIKE and not twins:
                found.append((lessons[other].text, lessons[row].text))
        for shingle in rarest:
            holders[shingle].append(row)
    return found


def _shingles(text: str) -> set[str]:
    plain = f" {' '.join(text.casefold().split())} "
    return {plain[at : at + SHINGLE] for at in range(max(1, len(plain) - SHINGLE + 1))}


def test_the_search_sees_near_duplicates() -> None:
    def lesson(text: str, pair: str | None = None) -> Lesson:
        return Lesson("x", text, {}, "neutral", "train", "x", generated=False, pair=pair)

    one = "The library opens at nine on weekdays and closes at six."
    two = "The library opens at nine on weekdays and closes at seven."
    assert near_duplicates([lesson(one), lesson(two)]) == [(one, two)]
    assert near_duplicates([lesson(one, "p"), lesson(two, "p")]) == []
    assert near_duplicates([lesson(one), lesson("The bridge is closed for repairs.")]) == []


def test_labels_are_written_out(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "prompt: Write a pair.\nkind: contrast\nlicence: CC0-1.0\npart: train\n"
        "labels: {pcl: 0}\nharmful: {pcl: 1}\n"
        "items:\n- {harmful: Poor souls., harmless: Tenants., labels: {pcl.compassion: 1},"
        " marks: [Poor]}\n",
        encoding="utf-8",
    )
    bad, good = lessons_of(tmp_path / "a.yaml")
    assert bad.labels == {"pcl": 1.0, "pcl.compassion": 1.0}
    assert (
        good.labels
        == filled({"pcl": 0})
        == {f"pcl.{name}": 0.0 for name in IDS["pcl"]} | {"pcl": 0.0}
    )
    assert bad.pair == good.pair == "a-pair-1"
    assert (bad.marks, good.marks) == (("Poor",), ())


def test_only_spanish_lessons_judge_what_is_below_stereotype(tmp_path: Path) -> None:
    found = {}
    for language in LANGUAGES:
        path = tmp_path / language / "a.yaml"
        path.parent.mkdir()
        path.write_text(
            "prompt: Write.\nkind: neutral\nlicence: CC0-1.0\npart: train\n"
            "labels: {stereotype: 0}\nitems: [A text.]\n",
            encoding="utf-8",
        )
        (found[language],) = lessons_of(path)
    below = {f"stereotype.{name}": 0.0 for name in IDS["stereotype"]}
    assert found["spanish"].labels == {"stereotype": 0.0} | below
    assert found["english"].labels == {"stereotype": 0.0}


def test_the_ids_below_stereotype_are_those_of_the_taxonomy() -> None:
    known = {entry.id for entry in load_taxonomy("stereotype").entries}
    assert {f"stereotype.{name}" for name in IDS["stereotype"]} <= known
    assert set(CATEGORIES) | {"implicit"} == set(IDS["stereotype"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("labels: {rude: 1}", "found the ids rude"),
        ("labels: {pcl: 2}", "less than or equal to 1"),
        ("mood: good", "Extra inputs are not permitted"),
        ("licence: MIT", "CC0-1.0"),
    ],
)
def test_what_breaks_the_schema_is_refused(tmp_path: Path, line: str, message: str) -> None:
    file = {
        "prompt": "prompt: Write.", "kind": "kind: neutral", "part": "part: train",
        "licence": "licence: CC0-1.0", "items": "items: [A text.]",
    }  # fmt: skip
    file[line.partition(":")[0]] = line
    path = tmp_path / "a.yaml"
    path.write_text("\n".join(file.values()), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_lesson_file(path)
