"""Spanish sentences of ours: lessons for the ten categories of DETESTS.

The lessons teach categories that have few labelled sentences to be had; half of those with a
stereotype only imply it. The neutral ones speak of the same people and subjects without one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tactful.corpora.detests import CATEGORIES

_FOLDER = Path(__file__).parent
LESSONS_FILE = _FOLDER / "stereotype_lessons.yaml"
NEUTRAL_FILE = _FOLDER / "stereotype_neutral.yaml"
_ALSO = " || "


@dataclass(frozen=True, slots=True)
class Lesson:
    """One sentence and what it holds."""

    text: str
    categories: frozenset[str]
    """Names of :data:`CATEGORIES`; none where there is no stereotype."""
    implicit: bool
    """Whether the stereotype is between the lines; False where there is none."""
    subject: str
    """The category that the sentence was written for, or whose subject a neutral one shares."""

    @property
    def stereotype(self) -> bool:
        """Whether there is a stereotype."""
        return bool(self.categories)


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return all lessons: those with a stereotype, in the order of the categories, then neutral."""
    taught, neutral = _read(LESSONS_FILE), _read(NEUTRAL_FILE)
    return (
        *(lesson for name in CATEGORIES for lesson in _taught(name, taught[name])),
        *(
            Lesson(text, frozenset(), implicit=False, subject=name)
            for name in CATEGORIES
            for text in neutral[name]
        ),
    )


def _taught(name: str, kinds: dict[str, list[str]]) -> Iterator[Lesson]:
    for kind in ("explicit", "implicit"):
        for entry in kinds[kind]:
            text, _, also = entry.partition(_ALSO)
            others = frozenset(also.replace(",", " ").split())
            yield Lesson(text, others | {name}, kind == "implicit", name)


def _read(path: Path) -> dict[str, Any]:
    import yaml

    data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return data
