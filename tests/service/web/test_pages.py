import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tactful.service.app import create_app
from tactful.service.routes import pages
from tactful.service.settings import ServiceSettings

STATIC = Path(pages.__file__).parents[1] / "web" / "static"
PATHS = ("/", "/compare", "/table")
TEXT = "With a little help from us, even these poor families can dream <b>again</b>."


@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_strict_about_what_it_runs(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'",
                 "connect-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"):  # fmt: skip
        assert part in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-store"
    page = answer.text
    assert not re.search(r"\sstyle=|\son\w+=|<style|javascript:", page)
    for attributes, content in re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL):
        assert 'type="application/json"' in attributes or (" src=" in attributes and not content)
    # All that is loaded comes from the service itself.
    for address in re.findall(r'(?:src|href)="([^"]*)"', page):
        assert address.startswith(("/", "?", "#")), address
        assert not address.startswith("//")


@pytest.mark.parametrize("path", PATHS)
def test_the_data_of_a_page_can_be_read(client: TestClient, path: str) -> None:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>',
                      client.get(path).text, re.DOTALL)  # fmt: skip
    assert found
    data = json.loads(found[1])
    assert data["entries"]["pcl"]["think"].endswith("?")
    assert set(data["ids"]) == {"en", "es"}
    assert data["mostCharacters"] == 50_000


def test_the_table_says_where_its_texts_go() -> None:
    hook = ServiceSettings(
        model="fast", langs=("en",), webhook="http://127.0.0.1:1/", webhook_texts=True
    )
    said = "also sent to an address"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TACTFUL_WEBHOOK_SECRET", "0123456789abcdef")
        with TestClient(create_app(hook)) as client:
            assert said in client.get("/table").text
            assert said not in client.get("/").text
        with TestClient(create_app(replace(hook, webhook_texts=False))) as client:
            assert said not in client.get("/table").text


def test_the_language_is_asked_for_remembered_or_the_browsers(client: TestClient) -> None:
    spanish = {"accept-language": "es-ES,es;q=0.9,en;q=0.5"}
    assert '<html lang="en">' in client.get("/").text
    assert '<html lang="es">' in client.get("/", headers=spanish).text
    answer = client.get("/table?lang=es")
    assert '<html lang="es">' in answer.text
    assert "httponly" in answer.headers["set-cookie"].lower()
    assert '<html lang="es">' in client.get("/").text
    assert '<html lang="en">' in client.get("/?lang=en", headers=spanish).text
    assert '<html lang="en">' in client.get("/", headers=spanish).text
    assert "set-cookie" not in client.get("/?lang=%3Cscript%3E").headers
    client.cookies.clear()


def test_scripts_are_sent_once(client: TestClient) -> None:
    for path in STATIC.iterdir():
        answer = client.get(f"/static/{path.name}")
        assert answer.status_code == 200
        assert answer.content == path.read_bytes()
        assert answer.headers["x-content-type-options"] == "nosniff"
        again = client.get(
            f"/static/{path.name}", headers={"if-none-match": answer.headers["etag"]}
        )
        assert (again.status_code, again.content) == (304, b"")
    assert client.get("/static/app.css").headers["content-type"].startswith("text/css")
    assert client.get("/static/write.js").headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize("name", ["nothing.js", "..%2Fwords.py", "..%2F..%2Fapp.py", "%00", ""])
def test_nothing_else_is_sent(client: TestClient, name: str) -> None:
    answer = client.get(f"/static/{name}")
    assert answer.status_code == 404
    assert answer.json()["error"]["status"] == "NOT_FOUND"


def test_modules_import_what_is_there() -> None:
    names = {path.name for path in STATIC.iterdir()}
    for path in STATIC.glob("*.js"):
        text = path.read_text("utf-8")
        assert set(re.findall(r"from '\./([^']+)'", text)) <= names
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|eval\(|https?://", text), path


def test_no_address_of_another_machine_is_in_the_style() -> None:
    assert not re.search(r"url\(|@import|https?:", (STATIC / "app.css").read_text("utf-8"))


def test_the_report_is_one_page(client: TestClient) -> None:
    answer = client.post("/v1/report", json={"text": TEXT, "report_lang": "es"})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert "sandbox" in answer.headers["content-security-policy"]
    page = answer.text
    assert page.startswith("<!doctype html>")
    assert '<html lang="es">' in page
    assert "&lt;b&gt;again" in page
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?!#)', page)


def test_the_report_speaks_the_language_of_the_text(client: TestClient) -> None:
    text = "Ya se sabe que los que vienen de allí viven todos de las ayudas."
    page = client.post("/v1/report", json={"text": text}).text
    assert '<html lang="es">' in page


@pytest.mark.parametrize(
    ("body", "code", "kind"),
    [
        ({"text": " "}, 400, "TEXT_EMPTY"),
        ({"text": "x" * 100_001}, 400, "TEXT_TOO_LONG"),
        ({"text": "One.", "only": ["nothing"]}, 400, "UNKNOWN_NAME"),
        ({"text": "One.", "least": 2}, 422, "FIELD_INVALID"),
        ({"texts": ["One."]}, 422, "FIELD_INVALID"),
        ([], 422, "FIELD_INVALID"),
    ],
)
def test_a_bad_report_is_refused(client: TestClient, body: object, code: int, kind: str) -> None:
    answer = client.post("/v1/report", json=body)
    assert answer.status_code == code
    assert answer.json()["error"]["details"][0]["errorType"] == kind


def test_the_report_is_in_the_openapi_document_and_pages_are_not(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert "/v1/report" in paths
    assert not {"/", "/compare", "/table", "/static/{name}"} & set(paths)


def test_without_the_web_app_there_are_no_pages() -> None:
    client = TestClient(create_app(ServiceSettings(model="fast", langs=("en",), web=False)))
    assert client.get("/").status_code == 404
    assert client.get("/static/app.css").status_code == 404


def test_a_proxy_may_show_the_pages_elsewhere() -> None:
    settings = ServiceSettings(model="fast", langs=("en",), root_path="/tactful")
    page = TestClient(create_app(settings)).get("/?lang=es")
    assert 'href="/tactful/static/app.css"' in page.text
    assert 'href="/tactful/table"' in page.text
    assert '"root": "/tactful"' in page.text
    assert "Path=/tactful/;" in page.headers["set-cookie"]


def test_annotation_is_one_click_away_where_it_is_served() -> None:
    settings = ServiceSettings(model="fast", langs=("en",), annotation="http://127.0.0.1:8100")
    client = TestClient(create_app(settings))
    assert 'href="/annotate"' in client.get("/").text
    answer = client.get("/annotate", follow_redirects=False)
    assert answer.headers["location"] == "http://127.0.0.1:8100"


def test_pages_are_open_where_keys_are_asked_for_and_the_report_is_not(tmp_path: Path) -> None:
    from tactful.service.http.keys import add_key

    add_key(tmp_path / "keys.json", "one", None)
    settings = ServiceSettings(model="fast", langs=("en",), keys_file=tmp_path / "keys.json")
    client = TestClient(create_app(settings))
    assert client.get("/").status_code == 200
    assert client.post("/v1/report", json={"text": TEXT}).status_code == 401
