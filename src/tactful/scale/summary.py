"""What is counted while rows are scored: the summary, the top rows and the unreadable rows.

Tallies travel beside the rows and are added up in any order, so that nothing is read again.
Everything here is exact: the summary of a whole is the sum of the summaries of its parts, however
the whole was cut. Where the number of values that are counted separately is limited, these are
therefore the first in alphabetical order, and never the most frequent so far.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from operator import add
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tactful.errors import InputError
from tactful.libraries import Library
from tactful.scale.job import Job
from tactful.scale.rejects import Reject, from_lines
from tactful.scale.scorer import ERROR, Scorer
from tactful.scale.scoring import LINE, Scored, Wanted, joined, spliced
from tactful.scale.tables.writing import lines_bytes, table_bytes

if TYPE_CHECKING:
    import polars as pl
else:
    pl = Library("polars")

JSON_VERSION = 1
CAVEAT = "Counts of what a model reads: some are false alarms, and some are missed."
_NO_THRESHOLD = "the model names no threshold for it"
_NO_VALUE = "no text has a probability of it"
BINS = 20
MOST_VALUES = 2_000
"""The number of values of a column that are counted separately; the others are counted together."""
MOST_REASONS = 200
LONGEST_VALUE = 200
LONGEST_TEXT = 1_000
NONE, OTHERS = "(none)", "(others)"
"""The names under which rows without a value, and rows of further values, are counted."""

T = TypeVar("T")
TextsAt = Callable[[NDArray[np.intp]], list[str]]
_EDGES = (np.arange(1, BINS) / BINS).astype(np.float32)
RANK = "\0rank"
"""The column by which rows are compared; it is not written."""


@dataclass(frozen=True, slots=True)
class Extreme:
    """A text with one of the highest probabilities of an id."""

    probability: float
    text: str
    """Its first 1,000 characters."""
    source: str = ""
    """Where it was found; if in several places, the alphabetically first."""
    times: int = 1
    """How often it was found."""


@dataclass(slots=True)
class Group:
    """The rows that share a value of a column; absent ids have a count of 0."""

    rows: int = 0
    found: dict[str, int] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    """How many rows have no probability of an id."""

    def values(self, name: str) -> int:
        """Return how many rows have a probability of an id."""
        return self.rows - self.missing.get(name, 0)


@dataclass(slots=True)
class Summary:
    """What was found in some rows.

    An id is found where its own probability reaches its own threshold, also where the kind above
    it is not. Ids without a threshold are not in ``found``: nobody can say what counts.
    """

    rows: int = 0
    """The selected rows, scored or not."""
    scored: int = 0
    fresh: int = 0
    """The texts that the model read; fewer than the rows where equal texts were read once."""
    skipped: int = 0
    """The rows that could not be read, and were left out."""
    rows_with_any: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    """Reason -> how many rows could not be scored because of it."""
    found: dict[str, int] = field(default_factory=dict)
    histogram: dict[str, list[int]] = field(default_factory=dict)
    """Id -> how many probabilities lie in each of 20 equal bins from 0 to 1."""
    together: dict[str, dict[str, int]] = field(default_factory=dict)
    """How many rows have both of two ids; each pair is listed once, under the lesser id."""
    by: dict[str, dict[str, Group]] = field(default_factory=dict)
    """Column -> value -> its rows."""
    extremes: dict[str, list[Extreme]] = field(default_factory=dict)
    """Id -> the texts with the highest probabilities, the highest first."""
    kept_extremes: int = 0
    """The number of texts that are kept for each id."""

    @property
    def ids(self) -> list[str]:
        """The ids that were looked for, in their order."""
        return list(self.histogram)

    def values(self, name: str) -> int:
        """Return how many rows have a probability of an id."""
        return sum(self.histogram.get(name, ()))

    def both(self, one: str, other: str) -> int:
        """Return how many rows have both ids."""
        first, second = sorted((one, other))
        return self.together.get(first, {}).get(second, 0)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run found and wrote, on any engine."""

    summary: Summary
    written: tuple[str, ...] = ()
    """Paths or addresses of files and folders."""
    was_complete: bool = False
    """Whether an earlier run had already finished."""
    rejects: str | None = None
    """The file that lists the rows that cannot be read, if there are any."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Added columns whose usual name the input has for a column of its own -> the name in the
    output."""


