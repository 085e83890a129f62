"""The summary at the end of a run, for people and for scripts."""

import io
import json
import sys

import pytest
from tests.scale.made import SCORER, Row, counted

from tactful.cli.score.summary import echo_summary, histogram_line
from tactful.scale.summary import Summary, summary_as_data

ROWS: list[Row] = [
    *((f"0.{at % 10} 0 0.1", "a") for at in range(100)),
    ("", "b"),
    (None, "b"),
    (None, "b"),
]


def printed(capsys: pytest.CaptureFixture[str], *args: object) -> str:
    echo_summary(*args)  # type: ignore[arg-type]
    out, err = capsys.readouterr()
    assert out == ""
    return err


def test_the_end_says_what_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    summary = counted(ROWS)
    summary.fresh, summary.skipped = 53, 1
    said = printed(capsys, summary, SCORER.model, 4.0)
    assert "103 rows, 100 scored with numbers 1 in 4.0 s (26 rows per second)." in said
    assert "50 rows reused the scores of equal texts." in said
    assert "1 row could not be read and was left out." in said
    assert "50 rows with any finding (50.0 %)." in said
    lines = {line.split()[0]: line for line in said.splitlines() if line}
    assert lines["no"].split() == ["no", "text", "2"]
    assert lines["empty"].split() == ["empty", "text", "1"]
    assert lines["kind"].split()[1:4] == ["50", "50.0", "%"]
    assert lines["kind"].endswith("|█ █ █ █ █ █ █ █ █ █ |")
    assert "no threshold" in lines["other"]
    assert not [line for line in said.splitlines() if line != line.rstrip()]


@pytest.mark.parametrize(
    ("seconds", "said"), [(75.0, "1 min 15 s"), (7384.0, "2 h 3 min"), (0.0, "numbers 1.")]
)
def test_times_are_said_in_words(
    capsys: pytest.CaptureFixture[str], seconds: float, said: str
) -> None:
    assert said in printed(capsys, counted(ROWS), SCORER.model, seconds)


def test_nothing_at_all_is_said_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, Summary(), "m").startswith("0 rows, 0 scored with m.\n")
    assert "0 rows with any finding (not known)." in printed(capsys, counted([]), "m")


def test_a_stream_without_blocks_gets_plain_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(raw, encoding="ascii"))
    echo_summary(counted(ROWS), "numbers 1")
    sys.stderr.flush()
    assert b"|@ @ @ @ @ @ @ @ @ @ |" in raw.getvalue()


def test_what_errors_say_cannot_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    summary = Summary(rows=1, errors={"bad \x1b[2J\u202ename": 1})
    said = printed(capsys, summary, "m\x1b[31m")
    assert "bad \\x1b[2J\\u202ename" in said
    assert "\x1b" not in said


def test_many_reasons_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    summary = Summary(rows=30, errors={f"reason {at:02}": 1 for at in range(15)})
    said = printed(capsys, summary, "m")
    assert "(5 more reasons)" in said
    assert "reason 12" not in said


def test_a_bin_with_one_text_is_seen_beside_a_million() -> None:
    assert histogram_line([10**6, 1, 0]) == "█▁ "
    assert histogram_line([0, 0]) == "  "
    assert histogram_line([1, 0]) == "▁ "


def test_scripts_get_all_of_it() -> None:
    summary = counted(ROWS, source="part")
    data = json.loads(json.dumps(summary_as_data(summary)))
    assert data["schema_version"] == 1
    assert data["errors"] == {"empty text": 1, "no text": 2}
    assert data["ids"]["kind"]["share"] == 0.5
    assert data["ids"]["kind"]["interval_95"] == pytest.approx([0.4038, 0.5962], abs=5e-5)
    assert data["ids"]["kind"]["reason"] is None
    assert data["ids"]["other"]["share"] is None
    assert data["ids"]["other"]["reason"] == "the model names no threshold for it"
    assert data["by"]["source"][1]["found"]["kind"] == {"rows": 0, "of": 0}
    assert data["extremes"]["kind"][0]["source"] == "part"
    assert data["extremes"]["kind"][0]["times"] == 10
    nothing = summary_as_data(counted([("", None)]))["ids"]["kind"]
    assert (nothing["share"], nothing["reason"]) == (None, "no text has a probability of it")


def test_pairs_stand_once() -> None:
    data = summary_as_data(counted([("0.9 0.9 0", None)]))
    assert data["together"] == [{"ids": ["kind", "kind.fine"], "rows": 1}]
