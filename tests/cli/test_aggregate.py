"""``tactful aggregate``: what it reads, what it writes, and what it exits with."""

import json
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from tests import command_line

from tactful.aggregation import METHODS
from tactful.cli.aggregate import TIES
from tactful.cli.main import cli

VOTES = """\
item,annotator,label
t1,ann,1
t1,bob,1
t1,cem,0
t2,ann,0
t2,bob,1
t3,ann,
"""


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES, encoding="utf-8")
    return path


run = partial(command_line.run_aloud, "aggregate")
fails = partial(command_line.fails, "aggregate")


def test_a_table_becomes_labels(votes: Path, tmp_path: Path) -> None:
    output = tmp_path / "labels.csv"
    said = run(votes, "--output", output)
    assert f"Wrote 1 label of 3 items by majority to {output}" in said
    assert "2 labels are missing: the column 'why' has the reasons" in said
    table = pl.read_csv(output)
    assert table.columns == ["item", "label", "confidence", "why"]
    assert table["label"].to_list() == [1, None, None]
    assert table["why"].to_list() == [
        None,
        "no label: tie between 0 and 1, ties get no label; 2 judgements: 0 by ann; 1 by bob.",
        "no label: nobody judged it.",
    ]


def test_why_ties_and_soft(votes: Path, tmp_path: Path) -> None:
    output = tmp_path / "labels.jsonl"
    run(votes, "-o", output, "--ties", "highest", "--why", "--soft")
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert rows[1]["label"] == "1"
    assert rows[1]["probability.0"] == 0.5
    assert "the highest was taken" in rows[1]["why"]
    assert rows[2]["probability.1"] is None


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("trust_weighted", "dpm_scale")])
def test_every_method_runs(votes: Path, tmp_path: Path, method: str) -> None:
    output = tmp_path / "labels.parquet"
    run(votes, "--method", method, "-o", output, "--seed", "4")
    table = pl.read_parquet(output)
    assert table["item"].to_list() == ["t1", "t2", "t3"]
    assert table["label"][0] == "1"
    assert table["label"][2] is None


def test_the_ucc_sample_gives_the_labels_and_confidences_of_its_file(tmp_path: Path) -> None:
    """Price et al. 2020, section 4: the corpus' labels are the trust-weighted ones."""
    from importlib import resources

    judgements, output = tmp_path / "judgements.parquet", tmp_path / "labels.parquet"
    words = ["corpus", "convert", "ucc", "--sample", "--table", "judgements", "-o", str(judgements)]
    assert CliRunner().invoke(cli, words).exit_code == 0
    said = run(judgements, "--method", "trust_weighted", "-o", output)
    assert "labels of 12 items to 8 questions by trust_weighted" in said
    found = {
        (item, question): (label, round(confidence, 4))
        for item, question, label, confidence, _ in pl.read_parquet(output).iter_rows()
    }
    sample = resources.files("tactful.corpora") / "samples" / "ucc" / "test.csv"
    published = pl.read_csv(str(sample), infer_schema=False)
    compared = 0
    for row in published.iter_rows(named=True):
        for name in ("antagonize", "condescending", "dismissive", "generalisation",
                     "generalisation_unfair", "healthy", "hostile", "sarcastic"):  # fmt: skip
            question = {
                "healthy": "unhealthy",
                "antagonize": "unhealthy.antagonistic",
            }.get(name, f"unhealthy.{name}")
            label = int(float(row[name]))
            label = 1 - label if name == "healthy" else label
            answer = (str(label), float(row[f"{name}:confidence"]))
            if name == "generalisation_unfair" and (row["_unit_id"], question) not in found:
                # Nobody was asked where nobody saw a generalisation; the file has 0 there.
                assert answer == ("0", 1.0)
                continue
            assert found[row["_unit_id"], question] == answer
            compared += 1
    assert compared == len(found) == 88


def test_one_question_of_several(tmp_path: Path) -> None:
    table, output = tmp_path / "t.csv", tmp_path / "o.csv"
    table.write_text("item,annotator,question,label\ni,a,q1,x\ni,a,q2,y\n")
    run(table, "-o", output)
    assert pl.read_csv(output).select("item", "question", "label").rows() == [
        ("i", "q1", "x"),
        ("i", "q2", "y"),
    ]
    run(table, "-o", output, "--question", "q2", "--soft", "--force")
    assert pl.read_csv(output).columns == [
        "item", "question", "label", "confidence", "probability.y", "why",
    ]  # fmt: skip


def test_other_names_of_columns(tmp_path: Path) -> None:
    table, output = tmp_path / "t.tsv", tmp_path / "o.csv"
    table.write_text("task\tworker\tanswer\tt\ni\ta\tx\t0.5\ni\tb\ty\t0.9\n")
    run(table, "--item", "task", "--annotator", "worker", "--label", "answer", "--trust", "t",
        "--method", "trust_weighted", "-o", output)  # fmt: skip
    assert pl.read_csv(output)["label"].to_list() == ["y"]


def test_the_dpm_scale_and_its_referee(tmp_path: Path) -> None:
    table, output = tmp_path / "t.csv", tmp_path / "o.csv"
    table.write_text("item,annotator,label\np,a,0\np,b,2\nq,a,0\nq,b,2\nq,ref,1\n")
    said = run(table, "--method", "dpm_scale", "--set", "referee=ref", "-o", output)
    assert "1 item waits for the referee ('p')." in said
    assert pl.read_csv(output)["label"].to_list() == [None, 2]


