import math
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.corpora.files.checks import SeenKeys, refuse_repeated, typed
from tactful.corpora.files.delimited import LINE
from tactful.corpora.files.problems import ProblemLog
from tactful.corpora.files.tables import DTYPES, Column, TableSpec
from tactful.errors import Severity

PATH = Path("folder/items.csv")


def check(
    column: Column, cells: list[str], first_line: int = 2
) -> tuple[list[object], list[int], ProblemLog]:
    """Return the values that are kept, their lines, and what was wrong."""
    raw = pl.DataFrame(
        {column.name: cells, LINE: range(first_line, first_line + len(cells))},
        schema={column.name: pl.String, LINE: pl.Int64},
    )
    log = ProblemLog()
    frame = typed(PATH, raw, TableSpec("items", (column,)), log)
    assert frame.schema[column.name] == DTYPES[column.kind]
    return frame[column.name].to_list(), frame[LINE].to_list(), log


LABEL = Column("label", "integer", low=0, high=4)


# ---- values -------------------------------------------------------------------------------------


def test_good_values_become_numbers() -> None:
    assert check(LABEL, ["0", " 4 ", "2.0", "1e0", "+3", "-0"])[0] == [0, 4, 2, 1, 3, 0]
    assert check(Column("x", "number"), ["0.5", "-2", "1e-3"])[0] == [0.5, -2.0, 0.001]
    assert check(Column("x", "flag"), ["0", "1", "1.0"])[0] == [0, 1, 1]
    assert check(Column("x", "id"), [" a1 ", "007"])[0] == ["a1", "007"]


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        (LABEL, "5"),
        (LABEL, "-1"),
        (LABEL, "1.5"),
        (LABEL, "two"),
        (LABEL, "NaN"),
        (LABEL, "inf"),
        (LABEL, "1,5"),
        (LABEL, "1_0"),
        (LABEL, "0x1"),
        (LABEL, "9" * 40),
        (Column("label", "integer"), "1e300"),
        (Column("label", "integer"), "9223372036854775808"),
        (Column("label", "integer"), "-inf"),
        (Column("label", "integer"), "nan"),
        (Column("label", "integer", low=1), "0"),
        (Column("label", "integer", high=1), "2"),
        (Column("label", "number"), "NaN"),
        (Column("label", "number"), "inf"),
        (Column("label", "number"), "-inf"),
        (Column("label", "number"), "1e999"),
        (Column("label", "number"), "half"),
        (Column("label", "number", low=0, high=1), "1.0001"),
        (Column("label", "number", low=0, high=1), "nan"),
        (Column("label", "number", low=0), "-0.1"),
        (Column("label", "number", high=1), "1.1"),
        (Column("label", "flag"), "2"),
        (Column("label", "flag"), "0.5"),
        (Column("label", "flag"), "yes"),
        (Column("label", "id", allowed=("yes", "no")), "maybe"),
        (Column("label", "integer", allowed=("1", "3")), "2"),
    ],
)
def test_a_value_that_does_not_fit_costs_its_row(column: Column, cell: str) -> None:
    good = (column.allowed or ("1",))[0]
    values, lines, log = check(column, [good, cell, good])
    assert lines == [2, 4]
    assert len(values) == 2
    [problem] = log.kept
    assert (problem.file, problem.line, problem.column) == ("items.csv", 3, "label")
    assert (problem.code, problem.severity) == ("value", Severity.ERROR)
    assert problem.expected == column.expectation()
    assert problem.action == "the row was left out"


def test_the_sentence_says_what_was_found_and_expected() -> None:
    [problem] = check(LABEL, ["7"])[2].kept
    assert str(problem) == (
        "items.csv, line 2: column 'label': found '7'; expected a whole number from 0 to 4; "
        "the row was left out."
    )


def test_a_text_in_the_place_of_a_label_is_not_shown() -> None:
    [problem] = check(LABEL, ["a whole sentence stands here by mistake"])[2].kept
    assert problem.found == "a text of 39 characters"


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=8))
def test_every_whole_number_is_read_to_its_last_digit(numbers: list[int]) -> None:
    values, _, log = check(Column("x", "integer"), [str(number) for number in numbers])
    assert values == numbers
    assert not log.kept


