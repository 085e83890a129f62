"""Telling what was wrong: briefly beside a result, in full when asked, as data for JSON."""

import json

import pytest

from tactful.cli.problems import problems_as_data, say_all, say_briefly
from tactful.corpora.files.problems import ProblemLog
from tactful.errors import Problem, Severity


def problem(line: int, code: str = "value", severity: Severity = Severity.ERROR) -> Problem:
    return Problem("a.csv", line, code, "'x'", "0 or 1", "it was so", severity, "label")


def log_of(*problems: Problem, left_out: int = 0, limit: int = 1000) -> ProblemLog:
    log = ProblemLog(limit)
    for one in problems:
        log.add(one)
    log.rows_left_out = left_out
    return log


def test_nothing_wrong_is_said_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    say_briefly(log_of(), "see this")
    assert capsys.readouterr() == ("", "")
    say_all(log_of(), 10)
    assert capsys.readouterr() == ("No row was left out.\n", "")


def test_briefly_goes_to_standard_error_with_the_first_places(
    capsys: pytest.CaptureFixture[str],
) -> None:
    errors = [problem(line) for line in range(2, 10)]
    repaired = [problem(20, "span end", Severity.REPAIRED), problem(21, "extra", Severity.NOTE)]
    say_briefly(log_of(*errors, *repaired, left_out=8), "tactful corpus validate x")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "Left out: 8 rows",
        "  value: 8",
        *(
            f"    a.csv, line {line}: column 'label': found 'x'; expected 0 or 1; it was so."
            for line in range(2, 7)
        ),
        "    … and 3 more",
        "Kept, but not as found: 1 span end (repaired), 1 extra (note); "
        "see: tactful corpus validate x",
    ]


def test_all_is_said_by_severity_and_kind(capsys: pytest.CaptureFixture[str]) -> None:
    log = log_of(
        problem(5, "moved", Severity.REPAIRED),
        problem(2),
        problem(3, "field count"),
        problem(9, "empty text", Severity.NOTE),
        left_out=2,
    )
    say_all(log, 10)
    captured = capsys.readouterr()
    assert captured.err == ""
    headings = [line for line in captured.out.splitlines() if not line.startswith(" ")]
    assert headings == ["Left out: 2 rows", "Repaired: 1 row", "Worth a note: 1 row"]
    assert captured.out.count("a.csv, line") == 4


def test_a_row_with_two_problems_is_one_row(capsys: pytest.CaptureFixture[str]) -> None:
    say_all(log_of(problem(2), problem(2, "empty cell"), left_out=1), 10)
    assert capsys.readouterr().out.startswith("Left out: 1 row\n")


@pytest.mark.parametrize(("show", "places", "more"), [(0, 0, False), (2, 2, True), (3, 3, False)])
def test_how_many_places_are_shown(
    show: int, places: int, more: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    say_all(log_of(problem(2), problem(3), problem(4), left_out=3), show)
    out = capsys.readouterr().out
    assert out.count("a.csv, line") == places
    assert ("… and 1 more" in out) is more
    assert "  value: 3\n" in out


def test_what_was_not_kept_is_still_counted(capsys: pytest.CaptureFixture[str]) -> None:
    log = log_of(*[problem(line) for line in range(2, 8)], left_out=6, limit=2)
    say_all(log, 4)
    out = capsys.readouterr().out
    assert out.count("a.csv, line") == 2
    assert "… and 4 more" in out


def test_problems_as_data_are_json() -> None:
    log = log_of(problem(2), problem(5, "moved", Severity.REPAIRED), left_out=1)
    assert json.loads(json.dumps(problems_as_data(log))) == {
        "rows left out": 1,
        "errors": 1,
        "repaired": 1,
        "notes": 0,
        "kinds": [
            {"severity": "error", "code": "value", "count": 1},
            {"severity": "repaired", "code": "moved", "count": 1},
        ],
        "places": [
            {
                "file": "a.csv",
                "line": 2,
                "column": "label",
                "severity": "error",
                "code": "value",
                "found": "'x'",
                "expected": "0 or 1",
                "action": "it was so",
            },
            {
                "file": "a.csv",
                "line": 5,
                "column": "label",
                "severity": "repaired",
                "code": "moved",
                "found": "'x'",
                "expected": "0 or 1",
                "action": "it was so",
            },
        ],
    }
