"""``tactful annotate serve``: a real process, its links, and what it refuses."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tactful.annotation.exchange import NewItem
from tactful.annotation.project import Project
from tactful.cli.annotate_serve import check_host
from tactful.cli.main import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Project.create(tmp_path / "trial", "pcl") as project:
        project.add_items([NewItem("one", "A text.")])
    return tmp_path / "trial"


def start(folder: Path, *options: str) -> tuple["subprocess.Popen[str]", list[str]]:
    server = subprocess.Popen(
        [sys.executable, "-m", "tactful", "annotate", "serve", folder, "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert server.stdout is not None
    lines = []
    for line in server.stdout:
        lines.append(line)
        if "Ctrl-C" in line:
            break
    return server, lines


def stop(server: "subprocess.Popen[str]") -> tuple[int, str]:
    server.send_signal(signal.SIGINT)
    said, _ = server.communicate(timeout=20)
    return server.returncode, said


def test_it_serves_and_stops(folder: Path) -> None:
    server, lines = start(folder)
    try:
        (link,) = re.findall(r"http://\S+/join/[\w-]{20,}", "".join(lines))
        with httpx.Client(follow_redirects=True) as client:
            answer = client.get(link)
        assert answer.status_code == 200
        assert answer.url.path == "/owner"
        assert "server" not in answer.headers
    finally:
        code, said = stop(server)
    assert (code, said) == (0, "Stopped. Every answer is kept.\n")
    # The link was told once; the next start has none unless one is asked for.
    server, lines = start(folder)
    assert stop(server)[0] == 0
    assert not re.search(r"/join/[\w-]{20,}", "".join(lines))


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
    server, lines = start(folder)
    try:
        (link,) = re.findall(r"http://\S+/join/[\w-]{20,}", "".join(lines))
        with pytest.raises(SystemExit) as stopped:
            main(["annotate", "import", str(folder), str(table)])
        said = " ".join(capsys.readouterr().err.split())
        assert stopped.value.code == 1
        assert "Stop it with Ctrl-C, run this command again, then start it again" in said
    finally:
        assert stop(server)[0] == 0
    with pytest.raises(SystemExit) as stopped:
        main(["annotate", "import", str(folder), str(table)])
    assert stopped.value.code == 0, capsys.readouterr().err
    server, lines = start(folder)
    try:
        (where,) = re.findall(r"is at (http://\S+)", "".join(lines))
        with httpx.Client(follow_redirects=True) as client:
            client.get(f"{where}/join/{link.rpartition('/')[2]}")
            assert "Another text." in client.get(f"{where}/owner/items").text
    finally:
        assert stop(server)[0] == 0
