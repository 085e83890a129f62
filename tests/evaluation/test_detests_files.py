"""Submission files: columns of the organisers and of ``tactful evaluate``, and what is refused."""

import csv
import doctest
from pathlib import Path

import pytest

from tactful.corpora.detests import CATEGORIES
from tactful.errors import InputError, UnknownNameError, UsageError
from tactful.types import Example
from tactful_lab.evaluation.reproduce import detests_files
from tactful_lab.evaluation.reproduce.detests_files import write_submission

META = {"comment_id": "7", "sentence_pos": "2", "reply_to": "7"}
ONE = Example("7_2", "El mercado abre los jueves.", "detests", "es", "7", meta=META)
HEALTH = {"stereotype", "stereotype.health"}


def test_the_examples_hold() -> None:
    assert doctest.testmod(detests_files).failed == 0


def test_both_subtasks(tmp_path: Path) -> None:
    """The organisers read columns by name; theirs are all but the first."""
    for subtask in (1, 2):
        write_submission(tmp_path / f"{subtask}.csv", [ONE], [HEALTH], subtask)
    with (tmp_path / "1.csv").open(newline="", encoding="utf-8") as handle:
        assert list(csv.reader(handle)) == [
            ["sentence_id", "comment_id", "sentence_pos", "stereotype"],
            ["7_2", "7", "2", "1"],
        ]
    with (tmp_path / "2.csv").open(newline="", encoding="utf-8") as handle:
        (row,) = csv.DictReader(handle)
    assert list(row) == ["sentence_id", "comment_id", "sentence_pos", "stereotype", *CATEGORIES]
    assert [name for name in CATEGORIES if row[name] == "1"] == ["health"]


@pytest.mark.parametrize("labels", [{"stereotype.others"}, {"stereotype.health"}])
def test_contradictions_are_refused_and_nothing_is_left(tmp_path: Path, labels: set[str]) -> None:
    with pytest.raises(InputError, match="for the sentence 7_2; expected a stereotype wherever"):
        write_submission(tmp_path / "x.csv", [ONE], [labels], 2)
    assert list(tmp_path.iterdir()) == []


def test_other_mistakes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Found 1 sentence and 2 label sets"):
        write_submission(tmp_path / "x.csv", [ONE], [set(), set()], 1)
    with pytest.raises(UnknownNameError, match=r"Did you mean 'stereotype\.health'"):
        write_submission(tmp_path / "x.csv", [ONE], [{"stereotype.heath"}], 2)
    write_submission(tmp_path / "x.csv", [ONE], [set()], 1)
    with pytest.raises(UsageError, match="it exists already"):
        write_submission(tmp_path / "x.csv", [ONE], [set()], 1)
