"""Spark: the model is loaded once in each Python worker, and reused by later tasks.

The session of a run is an existing one, that of a cluster, or a local one.
"""

import logging
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.errors import MissingExtraError, RunError, UsageError
from tactful.scale.cluster.arrow_tables import ArrowScorer
from tactful.scale.cluster.engine_errors import first_cause
from tactful.scale.cluster.reachability import check_reachable
from tactful.scale.environment import environment
from tactful.scale.job import Job
from tactful.scale.scorer import ScoreBatch, Scorer
from tactful.scale.scoring import LINE, Shape, Wanted, output_names

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

PANDAS = "PySpark does not yet fully support pandas"
"""A warning that does not apply: Arrow batches never become pandas frames."""
_OPEN: dict[str, ScoreBatch] = {}
"""The model that this Python worker has loaded, by fingerprint; Spark reuses workers."""
_LOCAL = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # Without the files of checksums that Hadoop lays beside each file.
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
}
"""A local session has no web page, and only this machine can reach it."""
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dlog4j2.configurationFile=file:{}"
"""Java does little here, so optimising its code costs more than it saves."""


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


@contextmanager
def spark_session(job: Job, quiet: bool = False) -> Iterator["SparkSession"]:
    """Yield a session; an existing one is left open."""
    import_pyspark()
    from pyspark.sql import SparkSession

    there = SparkSession.getActiveSession()
    if there is not None:
        yield there
        return
    with warnings.catch_warnings():
        # A session comes with parts of Spark's own tests, which look at the version of pandas.
        warnings.filterwarnings("ignore", PANDAS)
        session = _started(job, quiet)
    root = logging.getLogger()
    root.addFilter(_is_no_cut_off_word)
    try:
        yield session
    finally:
        session.stop()
        root.removeFilter(_is_no_cut_off_word)


def _is_no_cut_off_word(record: logging.LogRecord) -> bool:
    """Drop the message of py4j about an interrupt in the middle of a call to Java."""
    return not str(record.msg).endswith(" while sending command.")


def _started(job: Job, quiet: bool) -> "SparkSession":
    from pyspark.sql import SparkSession

    _need_java()
    master = job.address or os.environ.get("SPARK_MASTER")
    # spark-submit and spark-defaults.conf may name a master themselves.
    is_configured = "PYSPARK_GATEWAY_PORT" in os.environ or _defaults_name_a_master()
    settings = {"spark.ui.showConsoleProgress": str(not quiet and sys.stderr.isatty()).lower()}
    ours: dict[str, str] = {}
    if master is None and not is_configured:
        master = f"local[{job.workers}]"
    if master is not None and master.startswith("local"):
        logs = resources.files("tactful.scale.spark") / "quiet_log4j2.properties"
        settings |= {**_LOCAL, "spark.driver.extraJavaOptions": _JAVA.format(logs)}
        ours = {"PYSPARK_PYTHON": sys.executable}
    settings["spark.executorEnv.POLARS_MAX_THREADS"] = "1"
    builder = SparkSession.builder.appName("tactful score").config(map=settings)
    if master is not None:
        builder = builder.master(master)
    try:
        if master is not None and master.startswith("spark://"):
            check_reachable(master)
        with environment(ours):
            return builder.getOrCreate()
    except Exception as error:
        where = master or "the master that is set up"
        raise RunError(
            f"Spark cannot be reached at {where} ({first_cause(str(error))}); expected a cluster "
            "of the same version of Spark, and Java 17 or newer."
        ) from None


def _defaults_name_a_master() -> bool:
    """Say whether the Spark configuration of this machine names a master."""
    home = os.environ.get("SPARK_HOME")
    folder = os.environ.get("SPARK_CONF_DIR") or (str(Path(home, "conf")) if home else "")
    path = Path(folder, "spark-defaults.conf")
    if not folder or not path.is_file():
        return False
    lines = path.read_text("utf-8", errors="replace").splitlines()
    return any(line.split()[:1] == ["spark.master"] for line in lines)


def _need_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not shutil.which("java") and not (home and Path(home, "bin", "java").exists()):
        raise UsageError(
            "The engine 'spark' needs Java 17 or newer, and found none; install it, or set "
            "JAVA_HOME to where it is."
        )
