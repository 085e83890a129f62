"""``tactful annotate export`` from the outside."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tactful.annotation.formats.load import EXPORTS
from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project
from tactful.cli.annotate.export import export_cli
from tactful.errors import UnknownNameError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with one judgement."""
    folder = tmp_path / "project"
    with Project.create(folder, "stereotypes") as made:
        made.add_items([NewItem("s1", "=1+1")])
        person = made.invite("annotator", "Ada").person
        made.consent(person, {})
        given = made.page(person).items[0]
        answers = {
            "stereotype": "no",
            "stereotype.racial_target": "no",
            "stereotype.other_target": "no",
        }
        made.answer(person, given.item, given.step, answers, 2.0, "k")
    return folder


def test_says_what_is_lost(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = CliRunner().invoke(export_cli, [str(project), "--format", "detests", "-o", str(out)])
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[:2] == [f"Wrote 3 files to {out}", "Lost:"]
    assert "  sentences without 'comment_id': 1 (their own id is used)" in lines
    assert any(line.startswith("  cells that a spreadsheet would run: 1 (") for line in lines)
    assert "=1+1" in (out / "train.csv").read_text(encoding="utf-8")


def test_labels_that_may_still_change_are_asked_for(project: Path, tmp_path: Path) -> None:
    """One of three people judged the sentence."""
    call = [str(project), "--format", "detests", "-o"]
    plain = CliRunner().invoke(export_cli, [*call, str(tmp_path / "out")])
    assert "sentences that are not finished: 1 (labels that may still change" in plain.output
    assert (tmp_path / "out" / "train.csv").read_text("utf-8").endswith("," * 14 + "\n")
    given = CliRunner().invoke(export_cli, [*call, str(tmp_path / "all"), "--unfinished"])
    assert "sentences that are not finished: 1 (their labels may still change)" in given.output
    assert (tmp_path / "all" / "train.csv").read_text("utf-8").endswith(",0" * 14 + "\n")


def test_spreadsheet_and_force(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    call = [str(project), "--format", "detests", "-o", str(out), "--spreadsheet"]
    assert CliRunner().invoke(export_cli, call).exit_code == 0
    assert ",'=1+1," in (out / "train.csv").read_text(encoding="utf-8")
    assert CliRunner().invoke(export_cli, call).exception is not None
    assert CliRunner().invoke(export_cli, [*call, "--force"]).exit_code == 0


def test_an_unknown_format_has_a_nearest_one(project: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        export_cli, [str(project), "--format", "doccanno", "-o", str(tmp_path / "out")]
    )
    assert isinstance(result.exception, UnknownNameError)
    assert "Did you mean 'doccano'?" in str(result.exception)


def test_the_help_names_every_format() -> None:
    shown = CliRunner().invoke(export_cli, ["--help"]).output
    assert [name for name in EXPORTS if f" {name} " not in shown] == []
