"""Settings of ``tactful serve`` from a file and the environment, and how they are shown."""

import tomllib
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner

from tactful.checking.options import read_configuration
from tactful.cli.serve import serve_cli
from tactful.errors import UsageError
from tactful.service.configuration import known_settings, merged, read_sources, shown
from tactful.service.settings import ServiceSettings

Print = Callable[..., dict[str, object]]


@pytest.fixture
def printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Print:
    monkeypatch.chdir(tmp_path)

    def run(*options: str, **environ: str) -> dict[str, object]:
        done = CliRunner().invoke(serve_cli, ["--print-config", *options], env=environ)
        if done.exception is not None:
            raise done.exception
        found: dict[str, object] = tomllib.loads(done.stdout)["serve"]
        return found

    return run


def test_every_setting_can_be_given_and_is_shown(printed: Print) -> None:
    names = {each.name for each in fields(ServiceSettings)} - {"weights"} | {"open"}
    assert set(known_settings()) == names
    assert printed()["max_queue"] == ServiceSettings().max_queue
    assert set(printed()) < names  # what is not set is a comment


def test_the_command_line_comes_first_then_the_environment_then_the_file(
    printed: Print, tmp_path: Path
) -> None:
    file = tmp_path / "tactful.toml"
    file.write_text(
        'model = "fast"\n[serve]\nport = 1\nworkers = 2\nmax_queue = 3\nweb = false\n'
        'langs = ["es"]\nbatch_wait_ms = 5\nkeys_file = "keys.json"\n'
    )
    found = printed("--port", "9", TACTFUL_SERVE_PORT="8", TACTFUL_SERVE_WORKERS="7")
    assert [found[name] for name in ("port", "workers", "max_queue")] == [9, 7, 3]
    assert (found["web"], found["langs"], found["batch_wait_ms"]) == (False, ["es"], 5.0)
    assert found["keys_file"] == "keys.json"
    other = tmp_path / "other.toml"
    other.write_text("[serve]\nport = 5\nopen = true\n")
    assert printed("--config", str(other))["port"] == 5
    assert printed(TACTFUL_SERVE_CONFIG=str(other))["open"] is True
    found = printed(TACTFUL_SERVE_ALLOWED_HOSTS="a.example.org, b.example.org")
    assert found["allowed_hosts"] == ["a.example.org", "b.example.org"]
    assert (
        printed(TACTFUL_PUBLIC_URL="https://a.example.org")["public_url"] == "https://a.example.org"
    )
    assert printed(TACTFUL_SERVE_MICRO_BATCHING="off")["micro_batching"] is False


def test_tactful_check_reads_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "tactful.toml"
    file.write_text("least = 0.7\n[serve]\nport = 1\n")
    assert read_configuration(file).least == 0.7


def test_no_secret_is_shown(printed: Print) -> None:
    found = printed(
        TACTFUL_SERVE_FEEDBACK="postgresql://ann:hunter2@db.example.org/f",
        TACTFUL_SERVE_WEBHOOK="https://forum.example.org/hooks/t0ken?key=abc",
        TACTFUL_FEEDBACK_SECRET="s" * 32,
    )
    assert found["feedback"] == "postgresql://ann:***@db.example.org/f"
    assert found["webhook"] == "https://forum.example.org/***"
    assert "sss" not in str(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[serve]\nprot = 1\n", "Did you mean 'port'"),
        ('[serve]\nport = "x"\n', "expected a whole number"),
        ("[serve]\nweb = 1\n", "expected true or false"),
        ('[serve]\nlog_format = "xml"\n', "expected text or json"),
        ("[serve]\nlangs = [1]\n", "expected a list of texts"),
        ("serve = 1\n", "found no table"),
        ("[serve\n", "no readable TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_what_was_expected(
    tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "tactful.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_sources(file, {})


def test_a_wrong_variable_is_refused_with_what_was_expected(tmp_path: Path) -> None:
    for variable, text in (("PORT", "x"), ("WEB", "maybe"), ("LOG_FORMAT", "xml"), ("PROT", "1")):
        with pytest.raises(UsageError, match=f"TACTFUL_SERVE_{variable}"):
            read_sources(None, {f"TACTFUL_SERVE_{variable}": text})
    with pytest.raises(UsageError, match="cannot be read"):
        read_sources(tmp_path / "none.toml", {})


def test_what_is_shown_can_be_read_again(tmp_path: Path) -> None:
    values = merged({"port": 9}, {"port"}, {})
    file = tmp_path / "tactful.toml"
    file.write_text(shown(values))
    again = read_sources(file, {})
    assert {name: each.value for name, each in again.items()} == {
        name: each.value for name, each in values.items() if each.value is not None
    }
