"""Scoring a table: the wanted rows, each distinct text once if so wished, and what is added."""

import json
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scale.made import IDS, WORDS, ReadsWords

from tactful.errors import UnknownNameError, UsageError
from tactful.scale.score_cache import ProcessCache
from tactful.scale.scorer import Columns, Scorer
from tactful.scale.scoring import (
    LINE,
    SLICE,
    Scored,
    TableScorer,
    Wanted,
    check_columns,
    check_lines,
    joined,
    spliced,
)

TEXTS = st.lists(st.none() | st.sampled_from(["", "a", "b", "raise", "nothing"]), max_size=12)


class Counts:
    """Scores words, and counts how often each text was read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def __call__(self, texts: list[str]) -> Columns:
        found = ReadsWords()(texts)
        self.read += texts
        return found


def table(*texts: str | None) -> pl.DataFrame:
    return pl.DataFrame(
        {"id": range(len(texts)), "text": texts}, schema={"id": pl.Int64, "text": pl.String}
    )


def counting() -> tuple[Counts, Scorer]:
    counts = Counts()
    return counts, replace(WORDS, load=lambda: counts)


@given(st.lists(TEXTS, max_size=4))
def test_equal_texts_are_read_once_over_all_tables_with_the_same_cells(
    tables: list[list[str | None]],
) -> None:
    counts, scorer = counting()
    once = TableScorer(scorer, Wanted(dedupe=True), ProcessCache())
    for texts in tables:
        frame = table(*texts)
        assert once(frame).added.equals(TableScorer(WORDS, Wanted())(frame).added)
    for text in ("a", "b"):
        assert counts.read.count(text) <= 1


def test_without_a_memory_equal_texts_are_read_once_in_each_table() -> None:
    counts, scorer = counting()
    once = TableScorer(scorer, Wanted(dedupe=True))
    found = [once(table("a", "b", "a", None, None)) for _ in range(2)]
    assert counts.read == ["a", "b"] * 2
    assert [each.fresh for each in found] == [3, 3]


def test_every_text_is_read_if_nobody_wants_less() -> None:
    counts, scorer = counting()
    assert TableScorer(scorer, Wanted())(table("a", "a")).fresh == 2
    assert counts.read == ["a", "a"]


@pytest.mark.parametrize("dedupe", [False, True])
def test_all_rows_are_told_in_slices(dedupe: bool) -> None:
    told: list[int] = []
    frame = table(*map(str, range(2 * SLICE + 1)))
    TableScorer(WORDS, Wanted(dedupe=dedupe))(frame, on_rows=told.append)
    assert told == ([2 * SLICE + 1] if dedupe else [SLICE, SLICE, 1])


@pytest.mark.parametrize("frame", [table(), table("a")[:0]])
def test_the_model_is_not_opened_for_no_rows(frame: pl.DataFrame) -> None:
    def never() -> Counts:
        raise AssertionError

    scorer = replace(WORDS, load=never)
    found = TableScorer(scorer, Wanted())(frame)
    assert joined(found, Wanted()).columns == ["id", "text", *IDS, "model", "error"]
    found = TableScorer(scorer, Wanted(where="id < 0"))(table("a"))
    assert len(found.kept) == len(found.added) == 0


def test_only_wanted_rows_are_read_and_kept() -> None:
    counts, scorer = counting()
    found = TableScorer(scorer, Wanted(where="id >= 1 AND text IS NOT NULL"))(table("a", "b", None))
    assert counts.read == ["b"]
    assert found.kept["id"].to_list() == [1]


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["a", "b"]), pl.String])
def test_words_of_any_kind_are_texts(kind: pl.DataType) -> None:
    frame = table("a", None).with_columns(pl.col("text").cast(kind))
    found = TableScorer(WORDS, Wanted(dedupe=True))(frame)
    assert found.added.equals(TableScorer(WORDS, Wanted())(table("a", None)).added)
    assert found.kept.equals(frame)


def test_a_column_of_nulls_is_a_column_of_no_texts() -> None:
    found = TableScorer(WORDS, Wanted())(pl.DataFrame({"text": [None, None]}))
    assert found.added["error"].to_list() == ["no text"] * 2
    assert found.added.schema["kind"] == pl.Float32


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Wanted("txt"), "There is no column named 'txt'. Did you mean 'text'?"),
        (Wanted(by=("source",)), "There is no column named 'source'"),
        (Wanted(by=("text:week",)), "There is no period named 'week'"),
        (Wanted(where="likes > 3"), "There is no column named 'likes'"),
    ],
)
def test_names_that_are_not_there_are_refused(wanted: Wanted, said: str) -> None:
    with pytest.raises(UnknownNameError, match=said.replace("?", r"\?")):
        check_columns(table(), wanted, WORDS)


def test_a_column_that_holds_no_text_is_refused() -> None:
    with pytest.raises(UsageError, match="Found the type Int64 in the column 'id'; expected text"):
        TableScorer(WORDS, Wanted("id"))(table("a"))


@pytest.mark.parametrize("name", [*IDS, "model", "error"])
def test_a_column_of_the_input_keeps_its_name(name: str) -> None:
    frame = table("a").with_columns(pl.lit("x").alias(name))
    both = joined(TableScorer(WORDS, Wanted())(frame), Wanted())
    ours = [f"tactful_{each}" if each == name else each for each in WORDS.columns]
    assert both.columns == ["id", "text", name, *ours]
    assert both[name].to_list() == ["x"]
    wanted = Wanted(prefix="t_")
    both = joined(TableScorer(WORDS, wanted)(frame), wanted)
    assert both.columns == ["id", "text", name, *(f"t_{each}" for each in WORDS.columns)]


@pytest.mark.parametrize(
    ("names", "prefix", "said"),
    [
        (["kind", "tactful_kind"], "", "Found a column 'tactful_kind' in the input already"),
        (["t_kind"], "t_", "Found a column 't_kind' in the input already"),
    ],
)
def test_a_name_that_is_taken_all_the_same_is_refused(
    names: list[str], prefix: str, said: str
) -> None:
    frame = table("a").with_columns(pl.lit("x").alias(name) for name in names)
    with pytest.raises(UsageError, match=f"{said}; .*another --prefix"):
        TableScorer(WORDS, Wanted(prefix=prefix))(frame)


@pytest.mark.parametrize("prefix", ["", "t_"])
def test_a_table_that_was_scored_before_is_refused_in_words(prefix: str) -> None:
    wanted = Wanted(prefix=prefix)
    before = joined(TableScorer(WORDS, wanted)(table("a")), wanted)
    said = f"'{prefix}kind', '{prefix}model' and '{prefix}error' .* scores of an earlier run"
    with pytest.raises(UsageError, match=f"{said}.*--prefix new_"):
        TableScorer(WORDS, wanted)(before)
    other = Wanted(prefix="new_")
    assert "new_kind" in joined(TableScorer(WORDS, other)(before), other).columns


@pytest.mark.parametrize(
    ("by", "values"),
    [
        ("when", ["2024-05-06T07", "May", None]),
        ("when:year", ["2024", "May", None]),
        ("when:month", ["2024-05", "May", None]),
        ("when:day", ["2024-05-06", "May", None]),
        ("id", ["0", "1", "2"]),
    ],
)
def test_rows_are_told_apart_by_words_and_periods(by: str, values: list[str | None]) -> None:
    frame = table("a", "b", "c").with_columns(when=pl.Series(["2024-05-06T07", "May", None]))
    assert TableScorer(WORDS, Wanted(by=(by,)))(frame).by[by].to_list() == values


def test_rows_are_not_told_apart_by_lists() -> None:
    frame = table("a").with_columns(tags=pl.Series([["x"]]))
    with pytest.raises(UsageError, match=r"'tags' holds List.*--by needs words or numbers"):
        TableScorer(WORDS, Wanted(by=("tags",)))(frame)


def of_lines(*lines: str, wanted: Wanted = Wanted()) -> Scored:  # noqa: B008
    return TableScorer(WORDS, wanted)(pl.DataFrame({LINE: lines}), "lines")


def test_lines_keep_their_bytes_and_get_further_keys() -> None:
    lines = ['  {"text": "a",  "n": 1.50 } ', "{}", "{ }", '{"text":7,"é":{"x":[1]}}']
    found = spliced(of_lines(*lines), Wanted()).to_list()
    assert found[0].startswith('{"text": "a",  "n": 1.50,"kind":')
    assert found[3].startswith('{"text":7,"é":{"x":[1]},"kind":')
    read = [json.loads(line) for line in found]
    assert [each["error"] for each in read] == [None, "no text", "no text", None]
    assert list(read[1]) == [*IDS, "model", "error"]


def test_only_wanted_lines_are_kept_and_keys_may_be_missing() -> None:
    wanted = Wanted(where="likes > 1", by=("source",))
    found = of_lines('{"text":"a"}', '{"text":"b","likes":3}', '{"likes":0}', wanted=wanted)
    assert found.kept[LINE].to_list() == ['{"text":"b","likes":3}']
    assert found.by["source"].to_list() == [None]


def test_a_condition_on_a_key_that_no_line_has_keeps_none() -> None:
    assert len(of_lines('{"text":"a"}', wanted=Wanted(where="likes > 1")).kept) == 0


def test_first_lines_without_the_keys_that_are_asked_for_are_refused() -> None:
    lines = pl.Series(['{"body":"a"}', '{"body":"b","likes":1}'])
    check_lines(lines, Wanted("body", where="likes > 1"), WORDS)
    check_lines(lines[:0], Wanted(), WORDS)
    with pytest.raises(UnknownNameError, match=r"column named 'text'.*Known: body, likes"):
        check_lines(lines, Wanted(), WORDS)


def test_a_table_with_a_column_named_line_is_no_line_of_json() -> None:
    frame = pl.DataFrame({LINE: ["some words"]})
    assert TableScorer(WORDS, Wanted(LINE))(frame).shape == "table"
    assert of_lines('{"text":"a"}').shape == "lines"
