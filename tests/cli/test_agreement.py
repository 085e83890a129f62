"""``tactful agreement``: what it prints, and what it exits with."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests import command_line

from tactful.agreement import CAVEAT, cohen_kappa, cohen_pairs, krippendorff_alpha, landis_koch

ROWS = [
    (item, who, question, (item + (who == "c" and item % 3 == 0)) % 2, trust)
    for question in ("q.one", "q.two")
    for item in range(12)
    for who, trust in (("a", 0.9), ("b", 0.8), ("c", 0.5))
]
COLUMNS = ["item", "annotator", "question", "label", "trust"]


run = partial(command_line.run, "agreement")
fails = partial(command_line.fails, "agreement")


@pytest.fixture
def frame() -> pl.DataFrame:
    return pl.DataFrame(ROWS, schema=COLUMNS, orient="row")


@pytest.fixture
def file(tmp_path: Path, frame: pl.DataFrame) -> Path:
    path = tmp_path / "judgements.csv"
    frame.write_csv(path)
    return path


def test_one_block_per_question_with_all_measures(file: Path) -> None:
    output = run(file)
    for question in ("q.one", "q.two"):
        assert f"{question}: 36 judgements of 12 items by 3 annotators" in output
    for name in ("Pairwise agreement", "Cohen's κ", "Fleiss' κ", "alpha (nominal)", "Gwet's AC1"):
        assert output.count(name) >= 2
    assert CAVEAT in output
    assert not any(line != line.rstrip() for line in output.splitlines())


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_gives_the_same_json(
    tmp_path: Path, frame: pl.DataFrame, ending: str, file: Path
) -> None:
    path = tmp_path / f"t.{ending}"
    if ending == "parquet":
        frame.write_parquet(path)
    elif ending == "jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="\t" if ending == "tsv" else ",")
    assert answer(path)["questions"] == answer(file)["questions"]


def answer(*args: str | Path) -> Any:
    return json.loads(run(*args, "--format", "json"))


def test_json_is_what_the_library_says(file: Path, frame: pl.DataFrame) -> None:
    data = answer(file, "--question", "q.one", "--bootstrap", "50", "--seed", "3")
    assert data["schema_version"] == 1
    [block] = data["questions"]
    assert (block["question"], block["judgements"], block["labels"]) == ("q.one", 36, ["0", "1"])
    alpha = next(m for m in block["measures"] if m["measure"] == "krippendorff")
    table = frame.filter(pl.col("question") == "q.one")
    expected = krippendorff_alpha(table, bootstrap=50, seed=3)
    assert alpha["value"] == expected.value
    assert tuple(alpha["interval"]) == expected.interval
    assert alpha["reading"] == landis_koch(expected)


def test_own_column_names_and_no_question(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("doc,who,answer\n1,a,x\n1,b,y\n2,a,x\n2,b,x\n", encoding="utf-8")
    options = ["--item", "doc", "--annotator", "who", "--label", "answer"]
    assert "all judgements: 4 judgements of 2 items" in run(path, *options)
    assert answer(path, *options)["questions"][0]["question"] is None


def test_levels_choose_the_measures(file: Path) -> None:
    names = {
        level: [m["name"] for m in answer(file, "--level", level)["questions"][0]["measures"]]
        for level in ("ordinal", "interval", "ratio")
    }
    assert names["ordinal"] == [
        "Pairwise agreement", "Cohen's κ, linear weights", "Fleiss' κ, linear weights",
        "Krippendorff's alpha (ordinal)", "Gwet's AC2, linear weights",
    ]  # fmt: skip
    assert "Cohen's κ, quadratic weights" in names["interval"]
    assert names["ratio"] == ["Pairwise agreement", "Krippendorff's alpha (ratio)"]
    assert "undefined: it is defined for nominal labels only" in run(
        file, "--measure", "ac1", "--level", "ratio"
    )


def test_per_label(file: Path) -> None:
    output = run(file, "--per-label", "--measure", "krippendorff", "--level", "ordinal")
    assert "Each label against all others:" in output
    data = answer(file, "--per-label", "--measure", "ac2", "--level", "ordinal")
    assert [m["label"] for m in data["questions"][0]["per_label"]] == ["0", "1"]
    assert {m["measure"] for m in data["questions"][0]["per_label"]} == {"ac1"}


def test_leave_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    rows = ["1,a,0", "1,b,0", "2,a,1", "2,b,0", "3,a,2", "3,b,2", "4,a,2", "4,b,0"]
    path.write_text("item,annotator,label\n" + "\n".join(rows), encoding="utf-8")
    output = run(path, "--leave-out", "1", "--measure", "cohen")
    assert "Without the 1 item that an annotator called 1:" in output
    data = answer(path, "--leave-out", "1", "--measure", "cohen")["questions"][0]["without"]
    assert data["items_left_out"] == 1
    kept = [tuple(row.split(",")) for row in rows if not row.startswith("2")]
    assert data["measures"][0]["value"] == pytest.approx(cohen_kappa(kept).value)
    code, error = fails(capsys, path, "--leave-out", "7")
    assert (code, "no label named '7'" in error) == (2, True)


def test_trust(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = run(file, "--min-trust", "0.7", "--measure", "percent")
    assert "24 judgements of 12 items by 2 annotators" in output
    output = run(file, "--trust-curve", "--measure", "krippendorff")
    assert "Krippendorff's alpha (nominal) by trust:" in output
    assert "no item has two judgements" in output
    [curve] = answer(file, "--trust-curve", "--measure", "krippendorff")["questions"][0][
        "trust_curves"
    ]
    assert curve["points"][0]["threshold"] == 0.5
    code, error = fails(capsys, file, "--trust-curve", "--trust", "truts")
    assert (code, "Did you mean 'trust'" in error) == (1, True)


def test_plots(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    for name, options in (
        ("bars.svg", []),
        ("curve.png", ["--trust-curve", "--measure", "fleiss"]),
    ):
        run(file, "--plot", tmp_path / name, *options)
        assert (tmp_path / name).stat().st_size > 1000
    code, error = fails(capsys, file, "--plot", tmp_path / "bars.svg")
    assert (code, "it exists already" in error) == (2, True)
    code, error = fails(capsys, file, "--plot", tmp_path / "bars.pdf")
    assert (code, "expected .png or .svg" in error) == (2, True)


def test_repeated_judgements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    good = "q,1,a,0\nq,1,b,1\nq,2,a,0\nq,2,b,0\n"
    path.write_text(f"question,item,annotator,label\n{good}p,1,a,0\np,1,a,1\n", encoding="utf-8")
    output = run(path)
    assert "p: not measured. Found 1 pair of item and annotator with several labels" in output
    assert answer(path)["questions"][1]["problem"].startswith("Found 1 pair")
    assert "not measured" not in run(path, "--repeated", "first")
    code, error = fails(capsys, path, "--question", "p")
    assert (code, "question 'p': Found 1 pair" in error) == (1, True)


def test_what_is_undefined_is_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item,annotator,label\n1,a,no\n1,b,no\n2,a,\n3,c,yes\n", encoding="utf-8")
    output = run(path)
    assert "1 item with one judgement says nothing" in output
    assert "1 row without a label is not a judgement" in output
    assert "undefined: every judgement in a pair is 'no'" in output
    assert "nan" not in output.lower()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--measure", "kapa"], 2, "no measure of agreement named 'kapa'"),
        (["--question", "q.tow"], 2, "Did you mean 'q.two'"),
        (["--label", "lable"], 1, "Did you mean 'label'"),
        (["--confidence", "2"], 2, "expected between 0 and 1"),
        (["--labels", "0,2"], 1, "Found the label '1'"),
    ],
)
def test_wrong_calls(
    file: Path, capsys: pytest.CaptureFixture[str], options: list[str], code: int, message: str
) -> None:
    found, error = fails(capsys, file, *options)
    assert (found, message in error) == (code, True), error


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, error = fails(capsys, tmp_path / "none.csv")
    assert (code, "There is no file" in error) == (2, True)


def test_order_by_list(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item,annotator,label\n1,a,low\n1,b,high\n2,a,low\n2,b,low\n", encoding="utf-8")
    assert "undefined: the labels are not numbers" in run(path, "--level", "ordinal")
    assert "undefined" not in run(path, "--level", "ordinal", "--labels", "low, high")


def test_every_pair_of_annotators(
    file: Path, frame: pl.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    table = frame.filter(pl.col("question") == "q.one")
    expected = {(pair.first, pair.second): pair for pair in cohen_pairs(table)}
    assert set(expected) == {("a", "b"), ("a", "c"), ("b", "c")}
    [block] = answer(file, "--question", "q.one", "--pairs")["questions"]
    for pair in block["pairs"]:
        known = expected.pop((pair["first"], pair["second"]))
        assert (pair["items"], pair["value"], pair["reason"]) == (12, known.value, known.reason)
    assert expected == {}
    assert "\na      b          12  1.000" in run(file, "--question", "q.one", "--pairs")
    assert "pairs" not in answer(file)["questions"][0]
    code, error = fails(capsys, file, "--pairs", "--level", "ratio")
    assert (code, "no weights" in error) == (2, True)


def test_pairs_in_the_thousands_are_cut(tmp_path: Path) -> None:
    crowd = [(item, f"w{who}", who % 2) for item in range(3) for who in range(8)]
    path = tmp_path / "crowd.csv"
    pl.DataFrame(crowd, schema=["item", "annotator", "label"], orient="row").write_csv(path)
    assert "… and 8 more; --format json has them all" in run(path, "--pairs")
