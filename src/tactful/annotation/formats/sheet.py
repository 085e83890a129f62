"""A table for spreadsheets: one row for each judgement.

Cells that a spreadsheet would run are always neutralised (:mod:`tactful.annotation.formats.cells`);
the reader removes the added apostrophes, and no others.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tactful.annotation.formats.annotated import (
    Annotated,
    Imported,
    Judged,
    Source,
    find_step,
    json_text,
    plain,
    together,
)
from tactful.annotation.formats.cells import restore, write_csv
from tactful.annotation.formats.losses import Loss, Lost, as_losses, losses
from tactful.annotation.protocol.records import Protocol, Step
from tactful.errors import FileFormatError, UsageError
from tactful.files import csv_rows, open_text
from tactful.registry import unknown_name

_CARRIED = (
    "tests", "uncounted", "people", "labels", "confidence", "decisions", "trust", "times",
    "context", "meta", "unjudged",
)  # fmt: skip
TABLE = "judgements.csv"
COLUMNS = (
    "item", "step", "text", "gold", "who", "annotator", "counts", "trust", "at", "seconds",
)  # fmt: skip
CONTEXT, META, SURE = "context: ", "meta: ", "confidence: "
"""Prefixes of the names of further columns."""


def write_sheet(source: Source, folder: Path) -> list[Loss]:
    """Write ``judgements.csv``: judgements, then the referee's decision and the combined label."""
    questions = list(
        dict.fromkeys(each.id for step in source.protocol.steps for each in step.questions)
    )
    contexts, metas = (
        list(
            dict.fromkeys(
                name for item in source.state.items.values() for name in getattr(item, of)
            )
        )
        for of in ("context", "meta")
    )
    header = [
        *COLUMNS, *questions, *(f"{SURE}{each}" for each in questions),
        *(f"{CONTEXT}{each}" for each in contexts), *(f"{META}{each}" for each in metas),
    ]  # fmt: skip

    def rows() -> Iterator[list[object]]:
        for record in source.records():
            about: list[object] = [record.context.get(name) for name in contexts]
            about += [record.meta.get(name) for name in metas]
            for start, answers, sure in _record_rows(record):
                yield [
                    record.id, record.step, record.text, _cell(record.gold), *start,
                    *(_cell(answers.get(each)) for each in questions),
                    *(sure.get(each) for each in questions), *about,
                ]  # fmt: skip

    write_csv(folder / TABLE, header, rows(), safe=True)
    return losses(source, _CARRIED, lambda _step, _question: True)


def _record_rows(
    record: Annotated,
) -> Iterator[tuple[list[object], dict[str, Any], dict[str, Any]]]:
    """Yield the first cells of each row, the answers, and the confidences."""
    for each in record.judged:
        yield _start("annotator", each), dict(each.answers), {}
    if record.decision is not None:
        yield _start("referee", record.decision), dict(record.decision.answers), {}
    values = {name: plain(label.value) for name, label in record.labels.items()}
    if values or not record.judged:
        sure = {name: label.confidence for name, label in record.labels.items()}
        yield ["label", None, None, None, None, None], values, sure


def _start(who: str, judged: Judged) -> list[object]:
    at = None if judged.at is None else datetime.fromtimestamp(judged.at, UTC).isoformat()
    counts = "yes" if judged.counts else f"no: {judged.why}"
    return [who, judged.annotator, counts, judged.trust, at, judged.seconds]


def _cell(answer: Any) -> object:
    if answer is None or isinstance(answer, str):
        return answer
    return json_text(plain(answer))


_AS_JSON = ("choices", "texts", "spans")


