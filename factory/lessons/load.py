"""Read the lessons: every item with its own labels, in a fixed order."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import ValidationError

from factory.lessons.schema import IDS, Item, Labels, LessonFile, Pair, ids_of

FOLDER = Path(__file__).parent
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The same safe reader, in C where PyYAML has it: ten times as fast."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One text to learn from."""

    id: str
    text: str
    labels: Labels
    kind: str
    part: str
    prompt: str
    generated: bool
    pair: str | None = None
    marks: tuple[str, ...] = ()


def read_lessons(language: str = "english", folder: Path = FOLDER) -> list[Lesson]:
    """Read all lessons of a language, in the order of the files' names."""
    files = sorted((folder / language).glob("*.yaml"))
    return [lesson for path in files for lesson in lessons_of(path)]


def read_lesson_file(path: Path) -> LessonFile:
    """Read and check one file."""
    try:
        found = yaml.load(path.read_text(encoding="utf-8"), _LOADER)  # noqa: S506
        return LessonFile.model_validate(found)
    except (yaml.YAMLError, ValidationError) as error:
        raise ValueError(f"{path}: {error}") from None


def lessons_of(path: Path) -> Iterator[Lesson]:
    """Yield the lessons of one file; its folder is its language."""
    file = read_lesson_file(path)
    ids = ids_of(path.parent.name)
    for number, item in enumerate(_items(file, path.stem), start=1):
        yield Lesson(
            f"{path.stem}-{number}",
            item.text,
            filled(item.labels, ids),
            file.kind,
            file.part,
            path.stem,
            file.generated,
            item.pair,
            item.marks,
        )


def _items(file: LessonFile, stem: str) -> Iterator[Item]:
    for number, each in enumerate(file.items, start=1):
        if isinstance(each, str):
            yield Item(text=each, labels=file.labels)
        elif isinstance(each, Pair):
            key = f"{stem}-pair-{number}"
            labels = {**file.harmful, **each.labels}
            yield Item(text=each.harmful, labels=labels, pair=key, marks=each.marks)
            yield Item(text=each.harmless, labels=file.labels, pair=key)
        else:
            yield each.model_copy(update={"labels": {**file.labels, **each.labels}})


def filled(labels: Labels, ids: Mapping[str, tuple[str, ...]] = IDS) -> dict[str, float]:
    """Add what follows from the labels: without a root there is nothing below it.

    And a text that offends nobody offends no group.
    """
    empty = [root for root in ids if labels.get(root) == 0]
    below = {f"{root}.{name}": 0.0 for root in empty for name in ids[root]}
    if "frame.offensive" in empty:
        below["frame.group"] = 0.0
    return {**below, **{name: float(value) for name, value in labels.items()}}
