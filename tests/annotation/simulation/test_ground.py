"""Ground truth from a file."""

from pathlib import Path

import pytest

from tactful.annotation.protocol.records import Protocol
from tactful.errors import InputError, UsageError
from tactful_lab.simulation.cases import TEXT, check_ground, read_cases, read_rates


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_has_an_item_in_each_row(tmp_path: Path, crowd_protocol: Protocol) -> None:
    text = "id,rude,odd,why,difficulty\nx,yes,no,,0.5\n,no,yes,no,\n"
    first, second = read_cases(written(tmp_path, "truth.csv", text), crowd_protocol)
    assert (first.id, first.truth, first.difficulty) == ("x", {"rude": "yes", "odd": "no"}, 0.5)
    assert (second.id, second.text, second.difficulty) == ("item-000002", TEXT, 1.0)
    assert second.truth == {"rude": "no", "odd": "yes", "why": "no"}


def test_jsonl_does_as_well(tmp_path: Path, crowd_protocol: Protocol) -> None:
    text = '{"id": 7, "text": "Quite so.", "rude": "no", "odd": "no"}\n\n'
    (case,) = read_cases(written(tmp_path, "truth.jsonl", text), crowd_protocol)
    assert (case.id, case.text, case.truth) == ("7", "Quite so.", {"rude": "no", "odd": "no"})


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("t.csv", "rude,odd\nyes,perhaps\n", r"t.csv, line 2: Question 'odd': found 'perhaps'"),
        ("t.csv", "rude,odd\nyes\n", r"t.csv, line 2: found 1 fields; expected 2"),
        ("t.csv", "rude,odd,mood\nyes,no,x\n", r"line 2: found the column 'mood'; expected id"),
        ("t.csv", "id,rude,odd\na,yes,no\na,yes,no\n", r"line 3: found the id 'a' again"),
        ("t.csv", "rude,odd,difficulty\nyes,no,hard\n", r"line 2: found the difficulty 'hard'"),
        ("t.csv", "rude,odd,difficulty\nyes,no,nan\n", r"line 2: found the difficulty 'nan'"),
        ("t.csv", "rude,odd\n", r"t.csv: found no item; expected one row for each"),
        ("t.csv", "", r"t.csv: found no item"),
        ("t.jsonl", "{]\n", r"t.jsonl, line 1: found no JSON object"),
        ("t.jsonl", "[1]\n", r"t.jsonl, line 1: found no JSON object"),
    ],
)
def test_a_bad_table_is_refused_with_its_line(
    tmp_path: Path, crowd_protocol: Protocol, name: str, text: str, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        read_cases(written(tmp_path, name, text), crowd_protocol)


def test_rates_come_from_yaml(tmp_path: Path) -> None:
    path = written(tmp_path, "rates.yaml", 'rude: {"yes": 0.1}\npcl: {0: 0.9, 2: 0.1}\n')
    assert read_rates(path) == {"rude": {"yes": 0.1}, "pcl": {"0": 0.9, "2": 0.1}}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- 1\n", "expected 'question: {option: share}'"),
        ("rude: 0.5\n", "expected 'question: {option: share}'"),
        ("rude: {a: much}\n", "question 'rude': found 'much' for 'a'; expected a number"),
        ("rude: {a: true}\n", "question 'rude': found True for 'a'; expected a number"),
        ("a: [\nb: 1\n", r"line 3: found a mistake \(.*\); expected YAML"),
    ],
)
def test_bad_rates_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_rates(written(tmp_path, "rates.yaml", text))


def test_the_ending_says_what_a_file_is() -> None:
    assert check_ground(Path("a.YML")) == "rates"
    assert check_ground(Path("a.jsonl")) == "cases"
    with pytest.raises(UsageError, match=r"a.txt: found the ending '.txt'; expected .csv or"):
        check_ground(Path("a.txt"))
