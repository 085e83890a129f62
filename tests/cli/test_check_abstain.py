"""``tactful check --abstain``: what the limits do not rule out to be wrong is left out."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.phrase_detector import PHRASES, PhraseDetector

from tactful.checking.abstaining import Limit, Limits
from tactful.cli.main import cli, main

pytestmark = pytest.mark.usefixtures("phrases")
TEXT = "These poor souls hope."


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def limits(no_up_to: float, name: str = "pcl", path: str = "limits.json") -> str:
    card = PhraseDetector.card
    limit = Limit(no_up_to, 0.0, (10, 10))
    Limits(card.model, card.lang, "ours", 0.1, {name: limit}).write(Path(path), force=True)
    return path


def check(*arguments: str) -> Result:
    return CliRunner().invoke(
        cli, ["check", "--text", TEXT, "--format", "json", *arguments], catch_exceptions=False
    )


def test_a_finding_goes_exactly_where_no_is_not_ruled_out() -> None:
    whole = json.loads(check().stdout)
    (finding,) = whole["documents"][0]["findings"]
    kinds = {kind["id"]: kind["probability"] for kind in finding["kinds"]}
    assert kinds["pcl"] == pytest.approx(PHRASES["pcl"][0])
    above, below = kinds["pcl"] + 1e-4, kinds["pcl"] - 1e-4
    assert json.loads(check("--abstain", limits(below)).stdout) == whole
    answer = check("--abstain", limits(above), "--fail-on", "0")
    report = json.loads(answer.stdout)
    # The categories of PCL go with it, and nothing is left to fail on.
    assert (answer.exit_code, report["documents"][0]["findings"]) == (0, [])
    assert report["summary"]["unsure"] == report["documents"][0]["unsure"] == 1


def test_the_report_says_how_many_were_left_out() -> None:
    for lang, words in (("en", "1 too unsure to report"), ("es", "1 demasiado inseguro")):
        said = check("--abstain", limits(1), "--format", "text", "--report-lang", lang)
        assert words in said.stdout


def test_a_category_can_go_alone() -> None:
    (finding,) = json.loads(check().stdout)["documents"][0]["findings"]
    category = next(kind["id"] for kind in finding["kinds"] if kind["id"] != "pcl")
    report = json.loads(check("--abstain", limits(1, category)).stdout)
    (left,) = report["documents"][0]["findings"]
    assert {kind["id"] for kind in left["kinds"]} == {kind["id"] for kind in finding["kinds"]} - {
        category
    }
    assert "unsure" not in report["summary"]


def fails(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["check", "--text", TEXT, *arguments])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, capsys.readouterr().err


def test_files_that_cannot_be_used(capsys: pytest.CaptureFixture[str]) -> None:
    limits(0.5)
    found = fails(capsys, "--abstain", "limits.json", "--abstain", "limits.json")
    assert found[0] == 2
    assert "give each id once" in found[1]
    assert "no file 'nowhere'" in fails(capsys, "--abstain", "nowhere")[1]
    good = json.loads(Path("limits.json").read_text(encoding="utf-8"))
    for changed, said in (
        ({"detector": "other 1"}, "other 1"),
        ({"lang": "es"}, "expected those of"),
        ({"schema": "x"}, "the schema 'x'"),
        ({"error": 2}, "2 is not a number from 0 to 1"),
        (
            {"ids": {"pcl": {"no_up_to": True, "yes_from": 0, "items": [1, 2]}}},
            "True is not a number",
        ),
        ({"ids": {"pcl": {"yes_from": 0, "items": [1, 2]}}}, "no_up_to"),
        ({"ids": []}, "unusable limits"),
    ):
        Path("bad.json").write_text(json.dumps({**good, **changed}), encoding="utf-8")
        code, message = fails(capsys, "--abstain", "bad.json")
        assert code in (1, 2)
        assert said in message
        assert "Traceback" not in message
    Path("bad.json").write_text("{", encoding="utf-8")
    assert "something that is not JSON" in fails(capsys, "--abstain", "bad.json")[1]
