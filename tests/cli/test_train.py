"""``tactful train``: what it writes, what it refuses, and what stays when it is stopped."""

import csv
import json
import shutil
from collections import Counter
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from tests import command_line

from tactful.detectors import load_detector, read_card

SAMPLES = Path(str(resources.files("tactful.corpora"))) / "samples"
RUDE = ["your silly remark again", "such a silly idea", "silly silly people"]
FINE = ["the bridge opens on monday", "thank you for the report", "the council meets today"]


@pytest.fixture
def posts(tmp_path: Path) -> Path:
    """Return a table of 48 mild texts of ours, half of them with a label."""
    lines = [
        json.dumps({"post": f"{text} {at}", "rude": rude})
        for at in range(8)
        for rude, texts in ((1, RUDE), (0, FINE))
        for text in texts
    ]
    path = tmp_path / "posts.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


run = partial(command_line.run_aloud, "train")
fails = partial(command_line.fails, "train")


def custom(posts: Path, *more: object) -> tuple[object, ...]:
    table = ("custom", "--table", posts, "--text-column", "post", "--label-column", "rude=my.rude")
    return (*table, "--validation", 0.25, *more)


def test_words_learn_from_a_table(posts: Path, tmp_path: Path) -> None:
    output = tmp_path / "detector"
    said = run(*custom(posts, "--model", "tfidf", "-o", output))
    assert "Learning custom from 36 texts, 18 with a label; 12 are held out" in said
    assert f"Wrote custom-tfidf 1 to {output}" in said
    detector = load_detector(output)
    silly, fine = detector.score(["what a silly remark", "the bridge opens"])["my.rude"]
    assert silly > fine
    card = read_card(output)
    assert set(card.thresholds) == {"my.rude"}
    assert {figure["metric"] for figure in card.figures} == {"auc", "f1", "ece"}
    for figure in card.figures:
        # A sample is worse calibrated than the whole: its percentiles say nothing about the whole.
        if figure["metric"] == "ece":
            assert figure["low"] is figure["high"] is None
        else:
            assert figure["low"] <= figure["value"] <= figure["high"]
    assert len(card.training["data sha256"]) == 64
    assert card.training["command"].startswith("tactful train custom --output")
    assert "--label-column rude=my.rude" in card.training["command"]
    assert not (tmp_path / "detector.training").exists()


