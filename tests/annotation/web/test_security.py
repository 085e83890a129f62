"""Headers on every answer, no forged requests, no endless bodies."""

import json

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from tests.annotation.web.desks import MakeProject, Visit

from tactful.annotation.web.security import HEADERS, MOST_BYTES, SecurityHeaders

PATHS = ("/work", "/consent", "/guideline", "/help", "/done", "/stopped", "/api/page", "/nowhere")
ANSWER = {"handle": "x", "answers": {}, "seconds": 1, "key": "a-key-of-its-own"}


def test_every_answer_has_the_headers(make_project: MakeProject, visit: Visit) -> None:
    ann = visit(make_project("pcl", ["A text."]))
    for path in (*PATHS, f"/join/{ann.token}"):
        headers = ann.client.get(path, follow_redirects=False).headers
        assert all(headers[name] == value for name, value in HEADERS.items()), path
        assert headers["cache-control"] == "no-store", path
    assert ann.client.get("/static/work.js").headers["cache-control"] == "no-cache"
    policy = HEADERS["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_nothing_is_inline_and_nothing_comes_from_elsewhere(
    make_project: MakeProject, visit: Visit
) -> None:
    ann = visit(make_project("frames", ["A text."]), agree=False)
    for path in ("/consent", *PATHS):
        page = ann.client.get(path).text
        assert " style=" not in page
        assert "<style" not in page
        assert "http://" not in page
        assert "onclick" not in page


@pytest.mark.parametrize("path", ["/api/answer", "/api/skip"])
def test_a_forged_request_is_refused(make_project: MakeProject, visit: Visit, path: str) -> None:
    ann = visit(make_project("pcl", ["A text."]))
    for token in ("", "x", "é"):
        headers = {b"X-CSRF-Token": token.encode("utf-8")}
        assert ann.client.post(path, json=ANSWER, headers=headers).status_code == 403
    assert ann.client.post(path, json=ANSWER).status_code == 403


@pytest.mark.parametrize("path", ["/api/answer", "/api/skip"])
@pytest.mark.parametrize("given", ["text/plain", "application/x-www-form-urlencoded", None])
def test_what_is_not_said_to_be_json_is_refused(
    make_project: MakeProject, visit: Visit, path: str, given: str | None
) -> None:
    ann = visit(make_project("pcl", ["A text."]))
    headers = {"X-CSRF-Token": ann.csrf, **({"Content-Type": given} if given else {})}
    answer = ann.client.post(path, content=json.dumps(ANSWER), headers=headers)
    assert answer.status_code == 415


@pytest.mark.parametrize("path", ["/api/stop", "/consent"])
def test_a_forged_form_is_refused(make_project: MakeProject, visit: Visit, path: str) -> None:
    ann = visit(make_project("pcl", ["A text."]))
    for form in ({"agree": "yes"}, {"agree": "yes", "csrf": "x"}):
        assert ann.client.post(path, data=form).status_code == 403


def test_the_token_of_another_person_does_not_help(make_project: MakeProject, visit: Visit) -> None:
    project = make_project("pcl", ["A text."])
    ann, bob = visit(project), visit(project)
    assert ann.csrf != bob.csrf
    assert ann.post("/api/answer", ANSWER, bob.csrf)[0] == 403


def test_bodies_that_are_no_answers(make_project: MakeProject, visit: Visit) -> None:
    ann = visit(make_project("pcl", ["A text."]))
    headers = {"X-CSRF-Token": ann.csrf, "Content-Type": "application/json"}
    for body in (b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000):
        answer = ann.client.post("/api/answer", content=body, headers=headers)
        assert answer.status_code == 400, body[:10]
        assert answer.json().keys() == {"error"}
    long = b" " * (MOST_BYTES + 1)
    assert ann.client.post("/api/answer", content=long, headers=headers).status_code == 413
    bad: tuple[dict[str, object], ...] = (
        {"answers": []},
        {"seconds": -1},
        {"seconds": "1"},
        {"seconds": None},
        {"key": "short"},
        {"key": "k" * 101},
        {"key": 7},
        {"handle": None},
    )
    for change in bad:
        assert ann.post("/api/answer", {**ANSWER, **change})[0] == 400, change
    raw = b'{"handle": "x", "answers": {}, "seconds": Infinity, "key": "a-key-of-its-own"}'
    assert ann.client.post("/api/answer", content=raw, headers=headers).status_code == 400
    assert ann.post("/api/skip", {"handle": "x", "reason": 3})[0] == 400


def test_files_outside_the_static_folder_are_not_served(
    make_project: MakeProject, visit: Visit
) -> None:
    ann = visit(make_project("pcl", ["A text."]))
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2f..%2fload.py"):
        assert ann.client.get(path).status_code == 404


def test_errors_have_one_shape_and_tell_nothing_inside(
    make_project: MakeProject, visit: Visit
) -> None:
    ann = visit(make_project("pcl", ["A text."]))
    status, body = ann.post("/api/answer", ANSWER)
    error = json.loads(body)["error"]
    assert (status, error["code"], error["status"]) == (409, 409, "ABORTED")
    page = ann.client.get("/nowhere")
    assert page.status_code == 404
    assert "There is no such page." in page.text
    assert ann.client.put("/work").status_code == 405


@pytest.mark.parametrize(("secure", "scheme"), [(True, "https"), (False, "http")])
def test_links_are_https_behind_https(secure: bool, scheme: str) -> None:
    async def tell(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse(str(Request(scope).base_url))(scope, receive, send)

    client = TestClient(SecurityHeaders(tell, secure), base_url="http://annotate.example")
    assert client.get("/").text == f"{scheme}://annotate.example/"
