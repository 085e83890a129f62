"""Arrow tables are scored with all their types untouched, an empty one as well."""

import datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from tests.scale.made import IDS, WORDS

from tactful.errors import UnknownNameError, UsageError
from tactful.scale.scoring import TableScorer, Wanted

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
from tactful.scale.cluster.arrow_tables import ArrowScorer  # noqa: E402

TEXTS = ["one", None, "", "nothing", "one", "five"]
ADDED = [*IDS, "model", "error"]


def table(**more: Any) -> Any:
    """Return a table with types that frames of ours do not all know."""
    zone = datetime.timezone(datetime.timedelta(hours=2))
    return pa.table(
        {
            "id": pa.array(range(6), pa.int8()),
            "text": pa.array(TEXTS, pa.string()),
            "when": pa.array([datetime.datetime(2024, 5, 6, tzinfo=zone)] * 6),
            "price": pa.array([Decimal("1.10")] * 6, pa.decimal128(9, 2)),
            "pairs": pa.array([[("a", 1)]] * 6, pa.map_(pa.string(), pa.int32())),
            "bytes": pa.array([b"\xff"] * 6, pa.binary(1)),
            "word": pa.array(["x", "y"] * 3).dictionary_encode(),
            **more,
        }
    )


def test_the_columns_of_the_input_stay_as_they_are() -> None:
    source = table()
    found = ArrowScorer(WORDS, Wanted())(source)
    assert found.select(source.column_names).equals(source)
    assert found.column_names == [*source.column_names, *ADDED]


def test_what_is_added_is_what_our_own_tables_get() -> None:
    found = ArrowScorer(WORDS, Wanted())(table()).select(ADDED)
    wanted = TableScorer(WORDS, Wanted())(pl.DataFrame({"text": TEXTS})).added
    assert pl.DataFrame(found).equals(wanted)


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
def test_texts_may_be_laid_out_in_any_way(kind: str) -> None:
    source = table(text=pa.array(TEXTS, getattr(pa, kind)()))
    found = ArrowScorer(WORDS, Wanted())(source)
    plain = ArrowScorer(WORDS, Wanted())(table())
    assert found.select(ADDED).equals(plain.select(ADDED))


@pytest.mark.parametrize("rows", [0, 1, 6])
@pytest.mark.parametrize("where", [None, "id > 99", "id >= 0"])
def test_the_added_types_are_the_same_with_and_without_rows(rows: int, where: str | None) -> None:
    found = ArrowScorer(WORDS, Wanted(where=where))(table().slice(0, rows))
    kinds = [str(found.schema.field(name).type) for name in ADDED]
    assert kinds == ["float", "float", "float", "string", "string"]
    assert found.schema.field("pairs").type == pa.map_(pa.string(), pa.int32())
    assert found.num_rows == (0 if where == "id > 99" else rows)


def test_only_the_wanted_rows_are_kept_with_all_their_columns() -> None:
    source = table()
    wanted = Wanted(where="word = 'y' AND id > 1", prefix="t_")
    found = ArrowScorer(WORDS, wanted)(source)
    assert found["id"].to_pylist() == [3, 5]
    assert found.select(source.column_names).equals(source.take([3, 5]))
    assert "t_kind" in found.column_names


def test_a_table_in_several_chunks_is_one_table() -> None:
    source = pa.concat_tables([table().slice(0, 2), table().slice(2, 4)])
    assert ArrowScorer(WORDS, Wanted(where="id <> 3"))(source)["id"].to_pylist() == [0, 1, 2, 4, 5]


def test_a_table_with_nothing_at_all_is_handed_on() -> None:
    nothing = pa.table({})
    assert ArrowScorer(WORDS, Wanted())(nothing) is nothing


def test_lines_get_further_keys() -> None:
    lines = pa.table({"line": ['{"text": "one", "n": 1.50}', "{}"]})
    found = ArrowScorer(WORDS, Wanted(), "lines")(lines)
    first, second = found["line"].to_pylist()
    assert first.startswith('{"text": "one", "n": 1.50,"kind":')
    assert second.endswith('"error":"no text"}')


@pytest.mark.parametrize(
    ("wanted", "error", "said"),
    [
        (Wanted(text_column="body"), UnknownNameError, "no column named 'body'"),
        (Wanted(text_column="id"), UsageError, "Found the type Int8 in the column 'id'"),
        (Wanted(by=("origin",)), UnknownNameError, "no column named 'origin'"),
        (Wanted(where="likes > 3"), UnknownNameError, "no column named 'likes'"),
    ],
)
def test_a_table_that_cannot_be_scored_is_refused(
    wanted: Wanted, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        ArrowScorer(WORDS, wanted)(table())


def test_a_column_of_the_input_keeps_its_name() -> None:
    source = table(kind=pa.array([0.5] * 6))
    found = ArrowScorer(WORDS, Wanted())(source)
    assert found["kind"] == source["kind"]
    assert found.column_names == [*source.column_names, "tactful_kind", *WORDS.columns[1:]]
    assert "t_kind" in ArrowScorer(WORDS, Wanted(prefix="t_"))(source).column_names