def test_the_same_command_writes_the_same_detector(posts: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        run(*custom(posts, "--model", "tfidf", "-o", tmp_path / name))
    first, second = (read_card(tmp_path / name) for name in ("a", "b"))
    assert first.figures == second.figures
    assert first.training["data sha256"] == second.training["data sha256"]


def test_a_corpus_is_learnt_from_its_folder(tmp_path: Path) -> None:
    said = run(
        *("pcl", "--model", "tfidf", "--data", SAMPLES / "dpm", "--validation", 0.4),
        *("--negatives", 1, "-o", tmp_path / "detector"),
    )
    assert "Learning pcl" in said
    card = read_card(tmp_path / "detector")
    assert card.ids == ("pcl",)
    assert "research use only" in card.licence
    assert card.training["settings"]["kernel"] == "rbf"


def test_a_bilstm_and_its_epochs(posts: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    output = tmp_path / "detector"
    more = ("--model", "bilstm", "--epochs", 3, "--rate", 0.05, "-o", output)
    said = run(*custom(posts, *more))
    assert [line[:12] for line in said.splitlines() if line.startswith("Epoch")] == [
        f"Epoch {number} of 3" for number in (1, 2, 3)
    ]
    assert set(read_card(output).calibration) == {"my.rude"}
    assert load_detector(output).check("silly").model == "custom-bilstm 1"


def test_an_interrupt_leaves_what_can_go_on(
    posts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from tactful.training import epochs

    output = tmp_path / "detector"
    more = custom(posts, "--model", "bilstm", "--epochs", 3, "-o", output)
    batches = epochs._batches

    def interrupted(data: Any, plan: Any, number: int) -> Any:
        if number == 3:
            raise KeyboardInterrupt
        return batches(data, plan, number)

    monkeypatch.setattr(epochs, "_batches", interrupted)
    code, said = fails(capsys, *more)
    assert code == 130
    assert "holds 2 of 3 epochs" in said
    assert "Traceback" not in said
    assert not output.exists()
    monkeypatch.undo()
    code, said = fails(capsys, *more, "--epochs", 4)
    assert code == 2
    assert "--fresh" in said
    again = run(*more)
    assert [line[:12] for line in again.splitlines() if line.startswith("Epoch")] == [
        "Epoch 3 of 3"
    ]
    assert not (tmp_path / "detector.training").exists()


def test_a_data_map_says_how_each_text_was_learnt(
    posts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    path = tmp_path / "map.csv"
    more = custom(posts, "--model", "bilstm", "--epochs", 3, "--data-map", path)
    said = run(*more, "-o", tmp_path / "detector")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert "from 36 texts" in said
    assert len(rows) == 32  # 4 of them watch when to stop
    sure = [float(row["confidence"]) for row in rows]
    assert sure == sorted(sure)
    regions = Counter(row["region"] for row in rows)
    assert regions["ambiguous"] == round(len(rows) / 3)
    assert all(float(row["correctness"]) in (0.0, 0.3333, 0.6667, 1.0) for row in rows)
    texts = {json.loads(line)["post"] for line in posts.read_text(encoding="utf-8").splitlines()}
    assert {row["text"] for row in rows} < texts
    code, said = fails(capsys, *more, "-o", tmp_path / "other")
    assert (code, "it exists already" in said) == (2, True)


def test_fresh_forgets_an_earlier_run(posts: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    work = tmp_path / "detector.training"
    work.mkdir()
    (work / "checkpoint.safetensors").write_bytes(b"broken")
    run(*custom(posts, "--model", "bilstm", "--epochs", 1, "-o", tmp_path / "detector", "--fresh"))
    assert not work.exists()


def test_an_encoder_is_fine_tuned(posts: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    pytest.importorskip("onnx")
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import BertConfig, BertModel

    base = tmp_path / "base"
    words = ["[PAD]", "[UNK]", "silly", "bridge", "report", "council", "the"]
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    BertModel(
        BertConfig(
            vocab_size=len(words),
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
        )
    ).save_pretrained(base)
    tokenizer.save(str(base / "tokenizer.json"))
    (base / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}), encoding="utf-8"
    )
    output = tmp_path / "detector"
    more = ("--encoder", base, "--recipe", "ucc-bert", "--epochs", 1, "-o", output)
    run(*custom(posts, *more))
    card = read_card(output)
    assert (card.kind, card.training["recipe"], card.training["base"]) == (
        "encoder",
        "ucc-bert",
        "base",
    )
    assert load_detector(output).score(["silly"])["my.rude"].shape == (1,)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("pcls", "-o", "x"), "Did you mean 'pcl'?"),
        (("pcl", "-o", "x", "--table", "t.csv"), "--table is for the task 'custom'"),
        (("custom", "-o", "x", "--model", "tfidf"), "name it with --table"),
        (("custom", "-o", "x", "--data", "d"), "takes no --data"),
        (("pcl", "-o", "x", "--model", "tfidf", "--epochs", 3), "--epochs is for --model bilstm"),
        (("pcl", "-o", "x", "--model", "vectors"), "name it with --vectors"),
        (("pcl", "-o", "x", "--recipe", "dpm-robertta"), "Did you mean 'dpm-roberta'?"),
        (("custom", "-o", "x", "--table", "t.csv"), "--encoder, or a --recipe"),
    ],
)
def test_wrong_calls_are_refused(
    args: tuple[object, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, error = fails(capsys, *args)
    assert code == 2
    assert said in error


def test_bad_tables_are_refused(posts: Path, tmp_path: Path, capsys: Any) -> None:
    output = ("-o", tmp_path / "detector")
    start = ("custom", "--model", "tfidf", "--table", posts, *output)
    code, said = fails(capsys, *start, "--text-column", "posts", "--label-column", "rude")
    assert code == 1
    assert "Did you mean 'post'?" in said
    code, said = fails(capsys, *start, "--text-column", "post", "--label-column", "rude=")
    assert code == 2
    code, said = fails(capsys, *start, "--text-column", "post", "--label-column", "post")
    assert code == 1
    assert "expected 0 or 1" in said
    same = posts.read_text(encoding="utf-8").replace('"rude": 1', '"rude": 0')
    posts.write_text(same, encoding="utf-8")
    code, said = fails(capsys, *custom(posts, "--model", "tfidf", *output))
    assert code == 1
    assert "Found no text with 'my.rude'" in said
    assert list(tmp_path.iterdir()) == [posts]


def test_an_existing_folder_is_refused_before_training(
    posts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "detector"
    output.mkdir()
    (output / "mine.txt").write_text("mine", encoding="utf-8")
    code, said = fails(capsys, *custom(posts, "--model", "tfidf", "-o", output))
    assert code == 2
    assert "--force" in said
    run(*custom(posts, "--model", "tfidf", "-o", output, "--force"))
    assert read_card(output).kind == "tfidf"
    assert not (output / "mine.txt").exists()


def test_without_the_extra_the_pip_command_is_the_answer(
    posts: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from tactful.training import task_training

    monkeypatch.setattr(task_training, "find_spec", lambda name: None)
    args = custom(posts, "--model", "bilstm", "-o", tmp_path / "detector")
    code, said = fails(capsys, *args)
    assert code == 2
    assert 'pip install "tactful[train]"' in said


def test_data_is_found_in_the_folder_of_all_corpora(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "dpm", tmp_path / "data" / "dont_patronize_me")
    said = run(
        *("pcl", "--model", "tfidf", "--data", tmp_path / "data", "--validation", 0.4),
        *("-o", tmp_path / "detector"),
    )
    assert "Wrote pcl-tfidf 1" in said
