"""A rate in tokens a minute: what was really read counts, for each key or address."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient
from tests.service.conftest import FAST

from tactful.cli.serve import serve_cli
from tactful.errors import UsageError
from tactful.service.app import create_app
from tactful.service.http.callers import Callers
from tactful.service.http.errors import ServiceError
from tactful.service.http.keys import add_key, read_keys
from tactful.service.logs import Note

LONG = "With our help even they can learn to hope again. " * 40


def admit(callers: Callers, note: Note) -> None:
    callers.admit({"headers": [], "client": ("127.0.0.1", 1)}, "/v1/score", note)


def test_what_was_read_is_counted_and_not_the_requests() -> None:
    callers = Callers(replace(FAST, tokens_per_minute=6_000))  # ten seconds bring 1,000
    for _ in range(50):
        note = Note(tokens=10)
        admit(callers, note)
        callers.charge(note)
    note = Note(tokens=5_000)
    admit(callers, note)
    callers.charge(note)
    callers.charge(note)  # a request is counted once, however often it is charged
    with pytest.raises(ServiceError, match="tokens a minute") as refused:
        admit(callers, Note())
    assert (refused.value.code, refused.value.error_type) == (429, "RATE_LIMITED")
    assert int(refused.value.headers["Retry-After"]) > 1
    left = callers._tokens._buckets["127.0.0.1"][0]
    assert -5_000 < left < -4_000


def test_a_key_of_its_own_rate_is_limited_by_it_and_others_are_not(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    small = add_key(keys, "small", tokens_per_minute=60)[1]
    large = add_key(keys, "large")[1]
    with TestClient(create_app(replace(FAST, keys_file=keys))) as client:

        def status(key: str) -> int:
            body = {"texts": [LONG]}
            return client.post("/v1/score", json=body, headers={"X-API-Key": key}).status_code

        assert [status(small), status(small)] == [200, 429]
        assert [status(large), status(large)] == [200, 200]


def test_the_command_makes_and_lists_keys_with_rates(tmp_path: Path) -> None:
    file = str(tmp_path / "keys.json")
    options = ["--keys", file, "--add-key", "bot", "--token-rate", "9000", "--reviewer"]
    assert CliRunner().invoke(serve_cli, options).exit_code == 0
    (key,) = read_keys(Path(file))
    assert (key.tokens_per_minute, key.review) == (9000, True)
    listed = CliRunner().invoke(serve_cli, ["--keys", file, "--list-keys"]).stdout
    assert "9000 tokens a minute" in listed
    assert "may review" in listed
    with pytest.raises(UsageError, match="tokens_per_minute"):
        replace(FAST, tokens_per_minute=0)
