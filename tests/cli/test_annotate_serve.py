"""``tactful annotate serve``: a real process, its links, and what it refuses."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, STDOUT

import httpx
import pytest
from tests.children import LIMIT, child, interrupt

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project
from tactful.cli.annotate.serve import check_host
from tactful.cli.main import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Project.create(tmp_path / "trial", "pcl") as project:
        project.add_items([NewItem("one", "A text.")])
    return tmp_path / "trial"


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Start the server; yield it and what it said."""
    command = [sys.executable, "-m", "tactful", "annotate", "serve", str(folder), "--port", "0"]
    command += options
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with child(command, stdout=PIPE, stderr=STDOUT, text=True, env=env) as server:
        said = ""
        while "Ctrl-C" not in said:
            line = server.stdout.readline()
            assert line, said
            said += line
        yield server, said


@pytest.mark.parametrize("stop", [interrupt, subprocess.Popen.terminate])
def test_it_serves_and_stops(folder: Path, stop: "Callable[[subprocess.Popen[str]], None]") -> None:
    with serving(folder) as (server, said):
        (link,) = re.findall(r"http://\S+/join/[\w-]{20,}", said)
        with httpx.Client(follow_redirects=True, timeout=LIMIT) as client:
            answer = client.get(link)
        assert answer.status_code == 200
        assert answer.url.path == "/owner"
        assert "server" not in answer.headers
        stop(server)
        assert server.communicate(timeout=LIMIT)[0] == "Stopped. All answers are saved.\n"
        assert server.returncode == 0
    # The link was printed once; the next start has none unless one is asked for, and it may be
    # stopped before it answers anybody.
    with serving(folder) as (server, said):
        stop(server)
        assert server.wait(LIMIT) == 0
    assert not re.search(r"/join/[\w-]{20,}", said)


def test_a_folder_of_projects_is_served_at_several_addresses(tmp_path: Path) -> None:
    for name in ("first", "second"):
        Project.create(tmp_path / name, "pcl").close()
    with (
        serving(tmp_path) as (_, said),
        httpx.Client(follow_redirects=True, timeout=LIMIT) as client,
    ):
        links = re.findall(r"http://\S+/join/[\w-]{40,}", said)
        assert [client.get(link).url.path for link in links] == [
            "/p/first/owner",
            "/p/second/owner",
        ]
        (server,) = {link.partition("/p/")[0] for link in links}
        home = client.get(server).text
        assert 'href="/p/first/"' in home
        assert 'href="/p/second/"' in home


def test_a_project_named_twice_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["annotate", "serve", str(folder), str(folder.parent / "." / folder.name)])
    assert stopped.value.code == 2
    assert "twice" in capsys.readouterr().err


def answer_to(port: int, data: bytes) -> bytes:
    """Send bytes, and return all that comes back until the server closes the connection."""
    found = b""
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT) as connection:
        connection.sendall(data)
        while piece := connection.recv(65_536):
            found += piece
    return found


