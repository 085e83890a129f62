import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from tactful.cli.serve import check_host, serve_cli
from tactful.errors import FileFormatError, TactfulError, UsageError


def run(*arguments: str) -> str:
    found = CliRunner().invoke(serve_cli, list(arguments), catch_exceptions=True)
    if isinstance(found.exception, TactfulError):
        raise found.exception
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.mark.parametrize(
    ("seconds", "is_taken"), [("0.1", True), ("3600", True), ("0.05", False), ("3601", False)]
)
def test_a_request_may_take_up_to_an_hour(seconds: str, is_taken: bool, tmp_path: Path) -> None:
    keys = str(tmp_path / "keys.json")
    arguments = ["--keys", keys, "--add-key", "newsroom", "--timeout", seconds]
    assert (CliRunner().invoke(serve_cli, arguments).exit_code == 0) == is_taken


def test_keys_are_made_listed_and_taken_away(tmp_path: Path) -> None:
    path = str(tmp_path / "keys.json")
    secret = run("--keys", path, "--add-key", "newsroom", "--rate", "90").strip()
    assert secret.startswith("tactful_")
    listed = run("--keys", path, "--list-keys")
    assert "newsroom" in listed
    assert "90 a minute" in listed
    assert secret not in listed
    run("--keys", path, "--remove-key", "newsroom")
    assert run("--keys", path, "--list-keys") == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("--add-key", "a"),
        ("--list-keys",),
        ("--host", "0.0.0.0"),  # noqa: S104
        ("--model", "none-such"),
        ("--root-path", "x"),
        ("--annotation", "my-project"),
        ("--scale", "none-such.json"),
    ],
)
def test_wrong_calls_are_told(arguments: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        run("--port", "0", *arguments)


def test_the_old_option_still_leaves_attributes_out(
    monkeypatch: pytest.MonkeyPatch, toxic_folder: Path
) -> None:
    pytest.importorskip("uvicorn")
    from tactful.service import running
    from tactful.service.settings import ServiceSettings

    started: list[ServiceSettings] = []
    monkeypatch.setattr(running, "serve", lambda settings, listening: started.append(settings))
    options = ["--port", "0", "--model", str(toxic_folder)]
    found = CliRunner().invoke(serve_cli, [*options, "--drop-unsupported"])
    assert found.exit_code == 0, found.exception
    assert "--drop-unsupported is deprecated; use --unsupported omit." in found.stderr
    assert "There is no scale for toxic-phrases 1" in " ".join(found.stderr.split())
    CliRunner().invoke(serve_cli, [*options, "--scale", "probability", "--fail-closed"])
    first, second = started
    assert (first.unsupported, second.unsupported) == ("omit", "null")
    assert (second.scale, second.fail_closed) == ("probability", True)


def test_keys_that_cannot_be_read_are_told_before_the_start(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    with pytest.raises(UsageError, match="--add-key"):
        run("--keys", str(path))
    path.write_text("nothing")
    with pytest.raises(FileFormatError, match=r"keys\.json"):
        run("--keys", str(path))


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"uses the port {port} "):
            run("--port", str(port), "--model", "fast")


def test_others_are_let_in_only_on_purpose(tmp_path: Path) -> None:
    for host in ("127.0.0.1", "::1", "localhost"):
        check_host(host, None, is_open=False)
    for host in ("0.0.0.0", "192.168.1.5", "example.org"):  # noqa: S104
        with pytest.raises(UsageError, match="--keys"):
            check_host(host, None, is_open=False)
        check_host(host, tmp_path, is_open=False)
        check_host(host, None, is_open=True)
