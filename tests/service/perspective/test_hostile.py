"""Large hostile requests are refused before their parts are looked at one by one."""

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tactful.service.http.errors import ServiceError
from tactful.service.perspective.requests import read_analyze, read_suggest

COMMENT = {"text": "Thank you all for the lovely evening."}
GOOD = {"comment": COMMENT, "requestedAttributes": {"TOXICITY": {}}}
MANY = 20_000


def calls_to_refuse(read: Callable[[bytes], object], body: object) -> tuple[int, str]:
    """Return how many Python functions were called to refuse a body, and the message."""
    sent, calls = json.dumps(body).encode(), 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        read(sent)
    except ServiceError as error:
        return calls, error.message
    finally:
        sys.setprofile(None)
    raise AssertionError("the body was not refused")


@pytest.mark.parametrize(
    ("read", "body"),
    [
        (read_analyze, {**GOOD, "requestedAttributes": {f"A{n}": {} for n in range(MANY)}}),
        (read_analyze, {**GOOD, "requestedAttributes": {f"TOXICITY@{n}": 1 for n in range(MANY)}}),
        (read_analyze, {**GOOD, "languages": ["en"] * MANY}),
        (read_analyze, {**GOOD, "languages": [1] * MANY}),
        (read_analyze, {**GOOD, "context": {"entries": [{}] * MANY}}),
        (read_analyze, {**GOOD, "context": {"entries": [1] * MANY}}),
        (read_analyze, {**GOOD, **{f"field{n}": 1 for n in range(MANY)}}),
        (read_analyze, {**GOOD, "comment": {**COMMENT, **{f"f{n}": 1 for n in range(MANY)}}}),
        (read_suggest, {"comment": COMMENT, "attributeScores": {f"A{n}": {} for n in range(MANY)}}),
        (
            read_suggest,
            {"comment": COMMENT, "attributeScores": {"A": {"spanScores": [{}] * MANY}}},
        ),
    ],
)
def test_the_work_does_not_grow_with_the_request(
    read: Callable[[bytes], object], body: object
) -> None:
    calls, message = calls_to_refuse(read, body)
    assert calls < MANY / 10
    assert len(message) < 2_000


def test_the_limit_is_told() -> None:
    asked: dict[str, object] = {f"TOXICITY@{n}": {} for n in range(201)}
    _, message = calls_to_refuse(read_analyze, {**GOOD, "requestedAttributes": asked})
    assert message == "Found 201 values at 'requested_attributes'; expected at most 200."
