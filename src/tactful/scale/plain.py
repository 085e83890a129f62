"""Scoring without polars: CSV, TSV, JSON lines and plain lines, with numpy and Python's own.

The bare installation has no library for tables. What is written here is, byte for byte, what
:mod:`tactful.scale.portions` writes; that is faster on rows, and can do more.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.errors import UsageError
from tactful.libraries import is_installed
from tactful.scale.job import Job
from tactful.scale.portions import (
    Plan,
    PortionScorer,
    located,
    plan_for_json,
    plan_for_table,
)
from tactful.scale.rejects import Reject
from tactful.scale.score_cache import ProcessCache, ScoreCache
from tactful.scale.scorer import ERROR, ScoreBatch, Scores, score_texts
from tactful.scale.scoring import LINE, SLICE, OnRows, check_names, output_names
from tactful.scale.summary import Tally, count_up
from tactful.scale.tables.delimited import delimited_line
from tactful.scale.tables.headers import Header, empty_table
from tactful.scale.tables.json_lines import readable_line, refuse_keys
from tactful.scale.tables.parse import (
    TOO_DEEP,
    decoded_lines,
    parse,
    read_cells,
    read_object,
    rejected_json,
)
from tactful.scale.tables.pieces import Piece
from tactful.scale.tables.sources import Source, pack

Cells = list[str | None]
_LEAST_EXPONENT = -6
"""Numbers with a lesser exponent are written as ``3.3e-7``."""
_KINDS = {bool: "true or false", int: "numbers", float: "numbers", list: "lists", dict: "objects"}


def plan_for_header(plan: Plan, head: Header) -> Plan:
    """Return the plan for tables with this header."""
    if is_installed("polars"):
        return plan_for_table(plan, empty_table(head))
    job = plan.job
    check_names(head.columns, job.wanted, job.scorer)
    names = output_names(head.columns, job.scorer.columns, job.wanted.prefix)
    return replace(plan, columns=head.columns, names=names)


def plan_for_lines(plan: Plan, piece: Piece, source: Source, head: Header) -> tuple[Plan, int]:
    """Return the plan for lines of JSON that begin with a piece, and how many lines that has."""
    job = plan.job
    if is_installed("polars"):
        lines = parse(piece, source, head, job.skip_bad_rows).table[LINE]
        return plan_for_json(plan, lines), len(lines)
    rows, _ = _read_lines_of_json(piece, source, job.skip_bad_rows)
    if rows:
        keys = tuple(dict.fromkeys(key for row in rows for key in row.fields))
        check_names(keys, job.wanted, job.scorer)
        _refuse_other_kinds([row.fields.get(job.wanted.text_column) for row in rows], job)
        job = replace(job, wanted=replace(job.wanted, keys=keys))
    names = output_names(job.wanted.keys, job.scorer.columns, job.wanted.prefix)
    return replace(plan, job=job, names=names), len(rows)


def _refuse_other_kinds(values: Iterable[Any], job: Job) -> None:
    """Refuse a key that holds no text in any of the first lines."""
    kinds = {_KINDS.get(type(value), "text") for value in values if value is not None}
    if len(kinds) == 1 and "text" not in kinds:
        raise UsageError(
            f"Found {kinds.pop()} in the column '{job.wanted.text_column}'; expected text; name "
            "the column with --text-column."
        )


def portion_scorer(
    plan: Plan, load: Callable[[], ScoreBatch], cache: ScoreCache | None, on_rows: OnRows
) -> "PortionScorer | PlainScorer":
    """Return what scores pieces: with the library for tables where it is installed."""
    kind = PortionScorer if is_installed("polars") else PlainScorer
    return kind(plan, load, cache, on_rows)


@dataclass(frozen=True, slots=True)
class _JsonLine:
    line: str
    """As it was written."""
    fields: dict[str, Any]


class PlainScorer:
    """Scores pieces in one process; the model is loaded for the first text."""

    def __init__(
        self,
        plan: Plan,
        load: Callable[[], ScoreBatch],
        cache: ScoreCache | None = None,
        on_rows: OnRows | None = None,
    ):
        self.plan, self._load = plan, load
        self._cache = cache or (ProcessCache() if plan.job.wanted.dedupe else None)
        self._on_rows: OnRows = on_rows or (lambda _: None)
        self._score: ScoreBatch | None = None

    def use(self, plan: Plan) -> None:
        """Continue with another plan, now that the first lines are known."""
        self.plan = plan

    def part(self, piece: Piece, source: Source, head: Header, header: bool) -> tuple[Tally, bytes]:
        """Return what was counted in a piece, and its rows as bytes of an output file."""
        job, place = self.plan.job, f"{source.name}, from line {piece.line} on"
        with located(place):
            if source.format.kind == "jsonl":
                lines, rejects = _read_lines_of_json(piece, source, job.skip_bad_rows)
                texts = [_as_text(row.fields.get(job.wanted.text_column)) for row in lines]
                scores, fresh = self._scores(texts)
                data = self._spliced([row.line for row in lines], scores)
            else:
                rows, rejects = self._read_table(piece, source, head)
                at = self.plan.columns.index(job.wanted.text_column)
                texts = [row[at] for row in rows]
                scores, fresh = self._scores(texts)
                data = self._joined(rows, scores, header)
        errors = Counter(reason for reason in scores.words[ERROR] if reason is not None)
        summary = count_up(
            scores.numbers,
            dict(errors),
            fresh,
            job.scorer,
            lambda places: [texts[each] or "" for each in places.tolist()],
            job.extremes,
            source.name,
        )
        summary.skipped += len(rejects)
        return Tally(summary, rejects=tuple(rejects)), pack(data.encode(), self.plan.output.packing)

    def _read_table(
        self, piece: Piece, source: Source, head: Header
    ) -> tuple[list[Cells], list[Reject]]:
        skip = self.plan.job.skip_bad_rows
        if source.format.kind == "txt":
            numbered, rejects = _read_lines(piece, source, skip)
            return [[line] for _, line in numbered], rejects
        found, rejects = read_cells(
            piece.data, source, head.columns, piece.line, skip_bad_rows=skip
        )
        # Another file may have the same columns in another order.
        order = [head.columns.index(name) for name in self.plan.columns]
        rows = [
            [None if (cell := row[at]) is None else cell.decode() for at in order] for row in found
        ]
        return rows, rejects

    def _scores(self, texts: Sequence[str | None]) -> tuple[Scores, int]:
        """Return the scores of texts, and how many of them the model read."""
        if not self.plan.job.wanted.dedupe or self._cache is None:
            return self._sliced(texts, self._on_rows), len(texts)
        each = list(dict.fromkeys(texts))
        rows: dict[str | None, list[Any]] = {}
        rows.update(self._cache.rows_of(text for text in each if text is not None))
        missing = [text for text in each if text not in rows]
        new = self._sliced(missing, lambda _: None)
        rows.update(zip(missing, _as_rows(new), strict=True))
        answered = zip(missing, new.words[ERROR], strict=True)
        kept = [text for text, reason in answered if text is not None and reason is None]
        self._cache.add_rows(kept, (rows[text] for text in kept))
        self._on_rows(len(texts))
        width = len(self.plan.job.scorer.ids)
        table = [rows[text] for text in texts]
        numbers = np.array([row[:width] for row in table], dtype=np.float32)
        words = {name: [row[at] for row in table] for at, name in enumerate(new.words, width)}
        return Scores(numbers.reshape(len(table), width), words), len(missing)

    def _sliced(self, texts: Sequence[str | None], on_rows: OnRows) -> Scores:
        if self._score is None and texts:
            self._score = self._load()
        parts = []
        # Without any text, the model need not be loaded.
        for start in range(0, max(len(texts), 1), SLICE):
            part = texts[start : start + SLICE]
            parts.append(score_texts(part, self._score or (lambda _: {}), self.plan.job.scorer))
            on_rows(len(part))
        words = {
            name: [word for part in parts for word in part.words[name]] for name in parts[0].words
        }
        return Scores(np.concatenate([part.numbers for part in parts]), words)

    def _joined(self, rows: Sequence[Cells], scores: Scores, header: bool) -> str:
        """Return the rows with the added columns, as CSV, TSV or JSON lines."""
        names, output = self.plan.output_columns, self.plan.output
        if output.kind == "jsonl":
            keys = [f"{json.dumps(name, ensure_ascii=False)}:" for name in names]
            added = _as_json(scores)
            lines = (
                ",".join(map(str.__add__, keys, [*map(_json, row), *more]))
                for row, more in zip(rows, added, strict=True)
            )
            return "".join(f"{{{line}}}\n" for line in lines)
        mark = output.separator
        words = list(zip(*scores.words.values(), strict=True))
        lines = (
            delimited_line([*row, *more, *said], mark)
            for row, more, said in zip(rows, _shortest(scores.numbers, None), words, strict=True)
        )
        return "".join([*([delimited_line(names, mark)] if header else []), *lines])

    def _spliced(self, lines: Sequence[str], scores: Scores) -> str:
        """Return lines with further keys at the end of each object."""
        written = {name: json.dumps(name, ensure_ascii=False) for name in self.plan.names.values()}
        refuse_keys(
            (line for line in lines if any(key in line for key in written.values())), written
        )
        keys = [f"{key}:" for key in written.values()]
        spliced = []
        for line, values in zip(lines, _as_json(scores), strict=True):
            body = line.strip().removesuffix("}").rstrip()
            comma = "" if body == "{" else ","
            spliced.append(f"{body}{comma}{','.join(map(str.__add__, keys, values))}}}\n")
        return "".join(spliced)


def _read_lines(
    piece: Piece, source: Source, skip_bad_rows: bool
) -> tuple[list[tuple[int, str]], list[Reject]]:
    """Return the lines that are not blank with their numbers, and those that are no text."""
    lines, rejects = decoded_lines(piece, source, skip_bad_rows)
    ended = ((number, line.rstrip("\r\n")) for number, line in enumerate(lines, piece.line) if line)
    return [(number, line) for number, line in ended if line and not line.isspace()], rejects


def _read_lines_of_json(
    piece: Piece, source: Source, skip_bad_rows: bool
) -> tuple[list[_JsonLine], list[Reject]]:
    numbered, rejects = _read_lines(piece, source, skip_bad_rows)
    rows = []
    for number, line in numbered:
        try:
            found = read_object(readable_line(line) if "\\u" in line else line)
        except RecursionError:
            found = TOO_DEEP
        if isinstance(found, str):
            rejects.append(rejected_json(source, number, found, line, skip_bad_rows))
        else:
            rows.append(_JsonLine(line, found))
    rejects.sort(key=lambda each: each.line)
    return rows, rejects


def _as_text(value: Any) -> str | None:
    """Return a value of JSON as text; None for a list or an object."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value)