def summarise(
    scored: Scored, scorer: Scorer, wanted: Wanted, extremes: int = 0, source: str = ""
) -> Summary:
    """Count what was found in a scored table.

    ``extremes`` is the number of texts with the highest probabilities to keep for each id;
    ``source`` says where they come from.
    """
    ids, rows = list(scorer.ids), len(scored.added)
    # One column after the other in memory, with NaN for null.
    numbers = scored.added.select(ids).to_numpy(order="fortran").reshape(rows, len(ids))
    errors = dict(scored.added[ERROR].drop_nulls().value_counts().iter_rows())

    def texts(places: NDArray[np.intp]) -> list[str]:
        return scored.texts[places].to_list()

    result = count_up(numbers, errors, scored.fresh, scorer, texts, extremes, source)
    if wanted.by:
        hits, missing = _hits(numbers, scorer), np.isnan(numbers)
        result.by = {name: _groups(scored.by[name], hits, missing, ids) for name in wanted.by}
    return result


def count_up(
    numbers: NDArray[np.float32],
    errors: dict[str, int],
    fresh: int,
    scorer: Scorer,
    texts: TextsAt,
    extremes: int = 0,
    source: str = "",
) -> Summary:
    """Count what was found in probabilities of rows by ids, with NaN for a missing one.

    ``errors`` are the reasons of rows without a score, and how often each occurs; ``texts`` returns
    the texts of some rows.
    """
    ids, hits = list(scorer.ids), _hits(numbers, scorer)
    any_hit = hits.any(axis=1)
    result = Summary(
        rows=len(numbers),
        scored=len(numbers) - sum(errors.values()),
        fresh=fresh,
        rows_with_any=int(any_hit.sum()),
        errors=_fewest(errors, MOST_REASONS),
        found={
            name: int(hits[:, at].sum()) for at, name in enumerate(ids) if name in scorer.thresholds
        },
        histogram={name: _histogram(numbers[:, at]) for at, name in enumerate(ids)},
        together=_together(hits[any_hit], ids),
        kept_extremes=extremes,
    )
    if extremes:
        result.extremes = {
            name: highest(numbers[:, at], texts, extremes, source) for at, name in enumerate(ids)
        }
    return result


def _hits(numbers: NDArray[np.float32], scorer: Scorer) -> NDArray[np.bool_]:
    # Both are compared as float32.
    limits = [scorer.thresholds.get(name, np.inf) for name in scorer.ids]
    return np.asarray(numbers >= np.array(limits, dtype=np.float32))


def _histogram(values: NDArray[np.float32]) -> list[int]:
    # Sorting is several times faster than counting into bins; NaN comes last.
    ordered = np.sort(values)
    known = len(values) - int(np.isnan(values).sum())
    edges = np.searchsorted(ordered[:known], _EDGES)
    counts: list[int] = np.diff(edges, prepend=0, append=known).tolist()
    return counts


def _together(hits: NDArray[np.bool_], ids: Sequence[str]) -> dict[str, dict[str, int]]:
    # Whole numbers are multiplied in this thread alone; floats would wake those of BLAS.
    counted = hits.astype(np.int32)
    table = counted.T @ counted
    pairs: dict[str, dict[str, int]] = {}
    for one, other in zip(*np.nonzero(np.triu(table, 1)), strict=True):
        first, second = sorted((ids[one], ids[other]))
        pairs.setdefault(first, {})[second] = int(table[one, other])
    return pairs


def highest(values: NDArray[np.float32], texts: TextsAt, most: int, source: str) -> list[Extreme]:
    """Return the distinct texts with the highest probabilities."""
    known = len(values) - int(np.isnan(values).sum())
    wanted = most
    while True:
        wanted = min(wanted, known)
        if not wanted:
            return []
        # NaN sorts last, so the highest numbers end at ``known``.
        least = np.partition(values, known - wanted)[known - wanted]
        # All that are as high as the last one are looked at: which of them stay, their text says.
        rows = np.flatnonzero(values >= least)
        kept = merged_extremes(
            (
                Extreme(value, text[:LONGEST_TEXT], source)
                for value, text in zip(values[rows].tolist(), texts(rows), strict=True)
            ),
            most,
        )
        if len(kept) == most or wanted == known:
            return kept
        wanted *= 4  # copies of the same texts took the places of others


def merged_extremes(candidates: Iterable[Extreme], most: int) -> list[Extreme]:
    """Return the highest; a text that occurs several times is listed once, with a count.

    A text that is among the highest of all is among the highest of each part that holds it. So
    how often it was found is exact, in whatever order parts are added up.
    """
    each: dict[tuple[float, str], Extreme] = {}
    for one in candidates:
        key = (-one.probability, one.text)
        known = each.get(key)
        each[key] = (
            one
            if known is None
            else replace(known, source=min(known.source, one.source), times=known.times + one.times)
        )
    return [each[key] for key in sorted(each)[:most]]


