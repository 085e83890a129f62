"""Dimensions of stigma from a user's table: what is read, and every way to get it wrong."""

from pathlib import Path

import polars as pl
import pytest

from tactful.audit.estimates.dimensions import by_id, find_condition, read_dimensions
from tactful.errors import FileFormatError, UnknownNameError, UsageError

CONDITIONS = pl.DataFrame(
    {
        "condition": ["stigma.depression", "stigma.homeless", "non_stigma.healthy"],
        "name": ["Depression", "Homeless", "Healthy"],
        "category": ["mental_illness", "other", "disease"],
        "stigmatized": [True, True, False],
    }
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "dimensions.csv"


def test_ids_and_names_are_read(table: Path) -> None:
    table.write_text(
        "condition,peril,course\nstigma.depression,2.5,4\n\n HOMELESS ,3,\n", encoding="utf-8"
    )
    assert read_dimensions(table, CONDITIONS) == {
        "stigma.depression": {"peril": 2.5, "course": 4.0},
        "stigma.homeless": {"peril": 3.0},
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found an empty file"),
        ("name,peril\na,1\n", "line 1: found the columns name, peril; expected also 'condition'"),
        ("condition,peril,peril\n", "line 1: found the column 'peril' twice"),
        ("condition\nhomeless\n", "line 1: found no other column than 'condition'"),
        ("condition,peril\n", "found no rows"),
        ("condition,peril\nhomeless\n", "line 2: found 1 fields; expected 2"),
        ("condition,peril\nhomeless,high\n", "line 2: column 'peril': found 'high'; expected a"),
        ("condition,peril\nhomeless,nan\n", "line 2: column 'peril': found 'nan'"),
        ("condition,peril\nhomeless,inf\n", "line 2: column 'peril': found 'inf'"),
        ("condition,peril\n,1\n", "line 2: found no condition"),
        ("condition,peril\nhomeles,1\n", "line 2: found the condition 'homeles'; expected the id"),
        ("condition,peril\nhomeless,1\nstigma.homeless,2\n", "line 3: found the condition"),
        ('condition,peril\n"homeless,1\n', "line 2: found a quoting mistake"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(table: Path, text: str, message: str) -> None:
    table.write_text(text, encoding="utf-8")
    with pytest.raises(FileFormatError) as error:
        read_dimensions(table, CONDITIONS)
    assert message in str(error.value)
    assert str(table) in str(error.value)


def test_the_nearest_condition_is_offered(table: Path) -> None:
    table.write_text("condition,peril\nhomeles,1\n", encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"is it 'Homeless'\?"):
        read_dimensions(table, CONDITIONS)


def test_bytes_that_are_no_text_are_refused(table: Path) -> None:
    table.write_bytes(b"condition,peril\nfianc\xe9,1\n")
    with pytest.raises(FileFormatError, match="line 2: found bytes that are not UTF-8"):
        read_dimensions(table, CONDITIONS)


def test_a_name_of_two_conditions_is_refused(table: Path) -> None:
    twice = pl.concat(
        [CONDITIONS, CONDITIONS.with_columns(condition=pl.col("condition") + "_again")]
    )
    with pytest.raises(UsageError, match="stands for 2 conditions"):
        find_condition("Healthy", twice)
    table.write_text("condition,peril\nHealthy,1\n", encoding="utf-8")
    with pytest.raises(FileFormatError, match="line 2: The name 'Healthy' stands for 2"):
        read_dimensions(table, twice)


def test_numbers_given_in_python_are_found_by_id_or_name() -> None:
    assert by_id({"Depression": {"peril": 1.0}}, CONDITIONS) == {
        "stigma.depression": {"peril": 1.0}
    }
    with pytest.raises(UnknownNameError):
        by_id({"rich": {"peril": 1.0}}, CONDITIONS)
    with pytest.raises(UsageError, match="twice"):
        by_id({"Depression": {"peril": 1.0}, "stigma.depression": {"peril": 2.0}}, CONDITIONS)
