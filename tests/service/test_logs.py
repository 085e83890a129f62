import json
import logging

import pytest

from tactful.errors import place_of
from tactful.service.logs import LOGGER, Note, log_failure, log_request, set_up_logs


@pytest.fixture(autouse=True)
def _restore() -> object:
    loggers = [logging.getLogger(name) for name in ("tactful.service", "uvicorn")]
    kept = [(each, each.handlers, each.level, each.propagate) for each in loggers]
    yield
    for logger, handlers, level, propagate in kept:
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(level)


def test_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("json")
    log_request("POST", "/v1/score", 200, 12.345, Note("id-1", 2, 16, "fast-en 1.0", "k_1", 90))
    log_request("GET", "/docs", 200, 1.0, Note("id-2"))
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert first.pop("time").endswith("Z")
    assert first == {
        "level": "info", "event": "request", "id": "id-1", "method": "POST", "route": "/v1/score",
        "status": 200, "ms": 12.3, "texts": 2, "tokens": 90, "batch": 16,
        "model": "fast-en 1.0", "key": "k_1",
    }  # fmt: skip
    assert "key" not in second


def test_lines_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("text")
    log_request("POST", "/v1/score", 429, 0.5, Note("id-1"))
    line = capsys.readouterr().err
    assert line.endswith("request id=id-1 method=POST route=/v1/score status=429 ms=0.5\n")


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_an_error_is_told_by_its_class_and_place(
    capsys: pytest.CaptureFixture[str], log_format: str
) -> None:
    set_up_logs("json" if log_format == "json" else "text")
    with pytest.raises(ValueError, match="words") as error:
        raise ValueError("the words of a user")
    log_failure("A request failed", error.value, "id-3")
    LOGGER.error("again", exc_info=error.value)
    assert place_of(error.value).startswith("ValueError at ")
    told = capsys.readouterr().err
    assert told.count("test_logs.py") == 2
    assert "the words" not in told
    assert "Traceback" not in told
