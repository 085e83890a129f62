"""The one documented schema that every corpus is converted to: a row per text.

``docs/corpora.md`` says what each field holds. Lists of small records rather than one column per
label keep the schema the same for all corpora, so that files of several can be put together.
"""

from collections.abc import Sequence
from typing import Any

import polars as pl

from tactful.types import Example, Judgement, Span

LABEL = pl.Struct({"id": pl.String, "value": pl.Float64, "confidence": pl.Float64})
TEXT = pl.Struct({"id": pl.String, "text": pl.String})
SPAN = pl.Struct(
    {
        "start": pl.Int64,
        "end": pl.Int64,
        "id": pl.String,
        "text": pl.String,
        "annotators": pl.Int64,
    }
)
JUDGEMENT = pl.Struct(
    {
        "annotator": pl.String,
        "question": pl.String,
        "label": pl.String,
        "value": pl.Float64,
        "trust": pl.Float64,
        "row": pl.Int64,
    }
)
TRAIT = pl.Struct({"annotator": pl.String, "name": pl.String, "value": pl.String})
PAIR = pl.Struct({"name": pl.String, "value": pl.String})

_SCALARS = ("id", "corpus", "release", "split", "lang", "group", "text")
_LISTS: dict[str, pl.List] = {
    "labels": pl.List(LABEL),
    "texts": pl.List(TEXT),
    "spans": pl.List(SPAN),
    "judgements": pl.List(JUDGEMENT),
    "traits": pl.List(TRAIT),
    "meta": pl.List(PAIR),
}
EXAMPLE_SCHEMA = pl.Schema([*((name, pl.String()) for name in _SCALARS), *_LISTS.items()])


def conform(frame: pl.DataFrame) -> pl.DataFrame:
    """Give a frame all fields of the schema, in order; absent lists are empty, never null."""
    absent = [name for name in EXAMPLE_SCHEMA.names() if name not in frame.columns]
    filled = frame.with_columns(pl.lit(None).alias(name) for name in absent)
    scalars = [pl.col(name).cast(pl.String) for name in _SCALARS]
    lists = [
        pl.col(name).cast(dtype).fill_null(pl.lit([], dtype=dtype))
        for name, dtype in _LISTS.items()
    ]
    return filled.select(*scalars, *lists)


def gather(records: Sequence[pl.Expr], record: pl.Struct, name: str) -> pl.Expr:
    """Build a list column from struct expressions; those whose ``value`` is null are left out."""
    if not records:
        return pl.lit([], dtype=pl.List(record)).alias(name)
    columns = [expression.cast(record).alias(str(at)) for at, expression in enumerate(records)]

    def lists(rows: pl.Series) -> pl.Series:
        # Through a long table, because concat_list is slow for structs.
        frame = rows.struct.unnest().with_row_index("at")
        long = pl.concat(
            [frame.select("at", pl.col(c.meta.output_name()).alias(name)) for c in columns]
        )
        known = long.filter(pl.col(name).struct.field("value").is_not_null())
        gathered = known.group_by("at", maintain_order=True).agg(name)
        places = frame.select("at").join(gathered, on="at", how="left", maintain_order="left")
        return places[name].fill_null(pl.lit([], dtype=pl.List(record)))

    return pl.struct(columns).map_batches(lists, return_dtype=pl.List(record)).alias(name)


def judgement(
    annotator: pl.Expr,
    question: str,
    label: pl.Expr,
    value: pl.Expr | None,
    trust: pl.Expr | None = None,
    row: pl.Expr | None = None,
) -> pl.Expr:
    """Build the record of one answer; what is not known of it is null."""
    given = (annotator, pl.lit(question), label, value, trust, row)
    known = [pl.lit(None) if each is None else each for each in given]
    named = zip(known, JUDGEMENT.to_schema(), strict=True)
    return pl.struct(each.alias(name) for each, name in named).cast(JUDGEMENT)


def labels_of(columns: dict[str, str], confidences: dict[str, str] | None = None) -> pl.Expr:
    """Build the ``labels`` list from columns: id -> column; ids without a value are left out."""
    confidences = confidences or {}
    records = [
        pl.struct(
            pl.lit(label).alias("id"),
            pl.col(column).cast(pl.Float64).alias("value"),
            (pl.col(confidences[label]) if label in confidences else pl.lit(None))
            .cast(pl.Float64)
            .alias("confidence"),
        )
        for label, column in columns.items()
    ]
    return gather(records, LABEL, "labels")


def meta_of(columns: Sequence[str]) -> pl.Expr:
    """Build the ``meta`` list from columns, as text; empty ones are left out."""
    records = [
        pl.struct(pl.lit(name).alias("name"), pl.col(name).cast(pl.String).alias("value"))
        for name in columns
    ]
    return gather(records, PAIR, "meta")


def to_examples(frame: pl.DataFrame) -> list[Example]:
    """Return the rows of a frame of this schema as :class:`~tactful.types.Example` records."""
    return [_to_example(row) for row in conform(frame).iter_rows(named=True)]


def _to_example(row: dict[str, Any]) -> Example:
    traits: dict[str, dict[str, str]] = {}
    for trait in row["traits"]:
        traits.setdefault(trait["annotator"], {})[trait["name"]] = trait["value"]
    texts: dict[str, tuple[str, ...]] = {}
    for text in row["texts"]:
        texts[text["id"]] = (*texts.get(text["id"], ()), text["text"])
    return Example(
        **{name: row[name] for name in ("id", "corpus", "release", "split", "lang", "group")},
        text=row["text"] or "",
        labels={label["id"]: label["value"] for label in row["labels"]},
        confidences={
            label["id"]: label["confidence"]
            for label in row["labels"]
            if label["confidence"] is not None
        },
        texts=texts,
        spans=tuple(Span(s["start"], s["end"], s["id"], s["annotators"]) for s in row["spans"]),
        judgements=tuple(Judgement(**judgement) for judgement in row["judgements"]),
        traits=traits,
        meta={pair["name"]: pair["value"] for pair in row["meta"]},
    )
