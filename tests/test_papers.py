"""docs/papers.md: every table and figure of the five papers has a row whose command exists."""

import re
import shlex
from pathlib import Path

import click
import pytest

from tactful.cli.main import cli

PAGE = Path(__file__).resolve().parents[1] / "docs" / "papers.md"
OUTCOMES = {"reproduced", "close", "not"}
ITEMS = {
    "Don't Patronize Me!": {"Table": 6, "Figure": 0},
    "DETESTS 2022": {"Table": 4, "Figure": 5},
    "Bias against 93 stigmatized groups": {"Table": 2, "Figure": 4},
    "Six attributes of unhealthy conversations": {"Table": 3, "Figure": 6},
    "Social Bias Frames": {"Table": 7, "Figure": 4},
}
"""Section of the page -> how many tables and figures the paper has."""


def rows() -> list[tuple[str, list[str]]]:
    """Return the section and the cells of each row."""
    found, section = [], ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and not cells[0].startswith("item"):
            found.append((section, cells))
    return found


def parse(words: list[str]) -> click.Context:
    """Read a command line as click does, without running it."""
    command: click.Command = cli
    context = command.make_context("tactful", list(words))
    while isinstance(command, click.Group):
        left = [*context._protected_args, *context.args]
        name, found, left = command.resolve_command(context, left)
        assert found is not None
        command, context = found, found.make_context(name, left, parent=context)
    return context


@pytest.mark.parametrize("section", ITEMS)
def test_every_table_and_figure_has_a_row(section: str) -> None:
    items = [cells[0] for where, cells in rows() if where == section]
    expected = [
        f"{kind} {number}"
        for kind, count in ITEMS[section].items()
        for number in range(1, count + 1)
    ]
    assert [item for item in items if not item.startswith("Appendix")] == expected


@pytest.mark.parametrize(
    ("section", "cells"), rows(), ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_a_row_has_a_command_that_parses_and_an_outcome(section: str, cells: list[str]) -> None:
    assert len(cells) == 6, cells
    assert cells[2] in OUTCOMES
    assert cells[3], "what the paper has"
    assert cells[4], "what we have"
    if cells[2] != "reproduced":
        assert cells[5], "a difference needs its reason"
    (command,) = re.findall(r"`(tactful [^`]+)`", cells[1])
    assert parse(shlex.split(command)[1:]).command.name


def test_a_wrong_command_would_be_noticed() -> None:
    with pytest.raises(click.UsageError):
        parse(["corpus", "stats", "dpm", "--no-such-option"])
