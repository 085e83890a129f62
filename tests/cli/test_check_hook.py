"""The pre-commit hook of this repository calls a command that exists, with options that it has."""

import re
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner

from tactful.cli.documents import ENDINGS
from tactful.cli.main import cli

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"


def test_the_hook_is_a_call_of_check() -> None:
    (hook,) = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
    assert hook["id"] == "tactful-check"
    program, name, *rest = hook["entry"].split()
    assert (program, rest) == ("tactful", [])
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    context = command.make_context(name, [*hook["args"], "letter.md"])
    assert context.params["fail_on"] == 0.7
    assert context.params["paths"] == (Path("letter.md"),)


def test_the_hook_is_called_for_what_a_folder_check_reads() -> None:
    (hook,) = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
    assert all(re.search(hook["files"], f"letter{ending}") for ending in ENDINGS)
    assert not re.search(hook["files"], "letter.py")


@pytest.mark.usefixtures("phrases")
def test_a_hook_that_fails_names_what_failed_and_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (hook,) = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
    Path("a.md").write_text("Even they hope.\n\nVery slow.\n", encoding="utf-8")
    Path("b.md").write_text("Poor souls.\n\n" * 11, encoding="utf-8")
    result = CliRunner().invoke(cli, ["check", *hook["args"], "a.md", "b.md"])
    assert result.exit_code == 1
    lines = result.stderr.splitlines()
    assert lines[0] == "Failed: 12 findings have at least the confidence 0.7."
    assert lines[1] == "  a.md:1:1: patronizing [pcl]: very likely, 0.88 “Even they”"
    assert len(lines[1:-2]) == 10
    assert lines[-2] == "  … and 2 more"
    assert "tactful: ignore ID" in lines[-1]
