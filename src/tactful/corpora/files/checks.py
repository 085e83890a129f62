"""Turning text columns into typed ones, and refusing the rows whose cells cannot be what they say.

Works on whole columns; only rows that are wrong are looked at one by one.
"""

from pathlib import Path

import polars as pl

from tactful.corpora.files.delimited import LINE
from tactful.corpora.files.problems import ProblemLog, show
from tactful.corpora.files.tables import DTYPES, Column, TableSpec
from tactful.errors import Severity

_LINE_BITS = 40
_LONGEST_RUN = 1_000_000
"""Merging longer runs would take several times the memory of all keys for a moment."""


def typed(path: Path, raw: pl.DataFrame, spec: TableSpec, log: ProblemLog) -> pl.DataFrame:
    """Return the good rows of a batch with typed columns; columns the file lacks are null.

    Extra columns stay text, after the known ones.
    """
    good = pl.repeat(True, raw.height, eager=True, dtype=pl.Boolean)
    known: list[pl.Series] = []
    for column in spec.columns:
        if column.name not in raw.columns:
            known.append(pl.Series(column.name, [None] * raw.height, DTYPES[column.kind]))
            continue
        series, bad = _typed_column(raw[column.name], column)
        for value, line in zip(raw[column.name].filter(bad), raw[LINE].filter(bad), strict=True):
            code = "value" if value.strip() else "empty cell"
            expected = column.expectation()
            log.report(path, line, code, show(value.strip()), expected, column=column.name)
        good &= ~bad
        _note_empty(path, raw, column, log)
        known.append(series)
    names = {column.name for column in spec.columns}
    extra = [raw[name] for name in raw.columns if name not in names and name != LINE]
    return pl.DataFrame([*known, *extra, raw[LINE]]).filter(good)


def _typed_column(raw: pl.Series, column: Column) -> tuple[pl.Series, pl.Series]:
    """Return the typed column and a mask of the cells that do not fit."""
    dtype = DTYPES[column.kind]
    if column.kind == "text":
        # Texts stay exactly as they are: offsets count their spaces.
        empty = raw.str.strip_chars() == ""
        keep_empty = column.empty == "note"
        series = raw if keep_empty else _null_where(raw, empty)
        return series, empty if column.empty == "error" else _none(raw)
    cells = raw.str.strip_chars()
    empty = cells == ""
    cells = _null_where(cells, empty)
    bad = empty if column.empty == "error" else _none(raw)
    if column.allowed:
        bad = bad | (~cells.is_in(list(column.allowed))).fill_null(value=False)
    if column.kind == "id":
        return cells, bad
    numbers = cells.cast(pl.Float64, strict=False)
    unreadable = cells.is_not_null() & numbers.is_null()
    low, high = (0.0, 1.0) if column.kind == "flag" else (column.low, column.high)
    outside = ~numbers.is_finite()
    if low is not None:
        outside = outside | (numbers < low)
    if high is not None:
        outside = outside | (numbers > high)
    if dtype is pl.Float64:
        bad = bad | unreadable | outside.fill_null(value=False)
        return _null_where(numbers, bad), bad
    # Digits are read as they are: a long number does not fit a float. "4.0" and "1e3" go by one.
    whole = cells.cast(pl.Int64, strict=False)
    rounded = _null_where(numbers, (numbers != numbers.round()).fill_null(value=False))
    whole = whole.zip_with(whole.is_not_null(), rounded.cast(pl.Int64, strict=False))
    unreadable = unreadable | (cells.is_not_null() & whole.is_null())
    bad = bad | unreadable | outside.fill_null(value=False)
    return _null_where(whole, bad).cast(dtype), bad


def _null_where(series: pl.Series, mask: pl.Series) -> pl.Series:
    return pl.select(pl.when(~mask).then(series).alias(series.name)).to_series()


def _none(series: pl.Series) -> pl.Series:
    return pl.repeat(False, series.len(), eager=True, dtype=pl.Boolean)


def _note_empty(path: Path, raw: pl.DataFrame, column: Column, log: ProblemLog) -> None:
    if column.empty != "note":
        return
    for line in raw.filter(pl.col(column.name).str.strip_chars() == "")[LINE]:
        found, expected, kept = "an empty text", column.expectation(), "the row was kept"
        log.report(path, line, "empty text", found, expected, kept, Severity.NOTE, column.name)


class SeenKeys:
    """Remembers the keys of all rows so far in 16 bytes each, and finds the ones that come again.

    Keys are compared by their 64-bit hash: among ten million rows the chance that two different
    keys are taken for one is three in a million. Sorted runs are merged as in a binary counter,
    so that a new batch looks into few of them.
    """

    def __init__(self) -> None:
        self._runs: list[tuple[pl.Series, pl.Series]] = []
        self._files: list[str] = []

    def add(self, keys: pl.DataFrame, lines: pl.Series, file: str) -> list[tuple[int, str, int]]:
        """Return (position in this batch, file and line of the first one) of repeated keys."""
        if file not in self._files:
            self._files.append(file)
        batch = pl.DataFrame(
            {
                "hash": keys.hash_rows(seed=0),
                # One number says both the file and the line.
                "number": lines + (self._files.index(file) << _LINE_BITS),
                "at": pl.int_range(lines.len(), eager=True),
            }
        ).sort("hash", maintain_order=True)
        hashes, numbers, places = batch["hash"], batch["number"], batch["at"]
        first = numbers.gather(hashes.search_sorted(hashes, "left"))
        earlier = _null_where(first, first == numbers)
        for run_hashes, run_numbers in self._runs:
            at = run_hashes.search_sorted(hashes, "left").clip(0, run_hashes.len() - 1)
            known = run_hashes.gather(at) == hashes
            earlier = run_numbers.gather(at).zip_with(known, earlier)
        new = earlier.is_null()
        self._keep(hashes.filter(new), numbers.filter(new))
        found = zip(places.filter(~new), earlier.drop_nulls(), strict=True)
        return [
            (at, self._files[number >> _LINE_BITS], number & (1 << _LINE_BITS) - 1)
            for at, number in sorted(found)
        ]

    def _keep(self, hashes: pl.Series, numbers: pl.Series) -> None:
        if not hashes.len():
            return
        run = pl.DataFrame({"hash": hashes, "number": numbers})
        while self._runs and self._runs[-1][0].len() <= run.height < _LONGEST_RUN:
            older = pl.DataFrame(dict(zip(("hash", "number"), self._runs.pop(), strict=True)))
            run = pl.concat([older, run]).sort("hash", maintain_order=True)
        self._runs.append((run["hash"], run["number"]))


def refuse_repeated(
    path: Path, batch: pl.DataFrame, spec: TableSpec, seen: SeenKeys, log: ProblemLog
) -> pl.DataFrame:
    """Drop the rows whose key has been seen before; the first one stays."""
    repeated = seen.add(batch.select(spec.key), batch[LINE], path.name) if spec.key else []
    if not repeated:
        return batch
    for at, first_file, first_line in repeated:
        where = "" if first_file == path.name else f" of {first_file}"
        key = ", ".join(f"{name} {show(str(batch[name][at]))}" for name in spec.key)
        found = f"{key}, already on line {first_line}{where}"
        log.report(path, batch[LINE][at], "repeated id", found, "each once")
    places = [at for at, _, _ in repeated]
    return batch.filter(~pl.int_range(batch.height, eager=True).is_in(places))
