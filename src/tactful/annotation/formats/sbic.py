"""The annotation rows of the Social Bias Inference Corpus: one for each worker and statement."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tactful.annotation.formats.annotated import Source
from tactful.annotation.formats.cells import write_table
from tactful.annotation.formats.complete_items import complete_items, score
from tactful.annotation.formats.losses import NO_PLACE, Loss, Lost, losses
from tactful.annotation.protocol.records import Question
from tactful.corpora.sbic_examples import ANSWERS, FREE_TEXT, TRAITS
from tactful.errors import UsageError

ROWS = "sbic-annotations.csv"
_GROUP, _STATEMENT = FREE_TEXT["targetMinority"], FREE_TEXT["targetStereotype"]
_STEPS = {"intentYN": (0.0, 0.33, 0.66, 1.0), "whoTarget": (0.0, 1.0)}
"""The numbers that a column knows, where they are not 0, 0.5 and 1."""
_HEADER = (
    "whoTarget", "intentYN", "sexYN", "offensiveYN", *TRAITS, "speakerMinorityYN", "WorkerId",
    "HITId", "post", "targetMinority", "targetCategory", "targetStereotype", "dataSource",
)  # fmt: skip
_AGES = ("ages", "the format has a number, not a range")
_BY_TEXT = "the format knows posts by their text"
_SAME, _IDS = ("items with the text of another", _BY_TEXT), ("items' ids", _BY_TEXT)
_NO_SCORE = "their options have no score; the cells are empty"
_META = {"HITId", "dataSource", "targetCategory"}


def write_sbic(source: Source, folder: Path) -> list[Loss]:
    """Write all judgements that count."""
    questions = {each.id: each for step in source.protocol.steps for each in step.questions}
    if "frame.offensive" not in questions:
        raise UsageError(
            f"The protocol '{source.protocol.id}' does not ask whether a post is offensive, which "
            "the format 'sbic' needs; choose another format."
        )
    rows: list[list[object]] = []
    texts: set[str] = set()
    ages: set[str] = set()
    lost: Lost = Counter({_SAME: 0, _IDS: 0, _AGES: 0})
    for item in complete_items(source):
        lost[_SAME] += item.text in texts
        lost[_IDS] += 1
        lost["further columns", NO_PLACE] += len(set(item.meta) - _META)
        texts.add(item.text)
        for person, judged in item.people.items():
            answers = {name: each for part in judged for name, each in part.answers.items()}
            numbers = {
                column: _number(questions, name, column, answers)
                for column, name in ANSWERS.items()
            }
            unread = sum(
                numbers[column] is None and name in answers and not _has_numbers(questions[name])
                for column, name in ANSWERS.items()
            )
            lost["answers without a number", _NO_SCORE] += unread
            traits = source.state.people[person].traits
            if traits.get("age") is not None and _age(traits) is None:
                ages.add(person)
                lost[_AGES] = len(ages)
            cells: dict[str, object] = {
                **numbers,
                **{column: _trait(traits, name) for column, name in TRAITS.items()},
                "annotatorAge": _age(traits),
                "WorkerId": person,
                "HITId": item.meta.get("HITId"),
                "post": item.text,
                "targetCategory": item.meta.get("targetCategory"),
                "dataSource": item.meta.get("dataSource"),
            }
            for group, statement in _pairs(answers):
                cells |= {"targetMinority": group, "targetStereotype": statement}
                rows.append([cells[name] for name in _HEADER])
    write_table(source, folder / ROWS, _HEADER, rows, lost)
    kept = {*ANSWERS.values(), _GROUP, _STATEMENT}
    carried = ("people", "traits", "meta")
    return losses(source, carried, lambda _step, question: question.id in kept, lost)


def _number(
    questions: dict[str, Question], name: str, column: str, answers: dict[str, Any]
) -> float | None:
    """Return an answer as the nearest number that the column knows."""
    if name not in answers or name not in questions:
        return None
    value = score(questions[name], answers[name])
    steps = _STEPS.get(column, (0.0, 0.5, 1.0))
    return None if value is None else min(steps, key=lambda step: abs(step - value))


def _has_numbers(question: Question) -> bool:
    """Say whether answers have numbers; "I don't understand the post" is an empty cell then."""
    return any(option.score is not None for option in question.options)


def _pairs(answers: dict[str, Any]) -> Iterator[tuple[str | None, str | None]]:
    """Yield groups with their statements; a judgement without a group is one row."""
    groups = answers.get(_GROUP) or []
    groups = [groups] if isinstance(groups, str) else groups
    statements = answers.get(_STATEMENT) or {}
    if not isinstance(statements, dict):
        statements = {(groups or [None])[0]: statements}
    any_row = False
    for group in groups or [None]:
        for statement in statements.get(group) or [None]:
            any_row = True
            yield group, statement
    if not any_row:
        yield None, None


def _trait(traits: dict[str, Any], name: str) -> str | None:
    """Return a trait as text; several answers share one cell."""
    given = traits.get(name)
    if given is None:
        return None
    return ", ".join(map(str, given)) if isinstance(given, list | tuple) else str(given)


def _age(traits: dict[str, Any]) -> str | None:
    """Return an age that is a number."""
    given = _trait(traits, "age")
    return given if given is not None and given.isdecimal() else None
