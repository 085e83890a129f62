"""What the tests of annotation share: both kinds of store, PostgreSQL started for the run."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.annotation.postgres import NoPostgresError, make_database, postgres

from tactful.annotation.project.project import Project


@pytest.fixture(scope="session", autouse=True)
def same_draws() -> Iterator[None]:
    """Draw the same items and hidden tests in every run: chance must not decide what fails."""
    create, open_ = Project.create, Project.open

    def create_same(folder: str | Path, protocol: str | Path, **options: Any) -> Project:
        test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
        options.setdefault("secret", Random(f"{test} {Path(folder).name}").randbytes(32))
        return create(folder, protocol, **options)

    def open_same(folder: str | Path, **options: Any) -> Project:
        project = open_(folder, **options)
        project.rng = Random(project.secret)
        return project

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Project, "create", create_same)
        patch.setattr(Project, "open", open_same)
        yield


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
