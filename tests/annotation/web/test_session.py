"""Sessions: only an invitation lets people in, as long as it is valid."""

from starlette.testclient import TestClient
from tests.annotation.web.desks import MakeProject, Visit

from tactful.annotation.web.app import create_app
from tactful.annotation.web.session import cookie_name


def test_joining_sets_a_cookie_that_scripts_cannot_read(make_project: MakeProject) -> None:
    project = make_project("pcl", ["A text."])
    token = project.invite("annotator", "Ann").token
    with TestClient(create_app(project)) as client:
        answer = client.get(f"/join/{token}", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "; secure" not in cookie


def test_behind_https_cookies_go_by_https_only(make_project: MakeProject) -> None:
    project = make_project("pcl", ["A text."])
    token = project.invite("annotator", "Ann").token
    with TestClient(create_app(project, secure=True), base_url="https://trial") as client:
        answer = client.get(f"/join/{token}", follow_redirects=False)
    assert "; secure" in answer.headers["set-cookie"].lower()
    assert "max-age" in answer.headers["strict-transport-security"]


def test_a_wrong_token_is_answered_with_a_page(make_project: MakeProject) -> None:
    with TestClient(create_app(make_project("pcl", ["A text."]))) as client:
        answer = client.get("/join/nobody")
    assert answer.status_code == 401
    assert "unknown or was revoked" in answer.text
    assert "set-cookie" not in answer.headers


def test_without_a_session_nothing_is_shown(make_project: MakeProject) -> None:
    project = make_project("pcl", ["A very particular text."])
    with TestClient(create_app(project)) as client:
        for path in ("/", "/work", "/consent", "/guideline", "/done", "/stopped", "/owner"):
            answer = client.get(path)
            assert answer.status_code == 401, path
            assert "particular" not in answer.text
        assert client.get("/api/page").json().keys() == {"error"}
        for path in ("/api/answer", "/api/skip", "/api/stop", "/consent"):
            assert client.post(path, json={}).status_code == 401, path
        assert client.get("/help").status_code == 200


def test_a_revoked_invitation_ends_at_once(make_project: MakeProject, visit: Visit) -> None:
    ann = visit(make_project("pcl", ["A text."]))
    assert ann.client.get("/work").status_code == 200
    ann.project.revoke(ann.person)
    assert ann.client.get("/work").status_code == 401
    assert ann.client.get("/api/page").status_code == 401


def test_a_cookie_needs_its_signature(make_project: MakeProject, visit: Visit) -> None:
    ann = visit(make_project("pcl", ["A text."]))
    name = cookie_name(ann.project)
    whole = ann.client.cookies[name]
    for bad in (ann.token, f"{ann.token}.", whole[:-1], whole[:-1] + "é", f".{whole}", "", "."):
        ann.client.cookies.clear()
        answer = ann.client.get("/work", headers={b"Cookie": f"{name}={bad}".encode()})
        assert answer.status_code == 401, bad


def test_a_cookie_of_one_project_opens_no_other(make_project: MakeProject, visit: Visit) -> None:
    ann = visit(make_project("pcl", ["A text."]))
    other = make_project("pcl", ["Another text."])
    cookie = ann.client.cookies[cookie_name(ann.project)]
    with TestClient(create_app(other)) as client:
        client.cookies.set(cookie_name(other), cookie)
        assert client.get("/work").status_code == 401


def test_each_role_comes_to_its_page(make_project: MakeProject, visit: Visit) -> None:
    project = make_project("pcl", ["A text."])
    for role, place in (("annotator", "/work"), ("referee", "/work"), ("owner", "/owner")):
        answer = visit(project, role).client.get("/", follow_redirects=False)
        assert answer.headers["location"] == place
