import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import click
import pytest

import tactful
from tactful.cli.annotate.command import annotate_cli
from tactful.cli.audit.command import audit_cli
from tactful.cli.main import COMMANDS, LAB, cli, main
from tactful.cli.train.command import train_cli
from tactful.errors import InputError, UsageError


def run(*args: str, check: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "tactful", *args],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == check, done.stderr
    return done


def exit_code(*args: str) -> object:
    with pytest.raises(SystemExit) as end:
        main(list(args))
    return end.value.code


def install_command(monkeypatch: pytest.MonkeyPatch, error: BaseException | int) -> None:
    """Add a command ``boom`` that raises the error, or returns the number."""

    @click.command("boom")
    def boom() -> int:
        if isinstance(error, BaseException):
            raise error
        return error

    module = ModuleType("boom_module")
    vars(module)["boom"] = boom
    monkeypatch.setitem(sys.modules, "boom_module", module)
    monkeypatch.setitem(COMMANDS, "boom", ("boom_module:boom", "Fail."))


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_every_command(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(flag) == 0
    output = capsys.readouterr().out
    for name, (_, help_text) in COMMANDS.items():
        assert name in output
        assert help_text in output


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("--version") == 0
    assert capsys.readouterr().out == f"tactful, version {tactful.__version__}\n"


def test_python_m_is_the_same_program() -> None:
    assert run("--version").stdout == f"tactful, version {tactful.__version__}\n"


def test_the_script_is_declared() -> None:
    pyproject = Path(__file__).resolve().parents[2] / "pyproject.toml"
    scripts = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["scripts"]
    assert scripts == {"tactful": "tactful.cli.main:main"}


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_can_be_loaded_and_has_its_name(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.name == name
    assert exit_code(name, "--help") == 0


def test_an_unknown_command_answers_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("corpsu") == 2
    error = capsys.readouterr().err
    assert error.startswith("Error: There is no command named 'corpsu'. Did you mean 'corpus'?")
    assert error.count("\n") == 1


def test_a_file_instead_of_a_command_is_answered_with_check(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    letter = tmp_path / "letter.md"
    letter.touch()
    assert exit_code(str(letter)) == 2
    assert capsys.readouterr().err == (
        f"Error: There is no command named '{letter}'. To check it: tactful check {letter}\n"
    )


def test_the_commands_of_the_lab_are_its_entry_points() -> None:
    pyproject = Path(__file__).resolve().parents[2] / "lab" / "pyproject.toml"
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    tables = {
        "": COMMANDS,
        "annotate.": annotate_cli.table,
        "audit.": audit_cli.table,
        "train.": {word: (target, "") for word, target in train_cli.delegates.items()},
    }
    expected = {
        f"{path}{word}"
        for path, table in tables.items()
        for word, (target, _) in table.items()
        if target == LAB
    }
    assert set(project["entry-points"]["tactful.commands"]) == expected


@pytest.mark.parametrize(
    "words", [("reproduce",), ("annotate", "simulate"), ("train", "stereotypes")]
)
def test_without_the_lab_its_commands_say_what_to_install(
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("tactful.registry.installed_plugins", lambda _: ())
    assert exit_code(*words, "--help") == 2
    assert capsys.readouterr().err == (
        f"Error: 'tactful {' '.join(words)}' needs the optional extra 'lab'; install it with: "
        'pip install "tactful[lab]"\n'
    )


def test_without_the_lab_help_does_not_list_its_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tactful.cli.main.find_spec", lambda _: None)
    assert exit_code("--help") == 0
    assert "reproduce" not in capsys.readouterr().out


def test_an_unknown_option_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("--nonsense") == 2
    assert "No such option" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (InputError("The file is wrong."), 1, "The file is wrong."),
        (UsageError("The call is wrong."), 2, "The call is wrong."),
        (
            FileNotFoundError(2, "No such file or directory", "a.tsv"),
            2,
            "There is no file or folder 'a.tsv'.",
        ),
        (
            PermissionError(13, "Permission denied", "a.tsv"),
            1,
            "The system refused 'a.tsv': Permission denied.",
        ),
        (KeyboardInterrupt(), 130, "Interrupted."),
    ],
)
def test_an_error_is_one_sentence_and_its_code(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    message: str,
) -> None:
    install_command(monkeypatch, error)
    assert exit_code("boom") == code
    captured = capsys.readouterr()
    assert captured.err.strip() == f"Error: {message}"
    assert captured.out == ""


def test_an_interrupt_that_a_library_turns_into_an_error_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Swallows:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    @click.command()
    def command() -> None:
        Swallows()
        raise InputError("The rows could not be scored.")

    monkeypatch.setattr("tactful.cli.boom", command, raising=False)
    monkeypatch.setitem(COMMANDS, "boom", ("tactful.cli:boom", "Fail."))
    assert exit_code("boom") == 130
    assert capsys.readouterr().err.strip() == "Error: Interrupted."


def test_any_error_that_an_interrupt_causes_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command()
    def command() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise TypeError("'<unprintable str object>' is not a data type") from None

    monkeypatch.setattr("tactful.cli.boom", command, raising=False)
    monkeypatch.setitem(COMMANDS, "boom", ("tactful.cli:boom", "Fail."))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert exit_code("boom") == 130
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err.strip() == "Error: Interrupted."


def test_an_accident_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    install_command(monkeypatch, ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        main(["boom"])


def test_a_number_is_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    install_command(monkeypatch, 3)
    assert exit_code("boom") == 3


def test_what_is_not_a_command_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, "boom", ("json:loads", "Not a command."))
    with pytest.raises(TypeError, match="json:loads is not a command"):
        main(["boom"])


@pytest.mark.skipif(os.name == "nt", reason="pipes close otherwise on Windows")
def test_a_closed_pipe_is_not_an_error_message() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "tactful", "doctor"],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=600,
    )
    os.close(writer)
    assert done.stderr == ""
    assert done.returncode == 1