@given(st.lists(st.floats(), max_size=8), st.floats(-5, 5), st.floats(-5, 5))
def test_numbers_are_kept_exactly_when_they_are_in_range(
    numbers: list[float], low: float, high: float
) -> None:
    column = Column("x", "number", low=low, high=high)
    values, _, log = check(column, [repr(number) for number in numbers])
    assert values == [number for number in numbers if low <= number <= high]
    assert log.total() == len(numbers) - len(values)
    finite = check(Column("x", "number"), [repr(number) for number in numbers])[0]
    assert finite == [number for number in numbers if math.isfinite(number)]


# ---- empty cells --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["text", "id", "integer", "number", "flag"])
@pytest.mark.parametrize("blank", ["", "  ", "\t", "\u00a0"])
def test_an_empty_cell_is_an_error_unless_said_otherwise(kind: str, blank: str) -> None:
    values, lines, log = check(Column("x", kind), ["1", blank, "0"])  # type: ignore[arg-type]
    assert (len(values), lines) == (2, [2, 4])
    [problem] = log.kept
    assert (problem.code, problem.line, problem.found) == ("empty cell", 3, "nothing")


@pytest.mark.parametrize("kind", ["text", "id", "integer", "number", "flag"])
def test_an_empty_cell_may_be_no_value(kind: str) -> None:
    column = Column("x", kind, empty="null", low=0, high=1)  # type: ignore[arg-type]
    values, _, log = check(column, ["1", "", " "])
    assert values[1:] == [None, None]
    assert not log.kept


def test_an_empty_cell_with_a_list_of_values() -> None:
    column = Column("x", "id", allowed=("yes",), empty="null")
    values, _, log = check(column, ["yes", "", "no"])
    assert values == ["yes", None]
    assert [problem.found for problem in log.kept] == ["'no'"]


def test_an_empty_text_may_be_kept_and_noted() -> None:
    values, lines, log = check(Column("text", empty="note"), ["a", "", " "])
    assert (values, lines) == (["a", "", " "], [2, 3, 4])
    assert [(problem.line, problem.code) for problem in log.kept] == [
        (3, "empty text"),
        (4, "empty text"),
    ]
    assert log.total(Severity.NOTE) == 2
    assert log.total() == 0
    assert log.kept[0].column == "text"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])).filter(str.strip), max_size=6))
def test_texts_stay_exactly_as_they_are(texts: list[str]) -> None:
    padded = [f"  {text}\n" for text in texts]
    assert check(Column("text"), padded)[0] == padded


# ---- whole tables -------------------------------------------------------------------------------


def test_absent_columns_are_null_and_extra_ones_stay_text_at_the_end() -> None:
    spec = TableSpec("items", (Column("id", "id"), Column("score", "number", required=False)))
    raw = pl.DataFrame({"mood": ["calm"], "id": ["1"], LINE: [2]})
    frame = typed(PATH, raw, spec, ProblemLog())
    assert frame.columns == ["id", "score", "mood", LINE]
    assert frame.row(0) == ("1", None, "calm", 2)
    assert frame.schema["score"] == pl.Float64


def test_a_row_with_two_mistakes_is_left_out_once_and_both_are_told() -> None:
    spec = TableSpec("items", (Column("a", "integer"), Column("b", "integer")))
    raw = pl.DataFrame({"a": ["x", "1", "2"], "b": ["y", "1", "z"], LINE: [2, 3, 4]})
    log = ProblemLog()
    assert typed(PATH, raw, spec, log).rows() == [(1, 1, 3)]
    assert sorted((p.line or 0, p.column) for p in log.kept) == [(2, "a"), (2, "b"), (4, "b")]


def test_a_batch_without_rows_has_its_columns() -> None:
    spec = TableSpec("items", tuple(Column(kind, kind) for kind in DTYPES), key=("id",))
    names = {str(kind): pl.String for kind in DTYPES}
    raw = pl.DataFrame(schema={**names, LINE: pl.Int64})
    log = ProblemLog()
    frame = typed(PATH, raw, spec, log)
    assert dict(frame.drop(LINE).schema) == DTYPES
    assert refuse_repeated(PATH, frame, spec, SeenKeys(), log).height == 0
    assert not log.kept


