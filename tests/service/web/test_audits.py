from pathlib import Path

from starlette.testclient import TestClient

from tactful.service.app import create_app
from tactful.service.http.keys import add_key
from tactful.service.settings import ServiceSettings
from tactful.service.web.audits import audit_reports


def fill(folder: Path) -> Path:
    audits = folder / "audits"
    (audits / "spring" / "one" / "deep").mkdir(parents=True)
    for name in ("b.html", "a & b.HTML", "spring/one/report.html", "spring/one/deep/lost.html"):
        (audits / name).write_text(f"<!doctype html><title>{name}</title><script>1</script>")
    (audits / "run.json").write_text("{}")
    (audits / ".hidden.html").write_text("no")
    (folder / "secret.html").write_text("secret")
    (audits / "link.html").symlink_to(folder / "secret.html")
    return audits


def test_reports_are_found_and_nothing_else(tmp_path: Path) -> None:
    found = [report.name for report in audit_reports(fill(tmp_path))]
    assert found == ["a & b.HTML", "b.html", "spring/one/report.html"]


def test_a_folder_that_is_gone_has_no_reports(tmp_path: Path) -> None:
    assert audit_reports(tmp_path / "gone") == []


def test_reports_are_listed_and_shown_without_their_scripts(tmp_path: Path) -> None:
    settings = ServiceSettings(model="fast", langs=("en",), audits=fill(tmp_path))
    client = TestClient(create_app(settings))
    page = client.get("/audits").text
    assert "a &amp; b.HTML" in page
    assert "/audits/a%20%26%20b.HTML" in page
    answer = client.get("/audits/a%20%26%20b.HTML")
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script" not in policy
    for name in ("link.html", ".hidden.html", "run.json", "..%2Fsecret.html", "%2Fetc%2Fpasswd",
                 "spring/../../secret.html", "spring"):  # fmt: skip
        assert client.get(f"/audits/{name}").status_code == 404, name


def test_reports_need_a_key_where_the_service_does(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    _, secret = add_key(keys, "newsroom")
    settings = ServiceSettings(
        model="fast", langs=("en",), audits=fill(tmp_path), keys_file=keys, root_path="/t"
    )
    client = TestClient(create_app(settings), root_path="/t")
    for path in ("/audits", "/audits/b.html", "/audits/none.html"):
        for given in ({}, {"auth": ("", "wrong")}, {"headers": {"X-API-Key": "wrong"}}):
            answer = client.get(f"/t{path}", **given)
            assert answer.status_code == 401, path
            # A browser then asks its reader for a name and a password, and sends them again.
            assert answer.headers["www-authenticate"].startswith("Basic ")
            assert "b.html" not in answer.text
    for name in ("", "anybody"):
        assert "b.html" in client.get("/t/audits", auth=(name, secret)).text
    assert client.get("/t/audits/b.html", auth=("", secret)).status_code == 200
    assert client.get("/t/audits/b.html", headers={"X-API-Key": secret}).status_code == 200
    # Scripts of the pages ask for a key themselves: no window of the browser comes up for them.
    assert client.get("/t/v1/models").headers["www-authenticate"] == "Bearer"
    assert client.get("/t/").status_code == 200


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    settings = ServiceSettings(model="fast", langs=("en",), audits=tmp_path)
    page = TestClient(create_app(settings)).get("/audits?lang=es").text
    assert "tactful audit report" in page
    assert '<html lang="es">' in page


def test_without_a_folder_there_is_no_page(client: TestClient) -> None:
    assert client.get("/audits").status_code == 404
    assert "/audits" not in client.get("/").text
