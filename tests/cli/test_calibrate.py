"""``tactful calibrate`` on files of our own, good and bad."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tactful.cli.calibrate import calibrate_cli
from tactful.errors import TactfulError

RUDE = "Only a complete fool would write garbage number {}, so shut up."
KIND = "Thank you all for lovely evening number {} at the library."
ROWS = [(RUDE.format(n), 0.95 - n / 100) for n in range(15)] + [
    (KIND.format(n), 0.02 + n / 100) for n in range(25)
]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(calibrate_cli, list(map(str, arguments)))


def calibrated(path: Path, *more: object) -> dict[str, Any]:
    result = run(path, "--attribute", "TOXICITY", "--old-threshold", 0.7, "--model", "fast",
                 "--repetitions", 100, "--format", "json", *more)  # fmt: skip
    assert result.exit_code == 0, result.exception
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def complaint(*arguments: object) -> str:
    result = run(*arguments)
    assert isinstance(result.exception, TactfulError), result.exception
    return str(result.exception)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "old.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "TOXICITY"])
        writer.writerows([row, *pair] for row, pair in enumerate(ROWS))
    return path


def test_a_table(table: Path) -> None:
    found = calibrated(table)
    assert found["schema"] == "tactful/calibrate/1"
    assert found["texts"] == 40
    assert found["correlation"]["value"] > 0.5
    (each,) = found["thresholds"]
    assert each["flagged"] == pytest.approx(15 / 40)
    assert each["same_share"]["flagged"] == pytest.approx(15 / 40)
    assert each["best_agreement"]["same"] == 1.0
    assert each["unchanged"]["same"] <= 1.0


def test_kept_answers_of_perspective_give_the_same(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    lines = [
        {
            "comment": {"text": text},
            "attributeScores": {"TOXICITY": {"summaryScore": {"value": score}}},
        }
        for text, score in ROWS
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    assert calibrated(path)["thresholds"] == calibrated(table)["thresholds"]


def test_named_columns(tmp_path: Path) -> None:
    path = tmp_path / "old.tsv"
    path.write_text(
        "words\told score\n" + "".join(f"{text}\t{score}\n" for text, score in ROWS),
        encoding="utf-8",
    )
    found = calibrated(path, "--text-column", "words", "--score-column", "old score")
    assert found["texts"] == 40


def test_the_text_report_and_the_file(table: Path, tmp_path: Path) -> None:
    output = tmp_path / "new.json"
    asked = [table, "--attribute", "TOXICITY", "--old-threshold", 0.7, "--old-threshold", 0.99,
             "--model", "fast", "--repetitions", 100, "--output", output]  # fmt: skip
    result = run(*asked)
    assert result.exit_code == 0, result.exception
    assert "TOXICITY: 40 texts with old and new scores. Rank correlation" in result.stdout
    assert "Old threshold 0.7: flagged 37.5% of the texts." in result.stdout
    assert "none: No old score is at or above 0.99." in result.stdout
    assert "same share flagged" in result.stdout
    assert len(json.loads(output.read_text())["thresholds"]) == 2
    assert "exists already" in complaint(*asked)


def test_other_languages_are_left_out_and_counted(table: Path) -> None:
    with table.open("a", encoding="utf-8") as file:
        file.write("99,Los vecinos del barrio dicen que la plaza es para todos.,0.1\n")
    assert calibrated(table)["left_out"] == 1
    assert calibrated(table, "--lang", "en")["left_out"] == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("text,TOXICITY\nhello there,much\n", "line 2: column 'TOXICITY': found no score"),
        ("text,TOXICITY\nhello there,0.5\n,0.5\n", "line 3: column 'text': found no text"),
        ("text,TOXICITY\nhello there,1.5\n", "line 2: column 'TOXICITY'"),
        ("text,TOXICITY\nhello there,nan\n", "line 2: column 'TOXICITY'"),
        (
            "text,INSULT\nhello there,0.5\n",
            "found the columns text, INSULT; expected TOXICITY or toxicity",
        ),
        ("words,TOXICITY\nhello there,0.5\n", "name another with --text-column"),
        ("text,TOXICITY\nhello, there,0.5\n", "line 2: found 3 cells; expected 2"),
        ('text,TOXICITY\n"hello there,0.5\n', "line 2: found a quoting mistake"),
        ("text,TOXICITY\n", "found no rows"),
        ("", "found no rows"),
        ("text,TOXICITY\nhello there,0.5\n", "at least 20"),
    ],
)
def test_bad_tables_name_the_line(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "old.csv"
    path.write_text(content)
    told = complaint(path, "--attribute", "TOXICITY", "--old-threshold", 0.8, "--model", "fast")
    assert said in told


@pytest.mark.parametrize("line", ["[1]", "{", '{"text": 5, "TOXICITY": 0.5}'])
def test_bad_lines_of_json(tmp_path: Path, line: str) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text('{"text": "hello there", "TOXICITY": 0.5}\n' + line + "\n")
    assert "line 2" in complaint(path, "--attribute", "TOXICITY", "--old-threshold", 0.8)


def test_an_id_of_toxicity_is_compared_where_the_detector_scores_it(
    toxic_folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "threats.csv"
    rows = [f"You will not walk home from match {n}.,0.9" for n in range(10)]
    rows += [f"We will all walk home from match {n}.,0.1" for n in range(15)]
    path.write_text("text,THREAT\n" + "\n".join(rows) + "\n")
    result = run(path, "--attribute", "THREAT", "--old-threshold", 0.5, "--model", toxic_folder,
                 "--repetitions", 50, "--format", "json")  # fmt: skip
    assert result.exit_code == 0, result.exception
    (each,) = json.loads(result.stdout)["thresholds"]
    assert each["best_agreement"]["kappa"] == 1
    ask = (path, "--attribute", "INSULT", "--old-threshold", 0.5, "--model", toxic_folder)
    assert "found the columns text, THREAT" in complaint(*ask)
    assert "does not score toxicity.insult in the language 'fr'" in complaint(*ask, "--lang", "fr")
    assert "does not score unhealthy" in complaint(*ask, "--attribute", "UNHEALTHY")


def test_what_cannot_be_scored(table: Path) -> None:
    ask = (table, "--old-threshold", 0.8, "--attribute")
    assert "The nearest attribute is UNHEALTHY" in complaint(*ask, "SPAM")
    assert "Did you mean 'TOXICITY'?" in complaint(*ask, "TOXICTY")
    other = ("STEREOTYPE", "--score-column", "TOXICITY", "--lang", "en")
    assert "does not score stereotype in the language 'en'" in complaint(*ask, *other)
    assert "found the ending '.txt'" in complaint(table.with_suffix(".txt"), *ask[1:], "TOXICITY")


def test_the_thresholds_are_those_of_the_servers_scale(table: Path) -> None:
    found = calibrated(table)
    raw = calibrated(table, "--scale", "probability")
    assert (found["scale"], raw["scale"]) == ("perspective", "probability")
    ours, theirs = (
        each["thresholds"][0]["same_share"]["threshold"]["value"] for each in (raw, found)
    )
    assert theirs > ours  # the shipped scale lifts probabilities


def test_a_written_scale_flags_the_same_share(table: Path, tmp_path: Path) -> None:
    scale = tmp_path / "scale.json"
    calibrated(table, "--write-scale", scale)
    found = calibrated(table, "--scale", scale)
    (each,) = found["thresholds"]
    assert each["unchanged"]["flagged"] == pytest.approx(each["flagged"], abs=0.03)
    assert each["unchanged"]["same"] > 0.9
    # A second attribute is added to the file, and the first one stays.
    calibrated(table, "--attribute", "INSULT", "--score-column", "TOXICITY", "--write-scale", scale)
    (ids,) = json.loads(scale.read_text())["models"].values()
    assert set(ids) == {"toxicity", "toxicity.insult"}


def test_a_scale_that_cannot_be_used_says_why(table: Path, tmp_path: Path) -> None:
    ask = (table, "--attribute", "TOXICITY", "--old-threshold", 0.8, "--model", "fast", "--scale")
    assert "expected perspective, probability, or a file" in complaint(*ask, "nowhere.json")
    bad = tmp_path / "bad.json"
    for content, said in (
        ("{", "no JSON"),
        ("[]", "no 'models'"),
        ('{"schema": "tactful/scale/1", "models": {}}', "for no model; this server runs fast-en"),
        ('{"schema": "tactful/scale/1", "models": {"m 1": {"x": [[0, 0]]}}}', "m 1, x: found no"),
        ('{"schema": "tactful/scale/1", "models": {"m 1": {"x": [[0, 0], [2]]}}}', "no pair"),
        (
            '{"schema": "tactful/scale/1", "models": {"m 1": {"x": [[0, 0], [1, 0]]}}}',
            "from [0, 0]",
        ),
        (
            '{"schema": "tactful/scale/1", "models": {"m 1": {"x": [[0, 0], [NaN, 0.5], [1, 1]]}}}',
            "do not rise",
        ),
    ):
        bad.write_text(content)
        assert said in complaint(*ask, bad), content
