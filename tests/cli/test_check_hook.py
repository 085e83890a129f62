"""The pre-commit hook of this repository calls a command that exists, with options that it has."""

import re
from pathlib import Path

import click
import yaml

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
