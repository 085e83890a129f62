"""``tactful reproduce sbic-frames``: the paper's tables beside framers, and what it refuses."""

import json
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests import command_line

from tactful.cli.main import cli
from tactful.detectors.card import Card
from tactful.errors import UsageError
from tactful.frames.load import Framer
from tactful.frames.posts import read_posts
from tactful.frames.schema import CATEGORICAL, make_frame
from tactful.types import Frame
from tactful_lab.cli.reproduce.command import FRAME_TABLES
from tactful_lab.cli.reproduce.frames import NOT_HERE
from tactful_lab.evaluation.reproduce import frame_runs
from tactful_lab.evaluation.reproduce.frame_runs import measured_part
from tactful_lab.evaluation.reproduce.paper_tables import FRAMES

SAMPLE = Path(str(resources.files("tactful.corpora"))) / "samples" / "sbic"
FLAGS = {"rate": "--lr", "max_tokens": "--max-length"}
GIVEN = {
    "trust_weighted": (),
    "folds": ("3",), "negatives": ("full",), "grouped": (), "seed": ("2",), "encoder": ("x",),
    "download": (), "grid_search": (), "cache": ("x",), "fresh": (),
    "epochs": ("1",), "batch": ("1",), "rate": ("1",), "max_tokens": ("9",), "accumulate": ("2",),
    "shots": ("1",), "device": ("cpu",), "limit": ("1",), "curves": ("roc.png",),
    "key_variable": ("KEY",),
}  # fmt: skip


class TouristFramer:
    """Knows one word; its probabilities contradict each other on the other posts."""

    card = Card("tourist", "1", CATEGORICAL, thresholds={"frame.group": 0.6})

    def frame(self, texts: Sequence[str]) -> list[Frame]:
        return [self._frame("tourist" in text.lower()) for text in texts]

    def _frame(self, found: bool) -> Frame:
        chances = dict(zip(CATEGORICAL, (0.1, 0.9, 0.8, 0.9, 0.1), strict=True))
        answers: dict[str, str | float | bool] = {
            "offensive": found, "intent": found, "lewd": False,
        }  # fmt: skip
        if found:
            answers["group"] = True
        frame = make_frame(
            answers, ["tourists"] if found else [], ["tourists are rude"] if found else []
        )
        low = {**chances, "frame.offensive": 0.3, "frame.group": 0.7, "frame.intent": 0.2}
        return Frame(
            chances if found else low, frame.target_groups, frame.implied_statements, frame.answers
        )


