"""The Spark session of a run: the one that is there, that of a cluster, or one of this machine."""

import logging
import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from tactful.errors import RunError, UsageError
from tactful.scale.cluster.engine_errors import first_cause
from tactful.scale.cluster.reachability import check_reachable
from tactful.scale.environment import environment
from tactful.scale.job import Job
from tactful.scale.spark.engine import PANDAS, import_pyspark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOCAL = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # Without the files of checksums that Hadoop lays beside each file.
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
}
"""On this machine alone there is nobody to watch it, and no one else may reach it."""
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dlog4j2.configurationFile=file:{}"
"""Java does little here, and a run is short for it: compiling much costs more than it gains."""


@contextmanager
def spark_session(job: Job, quiet: bool = False) -> Iterator["SparkSession"]:
    """Give a session; one that was there before is left open."""
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
    """Leave out the page that py4j logs if an interrupt cuts off what is being said to Java."""
    return not str(record.msg).endswith(" while sending command.")


def _started(job: Job, quiet: bool) -> "SparkSession":
    from pyspark.sql import SparkSession

    _need_java()
    master = job.address or os.environ.get("SPARK_MASTER")
    # What spark-submit and spark-defaults.conf say comes with the gateway, or with the folder.
    is_told = "PYSPARK_GATEWAY_PORT" in os.environ or _defaults_name_a_master()
    settings = {"spark.ui.showConsoleProgress": str(not quiet and sys.stderr.isatty()).lower()}
    ours: dict[str, str] = {}
    if master is None and not is_told:
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
    """Say whether the settings of this machine's Spark name a master."""
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
