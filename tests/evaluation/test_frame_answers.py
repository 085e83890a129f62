"""``tactful evaluate frames``: the files it reads, how posts are matched, and what it refuses."""

import json
from collections.abc import Callable
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests import command_line

from tactful.cli.main import cli
from tactful.frames.frame_json import frame_as_json
from tactful.frames.posts import read_references
from tactful.frames.schema import make_frame
from tactful.types import Frame

SAMPLE = Path(str(resources.files("tactful.corpora"))) / "samples" / "sbic"
HARMLESS = make_frame({"offensive": "no", "intent": "no", "lewd": "no"})
COOKS = make_frame(
    {"offensive": "yes", "intent": "yes", "lewd": "no", "group": "yes", "in_group": "no"},
    ["cooks"],
    ["cooks shout"],
)

Lines = Callable[..., Path]


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    """Write a file of frames, one object on each line."""

    def write(name: str, *objects: dict[str, Any]) -> Path:
        path = tmp_path / name
        text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def one(frame: Frame, **whose: Any) -> dict[str, Any]:
    return {**whose, "frame": frame_as_json(frame)}


def run(gold: Path, predictions: Path, *args: object) -> str:
    words = ["evaluate", "frames", "--gold", gold, "--predictions", predictions, *args]
    result = CliRunner().invoke(cli, [*map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def scores(gold: Path, predictions: Path, *args: object) -> dict[str, dict[str, Any]]:
    answer = json.loads(run(gold, predictions, *args, "--format", "json"))
    return {each["name"]: each for each in answer["metrics"]}


fails = partial(command_line.fails, "evaluate frames")


def test_frames_are_matched_by_id(lines: Lines) -> None:
    gold = lines("gold.jsonl", one(COOKS, id=1), one(HARMLESS, id="2"))
    guess = lines("guess.jsonl", one(HARMLESS, id=2.0), one(COOKS, id="1", text="unlike gold's"))
    found = scores(gold, guess)
    assert found["offensive.f1"]["value"] == 1
    assert found["target_group.rouge_l"]["items"] == 1
    assert found["target_group.all.exact_match"]["value"] == 1


def test_an_id_with_another_text_is_told(lines: Lines) -> None:
    gold = lines("gold.jsonl", one(COOKS, id=1, text="a"), one(HARMLESS, id=2, text="b"))
    guess = lines("guess.jsonl", one(COOKS, id=1, text="b"), one(HARMLESS, id=2, text=" b "))
    assert "guess.jsonl: 1 of its texts is not gold's under the same id" in run(gold, guess)
    assert "the same posts" not in run(gold, gold)


def test_posts_of_the_corpus_are_matched_by_text(lines: Lines) -> None:
    posts = read_references(SAMPLE / "SBIC.v2.tst.csv")
    numbered = [one(p.frame, id=at, text=f" {p.text}\n") for at, p in enumerate(posts)]
    guess = lines("guess.jsonl", *reversed(numbered))
    said = run(SAMPLE / "SBIC.v2.tst.csv", guess)
    assert "frames, 5 items" in said
    assert "matched by their texts" in said
    found = scores(SAMPLE / "SBIC.v2.tst.csv", guess)
    assert found["offensive.f1"]["value"] == found["implied_statement.bleu_2"]["value"] == 1
    # One of three annotators found a post offensive, and that one a group.
    assert found["broken_constraints"]["value"] == 0.2


@pytest.mark.parametrize("gold", [SAMPLE, SAMPLE / "SBIC.v2.agg.dev.csv"])
def test_gold_may_be_a_folder_or_an_aggregated_file(gold: Path, lines: Lines) -> None:
    guess = lines("guess.jsonl", *(one(COOKS, id=post.id) for post in read_references(gold)))
    said = run(gold, guess, "--metric", "offensive.recall")
    assert "offensive.recall  1.0000" in said
    assert ("Not in the gold: in_group" in said) == (gold.is_file())


def test_what_is_not_in_the_gold_is_no_zero(lines: Lines) -> None:
    gold = SAMPLE / "SBIC.v2.agg.dev.csv"
    guess = lines("guess.jsonl", *(one(COOKS, id=post.id) for post in read_references(gold)))
    said = run(gold, guess, "--metric", "in_group.all.precision", "--undefined", "0",
               "--bootstrap", "20", "--compare", guess)  # fmt: skip
    assert "in_group.all.precision  undefined" in said
    assert "not in the gold: none of its posts answers this question" in " ".join(said.split())


def test_how_blanks_count_is_said(lines: Lines) -> None:
    gold = lines("gold.jsonl", one(COOKS, id=1), one(HARMLESS, id=2))
    said = run(gold, lines("guess.jsonl", one(HARMLESS, id=1), one(HARMLESS, id=2)))
    assert "Of 2 posts, 1 with a gold group and 1 with a gold statement" in said
    assert "a text on one side only scores 0" in said
    assert "target_group.all.rouge_l                     0.0000" in said
    assert "target_group.word_movers: it needs word vectors: --vectors FILE" in said


def test_intervals_leave_out_what_is_blank_on_both_sides(lines: Lines) -> None:
    """Two of four posts have a text on either side: one right, one blank."""
    frames = (COOKS, COOKS, HARMLESS, HARMLESS)
    gold = lines("gold.jsonl", *(one(frame, id=at) for at, frame in enumerate(frames)))
    some = (COOKS, HARMLESS, HARMLESS, HARMLESS)
    guess = lines("guess.jsonl", *(one(frame, id=at) for at, frame in enumerate(some)))
    said = run(gold, guess, "--metric", "target_group.all.rouge_l", "--bootstrap", "200",
               "--compare", gold, "--format", "json")  # fmt: skip
    (metric,) = json.loads(said)["metrics"]
    assert (metric["value"], metric["items"]) == (0.5, 2)
    assert (metric["interval"]["low"], metric["interval"]["high"]) == (0, 1)
    assert metric["comparison"]["difference"] == -0.5


def test_words_are_moved_with_vectors(lines: Lines, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("cooks 0 0\nbakers 3 4\n", encoding="utf-8")
    answers: dict[str, str | float | bool] = {
        "offensive": "yes", "intent": "no", "lewd": "no", "group": "yes",
    }  # fmt: skip
    bakers = make_frame(answers, ["bakers"])
    gold = lines("gold.jsonl", one(COOKS, id=1))
    found = scores(gold, lines("guess.jsonl", one(bakers, id=1)), "--vectors", vectors)
    assert found["target_group.word_movers"]["value"] == 5
    assert found["implied_statement.word_movers"]["value"] is None


def test_intervals_and_a_comparison(lines: Lines) -> None:
    gold = lines("gold.jsonl", *(one(COOKS if at % 2 else HARMLESS, id=at) for at in range(20)))
    right = lines("right.jsonl", *(one(COOKS if at % 2 else HARMLESS, id=at) for at in range(20)))
    wrong = lines("wrong.jsonl", *(one(HARMLESS, id=at) for at in range(20)))
    found = scores(gold, right, "--compare", wrong, "--bootstrap", 50, "--repetitions", 50)
    for name in ("offensive.f1", "target_group.bleu_2", "implied_statement.all.rouge_l"):
        assert found[name]["interval"]["low"] == found[name]["interval"]["high"] == 1
        assert found[name]["comparison"]["difference"] > 0
        assert found[name]["comparison"]["p_value"] < 0.05
    assert found["lewd.f1"]["interval"]["low"] is None
    assert found["broken_constraints"]["comparison"]["difference"] == 0


def test_a_decomposed_measure_is_the_measure_itself(lines: Lines) -> None:
    """The interval of items that do not vary is their value, for each way of adding up."""
    other = make_frame(
        {"offensive": "yes", "intent": "no", "lewd": "yes", "group": "yes"},
        ["old cooks"],
        ["cooks shout loudly"],
    )
    gold = lines("gold.jsonl", *(one(COOKS, id=at) for at in range(3)))
    found = scores(gold, lines("guess.jsonl", *(one(other, id=at) for at in range(3))),
                   "--bootstrap", 5)  # fmt: skip
    for name, each in found.items():
        if each["value"] is not None:
            assert each["interval"]["low"] == pytest.approx(each["value"]), name


def test_a_question_left_out_is_undefined_and_told(lines: Lines) -> None:
    gold = lines("gold.jsonl", one(COOKS, id=1), one(COOKS, id=2))
    bare = Frame({}, ("cooks",), (), {"frame.offensive": "yes", "frame.group": "yes"})
    guess = lines("guess.jsonl", one(bare, id=1), one(COOKS, id=2))
    said = run(gold, guess, "--bootstrap", 5)
    assert "lewd.f1: 1 of 2 predicted frames do not answer this question." in said


def test_a_frame_that_breaks_a_constraint_is_measured(lines: Lines) -> None:
    broken = {"answers": {**HARMLESS.answers, "frame.group": "yes"}}
    gold = lines("gold.jsonl", one(COOKS, id=1), {"id": 2, "frame": broken})
    said = run(gold, gold)
    assert "1 gold frame breaks a constraint" in said
    assert scores(gold, gold)["broken_constraints"]["value"] == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found no line; expected a frame on each"),
        ("{\n", "guess.jsonl, line 1: found what is no JSON"),
        ("[" * 100_000 + "\n", "line 1: found what is no JSON"),
        ("\n[1]\n", "line 2: found no frame; expected an object with a frame"),
        ('{"id": 1}\n', "found no frame"),
        ('{"frame": {}}\n', "found neither id nor text"),
        ('{"id": true, "frame": {}}\n', "found neither id nor text"),
        ('{"id": 1, "text": 7, "frame": {}}\n', "column 'text': found a int"),
        ('{"id": 1, "frame": {"answers": {"frame.lewd": "perhaps"}}}\n', "an unknown answer"),
        ('{"id": 1, "frame": {"target_groups": [""]}}\n', "column 'frame': found no frame (Found"),
        ('{"id": 1, "frame": {}}\n{"id": 1, "frame": {}}\n', "found the id '1' again"),
        ('{"id": 1, "frame": {}}\n', "no answer for the id '2'"),
        ('{"id": 1, "frame": {}}\n{"id": 3, "frame": {}}\n', "the unknown id '3'"),
        ('{"id": 9, "frame": {}}\n', "line 1: found no text, and ids that are not the same"),
    ],
)
def test_what_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, lines: Lines, text: str, message: str
) -> None:
    gold = lines("gold.jsonl", one(COOKS, id=1, text="a"), one(HARMLESS, id=2, text="b"))
    guess = tmp_path / "guess.jsonl"
    guess.write_text(text, encoding="utf-8")
    code, said = fails(capsys, "--gold", gold, "--predictions", guess)
    assert code == 1
    assert message in said
    assert "Traceback" not in said


