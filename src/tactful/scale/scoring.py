"""Scoring a table: which rows, each distinct text once if requested, and the added columns.

A table is a frame whose columns are those of the input, or one with a single column ``line`` of
JSON objects, which are kept as they were written and only get further keys.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from tactful.errors import UsageError
from tactful.libraries import Library
from tactful.registry import unknown_name
from tactful.scale.score_cache import ScoreCache
from tactful.scale.scorer import ERROR, MODEL, ScoreBatch, Scorer, score_batch
from tactful.scale.tables.json_lines import lines_as_table, readable, refuse_taken, texts_of
from tactful.scale.tables.where import wanted_rows, where_expression

if TYPE_CHECKING:
    import polars as pl
else:
    pl = Library("polars")

LINE = "line"
OWN_PREFIX = "tactful_"
"""Put before the name of an added column where the input has a column of that name."""
SLICE = 2048
"""The number of texts scored at a time; progress is reported after each slice."""
PERIODS = {"year": 4, "month": 7, "day": 10}
"""How many characters of an ISO date give the period."""

Shape = Literal["table", "lines"]
OnRows = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to score in a table; it must not change when a run is resumed."""

    text_column: str = "text"
    where: str | None = None
    """A condition in SQL, such as ``likes > 3 AND lang = 'en'``; other rows are skipped."""
    dedupe: bool = False
    prefix: str = ""
    """Put before the name of each added column."""
    by: tuple[str, ...] = ()
    """Columns that the summary is broken down by; ``created:month`` groups dates by month."""
    keys: tuple[str, ...] = ()
    """The keys of the first lines of JSON; a table has columns instead."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A scored table: the input's columns and the added ones, which the writers join."""

    kept: pl.DataFrame
    """The rows that were wanted, with the columns of the input, or with ``line`` alone."""
    added: pl.DataFrame
    """The new columns, under the scorer's own names."""
    texts: pl.Series
    by: pl.DataFrame
    """The columns that the summary is broken down by, as text."""
    fresh: int
    """How many texts the model read; equal texts may be read once."""
    shape: Shape = "table"
    """Whether ``kept`` holds lines of JSON or a table."""


class TableScorer:
    """Scores tables in one process; the model is loaded for the first text."""

    def __init__(self, scorer: Scorer, wanted: Wanted, memory: ScoreCache | None = None):
        self.scorer, self.wanted, self.memory = scorer, wanted, memory
        self._score: ScoreBatch | None = None

    def __call__(
        self, table: pl.DataFrame, shape: Shape = "table", on_rows: OnRows | None = None
    ) -> Scored:
        """Score the wanted rows of a table."""
        wanted = self.wanted
        fields = wanted_fields(table, shape, wanted)
        if shape == "table":
            check_columns(table, wanted, self.scorer)
        if wanted.where is not None:
            keep = wanted_rows(fields, wanted.where)
            table, fields = table.filter(keep), fields.filter(keep)
        texts = fields[wanted.text_column].cast(pl.String).alias("text")
        added, fresh = self._added(texts, on_rows or (lambda _: None))
        by = pl.DataFrame([_group(fields, name) for name in wanted.by])
        return Scored(table, added, texts, by, fresh, shape)

    def _added(self, texts: pl.Series, on_rows: OnRows) -> tuple[pl.DataFrame, int]:
        if not self.wanted.dedupe:
            return self._sliced(texts, on_rows), len(texts)
        each = texts.unique(maintain_order=True)
        if self.memory is None:
            found, fresh = self._sliced(each, lambda _: None), len(each)
        else:
            known = self.memory.recall(each, self.scorer)
            missing = each.filter(~each.is_in(known.texts.implode(), nulls_equal=True))
            new = self._sliced(missing, lambda _: None)
            self.memory.keep(missing, new)
            found, fresh = pl.concat([known.added, new]), len(missing)
            each = pl.concat([known.texts, missing])
        place = "\0place"
        numbered = pl.DataFrame({"text": each}).with_row_index(place)
        rows = pl.DataFrame({"text": texts}).join(
            numbered, on="text", how="left", nulls_equal=True, maintain_order="left"
        )[place]
        on_rows(len(texts))
        return found[rows], fresh

    def _sliced(self, texts: pl.Series, on_rows: OnRows) -> pl.DataFrame:
        if self._score is None and len(texts):
            self._score = self.scorer.load()
        parts = []
        # Without any text, the model need not be loaded.
        for start in range(0, max(len(texts), 1), SLICE):
            part = texts[start : start + SLICE].to_list()
            parts.append(score_batch(part, self._score or (lambda _: {}), self.scorer))
            on_rows(len(part))
        return pl.concat(parts)


def joined(scored: Scored, wanted: Wanted) -> pl.DataFrame:
    """Return the table with all columns side by side."""
    names = output_names(scored.kept.columns, scored.added.columns, wanted.prefix)
    return pl.concat([scored.kept, scored.added.rename(names)], how="horizontal")


