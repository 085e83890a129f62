"""``tactful reproduce``: what it prints, keeps and refuses."""

import json
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner

from tactful.cli.main import cli, main
from tactful.corpora import load_corpus
from tactful_lab.cli.reproduce.command import NEGATIVES, TABLES
from tactful_lab.evaluation.reproduce import protocols
from tactful_lab.evaluation.reproduce.paper_tables import load_table, table_names
from tactful_lab.evaluation.reproduce.papers import reproduce
from tactful_lab.evaluation.reproduce.protocols import Choices

SAMPLES = Path(str(resources.files("tactful.corpora"))) / "samples"
QUICK = ("--folds", "3", "--models", "random,all-ones")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("TACTFUL_DATA", raising=False)


def run(*args: object) -> str:
    words = ["reproduce", *map(str, args)]
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def fails(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["reproduce", *map(str, args)])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, capsys.readouterr().err


def test_the_lists_are_those_of_the_room() -> None:
    """They are written twice, so that --help loads nothing."""
    assert list(TABLES) == table_names()
    assert NEGATIVES == protocols.NEGATIVES


def test_the_papers_table_is_printed_beside_ours() -> None:
    said = run("dpm-task1", "--data", SAMPLES / "dpm", *QUICK)
    assert "section 5, table 3" in said
    assert "Negatives: 29 of 29" in said
    random = next(each for each in said.splitlines() if each.startswith("Random "))
    assert random.split()[1:4] == ["24.82", "50.65", "33.31"]
    assert len(random.split()) == 10
    assert "Not run:" in said
    assert "- BERT-large: not asked for: --models bert-large" in said


def test_the_folder_above_the_corpus_will_do(tmp_path: Path) -> None:
    (tmp_path / "dont_patronize_me").symlink_to(SAMPLES / "dpm")
    assert "Random" in run("dpm-task1", "--data", tmp_path, *QUICK)


def test_results_are_kept_in_the_users_cache_unless_fresh(tmp_path: Path) -> None:
    kept = tmp_path / "cache" / "tactful" / "reproduce"
    run("dpm-task1", "--data", SAMPLES / "dpm", *QUICK, "--fresh")
    assert not kept.exists()
    first = run("dpm-task1", "--data", SAMPLES / "dpm", *QUICK)
    assert len(list(kept.iterdir())) == 6
    assert run("dpm-task1", "--data", SAMPLES / "dpm", *QUICK) == first
    run("dpm-task1", "--data", SAMPLES / "dpm", *QUICK, "--cache", tmp_path / "own")
    assert len(list((tmp_path / "own").iterdir())) == 6


def test_json_on_the_terminal_and_in_a_file(tmp_path: Path) -> None:
    output = tmp_path / "table.json"
    args = ("sbic-classes", "--data", SAMPLES / "sbic", *QUICK, "--format", "json")
    printed = json.loads(run(*args, "--output", output))
    assert printed == json.loads(output.read_text(encoding="utf-8"))
    assert printed["table"] == "sbic-classes"
    assert {row["part"] for row in printed["rows"]} == {"dev", "test"}


def test_a_page_has_what_is_printed_and_the_settings(tmp_path: Path) -> None:
    output = tmp_path / "table.md"
    printed = run("dpm-task1", "--data", SAMPLES / "dpm", *QUICK, "--output", output)
    page = output.read_text(encoding="utf-8")
    assert page.startswith("# Detecting patronizing")
    assert f"```text\n{printed}```" in page
    assert '"folds": 3' in page


def test_a_progress_bar_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACTFUL_PROGRESS", "on")
    result = CliRunner().invoke(
        cli, ["reproduce", "dpm-task1", "--data", str(SAMPLES / "dpm"), *QUICK]
    )
    assert result.exit_code == 0
    assert "Random, 50 %" in result.stderr
    assert "Random, 50 %" not in result.stdout


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["dpm-task3"], 2, "Did you mean 'dpm-task2'"),
        (["dpm-task1", "--models", "svn"], 2, "Did you mean 'svm'"),
        (["dpm-task1", "--models", "svm-bow@many"], 2, "expected NAME@N"),
        (["dpm-task1", "--models", "svn@5"], 2, "Did you mean 'svm'"),
        (["dpm-task1", "--models", "default@5"], 2, "learns from no texts"),
        (["dpm-task1", "--models", ","], 2, "no name in --models"),
        (["dpm-task1", "--folds", "1"], 2, "folds"),
        (["dpm-task1", "--negatives", "half"], 2, "half"),
        (["dpm-task1", "--trust-weighted"], 2, "--trust-weighted is for 'ucc-auc'"),
        (["dpm-task1", "--vectors", "nowhere.txt"], 2, "nowhere.txt: there is no such file"),
        (["dpm-task1"], 2, "set TACTFUL_DATA"),
        (["dpm-task1", "--data", "nowhere"], 2, "nowhere: there is no such file or folder"),
        (["ucc-auc", "--data", str(SAMPLES / "dpm")], 1, "expected files of the Unhealthy"),
        (["dpm-task1", "--data", str(SAMPLES / "dpm"), "--folds", "500"], 2, "ask for fewer"),
    ],
)
def test_a_wrong_call(
    capsys: pytest.CaptureFixture[str], args: list[str], code: int, message: str
) -> None:
    found = fails(capsys, *args)
    assert found[0] == code, found
    assert message in found[1]
    assert "Traceback" not in found[1]


def test_an_existing_output_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "table.json"
    output.write_text("mine")
    args = ("dpm-task1", "--data", SAMPLES / "dpm", *QUICK, "--output", output)
    assert fails(capsys, *args)[0] == 2
    assert output.read_text() == "mine"
    assert not (tmp_path / "cache").exists()
    run(*args, "--force")
    assert json.loads(output.read_text())["table"] == "dpm-task1"


def test_roc_curves_are_drawn_for_each_label(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "roc.svg"
    args = ("ucc-auc", "--data", SAMPLES / "ucc", *QUICK, "--curves", path)
    run(*args)
    drawn = path.read_text(encoding="utf-8")
    for shown in load_table("ucc-auc").labels.values():
        assert f">{shown}" in drawn
    assert "Random, 50 %" in drawn
    path.write_text("mine")
    assert fails(capsys, *args)[0] == 2
    assert path.read_text() == "mine"
    code, said = fails(capsys, "ucc-auc", "--data", SAMPLES / "ucc", "--curves", "roc.pdf")
    assert (code, "expected .png or .svg" in said) == (2, True)


def test_curves_hold_all_answers_of_all_folds() -> None:
    corpus = load_corpus("dpm", SAMPLES / "dpm")
    found = reproduce("dpm-task1", corpus, ["random", "all-ones"], Choices(folds=3))
    (systems,) = found.curves().values()
    positive = sum(each.labels["pcl"] >= 0.5 for each in corpus.examples())
    assert set(systems) == {"Random", "All ones"}
    for gold, scores in systems.values():
        assert (len(gold), gold.sum()) == (len(scores), positive)
