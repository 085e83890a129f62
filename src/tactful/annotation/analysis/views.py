"""Judgements as tables with one label each, for agreement and confusion.

A question with one answer is one table. A question with several answers or spans is a table for
each option (chosen or not); several answers also have one for the whole set.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tactful.annotation.protocol.records import Question, Step

if TYPE_CHECKING:
    from tactful.agreement.answer import Level
    from tactful.annotation.state.project_state import Answer, Item, State
    from tactful.ratings import Codes, Ratings

CHOSEN, NOT_CHOSEN = "yes", "no"
NOTHING = "(none)"
"""The set of answers of somebody who chose none."""


class Row(NamedTuple):
    """One answer of one person to one question about one item."""

    item: str
    annotator: str
    answer: Any


@dataclass(slots=True)
class Rows:
    """The answers to one question, in columns.

    There may be more than a million: as separate records they would keep Python's garbage collector
    busy for seconds, in which nobody could annotate.
    """

    item: list[str] = field(default_factory=list)
    annotator: list[str] = field(default_factory=list)
    answer: list[Any] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.item)

    def __iter__(self) -> Iterator[Row]:
        return map(Row, self.item, self.annotator, self.answer)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Something that people can agree on: a question, or one of its options."""

    question: str
    option: str | None
    """None for the whole answer."""
    title: str
    level: "Level"
    ratings: "Ratings"
    """The judgements as codes, with labels in the order of the protocol."""

    @property
    def id(self) -> str:
        """The question, with the option behind a colon."""
        return self.question if self.option is None else f"{self.question}:{self.option}"


def counted_answers(
    state: "State", step: Step, items: Iterable["Item"]
) -> list[tuple[str, list["Answer"]]]:
    """Return the answers that count, item by item.

    It is fast and returns a copy, so that the lock of a shared state is held only briefly.
    """
    return [
        (item.id, state.counted(item.id, step.id)) for item in items if item.steps[step.id].counting
    ]


def by_question(step: Step, given: Iterable[tuple[str, Sequence["Answer"]]]) -> dict[str, Rows]:
    """Return answers in columns, question by question.

    A question with ``per`` is split: each answer of the other question becomes an item.
    """
    all_given = [(item, one) for item, answers in given for one in answers]
    found = {}
    for question in step.questions:
        name = question.id
        said = [
            (item, one.annotator, answer)
            for item, one in all_given
            if (answer := one.answers.get(name)) is not None
        ]
        if question.per is not None:
            said = [
                (f"{item} · {key}", who, each)
                for item, who, answers in said
                for key, each in answers.items()
            ]
        found[name] = Rows(*map(list, zip(*said, strict=True)))
    return found


def views(question: Question, rows: Rows) -> list[View]:
    """Return the tables of a question; free text has none."""
    match question.kind:
        case "choice" | "scale":
            given = [str(answer) for answer in rows.answer]
            level: Level = "ordinal" if question.kind == "scale" else "nominal"
            ratings = _Judged(rows).as_ratings(given, _labels(question, given))
            return [View(question.id, None, question.text, level, ratings)]
        case "choices":
            chosen = [frozenset(map(str, answer)) for answer in rows.answer]
            return [_whole(question, rows, chosen), *_options(question, rows, chosen)]
        case "spans":
            marked = [frozenset(str(span["value"]) for span in spans) for spans in rows.answer]
            return _options(question, rows, marked)
        case "text" | "texts":
            return []


def option_names(question: Question) -> Mapping[str, str]:
    """Return what each option is called."""
    return {option.value: option.name for option in question.options}


class _Judged:
    """Items and annotators as codes, the same for all options of a question."""

    def __init__(self, rows: Rows):
        self.items, self.item = _codes(rows.item)
        self.annotators, self.annotator = _codes(rows.annotator)

    def as_ratings(self, given: Sequence[str], labels: Sequence[str]) -> "Ratings":
        import numpy as np

        from tactful.ratings import Ratings

        place = {label: at for at, label in enumerate(labels)}
        label = np.array([place[each] for each in given], dtype=np.int64)
        return Ratings(self.items, self.annotators, tuple(labels), self.item, self.annotator, label)


def _codes(names: Sequence[str]) -> "tuple[tuple[str, ...], Codes]":
    import numpy as np

    known = {name: at for at, name in enumerate(dict.fromkeys(names))}
    return tuple(known), np.array([known[name] for name in names], dtype=np.int64)


def _labels(question: Question, used: Iterable[str]) -> list[str]:
    known = [option.value for option in question.options]
    return [*known, *sorted(set(used) - set(known))]


def _whole(question: Question, rows: Rows, chosen: Sequence[frozenset[str]]) -> View:
    order = _labels(question, (each for given in chosen for each in given))
    place = {label: at for at, label in enumerate(order)}
    # The same few sets occur often: each is named once.
    names = {
        given: " + ".join(sorted(given, key=place.__getitem__)) or NOTHING for given in set(chosen)
    }
    ratings = _Judged(rows).as_ratings([names[given] for given in chosen], sorted(names.values()))
    return View(question.id, None, f"{question.text} (the whole set)", "nominal", ratings)


def _options(question: Question, rows: Rows, chosen: Sequence[frozenset[str]]) -> list[View]:
    names, judged = option_names(question), _Judged(rows)
    order = _labels(question, (each for given in chosen for each in given))
    found = []
    for option in order:
        said = [CHOSEN if option in given else NOT_CHOSEN for given in chosen]
        ratings = judged.as_ratings(said, (CHOSEN, NOT_CHOSEN))
        found.append(View(question.id, option, names.get(option, option), "nominal", ratings))
    return found
