"""Tactful's own tables in Parquet, lossless: items, judgements and labels, and the log.

Answers and labels are JSON in a text column, because their shape depends on the question.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.annotation.formats.annotated import Annotated, Source, json_text, plain
from tactful.annotation.formats.log import write_log
from tactful.annotation.formats.losses import Loss

if TYPE_CHECKING:
    import polars as pl

    _Schema = dict[str, pl.DataType | type[pl.DataType]]


def write_parquet(source: Source, folder: Path) -> list[Loss]:
    """Write ``items.parquet``, ``judgements.parquet`` and ``labels.parquet``, and the log."""
    import polars as pl

    text, number = pl.String, pl.Float64
    pairs = pl.List(pl.Struct({"name": text, "value": text}))
    records = list(source.records())
    _write(
        folder / "items.parquet",
        ({each.id: _item(each) for each in records}).values(),
        {"item": text, "text": text, "context": pairs, "meta": pairs, "gold": text},
    )
    _write(
        folder / "judgements.parquet",
        (row for each in records for row in _judgements(each)),
        {
            "item": text, "step": text, "question": text, "annotator": text, "answer": text,
            "at": number, "seconds": number, "trust": number, "counts": pl.Boolean, "why": text,
            "decision": pl.Boolean,
        },
    )  # fmt: skip
    _write(
        folder / "labels.parquet",
        (row for each in records for row in _labels(each)),
        {
            "item": text, "step": text, "status": text, "question": text, "value": text,
            "confidence": number, "votes": pl.Int64, "why": text, "applies": pl.Boolean,
            "decided": pl.Boolean,
            "soft": pl.List(pl.Struct({"answer": text, "share": number})),
        },
    )  # fmt: skip
    return write_log(source, folder)


def _write(path: Path, rows: Iterable[tuple[Any, ...]], schema: "_Schema") -> None:
    import polars as pl

    pl.DataFrame(list(rows), schema=pl.Schema(schema), orient="row").write_parquet(path)


def _item(record: Annotated) -> tuple[Any, ...]:
    context, meta = (
        [{"name": name, "value": value} for name, value in pairs.items()]
        for pairs in (record.context, record.meta)
    )
    return record.id, record.text, context, meta, _json(record.gold)


def _judgements(record: Annotated) -> Iterable[tuple[Any, ...]]:
    given = [(each, False) for each in record.judged]
    if record.decision is not None:
        given.append((record.decision, True))
    for each, decision in given:
        for question, answer in each.answers.items():
            yield (
                record.id, record.step, question, each.annotator, _json(answer),
                each.at, each.seconds, each.trust, each.counts, each.why, decision,
            )  # fmt: skip


def _labels(record: Annotated) -> Iterable[tuple[Any, ...]]:
    for question, label in record.labels.items():
        soft = [{"answer": answer, "share": share} for answer, share in label.soft.items()]
        yield (
            record.id, record.step, record.status, question, _json(label.value),
            label.confidence, label.votes, label.why, label.applies, label.decided, soft,
        )  # fmt: skip


def _json(value: Any) -> str | None:
    return None if value is None else json_text(plain(value))
