"""``tactful corpus split``: the ways to split, and what is refused."""

import json
from functools import partial
from pathlib import Path

import pytest
from tests import command_line
from tests.written_examples import read_examples

from tactful.cli.main import main

run = partial(command_line.run, "corpus split")


def fail(capsys: pytest.CaptureFixture[str], *args: str | Path) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["corpus", "split", *map(str, args)])
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, captured.err


def listed(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_folds_are_written_and_summed_up(tmp_path: Path) -> None:
    out = tmp_path / "out"
    head, *rows, last = run("ucc", "--sample", "--folds", "3", "-o", out).splitlines()
    assert head.split() == ["fold1", "fold2", "fold3"]
    counts = {row.split()[0]: [int(number) for number in row.split()[1:]] for row in rows}
    assert counts["texts"] == counts["groups"] == [18, 18, 18]
    assert sum(counts["unhealthy"]) == 16
    assert min(counts["unhealthy"]) >= 4
    assert last == f"Wrote {out}"
    assert listed(out) == ["fold1.jsonl", "fold2.jsonl", "fold3.jsonl", "split.json"]


def test_parts_of_ones_own_in_parquet(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("dpm", "--sample", "--parts", "train=0.8, dev=0.2", "-o", out, "--output-format", "parquet")
    assert listed(out) == ["dev.parquet", "split.json", "train.parquet"]
    assert read_examples(out / "train.parquet").height == 32
    assert read_examples(out / "dev.parquet").height == 8


def test_the_official_parts(tmp_path: Path) -> None:
    run("ucc", "--sample", "--official", "-o", tmp_path / "out")
    assert listed(tmp_path / "out") == ["split.json", "test.jsonl", "train.jsonl", "val.jsonl"]


def test_the_seed_is_in_the_manifest_and_decides(tmp_path: Path) -> None:
    for seed in ("1", "2"):
        run("ucc", "--sample", "--folds", "2", "--seed", seed, "-o", tmp_path / seed)
        manifest = json.loads((tmp_path / seed / "split.json").read_text(encoding="utf-8"))
        assert manifest["seed"] == int(seed)
    ids = [set(read_examples(tmp_path / seed / "fold1.jsonl")["id"]) for seed in ("1", "2")]
    assert ids[0] != ids[1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "Choose one way to split"),
        (["--official", "--folds", "3"], "Choose one way to split"),
        (["--folds", "2", "--parts", "a=1,b=1"], "Choose one way to split"),
        (["--folds", "1"], "expected at least 2"),
        (["--folds", "0"], "expected at least 2"),
        (["--folds", "two"], "'two' is not a valid integer"),
        (["--folds", "99"], "ask for fewer parts"),
        (["--parts", "train"], "found 'train'; expected NAME=SHARE"),
        (["--parts", "train=0.8,"], "expected NAME=SHARE"),
        (["--parts", "train=much,test=0.2"], "found 'train=much'"),
        (["--parts", "train=1"], "at least two parts"),
        (["--parts", "train=0.8,test=0"], "shares above 0"),
        (["--parts", "train=nan,test=1"], "shares above 0"),
        (["--parts", "a=0.5,a=0.5"], "expected different plain words"),
        (["--parts", "../a=0.5,b=0.5"], "expected different plain words"),
        (["--folds", "2", "--seed", "-1"], "-1 is not in the range"),
    ],
)
def test_a_wrong_wish_is_a_usage_error(
    options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, error = fail(capsys, "ucc", "--sample", "-o", tmp_path / "out", *options)
    assert code == 2
    assert words in error
    assert list(tmp_path.iterdir()) == []


def test_a_corpus_without_official_parts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, error = fail(capsys, "stigmas", "--sample", "--official", "-o", tmp_path / "out")
    assert code == 2
    assert "--parts or --folds" in error
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_rows_is_no_accident(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.csv").write_text(
        "sentence_id,comment_id,sentence_pos,reply_to,sentence,stereotype\n", encoding="utf-8"
    )
    code, error = fail(capsys, "detests", tmp_path, "--folds", "2", "-o", tmp_path / "out")
    assert code == 2
    assert "Found 0 groups" in error


def test_a_full_folder_is_refused_unless_forced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    code, error = fail(capsys, "dpm", "--sample", "--folds", "2", "-o", tmp_path)
    assert code == 2
    assert "exists already" in error
    assert listed(tmp_path) == ["mine.txt"]


def test_the_order_of_the_parts_is_the_users(tmp_path: Path) -> None:
    said = run("ucc", "--sample", "--parts", "zebra=1,ant=1", "-o", tmp_path / "out")
    assert said.splitlines()[0].split() == ["zebra", "ant"]
