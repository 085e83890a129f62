"""Judgements as tables of one label each: what agreement and confusion are computed from.

A question with one answer is one table. A question with several answers, and one of spans, is a
table for each option (was it chosen or not), and one of the whole set where there is a set.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tactful.annotation.protocol import Question, Step

if TYPE_CHECKING:
    from tactful.agreement.answer import Level
    from tactful.annotation.state import Item, State
    from tactful.ratings import Codes, Ratings

CHOSEN, NOT_CHOSEN = "yes", "no"
NOTHING = "(none)"
"""The set of answers of somebody who chose none."""


class Row(NamedTuple):
    """One answer of one person to one question about one item."""

    item: str
    annotator: str
    answer: Any


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One thing that people can agree about: a question, or one option of it."""

    question: str
    option: str | None
    """None: the whole answer."""
    title: str
    level: "Level"
    ratings: "Ratings"
    """The judgements as numbers; its labels are in the order of the protocol."""

    @property
    def id(self) -> str:
        """The question, with the option behind a colon."""
        return self.question if self.option is None else f"{self.question}:{self.option}"

    @property
    def rows(self) -> Iterator[tuple[str, str, str]]:
        """The judgements in words: item, annotator, label."""
        known = self.ratings
        for item, annotator, label in zip(known.item, known.annotator, known.label, strict=True):
            yield known.items[item], known.annotators[annotator], known.labels[label]


def judgements(
    state: "State", step: Step, items: Iterable["Item"] | None = None
) -> dict[str, list[Row]]:
    """Return the answers that count, by question; of some items, or of all.

    A question that is asked for each answer of another one is taken apart: each of those answers
    is an item of its own.
    """
    found: dict[str, list[Row]] = {question.id: [] for question in step.questions}
    per = {question.id: question.per for question in step.questions}
    for item in state.items.values() if items is None else items:
        for given in state.counted(item.id, step.id):
            for name, answer in given.answers.items():
                if name not in found or answer is None:
                    continue
                if per[name] is None:
                    found[name].append(Row(item.id, given.annotator, answer))
                else:
                    found[name] += [
                        Row(f"{item.id} · {key}", given.annotator, each)
                        for key, each in answer.items()
                    ]
    return found


def views(question: Question, rows: Sequence[Row]) -> list[View]:
    """Return the tables of a question; none for free text, which has no labels to compare."""
    match question.kind:
        case "choice" | "scale":
            given = [str(row.answer) for row in rows]
            level: Level = "ordinal" if question.kind == "scale" else "nominal"
            ratings = _Judged(rows).as_ratings(given, _labels(question, given))
            return [View(question.id, None, question.text, level, ratings)]
        case "choices":
            chosen = [frozenset(map(str, row.answer)) for row in rows]
            return [_whole(question, rows, chosen), *_options(question, rows, chosen)]
        case "spans":
            marked = [frozenset(str(span["value"]) for span in row.answer) for row in rows]
            return _options(question, rows, marked)
        case "text" | "texts":
            return []


def option_names(question: Question) -> Mapping[str, str]:
    """Return what each option is called."""
    return {option.value: option.name for option in question.options}


class _Judged:
    """Who judged what, as numbers: the same for all options of a question."""

    def __init__(self, rows: Sequence[Row]):
        self.items, self.item = _codes([row.item for row in rows])
        self.annotators, self.annotator = _codes([row.annotator for row in rows])

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


def _whole(question: Question, rows: Sequence[Row], chosen: Sequence[frozenset[str]]) -> View:
    order = _labels(question, (each for given in chosen for each in given))
    place = {label: at for at, label in enumerate(order)}
    # Few sets are given by many people: each is named once.
    names = {
        given: " + ".join(sorted(given, key=place.__getitem__)) or NOTHING for given in set(chosen)
    }
    ratings = _Judged(rows).as_ratings([names[given] for given in chosen], sorted(names.values()))
    return View(question.id, None, f"{question.text} (the whole set)", "nominal", ratings)


def _options(
    question: Question, rows: Sequence[Row], chosen: Sequence[frozenset[str]]
) -> list[View]:
    names, judged = option_names(question), _Judged(rows)
    order = _labels(question, (each for given in chosen for each in given))
    return [
        View(
            question.id,
            option,
            names.get(option, option),
            "nominal",
            judged.as_ratings(
                [CHOSEN if option in given else NOT_CHOSEN for given in chosen],
                (CHOSEN, NOT_CHOSEN),
            ),
        )
        for option in order
    ]