def _groups(
    values: pl.Series,
    hits: NDArray[np.bool_],
    missing: NDArray[np.bool_],
    ids: Sequence[str],
) -> dict[str, Group]:
    value = values.cast(pl.String).str.slice(0, LONGEST_VALUE).fill_null(NONE).alias("value")
    # The columns are numbered, as an id may have any name.
    width = range(len(ids))
    columns = [pl.Series(f"found {at}", hits[:, at]) for at in width]
    gaps = [at for at in width if missing[:, at].any()]
    columns += [pl.Series(f"missing {at}", missing[:, at]) for at in gaps]
    table = (
        pl.DataFrame([value, *columns]).group_by("value").agg(pl.len(), pl.exclude("value").sum())
    )
    groups = {}
    for name, rows, *counts in table.iter_rows():
        groups[name] = Group(
            rows,
            {ids[at]: count for at, count in zip(width, counts[: len(ids)], strict=True) if count},
            {ids[at]: count for at, count in zip(gaps, counts[len(ids) :], strict=True) if count},
        )
    return _apart(groups)


def merged(first: Summary, second: Summary) -> Summary:
    """Add two summaries up; it does not matter which comes first, or what was added before."""
    kept = max(first.kept_extremes, second.kept_extremes)
    return Summary(
        rows=first.rows + second.rows,
        scored=first.scored + second.scored,
        fresh=first.fresh + second.fresh,
        skipped=first.skipped + second.skipped,
        rows_with_any=first.rows_with_any + second.rows_with_any,
        errors=_fewest(_added(first.errors, second.errors), MOST_REASONS),
        found=_added(first.found, second.found),
        histogram=_each(
            first.histogram, second.histogram, [0] * BINS, lambda *bins: list(map(add, *bins))
        ),
        together=_each(first.together, second.together, {}, _added),
        by=_each(
            first.by, second.by, {}, lambda one, two: _apart(_each(one, two, Group(), _sum_of))
        ),
        extremes=_each(
            first.extremes, second.extremes, [], lambda one, two: merged_extremes(one + two, kept)
        ),
        kept_extremes=kept,
    )


def _each(
    first: dict[str, T], second: dict[str, T], empty: T, join: Callable[[T, T], T]
) -> dict[str, T]:
    """Add what two summaries have under each name."""
    return {name: join(first.get(name, empty), second.get(name, empty)) for name in first | second}


def _added(first: dict[str, int], second: dict[str, int]) -> dict[str, int]:
    return _each(first, second, 0, add)


def _fewest(counts: dict[str, int], most: int) -> dict[str, int]:
    """Keep the first names, and count the others together."""
    names = sorted(name for name in counts if name != OTHERS)
    kept = {name: counts[name] for name in names[:most]}
    rest = sum(counts[name] for name in names[most:]) + counts.get(OTHERS, 0)
    return {**kept, OTHERS: rest} if rest else kept


def _apart(groups: dict[str, Group]) -> dict[str, Group]:
    names = sorted(name for name in groups if name not in (NONE, OTHERS))
    rest = [name for name in (NONE, OTHERS) if name in groups]
    kept = {name: groups[name] for name in [*names[:MOST_VALUES], *rest]}
    for name in names[MOST_VALUES:]:
        kept[OTHERS] = _sum_of(kept.get(OTHERS, Group()), groups[name])
    return kept


def _sum_of(first: Group, second: Group) -> Group:
    return Group(
        first.rows + second.rows,
        _added(first.found, second.found),
        _added(first.missing, second.missing),
    )


def to_json(summary: Summary) -> dict[str, Any]:
    """Return the summary as plain data; in the same order, in whatever order it was added up."""
    data = {each.name: getattr(summary, each.name) for each in fields(Summary)}
    data["together"] = {name: _sorted(others) for name, others in _sorted(summary.together).items()}
    data["by"] = {
        column: {
            value: [group.rows, _sorted(group.found), _sorted(group.missing)]
            for value, group in groups.items()
        }
        for column, groups in summary.by.items()
    }
    data["extremes"] = {
        name: [[each.probability, each.text, each.source, each.times] for each in texts]
        for name, texts in summary.extremes.items()
    }
    return data


def _sorted(named: Mapping[str, T]) -> dict[str, T]:
    return dict(sorted(named.items()))


def from_json(data: Mapping[str, Any]) -> Summary:
    """Read the result of :func:`to_json`; anything else is refused."""
    try:
        unknown = data.keys() - {each.name for each in fields(Summary)}
        if unknown:
            raise ValueError(f"the field '{min(unknown)}'")
        return Summary(
            **{
                **data,
                "by": {
                    column: {value: Group(*group) for value, group in groups.items()}
                    for column, groups in data["by"].items()
                },
                "extremes": {
                    name: [Extreme(*each) for each in texts]
                    for name, texts in data["extremes"].items()
                },
            }
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"found a summary that cannot be read ({type(error).__name__}: {error}); expected one "
            "of this version of Tactful; pass --restart to start over."
        ) from None