def spliced(scored: Scored, wanted: Wanted) -> pl.Series:
    """Return the lines with further keys at the end of each object."""
    names = output_names(wanted.keys, scored.added.columns, wanted.prefix)
    refuse_taken(scored.kept[LINE], list(names.values()))
    added = scored.added.rename(names)
    keys = added.select(pl.struct(pl.all()).struct.json_encode().str.slice(1)).to_series()
    body = scored.kept[LINE].str.strip_chars().str.strip_suffix("}").str.strip_chars_end()
    comma = pl.when(body == "{").then(pl.lit("")).otherwise(pl.lit(","))
    return pl.select(pl.concat_str([body, comma, keys]).alias(LINE)).to_series()


def output_names(
    columns: Collection[str], added: Sequence[str], prefix: str = ""
) -> dict[str, str]:
    """Return the name that each added column gets beside the columns of the input.

    A column of the input keeps its name: where it has the name of one of ours, ours is called
    ``tactful_lang`` instead of ``lang``. With a prefix of the user's own, it is used as it is.
    """
    there = set(columns)
    names = {name: prefix + name for name in added}
    if not prefix:
        names |= {name: OWN_PREFIX + name for name in added if name in there}
    taken = [given for given in names.values() if given in there]
    if taken:
        raise UsageError(
            f"Found a column '{taken[0]}' in the input already; expected none of that name; pass "
            "another --prefix, such as --prefix new_."
        )
    return names


def wanted_fields(table: pl.DataFrame, shape: Shape, wanted: Wanted) -> pl.DataFrame:
    """Return the columns that are used; of lines of JSON, only the necessary keys are read."""
    if shape == "table":
        return table
    lines = readable(table[LINE])
    texts = texts_of(lines, wanted.text_column)
    if wanted.where is None and not wanted.by:
        return pl.DataFrame(texts)
    names = [name.partition(":")[0] for name in wanted.by]
    if wanted.where is not None:
        names += where_expression(wanted.where).meta.root_names()
    return lines_as_table(lines, list(dict.fromkeys(names))).with_columns(texts)


def check_lines(lines: pl.Series, wanted: Wanted, scorer: Scorer) -> Wanted:
    """Refuse the first lines of JSON of a job if they lack a requested key.

    Later ones may lack some: what is missing there is null. Return what is wanted with the keys
    that these lines have.
    """
    if not len(lines):
        return wanted
    table = lines_as_table(lines)
    check_columns(table, wanted, scorer)
    return replace(wanted, keys=tuple(table.columns))


def check_columns(table: pl.DataFrame, wanted: Wanted, scorer: Scorer) -> None:
    """Refuse a table that lacks a requested column, or that has scores already."""
    columns = table.columns
    check_names(columns, wanted, scorer)
    kind = table.schema[wanted.text_column]
    if kind not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        raise UsageError(
            f"Found the type {kind} in the column '{wanted.text_column}'; expected text; name the "
            "column with --text-column."
        )
    for name in wanted.by:
        column, _, period = name.partition(":")
        if column not in columns:
            raise unknown_name("column", column, columns)
        if period and period not in PERIODS:
            raise unknown_name("period", period, list(PERIODS))
    if wanted.where is not None:
        for column in where_expression(wanted.where).meta.root_names():
            if column not in columns:
                raise unknown_name("column", column, columns)


def check_names(columns: Sequence[str], wanted: Wanted, scorer: Scorer) -> None:
    """Refuse columns without the text, or with the names of the added ones."""
    if wanted.text_column not in columns:
        raise unknown_name("column", wanted.text_column, list(columns))
    _refuse_scored(columns, wanted.prefix, scorer)
    output_names(columns, scorer.columns, wanted.prefix)


def _refuse_scored(columns: Collection[str], prefix: str, scorer: Scorer) -> None:
    """Refuse the output of an earlier run as input."""
    scores = next((prefix + name for name in scorer.ids if prefix + name in columns), None)
    if scores is not None and {prefix + MODEL, prefix + ERROR} <= set(columns):
        raise UsageError(
            f"Found the columns '{scores}', '{prefix}{MODEL}' and '{prefix}{ERROR}' in the input: "
            "it holds the scores of an earlier run. Score the table that it was made from, or pass "
            "--prefix, such as --prefix new_, to add the new scores beside the old ones."
        )


def _group(fields: pl.DataFrame, name: str) -> pl.Series:
    column, _, period = name.partition(":")
    values = fields[column]
    if values.dtype in (pl.List, pl.Struct, pl.Array, pl.Object):
        raise UsageError(
            f"The column '{column}' holds {values.dtype}; --by needs words or numbers."
        )
    words = values.cast(pl.String)
    return (words.str.slice(0, PERIODS[period]) if period else words).alias(name)
