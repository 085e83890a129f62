"""Which rows are wanted: a condition on one row, answered the same however the rows are cut."""

import polars as pl
import pytest

from tactful.errors import UsageError
from tactful.scale.tables.json_lines import RowsError
from tactful.scale.tables.where import wanted_rows, where_expression

TABLE = pl.DataFrame(
    {
        "id": ["1", "2", "3", "4"],
        "text": ["a", None, "b over (c)", "it's"],
        "likes": [1, 2, None, 4],
        "kept": [True, False, None, True],
        "none": [None, None, None, None],
        "odd name": [1.5, None, float("nan"), 0.0],
        "tags": [["x"], ["x", "y"], None, []],
    }
)
YES, NO = True, False


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        ("likes > 1", [NO, YES, NO, YES]),
        ("NOT likes > 1", [YES, NO, NO, NO]),
        ("likes IS NULL", [NO, NO, YES, NO]),
        ("likes = NULL", [NO, NO, NO, NO]),
        ("likes BETWEEN 1 AND 2 OR text LIKE 'b%'", [YES, YES, YES, NO]),
        ("text = 'it''s'", [NO, NO, NO, YES]),
        ("text = 'b over (c)'", [NO, NO, YES, NO]),
        ("text IN ('a', 'z') AND likes = 1", [YES, NO, NO, NO]),
        ("CAST(id AS INT) > 2", [NO, NO, YES, YES]),
        ("TRY_CAST(text AS INT) > 2", [NO, NO, NO, NO]),
        ("LENGTH(text) > 1", [NO, NO, YES, YES]),
        ("kept", [YES, NO, NO, YES]),
        ('"odd name" > 1 AND likes < 3', [YES, NO, NO, NO]),
        ("CASE WHEN likes > 1 THEN kept ELSE TRUE END", [YES, NO, YES, YES]),
        ("GREATEST(likes, 2) = 2", [YES, YES, YES, NO]),
        ("none = 'x'", [NO, NO, NO, NO]),
        ("none > 3", [NO, NO, NO, NO]),
        ("none", [NO, NO, NO, NO]),
        ("LOWER(none) = 'x'", [NO, NO, NO, NO]),
    ],
)
def test_a_row_is_wanted_where_the_condition_holds_and_not_where_it_is_unknown(
    where: str, wanted: list[bool]
) -> None:
    assert wanted_rows(TABLE, where).to_list() == wanted
    each = [wanted_rows(TABLE[at : at + 1], where).item() for at in range(len(TABLE))]
    assert each == wanted
    assert wanted_rows(TABLE[:0], where).to_list() == []


@pytest.mark.parametrize(
    "where",
    [
        "AVG(likes) > 1",
        "likes > AVG(likes)",
        "COUNT(*) > 1",
        "COUNT(DISTINCT text) > 1",
        "COALESCE(MAX(likes), 1) = likes",
        "CASE WHEN MAX(likes) > 1 THEN kept ELSE FALSE END",
        "FIRST(likes) = 1",
        "QUANTILE_CONT(likes, 0.5) > 1",
        "STRING_AGG(text, ',') = 'a'",
        "SUM(likes) OVER (PARTITION BY id) > 1",
        "ROW_NUMBER() OVER (ORDER BY id) < 3",
        "row_number() over(order by id) < 3",
        "UNNEST(tags) = 'x'",
    ],
)
def test_what_looks_at_several_rows_is_refused(where: str) -> None:
    with pytest.raises(UsageError, match="looks at several rows; expected a condition on one row"):
        where_expression(where)


@pytest.mark.parametrize("where", ["true", "1 = 1", "1 > 2", "NULL", "3", "'text'"])
@pytest.mark.parametrize("rows", [0, 1, 4])
def test_what_looks_at_no_column_is_refused_for_any_number_of_rows(where: str, rows: int) -> None:
    with pytest.raises(UsageError, match="looks at no column"):
        wanted_rows(TABLE[:rows], where)


@pytest.mark.parametrize(
    "where",
    ["", "  ", ";", "*", "likes >", "likes > 3; DROP TABLE x", "likes IN (SELECT likes FROM x)"],
)
def test_what_is_no_condition_is_refused(where: str) -> None:
    with pytest.raises(UsageError, match=r"cannot be read .*expected a condition such as"):
        where_expression(where)


@pytest.mark.parametrize(
    ("where", "kind"), [("likes", "Int64"), ("text", "String"), ("likes + 1", "Int64")]
)
def test_what_is_not_yes_or_no_is_refused(where: str, kind: str) -> None:
    with pytest.raises(UsageError, match=f"gives {kind} and not true or false"):
        wanted_rows(TABLE, where)


@pytest.mark.parametrize("where", ["id > 1", "CAST(text AS INT) > 1", "text REGEXP 'a('"])
def test_what_cannot_be_answered_for_some_rows_says_how_to_compare_numbers(where: str) -> None:
    with pytest.raises(RowsError, match=r"cannot be evaluated for these rows .*CAST\(likes AS INT"):
        wanted_rows(TABLE, where)