def test_slow_and_long_requests_are_cut_off(folder: Path) -> None:
    with serving(folder, "--receive-timeout", "0.5") as (_, said):
        found = re.search(r"http://127\.0\.0\.1:(\d+)/join/([\w-]+)", said)
        assert found is not None
        port, token = int(found[1]), found[2]
        assert answer_to(port, b"GET /help HTT") == b""
        assert answer_to(port, b"GET /help HTTP/1.1\r\nHost: x\r\nX-Half: ") == b""
        long = b"GET /help HTTP/1.1\r\nX-Long: %b\r\n\r\n" % (b"a" * 100_000)
        assert answer_to(port, long).startswith(b"HTTP/1.1 431")
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", follow_redirects=True) as client:
            assert client.get(f"/join/{token}").status_code == 200
            cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
            head = (
                "POST /api/answer HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                f"Cookie: {cookie}\r\nContent-Length: 1000\r\n\r\n{{"
            )
            assert answer_to(port, head.encode()).startswith(b"HTTP/1.1 408")
            assert client.get("/help").status_code == 200


def test_a_second_server_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Project.open(folder), pytest.raises(SystemExit) as stopped:
        main(["annotate", "serve", str(folder), "--port", "0"])
    assert stopped.value.code in (1, 2)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org"])  # noqa: S104
def test_a_public_host_needs_https(
    folder: Path, capsys: pytest.CaptureFixture[str], host: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["annotate", "serve", str(folder), "--host", host])
    assert stopped.value.code == 2
    assert "--behind-https" in capsys.readouterr().err
    check_host(host, behind_https=True)


def test_this_machine_needs_none() -> None:
    for host in ("127.0.0.1", "127.8.8.8", "::1", "localhost"):
        check_host(host, behind_https=False)


def test_a_folder_that_is_no_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["annotate", "serve", str(tmp_path)])
    assert stopped.value.code == 2
    assert "project.yaml" in capsys.readouterr().err


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(["annotate", *arguments])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code


def test_commands_work_while_it_serves(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They go through the server, which stays the only one to write."""
    table = tmp_path / "more.csv"
    table.write_text("id,text\ntwo,Another text.\n", encoding="utf-8")
    tests = tmp_path / "tests.csv"
    tests.write_text("id,text,pcl\ntest,A test.,0\n", encoding="utf-8")
    with serving(folder) as (server, said):
        (link,) = re.findall(r"http://\S+/join/[\w-]{20,}", said)
        assert run("import", str(folder), str(table), "--tests", str(tests)) == 0
        assert capsys.readouterr().out == "Added 1 item and 1 hidden test.\n"
        assert run("import", str(folder), str(table)) == 0
        assert "Already in the project: 1 item." in capsys.readouterr().out
        table.write_text("id,text\ntwo,A different text.\n", encoding="utf-8")
        assert run("import", str(folder), str(table)) == 1
        assert f"{table}, line 2: Found the id 'two'" in " ".join(capsys.readouterr().err.split())
        assert run("invite", str(folder), "Ann") == 0
        ((at, token),) = re.findall(r"(http\S+)/join/([\w-]{20,})", capsys.readouterr().out)
        # The server took a free port: the link is only good for somebody if it names that one.
        assert at == link.partition("/join/")[0]
        assert run("people", str(folder), "--remove", "a1") == 0
        assert "removed" in capsys.readouterr().out
        with httpx.Client(follow_redirects=True, timeout=LIMIT) as client:
            client.get(link)
            where = link.partition("/join/")[0]
            assert "Another text." in client.get(f"{where}/owner/items").text
        assert (folder / "serving.json").is_file()
        interrupt(server)
        assert server.wait(LIMIT) == 0
    assert not (folder / "serving.json").exists()
    with Project.open(folder) as project:
        assert set(project.state.items) == {"one", "two", "test"}
        person = project.who(token)
        assert person is not None
        assert person.status == "removed"


def test_another_writer_than_a_server_is_named(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "more.csv"
    table.write_text("id,text\ntwo,Another text.\n", encoding="utf-8")
    # What a server that was killed leaves behind leads nowhere.
    (folder / "serving.json").write_text('{"address": "http://127.0.0.1:1"}', encoding="utf-8")
    assert run("import", str(folder), str(table)) == 0
    with Project.open(folder):
        assert run("import", str(folder), str(table)) == 1
        assert "no answer" in capsys.readouterr().err
        (folder / "serving.json").unlink()
        assert run("import", str(folder), str(table)) == 1
        assert "only one can write at a time" in " ".join(capsys.readouterr().err.split())


def test_the_server_needs_nothing_of_the_extra_serve() -> None:
    script = (
        "import sys\n"
        "for name in ('fastapi', 'prometheus_client', 'uvloop'): sys.modules[name] = None\n"
        "import tactful.annotation.web.app, tactful.service.http.protocol\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
