"""How commands declare options."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from tactful.cli.options import (
    collect,
    complete,
    flag,
    given_options,
    option,
    refuse_output,
    several,
    together,
    turn_off,
)
from tactful.errors import UsageError


@dataclass(frozen=True)
class Place:
    path: str
    depth: int


def run(*args: str, decorate: Any) -> tuple[str, dict[str, Any]]:
    """Run a command with some options; return what it printed and what it was given."""
    got: dict[str, Any] = {}

    def walk(ctx: click.Context, /, **given: Any) -> None:
        got.update(given, given=given_options(ctx))

    command = click.command("walk")(decorate(click.pass_context(walk)))
    done = CliRunner().invoke(command, args)
    assert done.exception is None or done.exit_code, done.exception
    return done.output, got


def test_the_help_shows_the_value_and_the_default() -> None:
    said, _ = run("--help", decorate=option("--depth levels N", "How deep.", int, 3))
    assert "--depth N  How deep.  [default: 3]" in said


def test_a_default_of_nothing_is_not_shown() -> None:
    said, _ = run("--help", decorate=option("--prefix", "What comes before.", default=""))
    assert "default" not in said


def test_a_list_has_all_values() -> None:
    decorate = option("--order", "The order.", ["up", "down"], "up")
    assert run(decorate=decorate)[1]["order"] == "up"
    assert "is not one of 'up', 'down'" in run("--order", "left", decorate=decorate)[0]


def test_options_keep_their_order_in_the_help() -> None:
    decorate = together(flag("--first", "One."), several("--second names NAME", "Two."))
    said, _ = run("--help", decorate=decorate)
    assert said.index("--first") < said.index("--second NAME")
    got = run("--second", "a", "--second", "b", decorate=decorate)[1]
    assert got["names"] == ("a", "b")
    assert got["given"] == {"names": "--second"}


def test_what_is_on_can_be_turned_off() -> None:
    decorate = turn_off("--no-web web", "Without pages.")
    assert run(decorate=decorate)[1]["web"] is True
    assert run("--no-web", decorate=decorate)[1]["web"] is False


def test_options_are_collected() -> None:
    decorate = together(
        option("--path", "Where.", default="here"),
        option("--depth", "How deep.", int, 1),
        flag("--quiet", "Say nothing."),
        collect(Place, "place"),
    )
    got = run("--depth", "2", decorate=decorate)[1]
    assert (got["place"], got["quiet"]) == (Place("here", 2), False)


def test_names_are_completed() -> None:
    ctx = click.Context(click.Command("walk"))
    parameter = click.Option(["--name"])
    assert complete(["pcl", "ucc"])(ctx, parameter, "p") == ["pcl"]
    assert complete(lambda: ["pcl", "ucc"])(ctx, parameter, "") == ["pcl", "ucc"]


def test_a_folder_with_files_is_not_written(tmp_path: Path) -> None:
    refuse_output(tmp_path, force=False)
    file = tmp_path / "file"
    file.touch()
    refuse_output(tmp_path, force=True)
    with pytest.raises(UsageError, match="exists already"):
        refuse_output(tmp_path, force=False)
    with pytest.raises(UsageError, match="expected the name of a folder"):
        refuse_output(file, force=True)
