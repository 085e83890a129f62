"""``tactful agreement`` and ``aggregate`` on exports of ours: only judgements that count."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests import command_line

from tactful.agreement import krippendorff_alpha
from tactful.annotation.formats.load import export
from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.project import Project

PROTOCOL = """\
id: mood
version: "1.0"
lang: en
name: Mood
summary: One question.
source: ours
steps:
  - id: one
    title: How does it sound?
    judgements: 2
    questions:
      - id: kind
        kind: choice
        text: Does it sound kind?
        options: ["yes", "no"]
"""
FILES = {
    "parquet": ("judgements.parquet", "--question", "kind"),
    "jsonl": ("annotations.jsonl", "--question", "kind"),
    "csv": ("judgements.csv", "--label", "kind"),
}
UNCOUNTED, DECISIONS = 12 + 6 + 1, 1
"""Those of a person who was removed, those that came when there were enough, and one test."""


def make(folder: Path) -> Project:
    """Twelve texts: two careful people, one who was removed, one who came too late."""
    (folder / "mood.yaml").write_text(PROTOCOL, encoding="utf-8")
    project = Project.create(folder / "mood", folder / "mood.yaml")

    def said(who: str, yes: bool) -> NewAnswer:
        return NewAnswer(who, "one", {"kind": "yes" if yes else "no"})

    items = [
        NewItem(
            f"t{number}",
            f"Note number {number}.",
            answers=(
                said("careless", number % 2 == 1),
                said("ann", number % 2 == 0),
                said("bob", number % 2 == 0 or number == 3),
                *((said("late", number % 3 == 0),) if number < 6 else ()),
            ),
        )
        for number in range(12)
    ]
    project.add_items(items)
    project.add_items([NewItem("gold", "You know this.", gold={"kind": "yes"})])
    project.add_items([NewItem("gold", "You know this.", answers=(said("ann", yes=False),))])
    project.remove("careless", "answers at random")
    project.adjudicate(project.invite("owner", "Me").person, "t3", "one", {"kind": "yes"})
    return project


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("counted")
    with make(folder) as project:
        for name in FILES:
            export(project, name, folder / name)
        rows = [
            (item, answer.annotator, answer.answers["kind"])
            for item in project.state.items
            for answer in project.state.counted(item, "one")
        ]
    pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row").write_csv(
        folder / "counted.csv"
    )
    return folder


run = partial(command_line.run_aloud, "")


@pytest.mark.parametrize("name", FILES)
def test_agreement_is_that_of_judgements_that_count(exports: Path, name: str) -> None:
    expected = krippendorff_alpha(pl.read_csv(exports / "counted.csv")).value
    file, *options = FILES[name]
    call = ["agreement", exports / name / file, *options, "--measure", "krippendorff"]
    found = json.loads(run(*call, "--format", "json"))
    [question] = found["questions"]
    assert question["measures"][0]["value"] == pytest.approx(expected)
    assert question["judgements"] == 24
    assert found["left_out"] == {"judgements": UNCOUNTED, "decisions": DECISIONS}
    said = " ".join(run(*call).split())
    assert f"Left out: {UNCOUNTED} judgements that do not count and 1 decision of a referee" in said
    assert "--all-judgements" in said


@pytest.mark.parametrize("name", FILES)
def test_all_judgements_can_be_asked_for(exports: Path, name: str) -> None:
    file, *options = FILES[name]
    call = ["agreement", exports / name / file, *options, "--all-judgements"]
    found: dict[str, Any] = json.loads(run(*call, "--format", "json"))
    assert found["questions"][0]["judgements"] == 24 + UNCOUNTED + DECISIONS
    assert found["left_out"] == {"judgements": 0, "decisions": 0}
    assert "Left out" not in run(*call)


@pytest.mark.parametrize("name", FILES)
def test_labels_are_made_of_judgements_that_count(exports: Path, name: str, tmp_path: Path) -> None:
    file, *options = FILES[name]
    said = run("aggregate", exports / name / file, *options, "-o", tmp_path / "labels.csv")
    assert f"Left out: {UNCOUNTED} judgements" in " ".join(said.split())
    run("aggregate", exports / "counted.csv", "-o", tmp_path / "expected.csv")
    labels, expected = (
        {row["item"]: row["label"] for row in pl.read_csv(path).to_dicts()}
        for path in (tmp_path / "labels.csv", tmp_path / "expected.csv")
    )
    assert labels == expected
    assert len(labels) == 12
    said = run(
        "aggregate", exports / name / file, *options, "-o", tmp_path / "all.csv", "--all-judgements"
    )
    assert "Left out" not in said
    assert pl.read_csv(tmp_path / "all.csv").height == 13


@pytest.mark.parametrize("cells", [["3", "4"], ["yes", "perhaps"]])
def test_a_column_that_means_something_else_is_left_alone(tmp_path: Path, cells: list[str]) -> None:
    path = tmp_path / "mine.csv"
    rows = [f"t{n},{who},{n % 2},{cells[n % 2]}" for n in range(4) for who in "ab"]
    path.write_text("\n".join(["item,annotator,label,counts", *rows]), encoding="utf-8")
    found = json.loads(run("agreement", path, "--format", "json"))
    assert found["questions"][0]["judgements"] == 8
    assert found["left_out"] == {"judgements": 0, "decisions": 0}
