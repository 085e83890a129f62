"""Pages of other web sites cannot make a browser send texts: bodies must be said to be JSON.

A browser asks the server first (CORS) before a page of another site may send JSON; it does not ask
before text, a form, or a body of no type.
"""

import pytest
from starlette.testclient import TestClient

BODIES = {
    "/v1/check": b'{"text": "Good morning."}',
    "/v1/score": b'{"texts": ["Good morning."]}',
    "/v1/frame": b'{"texts": ["Good morning."]}',
    "/v1/moderations": b'{"input": "Good morning."}',
    "/v1alpha1/comments:analyze": (
        b'{"comment": {"text": "Good morning."}, "requestedAttributes": {"TOXICITY": {}}}'
    ),
    "/v1alpha1/comments:suggestscore": (
        b'{"comment": {"text": "Good morning."},'
        b' "attributeScores": {"TOXICITY": {"summaryScore": {"value": 0}}}}'
    ),
}
ORIGIN = {"Origin": "https://example.org"}


@pytest.mark.parametrize("path", BODIES)
@pytest.mark.parametrize(
    "given",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "text/plain;charset=UTF-8"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Content-Type": "text/plain; application/json"},
        {"Content-Type": "text/plain+json"},
        ORIGIN,  # fetch() sends a Blob of no type without any header
        {**ORIGIN, "Content-Type": ""},
    ],
)
def test_what_a_browser_sends_unasked_is_refused(
    client: TestClient, path: str, given: dict[str, str]
) -> None:
    answer = client.post(path, content=BODIES[path], headers=given)
    assert answer.status_code == 415
    error = answer.json()["error"]
    assert error["details"][0]["errorType"] == "UNSUPPORTED_MEDIA_TYPE"
    assert "Content-Type: application/json" in error["message"]


@pytest.mark.parametrize("path", BODIES)
@pytest.mark.parametrize(
    "given",
    [
        {"Content-Type": "application/json"},
        {"Content-Type": "Application/JSON; charset=utf-8"},
        {"Content-Type": "application/json", **ORIGIN},
        {"Content-Type": "application/vnd.example+json"},
        {},  # no browser: these always say where a page is from
    ],
)
def test_what_clients_send_is_taken(client: TestClient, path: str, given: dict[str, str]) -> None:
    assert client.post(path, content=BODIES[path], headers=given).status_code == 200