@pytest.fixture
def tourist(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the folder name 'tourist' open that framer."""

    def load(name: str) -> Framer:
        if name == "tourist":
            return TouristFramer()
        raise UsageError(f"There is no framer {name}.")

    monkeypatch.setattr(frame_runs, "load_framer", load)


@pytest.fixture
def only_dev(tmp_path: Path) -> Path:
    """Return a folder with the sample's annotation rows under the name of the development part."""
    names = sorted(SAMPLE.glob("SBIC.v2.???.csv"))
    head, *_ = names[0].read_text(encoding="utf-8").splitlines(keepends=True)
    rows = [path.read_text(encoding="utf-8").removeprefix(head) for path in names]
    (tmp_path / "SBIC.v2.dev.csv").write_text(head + "".join(rows), encoding="utf-8")
    return tmp_path


run = partial(command_line.run, "reproduce sbic-frames")
fails = partial(command_line.fails, "reproduce")


def rows(found: dict[str, Any], **wanted: Any) -> list[dict[str, Any]]:
    return [row for row in found["rows"] if wanted.items() <= row.items()]


def test_the_name_is_that_of_the_table() -> None:
    assert FRAME_TABLES == (FRAMES,)


@pytest.mark.usefixtures("tourist")
def test_the_papers_tables_are_printed_beside_ours() -> None:
    said = run("--data", SAMPLE, "--models", "tourist,majority")
    assert "section 5, tables 4 and 5, and table 7" in said
    for title in ("Table 4: ", "Table 5: ", "Table 7: "):
        assert f"\n{title}" in said
    # Sap et al. 2020, table 5, test part.
    assert "target group                  paper  SBF-GPT2-gdy" in said
    words = [" ".join(line.split()) for line in said.splitlines()]
    assert "target group paper SBF-GPT2-gdy test 77.0 71.3 0.76" in words
    assert "in group paper SBF-GPT1-gdy dev - - -" in words
    assert "official test part (5 posts)" in said
    assert "word_movers: there are no word vectors to measure with." in said
    assert "offensive 42.2 % there, 60.0 % here" in said


@pytest.mark.usefixtures("tourist")
def test_json_on_the_terminal_and_in_a_file(tmp_path: Path) -> None:
    output = tmp_path / "tables.json"
    args = ("--data", SAMPLE, "--models", "tourist", "--format", "json", "-o", output)
    found = json.loads(run(*args))
    assert found == json.loads(output.read_text(encoding="utf-8"))
    assert found["table"] == "sbic-frames"
    assert found["settings"]["part"] == "test"
    paper = rows(found, table="7", whose="paper")
    assert len(paper) == 8 * 5
    (one,) = rows(found, table="4", model="SBF-GPT2-gdy", part="test", variable="frame.lewd")
    assert one["values"] == {"precision": 84.5, "recall": 77.3, "f1": 80.7}
    # The test part of the sample has one post about tourists, and three with a gold group.
    (mine,) = rows(found, table="5", whose="ours", variable="frame.target_group", all_posts=False)
    assert mine["posts"] == 3
    assert mine["values"]["exact_match"] == pytest.approx(100 / 3, abs=0.001)
    assert mine["values"]["word_movers"] is None
    assert mine["values"]["blank"] == pytest.approx(200 / 3, abs=0.001)


@pytest.mark.usefixtures("tourist")
def test_constraints_are_shown_before_and_after() -> None:
    """Thresholds are the card's: 0.7 is a group, though nobody is offended."""
    said = run("--data", SAMPLE, "--models", "tourist")
    assert "tourist: 0.00 % of its frames break a constraint (80.00 % with each answer" in said
    found = json.loads(run("--data", SAMPLE, "--models", "tourist", "--format", "json"))
    alone = "tourist, each answer alone"
    assert not rows(found, table="4", model=alone)
    (before,) = rows(found, table="7", model=alone, variable="frame.group", all_posts=True)
    (after,) = rows(found, table="7", model="tourist", variable="frame.group", all_posts=True)
    assert before["values"]["recall"] == 100
    assert after["values"]["precision"] == 100


@pytest.mark.usefixtures("tourist")
def test_a_row_that_cannot_run_says_why() -> None:
    said = run("--data", SAMPLE, "--models", "nowhere,majority")
    assert "Not run:\n- nowhere: There is no framer nowhere." in said
    assert "majority: 0.00 % of its frames break a constraint." in said


def test_a_folder_that_is_no_framer_says_so(tmp_path: Path) -> None:
    said = run("--data", SAMPLE, "--models", tmp_path)
    assert "found no card.json" in said


@pytest.mark.usefixtures("tourist")
def test_without_the_test_part_held_out_posts_are_measured(only_dev: Path) -> None:
    said = run("--data", only_dev, "--models", "majority")
    posts = read_posts(only_dev)
    part, measured = measured_part(posts)
    assert part == "held out"
    assert [post.id for post in measured] == [post.id for post in posts if post.held_out]
    assert f"ours is {len(measured)} posts, 8 of 100 of those that are here" in said
    assert "not comparable one to one" in said


@pytest.mark.usefixtures("tourist")
def test_an_aggregated_file_alone_says_how_its_truth_differs(tmp_path: Path) -> None:
    shutil.copy(SAMPLE / "SBIC.v2.agg.dev.csv", tmp_path)
    assert "a 'maybe' is half a yes" in run("--data", tmp_path, "--models", "majority")


@pytest.mark.usefixtures("tourist")
def test_words_are_moved_with_vectors(tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("tourists 0 0\ncooks 3 4\ndancers 0 1\n", encoding="utf-8")
    found = json.loads(
        run("--data", SAMPLE, "--models", "tourist", "--vectors", vectors, "--format", "json")
    )
    (mine,) = rows(found, table="5", whose="ours", variable="frame.target_group", all_posts=False)
    assert mine["values"]["word_movers"] == 0
    assert found["settings"]["vectors"] == "vectors.txt"


@pytest.mark.usefixtures("tourist")
def test_a_progress_bar_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACTFUL_PROGRESS", "on")
    words = ["reproduce", "sbic-frames", "--data", str(SAMPLE), "--models", "tourist"]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0
    assert "tourist" in result.stderr


@pytest.mark.parametrize("name", NOT_HERE)
def test_options_that_make_no_sense_are_refused(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    option = FLAGS.get(name, f"--{name.replace('_', '-')}")
    code, said = fails(capsys, "sbic-frames", "--data", SAMPLE, option, *GIVEN[name])
    assert code == 2
    assert f"{option} is for tables whose rows are trained here" in said


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["sbic-frame"], 2, "Did you mean 'sbic-frames'"),
        (["sbic-frames", "--models", ","], 2, "no name in --models"),
        (["sbic-frames", "--vectors", "nowhere.txt"], 2, "nowhere.txt: there is no such file"),
        (["sbic-frames", "--data", "nowhere"], 2, "nowhere: there is no such file or folder"),
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
    output = tmp_path / "tables.json"
    output.write_text("mine", encoding="utf-8")
    code, said = fails(capsys, "sbic-frames", "--data", "nowhere", "-o", output)
    assert code == 2
    assert "it exists already" in said
    assert output.read_text(encoding="utf-8") == "mine"


@pytest.mark.data
def test_the_majority_on_the_authors_file(data_folder: Callable[[str], Path]) -> None:
    """The figures of always naming the most frequent group: about .34 exact, .51 ROUGE-L."""
    found = json.loads(
        run("--data", data_folder("sbic"), "--models", "majority", "--format", "json")
    )
    (mine,) = rows(found, table="5", whose="ours", variable="frame.target_group", all_posts=False)
    assert mine["posts"] == 148
    assert mine["values"]["exact_match"] == pytest.approx(33.78, abs=0.01)
    assert mine["values"]["rouge_l"] == pytest.approx(50.88, abs=0.01)