def summary_as_data(summary: Summary) -> dict[str, Any]:
    """Return the summary as plain data, for JSON; what is not known is None, with its reason."""
    return {
        "schema_version": JSON_VERSION,
        "rows": summary.rows,
        "scored": summary.scored,
        "read_by_the_model": summary.fresh,
        "left_out": summary.skipped,
        "errors": summary.errors,
        "rows_with_any_finding": summary.rows_with_any,
        "ids": {name: _id_as_data(summary, name) for name in summary.ids},
        "together": [
            {"ids": [one, other], "rows": count}
            for one, others in sorted(summary.together.items())
            for other, count in sorted(others.items())
        ],
        "by": {
            column: [_group_as_data(value, groups[value], summary) for value in groups]
            for column, groups in summary.by.items()
        },
        "extremes": {
            name: [asdict(each) for each in texts] for name, texts in summary.extremes.items()
        },
        "caveat": CAVEAT,
    }


def _id_as_data(summary: Summary, name: str) -> dict[str, Any]:
    from tactful.scale.report.share import Share

    found = summary.found.get(name)
    share = Share(found or 0, summary.values(name))
    known = found is not None and bool(share.of)
    interval = share.interval if known else None
    return {
        "found": found,
        "of": share.of,
        "share": share.value if known else None,
        "interval_95": None if interval is None else list(interval),
        "reason": None if known else _NO_THRESHOLD if found is None else _NO_VALUE,
        "histogram": summary.histogram[name],
    }


def _group_as_data(value: str, group: Group, summary: Summary) -> dict[str, Any]:
    return {
        "value": value,
        "rows": group.rows,
        "found": {
            name: {"rows": group.found.get(name, 0), "of": group.values(name)}
            for name in summary.found
        },
    }


@dataclass(frozen=True, slots=True)
class Tally:
    """The summary of some rows, the top rows, and the rows that cannot be read."""

    summary: Summary = field(default_factory=Summary)
    top: pl.DataFrame | None = None
    rejects: tuple[Reject, ...] = ()

    def summary_bytes(self) -> bytes:
        """Return the summary as JSON."""
        return json.dumps(to_json(self.summary), ensure_ascii=True).encode()

    def top_bytes(self) -> bytes:
        """Return the top rows as an Arrow file; no bytes if they were not asked for."""
        if self.top is None:
            return b""
        buffer = io.BytesIO()
        self.top.write_ipc(buffer)
        return buffer.getvalue()


def tally(scored: Scored, job: Job, place: str = "", rejects: Sequence[Reject] = ()) -> Tally:
    """Count what was found in a scored table, and the rows beside it that cannot be read."""
    summary = summarise(scored, job.scorer, job.wanted, job.extremes, place)
    summary.skipped += len(rejects)
    return Tally(summary, top_rows(scored, job) if job.top else None, tuple(rejects))


def tally_from_bytes(summary: bytes, top: bytes = b"", rejects: bytes = b"") -> Tally:
    """Return the tally that a worker sent."""
    rows = pl.read_ipc(io.BytesIO(top)) if top else None
    return Tally(from_json(json.loads(summary)), rows, from_lines(rejects))


def add_tallies(one: Tally, other: Tally, most: int) -> Tally:
    """Add two tallies up, and keep ``most`` of the top rows."""
    rows = [each.top for each in (one, other) if each.top is not None]
    top = _highest(pl.concat(rows), most) if rows else None
    return Tally(merged(one.summary, other.summary), top, (*one.rejects, *other.rejects))


def top_rows(scored: Scored, job: Job) -> pl.DataFrame:
    """Return the rows with the highest probability; equal rows in the order of the input."""
    ids = [job.top_by] if job.top_by else list(job.scorer.ids)
    rank = scored.added.select(pl.max_horizontal(ids).alias(RANK)).to_series()
    if scored.shape == "lines" and job.output_format.kind == "jsonl":
        table = pl.DataFrame(spliced(scored, job.wanted))
    else:
        table = joined(scored, job.wanted)
    return _highest(table.with_columns(rank), job.top)


def top_of(parts: Iterable[pl.DataFrame], count: int) -> pl.DataFrame:
    """Return the top rows of all parts, which come in the order of the input."""
    rest = iter(parts)
    found = next(rest)
    for part in rest:
        found = _highest(pl.concat([found, part]), count)
    return _highest(found, count).drop(RANK)


def top_file_bytes(top: pl.DataFrame | None, job: Job) -> bytes:
    """Return the top rows as the bytes of a file in the format of the output."""
    if top is None:
        return b""
    if job.output_format.kind == "jsonl" and top.columns == [LINE]:
        return lines_bytes(top[LINE], job.output_format)
    return table_bytes(top, job.output_format)


def _highest(table: pl.DataFrame, count: int) -> pl.DataFrame:
    table = table.filter(pl.col(RANK).is_not_null())
    return table.sort(RANK, descending=True, maintain_order=True).head(count)
