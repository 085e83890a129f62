"""What the tests of annotation share: both kinds of store, PostgreSQL started for the run."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.annotation.postgres import NoPostgresError, make_database, postgres


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Start a PostgreSQL of our own, or skip the test; return its URL without a database."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(postgres())
        except NoPostgresError as reason:
            pytest.skip(str(reason))
        yield server


@pytest.fixture
def new_database(postgres_server: str) -> Callable[[], str]:
    """Return a function that makes an empty database and returns its URL."""
    return lambda: make_database(postgres_server)


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of a store that is not there yet, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'events.db'}"
    make: Callable[[], str] = request.getfixturevalue("new_database")
    return make()
