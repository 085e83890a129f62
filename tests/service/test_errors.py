"""Every error of every route has the one shape, and repeats nothing of what was sent."""

import json
import re

import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient

from tactful.errors import InputError, UnknownNameError, UsageError
from tactful.json_errors import STATUSES, error_body
from tactful.service.http.errors import ServiceError, from_validation, install
from tactful.service.http.gate import Gate
from tactful.service.metrics import Metrics
from tactful.service.settings import ServiceSettings

MARKER = "zebrafish-marker"
JSON = {"content-type": "application/json"}

BODIES = [
    (b"", 400, "INVALID_JSON"),
    (b"{", 400, "INVALID_JSON"),
    (b"\xff\xfe\x00", 400, "INVALID_JSON"),
    (b"[" * 100_000, 400, "INVALID_JSON"),
    (b'{"texts":' + b'{"a":' * 5_000, 400, "INVALID_JSON"),
    (b'{"texts":["\\ud800"]}', 400, "INVALID_JSON"),
    (b'{"texts":["a\\u0000b"]}', 400, "NUL_IN_TEXT"),
    (b'{"texts":["a\x00b"]}', 400, "INVALID_JSON"),
    (b'{"texts":["a"],"only":["nothing"]}', 400, "UNKNOWN_NAME"),
    (b'{"texts":["a"],"lang":"fr"}', 400, "LANGUAGE_NOT_SUPPORTED"),
    (json.dumps({"texts": ["a"] * 257}).encode(), 400, "TOO_MANY_TEXTS"),
    (json.dumps({"texts": ["a" * 100_001]}).encode(), 400, "TEXT_TOO_LONG"),
    (b"[]", 422, "FIELD_INVALID"),
    (b"null", 422, "FIELD_INVALID"),
    (b"{}", 422, "FIELD_INVALID"),
    (b'{"texts":"a"}', 422, "FIELD_INVALID"),
    (b'{"texts":[1]}', 422, "FIELD_INVALID"),
    (b'{"texts":[null]}', 422, "FIELD_INVALID"),
    (b'{"texts":["a"],"lang":"english"}', 422, "FIELD_INVALID"),
    (b'{"texts":["a"],"%b":1}' % MARKER.encode(), 422, "FIELD_INVALID"),
    (b'{"texts":["a"],"lang":"%b"}' % MARKER.encode(), 422, "FIELD_INVALID"),
    (b'{"texts":["a"],"only":["%b"]}' % MARKER.encode(), 400, "UNKNOWN_NAME"),
]


MANY = 5_000
MANY_MISTAKES = [
    {"texts": [1] * MANY},
    {"texts": ["a"], "only": [1] * MANY},
    {"texts": ["a"], "only": ["a"] * MANY},
    {"texts": ["a"], **{f"field{n}": 1 for n in range(MANY)}},
    {"text": "a", "thresholds": {f"id{n}": 2 for n in range(MANY)}},
]


def check_shape(answer: Response, code: int) -> dict[str, str]:
    found = answer.json()  # type: ignore[attr-defined]
    assert list(found) == ["error"]
    error = found["error"]
    assert set(error) == {"code", "message", "status", "details"}
    assert error["code"] == answer.status_code == code
    assert error["status"] == STATUSES[code]
    assert error["message"].endswith(".")
    assert error["details"]
    assert all(isinstance(each["errorType"], str) for each in error["details"])
    assert "Traceback" not in answer.text  # type: ignore[attr-defined]
    assert answer.headers["content-type"] == "application/json"
    first: dict[str, str] = error["details"][0]
    return first


def test_of_several_details_the_first_has_the_type() -> None:
    details = [{"field": "text"}, {"field": "lang"}]
    error = error_body(422, "Two fields are wrong.", details=details, error_type="FIELD_INVALID")
    assert error["error"]["details"] == [{"errorType": "FIELD_INVALID", **details[0]}, details[1]]


def test_one_text_and_a_full_batch_are_counted_apart() -> None:
    metrics, most = Metrics(), ServiceSettings().max_batch
    for size in (1, 2, most - 1, most, most + 1):
        metrics.batches.labels("m").observe(size)
    page = metrics.page().decode()

    def up_to(size: int) -> int:
        found = re.search(rf'tactful_batch_texts_bucket{{le="{size}.0",model="m"}} (\d+)', page)
        assert found is not None
        return int(found[1])

    assert [up_to(1), up_to(2), up_to(most)] == [1, 2, 4]


