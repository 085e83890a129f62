"""``tactful taxonomy``: what it prints, and what it exits with."""

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests import command_line

from tactful.cli.main import cli
from tactful.taxonomies import load_taxonomy, taxonomy_names

OWN = """\
id: tone
version: "1"
name: "[bold]Tone[/bold]"
definition: "[red]How a text sounds.[/red] :smile:"
languages: [en]
citation: {title: T, authors: [A], year: 2020, venue: V}
licence: Ours.
entries:
  - {id: tone, kind: root, name: Tone, definition: d, question: q?, example: e, source_section: s}
"""


run = partial(command_line.run_aloud, "taxonomy")
fails = partial(command_line.fails, "taxonomy")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "tone.yaml"
    path.write_text(OWN, encoding="utf-8")
    return path


def test_list_names_every_taxonomy_with_its_size() -> None:
    lines = run("list").splitlines()
    for name in taxonomy_names():
        [line] = [line for line in lines if line.split()[0] == name]
        assert str(len(load_taxonomy(name).entries)) in line.split()


def test_list_as_json() -> None:
    rows = json.loads(run("list", "--format", "json"))
    assert [row["id"] for row in rows] == taxonomy_names()
    assert rows[0] | {"name": ""} == {
        "id": "pcl",
        "name": "",
        "entries": 9,
        "families": 3,
        "languages": ["en"],
        "version": "1.0",
    }


def test_show_an_entry_says_what_it_is_and_where_it_comes_from() -> None:
    output = run("show", "pcl.metaphor")
    entry = load_taxonomy("pcl").entry("pcl.metaphor")
    for part in (entry.definition, entry.question, entry.example, "poet", entry.source_section):
        assert part in output


def test_show_an_entry_says_what_to_ask_and_when_it_is_not_this() -> None:
    lines = run("show", "pcl.metaphor").splitlines()
    asked = [line for line in lines if line.startswith("ask yourself  ")]
    assert len(asked) == 3
    assert all(line.endswith("?") for line in asked)
    assert any(line.startswith("not when      people found the image") for line in lines)
    assert "ask yourself" not in run("show", "stigma.hiv")


def test_piped_text_is_plain_and_one_line_per_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    output = run("show", "pcl")
    assert "\x1b" not in output
    assert not any(line != line.rstrip() for line in output.splitlines())
    assert load_taxonomy("pcl").notes[0] in output


def test_show_a_variable_with_its_answers_and_requirements() -> None:
    output = run("show", "frame.group")
    assert "frame.offensive: yes or maybe" in output
    assert "yes (1 in the corpus, 1), no (0 in the corpus, 0)" in output


def test_show_as_json_is_the_entry() -> None:
    shown = json.loads(run("show", "non_stigma.homeowner", "--format", "json"))
    assert shown["stigmatized"] is False
    assert shown["forms"][0]["published_singular"] == "a home owner"


def test_markup_in_a_file_is_printed_as_it_is(own: Path) -> None:
    assert "[red]How a text sounds.[/red] :smile:" in run("show", str(own))
    assert "[bold]Tone[/bold]" in run("tree", str(own))


def test_tree_draws_the_hierarchy() -> None:
    lines = run("tree", "unhealthy").splitlines()
    assert lines[0].startswith("unhealthy")
    parent = next(i for i, line in enumerate(lines) if "unhealthy.generalisation " in line)
    assert "unhealthy.generalisation_unfair" in lines[parent + 1]
    assert lines[parent + 1].index("unhealthy") > lines[parent].index("unhealthy")


def test_tree_of_everything_and_of_one_entry() -> None:
    branches = json.loads(run("tree", "--format", "json"))
    assert [branch["id"] for branch in branches] == taxonomy_names()
    below = {branch["id"]: len(branch["children"]) for branch in branches}
    assert below["stereotype"] == 10 + 3  # Ariza-Casabona et al. 2022, section 4.1
    assert below["toxicity"] == 6  # the columns of Civil Comments
    [branch] = json.loads(run("tree", "unhealthy.generalisation", "--format", "json"))
    assert [child["id"] for child in branch["children"]] == ["unhealthy.generalisation_unfair"]


def test_unknown_names_exit_with_usage_and_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("show", "tree"):
        code, error = fails(capsys, command, "pcl.metafor")
        assert code == 2
        assert "Did you mean 'pcl.metaphor'?" in error


def test_validate_a_good_file(own: Path) -> None:
    assert run("validate", str(own)) == f"{own} is a valid taxonomy: 'tone', 1 entry.\n"
    assert json.loads(run("validate", str(own), "--format", "json"))["valid"] is True


def test_validate_reports_all_problems(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own.write_text(OWN.replace('"1"', "1").replace("licence: Ours.\n", ""), encoding="utf-8")
    code, error = fails(capsys, "validate", str(own))
    assert code == 1
    assert "has 2 problems" in error
    assert "line 2: found 1 as 'version'; expected text; put it in quotes." in error
    assert "no 'licence'" in error
    result = CliRunner().invoke(cli, ["taxonomy", "validate", str(own), "--format", "json"])
    assert result.exit_code == 1
    report = json.loads(result.output)
    assert [problem["line"] for problem in report["problems"]] == [1, 2]


def test_validate_what_is_no_yaml(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own.write_text("id: [", encoding="utf-8")
    code, error = fails(capsys, "validate", str(own))
    assert (code, error.count("\n")) == (1, 1)
    result = CliRunner().invoke(cli, ["taxonomy", "validate", str(own), "--format", "json"])
    assert result.exit_code == 1
    assert "not valid YAML" in json.loads(result.output)["error"]


def test_validate_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, error = fails(capsys, "validate", str(tmp_path / "none.yaml"))
    assert code == 1
    assert "There is no file" in error
