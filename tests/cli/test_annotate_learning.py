"""``tactful annotate suggest``, ``rank`` and ``anchoring``, and training on a project."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.annotation.learning.projects import enter, judge, rude_project, text_of

from tactful.annotation.project.project import Project
from tactful.cli.main import cli, main


def run(*args: object) -> str:
    result = CliRunner().invoke(cli, [str(each) for each in args], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def fails(capsys: pytest.CaptureFixture[str], code: int, *args: object) -> str:
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        main([str(each) for each in args])
    said = capsys.readouterr().err
    assert stopped.value.code == code, said
    assert "Traceback" not in said
    return said


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """A project of 90 items, of which two people judged 60."""
    with rude_project(tmp_path, items=90) as project:
        for name in ("Ann", "Bob"):
            judge(project, enter(project, name), 60)
    return tmp_path / "project"


def test_the_whole_loop(judged: Path, tmp_path: Path) -> None:
    """Labels, a detector, suggestions, judgements with and without them, and the comparison."""
    detector = tmp_path / "detector"
    said = run(
        "train", "custom", "--project", judged, "--model", "tfidf", "--validation", "0.2",
        "-o", detector,
    )  # fmt: skip
    assert "Learning custom from 48 texts, 16 with a label; 12 are held out" in said
    found = json.loads(
        run("check", "--no-config", "--model", detector, "--text", text_of(3), "--format", "json")
    )
    assert "my.rude" in json.dumps(found)
    said = run("annotate", "suggest", judged, "--model", detector, "--blind-share", "0.5")
    assert "Suggested answers by custom-tfidf 1 for 30 items; 30 new suggestions." in said
    assert "50% of items and people are judged blind" in said
    assert "0 new suggestions" in run("annotate", "suggest", judged, "--model", detector)
    assert "Nobody has judged" in run("annotate", "anchoring", judged)
    said = run("annotate", "rank", judged, "--by", "mixed", "--count", "5", "--every", "10")
    assert "Put 5 items of 30 first by mixed, learnt from 60 judged items" in said
    assert "F1" in said
    with Project.open(judged) as project:
        assert project.state.settings["rank_every"] == 10
        ranking = project.state.ranking
        assert ranking is not None
        judge(project, enter(project, "Cem"), 30)
    output = tmp_path / "anchoring.csv"
    said = run("annotate", "anchoring", judged, "-o", output)
    assert "my.rude" in said
    rows = list(csv.DictReader(output.read_text(encoding="utf-8").splitlines()))
    assert [row["suggestion"] for row in rows] == ["shown", "blind"]
    assert sum(int(row["judgements"]) for row in rows) == 30
    told = json.loads(run("annotate", "anchoring", judged, "--json"))
    assert [str(row["judgements"]) for row in told["agreement"]] == [
        row["judgements"] for row in rows
    ]
    assert told["anchoring"][0]["interval"][0] <= told["anchoring"][0]["difference"]


def test_soft_labels_teach_the_share_of_annotators(judged: Path, tmp_path: Path) -> None:
    said = run(
        "train", "custom", "--project", judged, "--labels", "soft", "--step", "judge",
        "--model", "tfidf", "--validation", "0.2", "-o", tmp_path / "soft",
    )  # fmt: skip
    assert "Learning custom from 96 texts, 32 with a label; 24 are held out" in said
    card = json.loads((tmp_path / "soft" / "card.json").read_text(encoding="utf-8"))
    assert "soft labels" in card["corpora"][0]["name"]
    assert card["corpora"][0]["texts"] == 60


def test_a_dry_run_changes_nothing_and_reads_beside_a_server(judged: Path) -> None:
    with Project.open(judged) as project:
        before = project.state.number
        found = json.loads(run("annotate", "rank", judged, "--dry-run", "--json", "--count", "3"))
        assert project.state.number == before
    assert len(found["first"]) == 3
    assert found["by"] == "uncertainty"
    assert found["curve"][-1][0] == found["labels"] == 60


def test_hidden_tests_without_suggestions_are_reported(tmp_path: Path) -> None:
    folder, tasks = tmp_path / "work", tmp_path / "tasks.json"
    run("annotate", "init", folder, "--protocol", "unhealthy")
    result = [
        {
            "from_name": "unhealthy",
            "to_name": "text",
            "type": "choices",
            "value": {"choices": ["no"]},
        }
    ]
    task = {
        "id": 7,
        "data": {"text": "A calm remark."},
        "predictions": [{"model_version": "old", "result": []}, {"result": result}],
    }
    tasks.write_text(json.dumps([task]), encoding="utf-8")
    tests = tmp_path / "tests.csv"
    tests.write_text("id,text,unhealthy\nt1,Go away you fool.,yes\n", encoding="utf-8")
    run("annotate", "import", folder, "--tests", tests)
    said = run("annotate", "import", folder, tasks, "--format", "label-studio")
    assert "Kept 1 prediction of the file as suggestions." in said
    assert "1 hidden test of the step 'questionnaire' has no suggestion" in " ".join(said.split())
    with Project.open(folder, read_only=True) as project:
        kept = project.state.suggestions.of("7", "questionnaire")
        assert kept is not None
        assert (dict(kept.answers), kept.source) == ({"unhealthy": "no"}, "Label Studio")


@pytest.mark.parametrize(
    ("code", "args", "problem"),
    [
        (2, ("annotate", "rank", "--by", "luck"), "'luck' is not one of"),
        (2, ("annotate", "rank", "--dry-run", "--every", "5"), "use one of them"),
        (2, ("annotate", "rank", "--step", "jugde"), "did you mean 'judge'"),
        (2, ("annotate", "suggest", "--model", "open-fast"), "expected an id that the project"),
        (2, ("annotate", "suggest", "--model", "nowhere"), "nowhere"),
        (2, ("annotate", "suggest", "--blind-share", "2"), "blind-share"),
    ],
)
def test_bad_input(
    judged: Path, capsys: pytest.CaptureFixture[str], code: int, args: tuple[str, ...], problem: str
) -> None:
    said = fails(capsys, code, *args[:2], judged, *args[2:])
    assert problem.casefold() in " ".join(said.split()).casefold()


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("--labels", "soft", "--table", "x.csv"), "--labels needs an annotation project"),
        (("--project", "PROJECT", "--table", "x.csv"), "--table is for a table"),
        (("--project", "PROJECT", "--lang", "es"), "--lang is for a table"),
        ((), "needs a table or an annotation project"),
    ],
)
def test_options_of_training_that_do_not_fit(
    judged: Path, capsys: pytest.CaptureFixture[str], args: tuple[str, ...], problem: str
) -> None:
    given = [judged if each == "PROJECT" else each for each in args]
    said = fails(capsys, 2, "train", "custom", *given, "--model", "tfidf", "-o", judged / "out")
    assert problem in " ".join(said.split())