def _as_rows(scores: Scores) -> Iterable[list[Any]]:
    """Yield the added values of each row; None where there is no probability."""
    words = zip(*scores.words.values(), strict=True)
    for numbers, said in zip(scores.numbers.tolist(), words, strict=True):
        yield [*(None if isnan(number) else number for number in numbers), *said]


def _json(value: str | None) -> str:
    return json.dumps(value, ensure_ascii=False)


def _as_json(scores: Scores) -> Iterable[list[str]]:
    """Yield the added values of each row as JSON writes them."""
    words = zip(*(map(_json, column) for column in scores.words.values()), strict=True)
    numbers = _shortest(scores.numbers, "null")
    return ([*some, *said] for some, said in zip(numbers, words, strict=True))


def _shortest(numbers: NDArray[np.float32], missing: str | None) -> list[list[Any]]:
    """Write each number with the fewest digits that give it back."""
    written: list[list[Any]] = numbers.astype("U").tolist()
    for row, column in zip(*np.nonzero(np.isnan(numbers)), strict=True):
        written[row][column] = missing
    # NaN compares as false.
    for row, column in zip(*np.nonzero((numbers < 1e-3) & (numbers > 0)), strict=True):
        written[row][column] = _positional(written[row][column])
    return written


def _positional(number: str) -> str:
    """Write ``1e-05`` as 0.00001, and ``3.3e-07`` as 3.3e-7.

    >>> _positional("1.25e-05"), _positional("3.3e-07"), _positional("0.0002")
    ('0.0000125', '3.3e-7', '0.0002')
    """
    digits, mark, exponent = number.partition("e")
    if not mark:
        return number
    if int(exponent) < _LEAST_EXPONENT:
        return f"{digits}e{int(exponent)}"
    return f"0.{'0' * (-int(exponent) - 1)}{digits.replace('.', '')}"
