"""``tactful frame``: what it reads, what it writes, and what it refuses."""

import json
from functools import partial
from pathlib import Path

import pytest
from tests import command_line

from tactful.detectors.card import Card, write_card
from tactful.frames.frame_json import frame_from_json
from tactful.frames.schema import CATEGORICAL, frame_problems

# Section 1 of the paper: what most listeners infer from this sentence.
STANDARDS = "We shouldn't lower our standards to hire more women."
HARMLESS = "The bridge opens on Monday, and the bus stops beside it."


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


run = partial(command_line.result_of, "frame")
fails = partial(command_line.fails, "frame")


def test_a_text_is_told_as_what_it_may_imply() -> None:
    said = run("--text", STANDARDS).stdout
    assert "May imply, about women: “" in said
    assert "Read from “" in said
    assert "not what the author believes" in said
    assert "1 text, 1 of them about a group." in said


def test_a_harmless_text_is_not_shown_unless_asked_for() -> None:
    assert run("--text", HARMLESS).stdout == "1 text, 0 of them about a group.\n"
    assert HARMLESS in run("--text", HARMLESS, "--all").stdout


def test_statements_can_be_hidden() -> None:
    found = json.loads(run("--text", STANDARDS, "--no-statements", "--format", "json").stdout)
    frame = found["frames"][0]["frame"]
    assert frame["target_groups"] == ["women"]
    assert frame["implied_statements"] == []
    assert "May be about women" in run("--text", STANDARDS, "--no-statements").stdout


def test_unlikely_groups_can_be_left_out() -> None:
    found = json.loads(run("--text", STANDARDS, "--least", 1, "--format", "json", "--all").stdout)
    assert found["frames"][0]["frame"]["target_groups"] == []


def test_json_says_who_read_what() -> None:
    found = json.loads(run("--text", STANDARDS, "--format", "json").stdout)
    assert found["schema"] == "tactful/frame/1"
    assert found["model"]["name"] == "frames-en"
    assert found["texts"] == 1
    frame = frame_from_json(found["frames"][0]["frame"])
    assert not frame_problems(frame)


def test_a_table_keeps_its_rows_and_ids() -> None:
    Path("posts.csv").write_text(f'nr,post\na,"{STANDARDS}"\nb,"{HARMLESS}"\n', encoding="utf-8")
    done = run("posts.csv", "--text-column", "post", "--id-column", "nr", "-o", "frames.jsonl")
    assert done.stdout == "Wrote frames.jsonl: 2 texts, 1 of them with a group.\n"
    lines = [json.loads(line) for line in Path("frames.jsonl").read_text().splitlines()]
    assert [(line["id"], line["line"]) for line in lines] == [("a", 1), ("b", 2)]
    assert [line["text"] for line in lines] == [STANDARDS, HARMLESS]
    assert all(not frame_problems(frame_from_json(line["frame"])) for line in lines)


def test_documents_are_read_by_passages_and_lines_by_lines() -> None:
    Path("letter.md").write_text(f"# Hello\n\n{STANDARDS}\n\n- {HARMLESS}\n", encoding="utf-8")
    found = [json.loads(line) for line in run("letter.md", "--format", "jsonl").stdout.splitlines()]
    assert [(each["line"], each["path"]) for each in found][1] == (3, "letter.md")
    assert STANDARDS in [each["text"] for each in found]
    Path("posts.txt").write_text(f"{STANDARDS}\n\n{HARMLESS}\n", encoding="utf-8")
    lines = run("posts.txt", "--lines", "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["line"] for line in lines] == [1, 3]
    from_stdin = run("--lines", "--format", "jsonl", text=f"{STANDARDS}\n{HARMLESS}").stdout
    assert [json.loads(line)["frame"] for line in from_stdin.splitlines()] == [
        json.loads(line)["frame"] for line in lines
    ]


def test_control_characters_cannot_reach_the_terminal() -> None:
    said = run("--text", f"\x1b[31m{STANDARDS}\x1b]8;;http://x\x07", "--all").stdout
    assert "\x1b" not in said
    assert "\x07" not in said


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--text", "x", "letter.md"), 2, "Give files or --text, not both"),
        (("--text", "x", "--model", "gpt"), 2, "no framer named 'gpt'"),
        (("--text", "x", "--model", "./nowhere"), 2, "There is no folder 'nowhere'"),
        (("--text", " "), 2, "The text is empty"),
        (("nowhere.txt",), 2, "There is no file or folder 'nowhere.txt'"),
        (("--text", "x", "--id-column", "nr"), 2, "--id-column is for tables"),
        (("rows.csv",), 1, "text"),
        (("gaps.csv",), 1, "gaps.csv, row 2: found no text in 'text'"),
    ],
)
def test_wrong_calls_are_refused(
    capsys: pytest.CaptureFixture[str], args: tuple[str, ...], code: int, message: str
) -> None:
    Path("rows.csv").write_text("post\nHello\n", encoding="utf-8")
    Path("gaps.csv").write_text("text,n\nHello,1\n,2\n", encoding="utf-8")
    found, said = fails(capsys, *args)
    assert found == code
    assert message in said
    assert "Traceback" not in said


def test_an_existing_file_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    Path("frames.jsonl").write_text("mine", encoding="utf-8")
    code, said = fails(capsys, "--text", HARMLESS, "-o", "frames.jsonl")
    assert code != 0
    assert "--force" in said
    assert Path("frames.jsonl").read_text(encoding="utf-8") == "mine"


def test_a_causal_model_needs_the_lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_card(Card("tiny", "1", CATEGORICAL, kind="frames-causal"), tmp_path / "causal")
    monkeypatch.setattr("tactful.registry.installed_plugins", lambda _: ())
    code, said = fails(capsys, "--text", HARMLESS, "--model", "./causal")
    assert code == 2
    assert "needs the optional extra 'lab'" in said