def test_bytes_that_are_no_text(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, lines: Lines
) -> None:
    gold = lines("gold.jsonl", one(COOKS, id=1))
    guess = tmp_path / "guess.jsonl"
    guess.write_bytes(b'{"id": 1, "text": "\xff", "frame": {}}\n')
    assert "not UTF-8" in fails(capsys, "--gold", gold, "--predictions", guess)[1]


@pytest.mark.parametrize(
    ("gold", "code", "message"),
    [
        ("gold.txt", 2, "found the ending '.txt'; expected gold frames as .jsonl, or the .csv"),
        ("nowhere.jsonl", 2, "nowhere.jsonl"),
        ("nowhere.csv", 2, "there is no such file or folder"),
    ],
)
def test_gold_of_another_kind(
    capsys: pytest.CaptureFixture[str], lines: Lines, tmp_path: Path, gold: str, code: int,
    message: str,
) -> None:  # fmt: skip
    guess = lines("guess.jsonl", one(COOKS, id=1))
    found = fails(capsys, "--gold", tmp_path / gold, "--predictions", guess)
    assert message in found[1]
    assert found[0] == code


def test_options_of_other_tasks_are_refused(
    capsys: pytest.CaptureFixture[str], lines: Lines
) -> None:
    gold = lines("gold.jsonl", one(COOKS, id=1))
    code, said = fails(capsys, "--gold", gold, "--predictions", gold, "--label-column", "x")
    assert code == 2
    assert "--label-column is for binary, scores; not for 'frames'" in said


@pytest.mark.data
def test_the_authors_own_rows_are_gold(data_folder: Callable[[str], Path], lines: Lines) -> None:
    folder = data_folder("sbic")
    posts = read_references(folder)
    guess = lines("guess.jsonl", *(one(HARMLESS, text=post.text) for post in posts))
    found = scores(folder, guess, "--metric", "offensive.recall",
                   "--metric", "implied_statement.all.exact_match")  # fmt: skip
    assert found["offensive.recall"]["value"] == 0
    # Two blanks are no match: only posts with a statement on either side are counted.
    assert found["implied_statement.all.exact_match"]["value"] == 0
