"""Every command says what it said before, in every format, on our samples."""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import click
import pytest
from tests.golden.run import EXPECTED, difference, load_cases, run_case, words_of

from tactful.cli.main import cli

NAMES = list(load_cases())
MOST_BYTES = 2_000_000


def command_paths(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the words that lead to each command, groups too."""
    if path:
        yield " ".join(path)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from command_paths(found, (*path, name))
    # A few commands hand their first word on to others.
    for name in getattr(command, "delegates", ()):
        yield " ".join((*path, name))


@pytest.mark.parametrize("name", NAMES, ids=NAMES)
def test_the_commands_say_what_they_said(name: str) -> None:
    case = load_cases()[name]
    for module in case.needs:
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    changed = difference(name, str(run_case(case)))
    if changed:
        pytest.fail(changed, pytrace=False)


def test_the_help_of_every_command_is_compared() -> None:
    compared = {command for case in load_cases().values() for command in case.commands}
    assert [path for path in command_paths(cli) if f"{path} --help" not in compared] == []


def test_no_expectation_is_left_over() -> None:
    assert sorted(path.stem for path in EXPECTED.glob("*.txt")) == sorted(NAMES)


def test_the_expectations_stay_small() -> None:
    assert sum(path.stat().st_size for path in EXPECTED.iterdir()) < MOST_BYTES


def test_a_run_leaves_folder_and_environment_as_they_were(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TACTFUL_DATA", str(tmp_path))
    before = dict(os.environ), Path.cwd()
    without = str(run_case(load_cases()["corpus-list"]))
    assert (dict(os.environ), Path.cwd()) == before
    monkeypatch.delenv("TACTFUL_DATA")
    assert str(run_case(load_cases()["corpus-list"])) == without


def test_a_difference_is_short_and_names_the_command() -> None:
    text = (EXPECTED / "version.txt").read_text(encoding="utf-8")
    assert difference("version", text) == ""
    changed = difference("version", text + "more\n" * 500)
    assert "+more" in changed
    assert len(changed.splitlines()) < 70
    assert changed.endswith("python -m tests.golden.run --write version")


def test_a_page_becomes_its_words() -> None:
    page = '<p title="T">One <b>two</b></p><style>x</style><script>y</script><p>three'
    assert words_of(page) == "{title: T}One two\nthree"