def read_sheet(path: Path, protocol: Protocol) -> Imported:
    """Read ``judgements.csv``, or the folder that holds it."""
    file = path / TABLE if path.is_dir() else path
    if not file.is_file():
        raise UsageError(f"{file}: not found; expected the table of an export as csv.")
    lost: Lost = Counter()
    return Imported(together(_records(file, protocol, lost)), as_losses(lost))


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line of each row and its non-empty cells.

    The fixed columns come first, under their own names; all other names get a colon in front, as
    a question could have the name of a fixed column.
    """
    with open_text(path, newline="") as handle:
        rows = csv_rows(path, handle)
        _, header = next(rows, (1, []))
        if tuple(header[: len(COLUMNS)]) != COLUMNS:
            raise FileFormatError(
                f"{path}, line 1: found the columns {', '.join(header[:4])} …; expected those of "
                f"a csv export: {', '.join(COLUMNS)}."
            )
        names = [*COLUMNS, *(f":{restore(name)}" for name in header[len(COLUMNS) :])]
        for line, cells in rows:
            if len(cells) != len(names):
                raise FileFormatError(
                    f"{path}, line {line}: found {len(cells)} cells; expected {len(names)}, as the "
                    "first line has them."
                )
            pairs = zip(names, cells, strict=True)
            yield line, {name: restore(cell) for name, cell in pairs if cell}


def _records(path: Path, protocol: Protocol, lost: Lost) -> Iterator[Annotated]:
    """Yield each row as a record with one judgement, one decision or neither."""
    for line, row in _rows(path):
        place = f"{path}, line {line}"
        step = find_step(protocol, row.get("step", ""), place)
        record = Annotated(
            row.get("item", ""),
            row.get("text", ""),
            step.id,
            context=_named(row, CONTEXT),
            meta=_named(row, META),
            gold=None if "gold" not in row else _json(row["gold"], "gold", place),
            place=place,
        )
        who, counts = row.get("who"), row.get("counts", "yes")
        if who == "label":
            lost["combined labels", "a project computes its own"] += 1
        elif who not in ("annotator", "referee"):
            raise FileFormatError(
                f"{place}: found {str(who)[:40]!r} as 'who'; expected annotator, referee or label."
            )
        elif who == "annotator" and counts not in ("yes", "no: test"):
            lost["judgements that do not count", "they would count in a new project"] += 1
        else:
            judged = Judged(
                row.get("annotator", ""),
                _answers(row, protocol, step, place),
                _time(row.get("at"), place),
                _number(row.get("seconds"), place),
            )
            given = {"decision": judged} if who == "referee" else {"judged": (judged,)}
            record = replace(record, **given)
        yield record


def _answers(row: Mapping[str, str], protocol: Protocol, step: Step, place: str) -> dict[str, Any]:
    answers = {}
    known = {question.id: question for question in step.questions}
    everywhere = {each.id for other in protocol.steps for each in other.questions}
    for column, cell in row.items():
        name = column.removeprefix(":")
        if name == column or name.startswith((CONTEXT, META, SURE)):
            continue
        if name in known:
            is_json = known[name].kind in _AS_JSON or known[name].per is not None
            answers[name] = _json(cell, name, place) if is_json else cell
        elif name not in everywhere:
            raise FileFormatError(f"{place}: {unknown_name('question', name, list(known))}")
    return answers


def _named(row: Mapping[str, str], start: str) -> dict[str, str]:
    return {
        name.removeprefix(f":{start}"): cell
        for name, cell in row.items()
        if name.startswith(f":{start}")
    }


def _json(cell: str, name: str, place: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        raise FileFormatError(
            f"{place}: found {cell[:40]!r} as '{name}'; expected JSON, as the export wrote it."
        ) from None


def _time(cell: str | None, place: str) -> float | None:
    try:
        return None if cell is None else datetime.fromisoformat(cell).timestamp()
    except ValueError:
        raise FileFormatError(
            f"{place}: found {cell!r:.40} as 'at'; expected a time such as "
            "2024-05-01T10:00:00+00:00."
        ) from None


def _number(cell: str | None, place: str) -> float | None:
    try:
        number = None if cell is None else float(cell)
    except ValueError:
        number = math.nan
    if number is not None and not math.isfinite(number):
        raise FileFormatError(f"{place}: found {cell!r:.40} as 'seconds'; expected a number.")
    return number
