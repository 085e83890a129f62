"""Times on Spark: each is the same instant, or the same local time, wherever it stands."""

import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.scale.engine_texts import QUIET, job_for, read_parts, run_on
from tests.scale.made import WORDS

from tactful.errors import InputError
from tactful.scale.job import Job
from tactful.scale.local.engine import run_local
from tactful.scale.progress import Watch

pytestmark = QUIET

ZONE = "spark.sql.session.timeZone"
AWARE = [
    None,
    # Both are half past two in Madrid, an hour apart.
    dt.datetime(2024, 10, 27, 0, 30, tzinfo=dt.UTC),
    dt.datetime(2024, 10, 27, 1, 30, 0, 123456, tzinfo=dt.UTC),
    # Older than time zones, and than the calendar that Spark once had.
    dt.datetime(1850, 1, 1, 12, tzinfo=dt.UTC),
    dt.datetime(1500, 2, 28, tzinfo=dt.UTC),
    dt.datetime(9999, 12, 30, 23, 59, 59, 999999, tzinfo=dt.UTC),
]
NAIVE = [None if each is None else each.replace(tzinfo=None) for each in AWARE]


def times(arrow: Any) -> Any:
    """Return a table with times of all kinds, alone and nested."""
    aware, naive = arrow.timestamp("us", "UTC"), arrow.timestamp("us")
    rows = range(len(AWARE))
    both = arrow.struct([("aware", aware), ("naive", naive)])
    return arrow.table(
        {
            "id": arrow.array(rows),
            "text": arrow.array([f"text {row}" for row in rows]),
            "aware": arrow.array(AWARE, aware),
            "naive": arrow.array(NAIVE, naive),
            "struct": arrow.array([{"aware": AWARE[at], "naive": NAIVE[at]} for at in rows], both),
            "list": arrow.array([[each, None] for each in AWARE], arrow.list_(aware)),
            "local list": arrow.array([[each] for each in NAIVE], arrow.list_(naive)),
            "map": arrow.array([[("k", each)] for each in AWARE], arrow.map_("string", aware)),
            "deep": arrow.array(
                [[{"aware": AWARE[at], "naive": NAIVE[at]}] for at in rows], arrow.list_(both)
            ),
        }
    )


@pytest.fixture(params=["UTC", "America/New_York"])
def zone(request: pytest.FixtureRequest, spark_here: Any) -> Any:
    """Run a test in a session that has a zone of its own, which it must have afterwards, too."""
    before = spark_here.conf.get(ZONE)
    spark_here.conf.set(ZONE, request.param)
    yield request.param
    assert spark_here.conf.get(ZONE) == request.param
    spark_here.conf.set(ZONE, before)


def job_of(source: Path, output: Path, written: str) -> Job:
    return replace(job_for(str(source), output, "parquet", written=written), scorer=WORDS)


def test_parquet_keeps_times_and_their_types(zone: str, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    source, output = tmp_path / "in.parquet", tmp_path / "out"
    table = times(pa)
    parquet.write_table(table, source)
    assert run_on("spark", job_of(source, output, "parquet")).summary.rows == len(AWARE)
    parts = sorted(output.glob("wave-*/*.parquet"))
    found = pa.concat_tables([parquet.read_table(part) for part in parts]).sort_by("id")
    for name in table.column_names:
        assert found[name].to_pylist() == table[name].to_pylist(), name
        kind = str(table.schema.field(name).type).replace("element:", "item:")
        got = str(found.schema.field(name).type).replace("element:", "item:")
        assert got.replace(" ('map')", "") == kind.replace(" ('map')", ""), name


@pytest.mark.parametrize("written", ["csv", "jsonl"])
def test_text_has_the_times_that_the_local_engine_writes(
    written: str, zone: str, tmp_path: Path
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    source = tmp_path / "in.parquet"
    parquet.write_table(times(pa), source)
    run_on("spark", job_of(source, tmp_path / "out", written))
    run_local(job_of(source, tmp_path / "here", written), Watch())
    here = (tmp_path / "here" / f"part-00000.{written}").read_text()
    there = "".join(each.read_text() for each in sorted((tmp_path / "out").glob("wave-*/*")))
    assert "2024-10-27" in here
    assert sorted(there.splitlines()) == sorted(here.splitlines())


def test_units_and_names_of_zones_become_those_of_spark(spark_here: Any, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    source, at = tmp_path / "in.parquet", dt.datetime(2024, 10, 27, 0, 30, tzinfo=dt.UTC)
    table = pa.table(
        {
            "text": ["one"],
            "madrid": pa.array([at], pa.timestamp("us", "Europe/Madrid")),
            "seconds": pa.array([at], pa.timestamp("ms", "UTC")),
        }
    )
    parquet.write_table(table, source)
    run_on("spark", job_of(source, tmp_path / "out", "parquet"))
    found = read_parts(tmp_path / "out", "parquet")
    for name in ("madrid", "seconds"):
        assert found[name].to_list() == [at]
        assert str(found[name].dtype) == "Datetime(time_unit='us', time_zone='UTC')"


@pytest.mark.parametrize("nested", [False, True])
def test_nanoseconds_which_spark_cannot_read_are_refused_in_words(
    nested: bool, spark_here: Any, tmp_path: Path
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    kind = pa.timestamp("ns", "UTC")
    values = pa.array([[AWARE[1]]], pa.list_(kind)) if nested else pa.array([AWARE[1]], kind)
    parquet.write_table(pa.table({"text": ["one"], "at": values}), tmp_path / "in.parquet")
    with pytest.raises(InputError, match=r"in\.parquet: Spark cannot read .*NANOS.*--engine local"):
        run_on("spark", job_of(tmp_path / "in.parquet", tmp_path / "out", "parquet"))
    assert not (tmp_path / "out").exists()
