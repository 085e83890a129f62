"""A feedback store of each kind, and a service that keeps feedback."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.annotation.conftest import new_database, postgres_server, store_url
from tests.service.conftest import FAST

from tactful.service.app import create_app
from tactful.service.feedback.records import SECRET_VARIABLE
from tactful.service.feedback.store import FeedbackStore, open_feedback

__all__ = ["new_database", "postgres_server", "store_url"]


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> str:
    """Set the secret of the hashes."""
    value = "a secret for tests only"
    monkeypatch.setenv(SECRET_VARIABLE, value)
    return value


@pytest.fixture
def store(store_url: str) -> Iterator[FeedbackStore]:
    with open_feedback(store_url) as found:
        yield found


@pytest.fixture
def feedback_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'feedback.db'}"


@pytest.fixture
def client(feedback_url: str) -> Iterator[TestClient]:
    """Serve with a feedback store that keeps texts."""
    settings = replace(FAST, feedback=feedback_url, web=True)
    with TestClient(create_app(settings), raise_server_exceptions=False) as found:
        yield found
