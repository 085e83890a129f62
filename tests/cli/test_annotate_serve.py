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
    # The link was told once; the next start has none unless one is asked for, and it may be
    # stopped before it answers anybody.
    with serving(folder) as (server, said):
        stop(server)
        assert server.wait(LIMIT) == 0
    assert not re.search(r"/join/[\w-]{20,}", said)


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


def test_import_while_it_serves_says_what_to_do(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the message advises is done here, step by step, and works."""
    table = tmp_path / "more.csv"
    table.write_text("id,text\ntwo,Another text.\n", encoding="utf-8")
    with serving(folder) as (server, said):
        (link,) = re.findall(r"http://\S+/join/[\w-]{20,}", said)
        with pytest.raises(SystemExit) as stopped:
            main(["annotate", "import", str(folder), str(table)])
        refusal = " ".join(capsys.readouterr().err.split())
        assert stopped.value.code == 1
        assert "Stop it with Ctrl-C, run this command again, then restart it" in refusal
        interrupt(server)
        assert server.wait(LIMIT) == 0
    with pytest.raises(SystemExit) as stopped:
        main(["annotate", "import", str(folder), str(table)])
    assert stopped.value.code == 0, capsys.readouterr().err
    with serving(folder) as (server, said):
        (where,) = re.findall(r"is at (http://\S+)", said)
        with httpx.Client(follow_redirects=True, timeout=LIMIT) as client:
            client.get(f"{where}/join/{link.rpartition('/')[2]}")
            assert "Another text." in client.get(f"{where}/owner/items").text


def test_the_server_needs_nothing_of_the_extra_serve() -> None:
    script = (
        "import sys\n"
        "for name in ('fastapi', 'prometheus_client', 'uvloop'): sys.modules[name] = None\n"
        "import tactful.annotation.web.app, tactful.service.http.protocol\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
