"""``tactful check`` and ``tactful score`` agree: what one reports, the other gives the score of."""

import csv
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tactful.checking.reports import RENDERERS
from tactful.cli.main import cli
from tactful_lab.evaluation.identity_bias import neutral_sentences

MENTION = "My neighbour is Muslim and we share a garden."
OFFENCE = "Women are too stupid to vote."


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()  # no configuration above is looked for
    monkeypatch.chdir(tmp_path)


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, args, catch_exceptions=False)


@pytest.mark.parametrize("output_format", RENDERERS.built_in)
def test_the_name_of_a_society_can_be_reported_on(output_format: str) -> None:
    """It once ended in a traceback: a finding was left without the one that it belongs under."""
    result = run("check", "--text", "Rape Crisis Society", "--format", output_format)
    assert result.exit_code == 0
    assert "frame.lewd: " not in result.stdout


@pytest.mark.parametrize("model", ["default", "fast"])
def test_they_agree_on_sentences_with_and_without_offence(model: str) -> None:
    sentences = [each.text for each in neutral_sentences()]
    texts = [MENTION, OFFENCE, *random.Random(2).sample(sentences, 60)]
    Path("letter.txt").write_text("\n\n".join(texts), encoding="utf-8")
    with Path("table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in texts)])
    options = ("--model", model, "--lang", "en")
    ids = ("frame.offensive", "frame.intent", "frame.group")
    limits = [word for name in ids for word in ("--threshold", f"{name}=0.6")]
    checked = run("check", "letter.txt", "--format", "json", "--frames", "off", *options, *limits)
    assert run("score", "table.csv", "-o", "scored.csv", "--quiet", *options).exit_code == 0
    with Path("scored.csv").open(newline="") as file:
        rows = {row["text"]: row for row in csv.DictReader(file)}
    found = [
        (each["excerpt"], kind["id"], kind["probability"])
        for each in json.loads(checked.stdout)["documents"][0]["findings"]
        for kind in each["kinds"]
        if kind["id"] in ids
    ]
    assert (OFFENCE, "frame.offensive") in [each[:2] for each in found]
    assert MENTION not in [each[0] for each in found]
    scored = {(text, name): float(row[name]) for text, row in rows.items() for name in ids}
    for text, name, probability in found:
        assert scored[text, name] == pytest.approx(probability, abs=6e-5)
    offensive = {text for text in texts if scored[text, "frame.offensive"] >= 0.6}
    expected = {
        (text, name) for (text, name), score in scored.items() if score >= 0.6 and text in offensive
    }
    assert {each[:2] for each in found} == expected


def test_the_worst_rows_are_not_those_that_mention_somebody() -> None:
    with Path("table.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [["text"], [MENTION], ["You silly fool."], ["The bus was late."]]
        )
    options = ("--model", "fast", "--lang", "en", "--top-by", "frame.offensive", "--quiet")
    run("score", "table.csv", "-o", "scored.csv", "--top", "1", *options)
    assert MENTION not in Path("scored.top.csv").read_text(encoding="utf-8")


def test_a_mention_is_no_offence_without_frames_either() -> None:
    result = run("check", "--text", MENTION, "--frames", "off", "--format", "json")
    assert json.loads(result.stdout)["documents"][0]["findings"] == []
