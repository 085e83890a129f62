"""Spark: the model is loaded once in each Python worker, and reused by later tasks."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tactful.errors import MissingExtraError
from tactful.scale.cluster.arrow_tables import ArrowScorer
from tactful.scale.scorer import ScoreBatch, Scorer
from tactful.scale.scoring import LINE, Shape, Wanted, output_names

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

PANDAS = "PySpark does not yet fully support pandas"
"""A warning that does not apply: Arrow batches never become pandas frames."""
_OPEN: dict[str, ScoreBatch] = {}
"""The model that this Python worker has loaded, by fingerprint; Spark reuses workers."""


def score_dataframe(
    frame: "DataFrame", scorer: Scorer, wanted: Wanted | None = None, shape: Shape = "table"
) -> "DataFrame":
    """Score a DataFrame of Spark; all its columns are kept with their types.

    With the shape ``lines`` the frame has one column of JSON objects, such as ``spark.read.text``
    gives. The session's ``spark.sql.execution.arrow.maxRecordsPerBatch`` tells how many rows are
    scored at a time.
    """
    import_pyspark()
    wanted = wanted or Wanted()

    def score(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        yield from scored_batches(batches, scorer, wanted, shape)

    return in_arrow(frame, score, added_schema(frame, scorer, wanted, shape))


def in_arrow(
    frame: "DataFrame",
    function: "Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]",
    schema: "StructType | str",
) -> "DataFrame":
    """Apply a function to the batches of a frame."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", PANDAS)
        return frame.mapInArrow(function, schema)


def added_schema(frame: "DataFrame", scorer: Scorer, wanted: Wanted, shape: Shape) -> "StructType":
    """Return the columns of a frame after it was scored."""
    from pyspark.sql.types import FloatType, StringType, StructField, StructType

    if shape == "lines":
        return StructType([StructField(LINE, StringType())])
    names = output_names(frame.columns, scorer.columns, wanted.prefix)
    return StructType(
        [
            *frame.schema.fields,
            *(
                StructField(given, FloatType() if name in scorer.ids else StringType())
                for name, given in names.items()
            ),
        ]
    )


def scored_batches(
    batches: "Iterator[pa.RecordBatch]", scorer: Scorer, wanted: Wanted, shape: Shape
) -> "Iterator[pa.RecordBatch]":
    """Score the batches of a task."""
    import pyarrow as pa

    score = ArrowScorer(opened_once(scorer), wanted, shape)
    for batch in batches:
        table = pa.Table.from_batches([batch])
        if shape == "lines":
            table = table.rename_columns([LINE])
        yield from score(table).to_batches()


def opened_once(scorer: Scorer) -> Scorer:
    """Return a scorer whose model is loaded once per process."""
    return replace(scorer, load=partial(_opened, scorer.fingerprint, scorer.load))


def _opened(fingerprint: str, load: Callable[[], ScoreBatch]) -> ScoreBatch:
    if fingerprint not in _OPEN:
        _OPEN.clear()  # keep only the last model
        _OPEN[fingerprint] = load()
    return _OPEN[fingerprint]


def import_pyspark() -> Any:
    """Return PySpark, or say how to install it."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", PANDAS)
            import pyspark
            import pyspark.sql
    except ImportError:
        raise MissingExtraError("spark", "The engine 'spark'") from None
    return pyspark
