"""Real engines for the tests of this room: one Ray and one Spark for all of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.scale.engine_texts import job_for

from tactful.scale.environment import environment


@pytest.fixture(scope="session")
def ray_here() -> Iterator[Any]:
    """Start Ray with two CPUs for actors and one for tasks, or skip the test, saying so."""
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    pytest.importorskip("ray.data", reason="Ray Data is not installed")
    with environment({"RAY_USAGE_STATS_ENABLED": "0"}):
        ray.init("local", num_cpus=3, include_dashboard=False, log_to_driver=False)
        yield ray
        assert ray.is_initialized(), "a connection that was there is left open"
        ray.shutdown()


@pytest.fixture(scope="session")
def spark_here() -> Iterator[Any]:
    """Start Spark with two tasks at once, or skip the test, saying so."""
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    from tactful.errors import UsageError
    from tactful.scale.spark.engine import spark_session

    try:
        with spark_session(job_for("unused", Path("unused"), "csv"), quiet=True) as spark:
            yield spark
            assert spark.range(1).count() == 1, "a session that was there is left open"
    except UsageError as error:
        pytest.skip(str(error))


@pytest.fixture(params=["ray", "spark"])
def engine(request: pytest.FixtureRequest) -> str:
    """Run a test on each engine that is there."""
    request.getfixturevalue(f"{request.param}_here")
    return str(request.param)