# ---- repeated keys ------------------------------------------------------------------------------

KEYS = st.tuples(st.sampled_from("abcdefgh"), st.one_of(st.none(), st.sampled_from("xy")))
BATCHES = st.lists(
    st.tuples(st.sampled_from(["one.csv", "two.csv"]), st.lists(KEYS, max_size=7)), max_size=12
)


@given(BATCHES)
def test_repeated_keys_are_found_as_a_plain_table_finds_them(
    batches: list[tuple[str, list[tuple[str, str | None]]]],
) -> None:
    seen = SeenKeys()
    model: dict[tuple[str, str | None], tuple[str, int]] = {}
    line = 2
    for file, keys in batches:
        expected = []
        for at, key in enumerate(keys):
            if key in model:
                expected.append((at, *model[key]))
            else:
                model[key] = (file, line + at)
        frame = pl.DataFrame(keys, schema={"a": pl.String, "b": pl.String}, orient="row")
        lines = pl.Series(range(line, line + len(keys)), dtype=pl.Int64)
        assert seen.add(frame, lines, file) == expected
        line += len(keys) + 3


@given(st.lists(st.integers(0, 10**18), unique=True, max_size=200), st.integers(1, 50))
@settings(max_examples=40)
def test_many_batches_of_any_size(numbers: list[int], size: int) -> None:
    seen = SeenKeys()
    frame = pl.DataFrame({"id": [str(number) for number in numbers]}, schema={"id": pl.String})
    lines = pl.Series(range(len(numbers)), dtype=pl.Int64)
    for start in range(0, len(numbers), size):
        assert seen.add(frame[start : start + size], lines[start : start + size], "a") == []
    again = seen.add(frame.reverse(), lines.reverse() + 1_000, "b")
    assert again == [(at, "a", line) for at, line in enumerate(reversed(range(len(numbers))))]


KEYED = TableSpec("items", (Column("id", "id"), Column("worker", "id")), key=("id", "worker"))


def batch(ids: str, workers: str, first_line: int) -> pl.DataFrame:
    lines = range(first_line, first_line + len(ids))
    return pl.DataFrame({"id": list(ids), "worker": list(workers), LINE: lines})


def test_a_row_that_comes_again_is_left_out_in_and_across_batches_and_files() -> None:
    seen, log = SeenKeys(), ProblemLog()
    first = refuse_repeated(PATH, batch("aab", "xyx", 2), KEYED, seen, log)
    assert first[LINE].to_list() == [2, 3, 4]
    assert not log.kept
    second = refuse_repeated(PATH, batch("cca", "xxy", 5), KEYED, seen, log)
    assert second[LINE].to_list() == [5]
    third = refuse_repeated(Path("more.csv"), batch("bd", "xx", 2), KEYED, seen, log)
    assert third[LINE].to_list() == [3]
    assert [(p.file, p.line, p.code) for p in log.kept] == [
        ("items.csv", 6, "repeated id"),
        ("items.csv", 7, "repeated id"),
        ("more.csv", 2, "repeated id"),
    ]
    assert [problem.found for problem in log.kept] == [
        "id 'c', worker 'x', already on line 5",
        "id 'a', worker 'y', already on line 3",
        "id 'b', worker 'x', already on line 4 of items.csv",
    ]


def test_a_table_without_a_key_may_repeat_its_rows() -> None:
    spec = TableSpec("items", KEYED.columns)
    rows = batch("aaa", "xxx", 2)
    assert refuse_repeated(PATH, rows, spec, SeenKeys(), ProblemLog()) is rows


def test_parts_of_a_key_do_not_run_into_each_other() -> None:
    frame = pl.DataFrame({"a": ["ab", "a", ""], "b": ["", "b", "ab"]})
    assert SeenKeys().add(frame, pl.Series([1, 2, 3]), "a") == []
