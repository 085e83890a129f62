"""``tactful evaluate corpus``: a detector on a corpus, in one command."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import pearsonr

from tactful.checking.abstaining import read_limits
from tactful.cli.main import cli, main
from tactful.corpora import CORPORA, load_corpus
from tactful.corpora.dpm import LABEL_ORDER
from tactful.corpora.split import hashed_part
from tactful.detectors import load_detector
from tactful.metrics import f1_score, roc_auc_score
from tactful_lab.cli import evaluate_corpus
from tactful_lab.evaluation import corpus_scores


def run(*args: object) -> str:
    result = CliRunner().invoke(
        cli, ["evaluate", "corpus", *map(str, args)], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    return result.stdout


def fails(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", "corpus", *map(str, args)])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, capsys.readouterr().err


def test_the_lists_are_those_of_the_room() -> None:
    """They are written twice, so that --help loads nothing."""
    assert set(evaluate_corpus.CORPORA) < set(CORPORA)
    assert evaluate_corpus.TEXTS == corpus_scores.TEXTS


def test_measures_are_those_of_the_scores() -> None:
    answer = json.loads(
        run("ucc", "--sample", "--model", "fast", "--texts", "all", "--format", "json")
    )
    row = next(each for each in answer["rows"] if each["label"] == "unhealthy.hostile")
    examples = [
        each
        for each in load_corpus("ucc", sample=True).examples()
        if "unhealthy.hostile" in each.labels
    ]
    detector = load_detector("fast")
    gold = [int(each.labels["unhealthy.hostile"] >= 0.5) for each in examples]
    scores = detector.score([each.text for each in examples])["unhealthy.hostile"]
    found = (scores >= detector.card.threshold("unhealthy.hostile")).astype(int)
    assert (row["texts"], row["positive"]) == (len(gold), sum(gold))
    assert row["measures"]["roc_auc"]["value"] == roc_auc_score(gold, scores).value
    assert row["measures"]["f1"]["value"] == f1_score(gold, found).value


def test_embedded_detectors_are_measured_on_unseen_texts() -> None:
    answer = json.loads(run("ucc", "--sample", "--model", "fast", "--format", "json"))
    examples = list(load_corpus("ucc", sample=True).examples())
    unseen = [each for each in examples if hashed_part(each.text) == "validation"]
    assert answer["rows"][0]["texts"] == len(unseen) < len(examples)
    assert any("no embedded detector learnt from" in note for note in answer["notes"])


def test_several_detectors_with_intervals_as_text(tmp_path: Path) -> None:
    said = run(
        "sbic", "--sample", "--model", "fast", "--model", "open-fast", "--texts", "all",
        "--bootstrap", 20, "--output", tmp_path / "answer.json",
    )  # fmt: skip
    assert "open-fast" in said
    assert "frame.offensive" in said
    row = json.loads((tmp_path / "answer.json").read_text())["rows"][0]
    assert row["soft"]["cross_entropy"]["value"] > 0
    assert 0 <= row["soft"]["jensen_shannon_divergence"]["value"] <= 1
    assert "against the shares of annotators: cross-entropy" in said
    auc = row["measures"]["roc_auc"]
    assert auc["low"] <= auc["value"] <= auc["high"]


def test_spanish_detectors_say_that_they_may_be_flattered() -> None:
    assert "may flatter it" in run("detests", "--sample")


def test_a_submission_is_what_the_scorer_of_semeval_reads(tmp_path: Path) -> None:
    folder = tmp_path / "semeval"
    run("dpm", "--sample", "--model", "fast", "--submission", folder)
    examples = list(load_corpus("dpm", sample=True).examples())
    assert (folder / "paragraphs.txt").read_text().split() == [each.id for each in examples]
    gold = tmp_path / "gold.txt"
    gold.write_text("".join(f"{int(each.labels['pcl'] >= 0.5)}\n" for each in examples))
    seven = tmp_path / "gold2.txt"
    seven.write_text(
        "".join(
            ",".join(str(int(each.labels[name] >= 0.5)) for name in LABEL_ORDER) + "\n"
            for each in examples
        )
    )
    for task, truth, file in (
        ("pcl-detection", gold, "task1.txt"),
        ("pcl-categories", seven, "task2.txt"),
    ):
        result = CliRunner().invoke(
            cli,
            ["evaluate", task, "--gold", str(truth), "--predictions", str(folder / file)],
            catch_exceptions=False,
        )
        assert result.exit_code == 0
        assert "40 items" in result.output


def test_the_unlabelled_test_part_of_semeval_gets_a_submission(tmp_path: Path) -> None:
    (tmp_path / "task4_test.tsv").write_text(
        "t_1\t@@7\thomeless\tus\tThe shelter opens on Monday.\n"
        "t_2\t@@8\tin-need\tgb\tWith our help even these poor souls can hope again.\n"
    )
    said = run("dpm", "--data", tmp_path, "--model", "fast", "--submission", tmp_path / "semeval")
    assert "nothing is measured" in said
    assert len((tmp_path / "semeval" / "task1.txt").read_text().split()) == 2


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["dmp", "--sample"], 2, "Did you mean 'dpm'"),
        (["dpm", "--sample", "--model", "fsat"], 2, "Did you mean 'fast'"),
        (["dpm", "--sample", "--split", "test"], 2, "expected 'test' among them"),
        (["ucc", "--sample", "--submission", "x"], 2, "for the corpus 'dpm'"),
        (["ucc", "--sample", "--correlate", "toxcity"], 2, "Did you mean 'toxicity'"),
        (["ucc", "--sample", "--wrong", "0.2"], 2, "--wrong is for --limits"),
        (["ucc", "--sample", "--limits", "x", "--wrong", "1"], 2, "0<x<1"),
        (["ucc", "--sample", "--limits", __file__], 2, "it exists already"),
        (["ucc", "--sample", "--mistakes", __file__], 2, "it exists already"),
        (
            ["ucc", "--sample", "--limits", "x", "--model", "fast", "--model", "open"],
            2,
            "one --mod",
        ),
        (["detests", "--sample", "--texts", "unseen"], 2, "--texts all"),
        (["detests", "--sample", "--model", "fast"], 2, "no embedded detector 'fast'"),
        (["stigmas", "--sample"], 1, "scores none of the labels"),
        (["dpm", "--data", "nowhere"], 2, "nowhere"),
    ],
)
def test_a_wrong_call(
    capsys: pytest.CaptureFixture[str], args: list[str], code: int, message: str
) -> None:
    found = fails(capsys, *args)
    assert found[0] == code, found
    assert message in found[1]
    assert "Traceback" not in found[1]


def test_mistakes_are_written_the_surest_first(tmp_path: Path) -> None:
    said = run(
        "ucc", "--sample", "--model", "fast", "--texts", "all", "--mistakes", tmp_path / "m.csv"
    )
    assert f"Wrote {tmp_path / 'm.csv'}." in said
    with (tmp_path / "m.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    examples = {each.id: each for each in load_corpus("ucc", sample=True).examples()}
    detector = load_detector("fast")
    scores = detector.score([each.text for each in examples.values()])
    for label in ("unhealthy", "unhealthy.sarcastic"):
        found = {row["id"]: row["mistake"] for row in rows if row["label"] == label}
        expected = {}
        for at, (name, each) in enumerate(examples.items()):
            yes = scores[label][at] >= detector.card.threshold(label)
            if yes != (each.labels[label] >= 0.5):
                expected[name] = "false alarm" if yes else "missed"
        assert found == expected
    alarms = [
        float(row["probability"])
        for row in rows
        if (row["label"], row["mistake"]) == ("unhealthy", "false alarm")
    ]
    assert alarms == sorted(alarms, reverse=True)
    assert len(alarms) > 1


def test_limits_hold_for_the_texts_that_they_come_from(tmp_path: Path) -> None:
    path = tmp_path / "limits.json"
    answer = json.loads(
        run(
            "ucc", "--sample", "--model", "fast", "--texts", "all", "--limits", path,
            "--wrong", 0.2, "--format", "json",
        )
    )  # fmt: skip
    limits = read_limits(path)
    detector = load_detector("fast")
    assert (limits.detector, limits.error) == (detector.card.model, 0.2)
    examples = list(load_corpus("ucc", sample=True).examples())
    scores = detector.score([each.text for each in examples])["unhealthy"]
    harmless = np.array([each.labels["unhealthy"] < 0.5 for each in examples])
    limit = limits.by_id["unhealthy"]
    assert 0 < (scores[harmless] > limit.no_up_to).mean() <= 0.2
    assert (scores[~harmless] < limit.yes_from).mean() <= 0.2
    assert limit.items == (int(harmless.sum()), int((~harmless).sum()))
    row = next(each for each in answer["rows"] if each["label"] == "unhealthy")
    unsure = (scores <= limit.no_up_to) & (scores >= limit.yes_from)
    assert row["limits"]["unsure"] == pytest.approx(unsure.mean())


def test_toxicity_is_correlated_as_in_figure_4() -> None:
    call = ("ucc", "--sample", "--model", "fast", "--texts", "all", "--correlate", "toxicity")
    answer = json.loads(run(*call, "--format", "json"))
    found = {each["label"]: each for each in answer["correlations"]}
    examples = list(load_corpus("ucc", sample=True).examples())
    six = [name for name in examples[0].labels if name.count(".")]
    chosen = [each for each in examples if any(each.labels[name] >= 0.5 for name in six)]
    scores = load_detector("fast").score([each.text for each in chosen])["toxicity"]
    gold = np.array([each.labels["unhealthy.hostile"] >= 0.5 for each in chosen])
    mine = found["unhealthy.hostile"]
    assert mine["value"] == pytest.approx(pearsonr(scores, gold).statistic, abs=1e-6)
    assert mine["texts"] == len(chosen) < len(examples)
    assert "fast, toxicity with unhealthy.hostile: Pearson's r" in " ".join(run(*call).split())
