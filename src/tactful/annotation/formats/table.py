"""Tables of texts and of hidden tests, as the command and the owner's page import them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.annotation.formats.cells import restore, was_neutralised
from tactful.annotation.project.exchange import NewItem
from tactful.annotation.protocol.records import Protocol, Question
from tactful.corpora.files.problems import show
from tactful.errors import InputError
from tactful.registry import unknown_name

if TYPE_CHECKING:
    import polars as pl

_FROM_JSON = ("choices", "texts", "spans")
"""Kinds of questions whose answer does not fit into a plain cell."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a table hold what."""

    text: str = "text"
    id: str | None = None
    context: tuple[str, ...] = ()
    meta: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    priority: str | None = None


def items_of_table(
    path: Path, columns: Columns, protocol: Protocol, *, all_tests: bool = False
) -> list[NewItem]:
    """Return the rows of a table as items; errors name the line."""
    from tactful.tables import as_ids, lines_of, read_table, require_columns

    frame = read_table(path)
    if was_neutralised(path):
        frame = _restored(frame)
    lines = lines_of(path)
    context, gold = _named(columns.context), _named(columns.gold)
    plain = [columns.text, *context, *gold, *columns.meta]
    plain += [name for name in (columns.id, columns.priority) if name is not None]
    if columns.text not in frame.columns:
        unknown = unknown_name("column", columns.text, frame.columns)
        raise InputError(f"{path}: {unknown} Say which column has the texts (--text-column).")
    require_columns(frame, plain, path)
    id_column = columns.id or ("id" if "id" in frame.columns else None)
    used = {columns.text, id_column, columns.priority, *context, *gold}
    meta = columns.meta or tuple(name for name in frame.columns if name not in used)
    ids = as_ids(frame[id_column]).to_list() if id_column else None
    items = []
    for at, row in enumerate(frame.iter_rows(named=True)):
        place = f"{path}, line {lines[at]}" if at < len(lines) else f"{path}, row {at + 1}"
        answers = _gold(row, gold, protocol, place)
        if all_tests and answers is None:
            raise InputError(f"{place}: found no right answer; expected one for a hidden test.")
        items.append(
            NewItem(
                id=(ids[at] or "") if ids is not None else f"{path.stem}-{at + 1}",
                text=_text(row[columns.text]),
                context={shown: _text(row[name]) for name, shown in context.items() if row[name]},
                meta={name: _text(row[name]) for name in meta if row[name] is not None},
                gold=answers,
                priority=_priority(row, columns.priority, place),
                place=place,
                made_id=ids is None,
            )
        )
    return items


def _restored(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Remove the apostrophes that a Tactful export put before cells."""
    import polars as pl

    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns(
        pl.col(name).map_elements(restore, return_dtype=pl.String) for name in texts
    )


def tests_of_table(path: Path, columns: Columns, protocol: Protocol) -> list[NewItem]:
    """Return the rows of a table of hidden tests; columns are named after the questions."""
    from tactful.tables import read_table

    given = columns.gold
    if not given:
        known = [question.id for step in protocol.steps for question in step.questions]
        here = read_table(path).columns
        given = tuple(dict.fromkeys(name for name in known if name in here))
        if not given:
            raise InputError(
                f"{path}: found the columns {', '.join(here)}; expected some that are named after "
                f"the questions of the protocol: {', '.join(dict.fromkeys(known))}."
            )
    changed = Columns(columns.text, columns.id, columns.context, columns.meta, given, None)
    return items_of_table(path, changed, protocol, all_tests=True)


def _named(given: Sequence[str]) -> dict[str, str]:
    """Read ``COLUMN=NAME``; without a name it is that of the column."""
    pairs = (each.partition("=") for each in given)
    return {column: name or column for column, _, name in pairs}


def _gold(
    row: dict[str, Any], columns: dict[str, str], protocol: Protocol, place: str
) -> dict[str, Any] | None:
    kinds = {each.id: each for step in protocol.steps for each in step.questions}
    answers = {}
    for column, name in columns.items():
        if name not in kinds:
            raise unknown_name("question", name, list(kinds))
        cell = row[column]
        if cell is None:
            continue
        try:
            answers[name] = cell_answer(kinds[name], cell)
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
    return answers or None


def is_from_json(question: Question) -> bool:
    """Say whether the answer to a question is written as JSON."""
    return question.kind in _FROM_JSON or question.per is not None


def cell_answer(question: Question, cell: Any) -> Any:
    """Read the answer to a question from a cell: the value of an option, a text, or JSON."""
    if not isinstance(cell, str):
        return cell if isinstance(cell, list | dict) else _text(cell)
    if not is_from_json(question) and not cell.lstrip().startswith("{"):
        return cell
    try:
        return json.loads(cell)
    except ValueError:
        raise InputError(
            f'Found {cell[:40]!r} for \'{question.id}\'; expected JSON, such as ["a", "b"].'
        ) from None


def _priority(row: dict[str, Any], column: str | None, place: str) -> float:
    from tactful.tables import as_number

    if column is None or row[column] is None:
        return 0.0
    number = as_number(row[column])
    if number is None:
        raise InputError(
            f"{place}: found {show(str(row[column]))} in the column '{column}'; expected a number."
        )
    return number


def _text(cell: Any) -> str:
    """Write a cell as text: 7.0 as 7, lists as JSON."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, list | dict):
        return json.dumps(cell, ensure_ascii=False, default=str)
    return str(cell)
