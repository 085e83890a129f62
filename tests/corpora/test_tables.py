import dataclasses

import polars as pl
import pytest

from tactful.corpora.files.tables import DTYPES, Column, Layout, TableSpec


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (Column("text"), "some text"),
        (Column("id", "id"), "an identifier"),
        (Column("label", "integer"), "a whole number"),
        (Column("label", "integer", low=0, high=4), "a whole number from 0 to 4"),
        (Column("end", "integer", low=0, high=10_000_000), "a whole number from 0 to 10,000,000"),
        (Column("score", "number", low=0, high=0.5), "a number from 0 to 0.5"),
        (Column("score", "number", low=0), "a number, 0 or more"),
        (Column("score", "number", high=1), "a number, 1 at most"),
        (Column("flag", "flag"), "0 or 1"),
        (Column("class", "id", allowed=("yes", "no")), "one of yes, no"),
    ],
)
def test_a_column_says_what_it_expects(column: Column, words: str) -> None:
    assert column.expectation() == words


def test_every_kind_has_a_type() -> None:
    assert {
        "text": pl.String,
        "id": pl.String,
        "integer": pl.Int64,
        "number": pl.Float64,
        "flag": pl.Int8,
    } == DTYPES


def test_a_table_finds_its_columns() -> None:
    spec = TableSpec("items", (Column("id", "id"), Column("note", required=False)))
    assert spec.column("note").required is False
    assert [column.name for column in spec.required()] == ["id"]
    with pytest.raises(StopIteration):
        spec.column("absent")


def test_a_file_is_comma_separated_with_quotes_and_a_header_unless_said_otherwise() -> None:
    assert dataclasses.astuple(Layout()) == (",", True, True, "utf-8")
    assert TableSpec("items", ()).layout == Layout()
