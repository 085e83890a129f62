"""The table of judgements: what is the same label, what is none, and what is refused."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.errors import InputError, UsageError
from tactful.ratings import _ODD, _SEEDS, Ratings, _hashed, first_of_equal, read_ratings

ROWS = [("x", "ann", "yes"), ("x", "bob", "no"), ("y", "ann", "yes")]


def as_rows(ratings: Ratings) -> set[tuple[str, str, str]]:
    return {
        (ratings.items[i], ratings.annotators[a], ratings.labels[c])
        for i, a, c in zip(ratings.item, ratings.annotator, ratings.label, strict=True)
    }


def columns(rows: list[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return dict(
        zip(("item", "annotator", "label"), map(list, zip(*rows, strict=True)), strict=True)
    )


class PandasLike:
    """What of a pandas frame is used."""

    def __init__(self, data: dict[str, list[Any]]):
        self._data = data
        self.columns = list(data)

    def __getitem__(self, name: str) -> Any:
        return np.array(self._data[name], dtype=object)

    def to_dict(self) -> dict[str, list[Any]]:
        return self._data


@pytest.mark.parametrize(
    "table",
    [ROWS, columns(ROWS), pl.DataFrame(columns(ROWS)), pl.LazyFrame(columns(ROWS)),
     PandasLike(columns(ROWS)), tuple(ROWS)],
    ids=["rows", "mapping", "polars", "lazy", "pandas", "tuple"],
)  # fmt: skip
def test_every_kind_of_table_says_the_same(table: Any) -> None:
    ratings = read_ratings(table)
    assert as_rows(ratings) == set(ROWS)
    assert ratings.items == ("x", "y")
    assert ratings.annotators == ("ann", "bob")
    assert ratings.labels == ("no", "yes")
    assert len(ratings) == 3


def test_columns_may_have_other_names() -> None:
    frame = pl.DataFrame({"doc": [1, 1], "who": [7, 8], "answer": [0, 1]})
    ratings = read_ratings(frame, item="doc", annotator="who", label="answer")
    assert as_rows(ratings) == {("1", "7", "0"), ("1", "8", "1")}


@pytest.mark.parametrize(
    "labels",
    [[1, 0, 2], [1.0, 0.0, 2.0], ["1", "0", "2"], ["1.0", "0.0", "2.0"], ["1", "0.0", "2.00"],
     [" 1", "-0.0", "2 "]],
    ids=str,
)  # fmt: skip
def test_one_is_one_however_it_is_written(labels: list[Any]) -> None:
    ratings = read_ratings({"item": [1, 2, 3], "annotator": [1, 1, 1], "label": labels})
    assert ratings.labels == ("0", "1", "2")
    assert ratings.values is not None
    assert ratings.values.tolist() == [0, 1, 2]


def test_halves_keep_their_whole_neighbours_names() -> None:
    as_float = read_ratings([("a", 1, 0.0), ("b", 1, 0.5), ("c", 1, 1.0)])
    as_text = read_ratings([("a", 1, "0.0"), ("b", 1, "0.5"), ("c", 1, "1.0")])
    assert as_float.labels == as_text.labels == ("0", "0.5", "1")


def test_booleans_are_0_and_1() -> None:
    assert read_ratings([("a", 1, True), ("b", 1, False)]).labels == ("0", "1")


def test_numbers_are_sorted_as_numbers_and_text_as_text() -> None:
    assert read_ratings([(i, 1, v) for i, v in enumerate([10, 9, 1])]).labels == ("1", "9", "10")
    assert read_ratings([(1, 1, "b10"), (2, 1, "b9")]).labels == ("b10", "b9")


@pytest.mark.parametrize("word", ["nan", "inf", "-Infinity", "1_000", "high"])
def test_words_that_only_a_computer_takes_for_numbers_are_words(word: str) -> None:
    ratings = read_ratings([(1, 1, "2"), (2, 1, word)])
    assert ratings.values is None
    assert set(ratings.labels) == {"2", word}


@pytest.mark.parametrize("kind", [list, columns, lambda rows: PandasLike(columns(rows))])
@pytest.mark.parametrize("nothing", [None, "", "  ", float("nan")])
def test_a_missing_label_is_no_judgement(nothing: Any, kind: Any) -> None:
    ratings = read_ratings(kind([("a", "x", "1"), ("b", "x", nothing)]))
    assert len(ratings) == 1
    assert ratings.missing == 1
    assert ratings.items == ("a",)


@pytest.mark.parametrize(
    ("row", "word"), [((None, "x", "1"), "item"), (("a", None, "1"), "annotator")]
)
def test_a_missing_name_is_refused(row: tuple[Any, ...], word: str) -> None:
    with pytest.raises(InputError, match=f"1 row without {word}"):
        read_ratings([("b", "y", "1"), row])


def test_a_missing_column_answers_with_the_nearest() -> None:
    with pytest.raises(InputError, match="Did you mean 'labels'"):
        read_ratings({"item": [1], "annotator": [1], "labels": [1]})


TWICE = [("a", "x", "1"), ("b", "x", "1"), ("a", "x", "2"), ("a", "y", "3")]


def test_judging_twice_is_refused_unless_the_caller_says_which_counts() -> None:
    with pytest.raises(InputError, match=r"1 pair of item and annotator .*'x' on 'a'"):
        read_ratings(TWICE)
    assert ("a", "x", "1") in as_rows(read_ratings(TWICE, repeated="first"))
    assert ("a", "x", "2") in as_rows(read_ratings(TWICE, repeated="last"))
    assert as_rows(read_ratings(TWICE, repeated="drop")) == {("b", "x", "1"), ("a", "y", "3")}
    with pytest.raises(UsageError, match="expected error, first, last or drop"):
        read_ratings(TWICE, repeated="some")  # type: ignore[arg-type]


def test_trust_is_kept_and_checked() -> None:
    data = {"item": [1, 2], "annotator": [1, 1], "label": [0, 1], "trust": ["0.5", "1"]}
    ratings = read_ratings(data, trust="trust")
    assert ratings.trust is not None
    assert ratings.trust.tolist() == [0.5, 1]
    kept = ratings.keep(ratings.trust > 0.7)
    assert kept.trust is not None
    assert kept.trust.tolist() == [1]
    for wrong in (["0.5", "2"], ["0.5", None], [0.5, float("nan")]):
        with pytest.raises(InputError, match="trust is missing or not from 0 to 1"):
            read_ratings({**data, "trust": wrong}, trust="trust")
    with pytest.raises(InputError, match="Found 'high' in the column 'trust'"):
        read_ratings({**data, "trust": ["0.5", "high"]}, trust="trust")


@pytest.mark.parametrize(
    "table",
    [5, "a,b,c", [("a", "b")], ["abc"], {"item": [1, 2], "annotator": [1], "label": [1]},
     {"item": [1], "annotator": [1], "label": [[1]]},
     {"item": [[1]], "annotator": [1], "label": [1]}],
    ids=str,
)  # fmt: skip
def test_what_is_no_table_is_refused_in_a_sentence(table: Any) -> None:
    with pytest.raises(InputError, match=r"Found .* expected"):
        read_ratings(table)


def test_no_rows_are_no_judgements() -> None:
    ratings = read_ratings([])
    assert (len(ratings), ratings.items, ratings.labels) == (0, (), ())
    assert ratings.counts().shape == (0, 1)


def test_counts_and_weights() -> None:
    ratings = read_ratings(ROWS)
    assert ratings.counts().tolist() == [[1, 1], [0, 1]]
    assert ratings.counts(np.array([0.5, 2, 1])).tolist() == [[2, 0.5], [0, 1]]


tables = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 4), st.sampled_from("abc")),
    unique_by=lambda row: row[:2],
)


@given(tables)
def test_nothing_is_lost_or_invented(rows: list[tuple[int, int, str]]) -> None:
    ratings = read_ratings(rows)
    assert as_rows(ratings) == {(str(i), str(a), c) for i, a, c in rows}
    assert ratings.counts().sum() == len(rows)
    assert list(ratings.labels) == sorted({c for _, _, c in rows})
    assert ratings.items == tuple(dict.fromkeys(str(i) for i, _, _ in rows))


@pytest.mark.parametrize("size", [0, 1, 5, 1_000, 40_000])
def test_the_first_of_equal_keys(size: int) -> None:
    keys = np.random.default_rng(size).integers(0, max(size // 3, 1), size).astype(np.uint64)
    expected: dict[int, int] = {}
    for at, key in enumerate(keys.tolist()):
        expected.setdefault(key, at)
    assert first_of_equal(keys).tolist() == [expected[key] for key in keys.tolist()]


def test_keys_that_were_made_to_collide_are_told_apart() -> None:
    inverse = [pow(int(odd), -1, 1 << 64) for odd in _ODD]
    keys = np.array([(low * each) % (1 << 64) for each in inverse for low in range(9)] * 2, "u8")
    first = first_of_equal(keys)
    assert np.array_equal(keys[first], keys)
    assert len(set(first.tolist())) == len(set(keys.tolist()))


def test_values_that_share_a_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = _hashed

    def poor(column: pl.Series, seed: int) -> Any:
        found = hashed(column, seed)
        return found % np.uint64(3) if column.dtype == pl.String and seed == _SEEDS[0] else found

    monkeypatch.setattr("tactful.ratings._hashed", poor)
    names = [f"item {at % 50}" for at in range(200)]
    ratings = read_ratings({"item": names, "annotator": range(200), "label": ["x"] * 200})
    assert [ratings.items[code] for code in ratings.item] == names
