import inspect
import re

import pytest

from tactful import errors
from tactful.errors import BadRowsError, MissingExtraError, Problem, Severity, TactfulError

CLASSES = [
    value
    for _, value in inspect.getmembers(errors, inspect.isclass)
    if issubclass(value, Exception) and value.__module__ == errors.__name__
]


def problem(line: int | None = 3, column: str | None = "label") -> Problem:
    return Problem(
        "a.tsv", line, "bad-label", "'x'", "0 to 4", "the row was left out", column=column
    )


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_every_error_descends_from_the_root(error: type[Exception]) -> None:
    assert issubclass(error, TactfulError)


def test_the_docstring_draws_the_whole_tree() -> None:
    drawn: dict[str, str] = {}
    parents: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"^ {4}([ │├└─]*)(\w+Error)\b", line)
        if match:
            depth = len(match[1]) // 4
            parents[depth:] = [match[2]]
            drawn[match[2]] = parents[depth - 1] if depth else "Exception"
    assert drawn == {error.__name__: error.__bases__[0].__name__ for error in CLASSES}


def test_the_drawn_exit_codes_are_the_real_ones() -> None:
    text = errors.__doc__ or ""
    for name, code in re.findall(r"(\w+Error) .*exit code (\d)", text):
        assert getattr(errors, name).exit_code == int(code)


def test_a_problem_is_one_sentence() -> None:
    assert str(problem()) == (
        "a.tsv, line 3: column 'label': found 'x'; expected 0 to 4; the row was left out."
    )


def test_a_problem_without_a_place_in_the_file() -> None:
    assert str(problem(None, None)) == ("a.tsv: found 'x'; expected 0 to 4; the row was left out.")


def test_a_problem_is_an_error_unless_said_otherwise() -> None:
    assert problem().severity is Severity.ERROR
    assert [str(severity) for severity in Severity] == ["error", "repaired", "note"]


def test_one_bad_row_is_shown_in_full() -> None:
    error = BadRowsError([problem()], 1)
    assert str(error) == f"1 row is not as expected:\n  {problem()}"
    assert error.problems == (problem(),)


def test_many_bad_rows_are_counted_and_some_are_shown() -> None:
    error = BadRowsError([problem(line) for line in range(1, 31)], 5_000)
    lines = str(error).splitlines()
    assert lines[0] == "5,000 rows are not as expected:"
    assert lines[-1].strip() == "…"
    assert len(lines) == 12
    assert len(error.problems) == 30


def test_a_missing_extra_answers_with_the_command() -> None:
    error = MissingExtraError("plot", "Drawing a figure")
    assert str(error) == (
        "Drawing a figure needs the optional extra 'plot'; install it with: "
        'pip install "tactful[plot]"'
    )
    assert error.extra == "plot"