def test_gold_and_the_skill_report(votes: Path, tmp_path: Path) -> None:
    gold, output, skill = tmp_path / "gold.csv", tmp_path / "o.csv", tmp_path / "skill.csv"
    gold.write_text("item,label\nt2,0\nt3,1\n")
    run(votes, "--method", "dawid_skene", "--gold", gold, "--skill", skill, "-o", output)
    assert pl.read_csv(output)["label"].to_list() == [1, 0, 1]
    report = pl.read_csv(skill)
    assert report["annotator"].to_list() == ["ann", "bob", "cem"]
    assert report["gold_accuracy"].to_list() == [1.0, 0.0, None]
    assert report["warning"].str.contains("only").all()


def test_gold_is_of_use_to_the_report_of_a_vote(votes: Path, tmp_path: Path) -> None:
    gold, output, skill = tmp_path / "gold.csv", tmp_path / "o.csv", tmp_path / "s.jsonl"
    gold.write_text("item,label\nt2,0\n")
    run(votes, "--gold", gold, "--skill", skill, "-o", output)
    assert json.loads(skill.read_text().splitlines()[0])["gold_accuracy"] == 1.0


def test_settings_of_a_method(tmp_path: Path) -> None:
    table, output = tmp_path / "t.csv", tmp_path / "o.csv"
    table.write_text("item,annotator,label\ni,a,0.66\ni,b,0\ni,c,0.66\ni,d,0\n")
    run(table, "--method", "mean_threshold", "-o", output)
    assert pl.read_csv(output)["label"].to_list() == [1]
    run(table, "--method", "mean_threshold", "--set", "binarise_at=none", "--set", "over=rows",
        "-o", output, "--force")  # fmt: skip
    assert pl.read_csv(output)["label"].to_list() == [0]
    run(table, "--method", "mean_threshold", "--set", "positive=0", "-o", output, "--force")
    assert pl.read_csv(output)["confidence"].to_list() == [0.5]


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--method", "majorty"], 2, "Did you mean 'majority'"),
        (["--method", "trust_weighted"], 1, "no column named 'trust'"),
        (["--trust", "trust"], 2, "uses no trust"),
        (["--method", "dpm_scale", "--ties", "none"], 2, "takes no 'ties'"),
        (["--set", "iterations=3"], 2, "takes no 'iterations'"),
        (["--set", "iterations"], 2, "expected NAME=VALUE"),
        (["--set", "seed=3"], 2, "an option of its own: --seed"),
        (["--method", "mace", "--set", "restarts=few"], 2, "expected a whole number"),
        (["--item", "itm"], 1, "no column named 'itm'"),
        (["--question", "q"], 1, "no column named 'question'"),
        (["--ties", "error"], 1, "1 item with a tie"),
        (["--method", "dpm_scale", "--soft"], 2, "labels without probabilities"),
        (["--method", "dpm_scale", "--skill", "s.csv"], 2, "not answers that an annotator"),
        (["--skill", "s.txt"], 2, "found the ending '.txt'"),
    ],
)
def test_a_wrong_call(
    votes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    args: list[str], code: int, message: str,
) -> None:  # fmt: skip
    output = tmp_path / "o.csv"
    assert fails(capsys, votes, "-o", output, *args)[0] == code
    assert message in fails(capsys, votes, "-o", output, *args)[1]
    assert not output.exists()


def test_an_error_names_the_question(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "t.csv"
    table.write_text("item,annotator,question,label\ni,a,q1,1\ni,a,q2,words\n")
    code, said = fails(capsys, table, "--method", "mean_threshold", "-o", tmp_path / "o.csv")
    assert code == 1
    assert said.startswith("Error: Question 'q2': Found the answers 'words'")


def test_gold_that_cannot_be_used(
    votes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, output = tmp_path / "gold.csv", tmp_path / "o.csv"
    gold.write_text("item,label\nt1,0\n")
    assert "uses no gold" in fails(capsys, votes, "--gold", gold, "-o", output)[1]
    twice = tmp_path / "twice.csv"
    twice.write_text("item,label\nt1,0\nt1,1\n")
    said = fails(capsys, votes, "--gold", twice, "--method", "mace", "-o", output)[1]
    assert "several labels for 't1'" in said
    asked = tmp_path / "asked.csv"
    asked.write_text("item,annotator,question,label\ni,a,q1,1\n")
    said = fails(capsys, asked, "--gold", gold, "--method", "mace", "-o", output)[1]
    assert "the gold has none" in said


def test_files_are_not_overwritten(
    votes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "o.csv"
    output.write_text("mine")
    assert "it exists already" in fails(capsys, votes, "-o", output)[1]
    assert output.read_text() == "mine"
    new = tmp_path / "new.csv"
    assert "it exists already" in fails(capsys, votes, "-o", new, "--skill", output)[1]
    assert not new.exists()
    same = fails(capsys, votes, "-o", tmp_path / "x.csv", "--skill", tmp_path / "x.csv")
    assert "name the same file" in same[1]


def test_the_policies_offered_are_those_there_are() -> None:
    from tactful.aggregation.ties import POLICIES

    assert TIES == POLICIES


def test_one_label_of_one_item_is_singular(tmp_path: Path) -> None:
    table = tmp_path / "one.csv"
    table.write_text("item,annotator,label\nt1,ann,1\n", encoding="utf-8")
    output = tmp_path / "labels.csv"
    assert f"Wrote 1 label of 1 item by majority to {output}" in run(table, "--output", output)
