import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.corpora.files.problems import ProblemLog, merge, show
from tactful.errors import BadRowsError, Problem, Severity


def problem(line: int, code: str = "value", severity: Severity = Severity.ERROR) -> Problem:
    return Problem("a.csv", line, code, "'x'", "a number", "the row was left out", severity)


PROBLEMS = st.lists(
    st.builds(
        problem,
        st.integers(1, 99),
        st.sampled_from(["value", "encoding"]),
        st.sampled_from(list(Severity)),
    ),
    max_size=30,
)


@given(PROBLEMS, st.integers(1, 5))
def test_all_are_counted_and_the_first_of_each_kind_are_kept(
    problems: list[Problem], limit: int
) -> None:
    log = ProblemLog(limit)
    for each in problems:
        log.add(each)
    for severity in Severity:
        of_this = [each for each in problems if each.severity is severity]
        assert log.total(severity) == len(of_this)
        for code in ("value", "encoding"):
            kind = [each for each in of_this if each.code == code]
            assert log.counts[severity, code] == len(kind)
            kept = [each for each in log.of(severity) if each.code == code]
            assert kept == kind[:limit]
    assert log.kept == [each for each in problems if any(each is kept for kept in log.kept)]


@given(st.lists(PROBLEMS, max_size=4))
def test_merging_loses_nothing(lists: list[list[Problem]]) -> None:
    logs = []
    for problems in lists:
        log = ProblemLog()
        for each in problems:
            log.add(each)
            log.rows_left_out += 1
        logs.append(log)
    merged = merge(logs)
    flat = [each for problems in lists for each in problems]
    assert merged.kept == flat
    assert merged.rows_left_out == len(flat)
    assert sum(merged.counts.values()) == len(flat)
    before = [len(log.kept) for log in logs]
    merged.add(problem(1))
    assert [len(log.kept) for log in logs] == before


def test_errors_are_raised_together_and_notes_are_not() -> None:
    log = ProblemLog()
    log.add(problem(1, severity=Severity.NOTE))
    log.add(problem(2, severity=Severity.REPAIRED))
    log.raise_errors()
    log.add(problem(3))
    log.add(problem(4))
    log.rows_left_out = 2
    with pytest.raises(BadRowsError) as caught:
        log.raise_errors()
    assert [each.line for each in caught.value.problems] == [3, 4]
    assert caught.value.total == 2


def test_problems_that_were_not_kept_are_raised_all_the_same() -> None:
    log = ProblemLog(limit=1)
    for line in range(1, 6):
        log.add(problem(line))
        log.rows_left_out += 1
    with pytest.raises(BadRowsError, match=r"^5 rows are not as expected"):
        log.raise_errors()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "nothing"),
        ("", "nothing"),
        ("7", "'7'"),
        ("it's", '"it\'s"'),
        ("tab\there", "'tab\\there'"),
        ("café", "'caf\\xe9'"),
        ("one two three four five", "'one two three four five'"),
        ("one two three four five six", "a text of 27 characters"),
        ("x" * 41, "a text of 41 characters"),
    ],
)
def test_a_value_is_shown_and_a_text_is_not(value: str | None, shown: str) -> None:
    assert show(value) == shown


@given(st.text())
def test_what_is_shown_fits_a_line_of_plain_letters(value: str) -> None:
    shown = show(value)
    assert shown.isascii()
    assert shown.isprintable()
    if len(value.split()) > 5:
        assert shown == f"a text of {len(value)} characters"