@pytest.mark.parametrize(("body", "code", "kind"), BODIES, ids=lambda value: str(value)[:30])
def test_a_wrong_body(client: TestClient, body: bytes, code: int, kind: str) -> None:
    answer = client.post("/v1/score", content=body, headers=JSON)
    assert check_shape(answer, code)["errorType"] == kind  # type: ignore[arg-type]
    if kind != "FIELD_INVALID" or b"lang" in body:
        assert MARKER not in answer.text


@pytest.mark.parametrize("text", [MARKER, '{"cells": 1}', f'{{"{MARKER}": "\u0086'])
def test_a_text_that_is_no_notebook(client: TestClient, text: str) -> None:
    answer = client.post("/v1/check", json={"text": text, "kind": "notebook", "lang": "en"})
    assert check_shape(answer, 400)["errorType"] == "TEXT_NOT_READABLE"  # type: ignore[arg-type]
    assert "expected a Jupyter notebook" in answer.json()["error"]["message"]
    assert MARKER not in answer.text


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/nothing", 404),
        ("GET", f"/{MARKER}", 404),
        ("GET", "/v1/score", 405),
        ("DELETE", "/healthz", 405),
        ("GET", "/v1/taxonomies/nothing", 404),
        ("GET", "/v1/taxonomies/..%2f..%2fetc%2fpasswd", 404),
        ("POST", "/v1/nothing", 404),
    ],
)
def test_a_wrong_path_or_method(client: TestClient, method: str, path: str, code: int) -> None:
    answer = client.request(method, path)
    check_shape(answer, code)  # type: ignore[arg-type]
    assert MARKER not in answer.text
    if code == 405:
        assert answer.headers["allow"]


def test_a_body_of_another_type(client: TestClient) -> None:
    answer = client.post("/v1/score", content=b"texts=a", headers={"content-type": "text/plain"})
    check_shape(answer, 415)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": "a", "least": 2}, "least"),
        ({"text": "a", "least": "0.5"}, "least"),
        ({"text": "a", "thresholds": {"pcl": -1}}, "thresholds.pcl"),
        ({"text": "a", "kind": "pdf"}, "kind"),
        ({"text": "a", "explanations": "yes"}, "explanations"),
        ({"text": ["a"]}, "text"),
        ({"texts": "a"}, "text"),
    ],
)
def test_the_field_is_named(client: TestClient, body: object, field: str) -> None:
    answer = client.post("/v1/check", json=body)
    assert check_shape(answer, 422)["field"] == field  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def raising() -> TestClient:
    """An app whose routes raise, the ordinary way and past FastAPI."""
    app = FastAPI()
    install(app)
    app.add_middleware(Gate, settings=ServiceSettings(), metrics=Metrics(), direct={}, reviews={})
    errors: dict[str, Exception] = {
        "bug": RuntimeError(MARKER),
        "usage": UsageError("The call is wrong."),
        "input": InputError(f"{MARKER}, line 3: found nothing."),
        "name": UnknownNameError("detector", MARKER, ["default"]),
        "full": ServiceError(429, "Full.", "X", [{"a": 1}], {"Retry-After": "3"}),
    }

    @app.get("/{name}")
    async def fail(request: Request, name: str) -> Response:
        raise errors[name]

    return TestClient(app, raise_server_exceptions=False)


@pytest.mark.parametrize(
    ("name", "code"), [("bug", 500), ("usage", 400), ("input", 500), ("name", 400), ("full", 429)]
)
def test_what_is_raised(raising: TestClient, name: str, code: int) -> None:
    answer = raising.get(f"/{name}")
    detail = check_shape(answer, code)  # type: ignore[arg-type]
    assert MARKER not in answer.text
    if name == "full":
        assert detail == {"errorType": "X", "a": 1}
        assert answer.headers["retry-after"] == "3"


@pytest.mark.parametrize("body", MANY_MISTAKES)
def test_many_mistakes_are_not_looked_for_one_by_one(
    client: TestClient, body: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def count(found: list[dict[str, object]]) -> ServiceError:
        seen.append(len(found))
        return from_validation(found)

    monkeypatch.setattr("tactful.service.http.body.from_validation", count)
    answer = client.post("/v1/check" if "text" in body else "/v1/score", json=body)
    check_shape(answer, 422)  # type: ignore[arg-type]
    assert sum(seen) <= 1
