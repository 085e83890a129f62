"""``python -m factory``: one command for each set of weights."""

import pytest
from click.testing import CliRunner
from factory.__main__ import main


@pytest.mark.parametrize(
    "command", [["english", "train"], ["english", "detectors"], ["spanish"], ["frames"]]
)
def test_a_command_says_what_it_needs(command: list[str]) -> None:
    assert "Usage" in CliRunner().invoke(main, [*command, "--help"]).output
    answer = CliRunner().invoke(main, command)
    assert answer.exit_code == 2
    assert "Missing option" in answer.output
