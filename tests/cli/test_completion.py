import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tactful.cli.completion import SHELLS, completion, shell_in_use
from tactful.cli.main import cli, main
from tactful.corpora import CORPORA
from tactful.errors import UsageError

BIN = Path(sys.executable).parent
ENVIRONMENT = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"}


def candidates(line: str) -> list[str]:
    """Complete a line as bash would: ask click's protocol and return what it offers."""
    words = line.split(" ")
    done = subprocess.run(
        [sys.executable, "-m", "tactful"],
        env={
            **ENVIRONMENT,
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words) - 1),
            "_TACTFUL_COMPLETE": "bash_complete",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.stderr == ""
    return [entry.partition(",")[2] for entry in done.stdout.splitlines()]


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["completion", shell])
    script = capsys.readouterr().out
    assert end.value.code == 0
    assert f"_TACTFUL_COMPLETE={shell}_complete" in script
    assert script.strip() == completion(shell, cli).strip()


@pytest.mark.parametrize(
    ("path", "shell"), [("/bin/bash", "bash"), ("/usr/local/bin/zsh", "zsh"), ("fish", "fish")]
)
def test_the_shell_is_taken_from_the_environment(path: str, shell: str) -> None:
    assert shell_in_use({"SHELL": path}) == shell


@pytest.mark.parametrize(
    ("environ", "found"),
    [({}, "$SHELL is not set"), ({"SHELL": "/bin/tcsh"}, "$SHELL is '/bin/tcsh'")],
)
def test_another_shell_is_a_usage_error_that_helps(environ: dict[str, str], found: str) -> None:
    with pytest.raises(UsageError) as caught:
        shell_in_use(environ)
    assert found in str(caught.value)
    assert "tactful completion bash, zsh or fish" in str(caught.value)


def test_a_shell_without_completion_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no completion for 'tcsh'"):
        completion("tcsh", cli)


def test_help_says_how_to_install_it() -> None:
    command = cli.get_command(click.Context(cli), "completion")
    assert command is not None
    for instruction in ("~/.bashrc", "~/.zshrc", "fish/completions"):
        assert instruction in (command.help or "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_a_command_for_real() -> None:
    script = """
        eval "$(tactful completion bash)"
        COMP_WORDS=(tactful cor)
        COMP_CWORD=1
        registered=$(complete -p tactful | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
        "$registered" tactful
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "--norc", "--noprofile", "-c", script],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    assert done.stdout.split() == ["corpus"]


def test_commands_options_and_values_are_completed() -> None:
    assert candidates("tactful do") == ["doctor"]
    assert candidates("tactful doctor --for") == ["--format"]
    assert candidates("tactful doctor --format ") == ["text", "json"]
    assert candidates("tactful completion z") == ["zsh"]


def test_an_unknown_command_does_not_print_into_the_line() -> None:
    assert "doctor" in candidates("tactful nonsense ")


def test_corpus_names_are_completed() -> None:
    assert candidates("tactful corpus stats st") == ["stereoimmigrants", "stigmas"]
    assert candidates("tactful corpus convert ") == list(CORPORA)
    assert candidates("tactful corpus c") == ["convert"]
