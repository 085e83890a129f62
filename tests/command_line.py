"""The command line as tests call it, in this process.

The first argument is the command, such as ``corpus split``; a test module gives it once, with
``functools.partial``.
"""

import pytest
from click.testing import CliRunner, Result

from tactful.cli.main import cli, main


def result_of(command: str, *words: object, text: str | bytes | None = None) -> Result:
    """Run a command with ``text`` on standard input."""
    args = [*command.split(), *map(str, words)]
    return CliRunner().invoke(cli, args, input=text, catch_exceptions=False)


def run(command: str, *words: object, code: int = 0) -> str:
    """Run a command that ends with ``code``; return what it printed on standard output."""
    result = result_of(command, *words)
    assert result.exit_code == code, result.output
    return result.stdout


def run_aloud(command: str, *words: object, code: int = 0) -> str:
    """Run a command that ends with ``code``; return all that it printed, also its messages."""
    result = result_of(command, *words)
    assert result.exit_code == code, result.output
    return result.output


def fails(command: str, capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    """Run a command as a shell does; return its exit code and what is on standard error."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        main([*command.split(), *map(str, words)])
    said = capsys.readouterr().err
    assert isinstance(stopped.value.code, int)
    assert "Traceback" not in said
    return stopped.value.code, said
