"""What is read out of lines of JSON, which themselves stay as they are."""

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scale.made import WORDS

from tactful.scale.scoring import LINE, TableScorer, Wanted, spliced
from tactful.scale.tables.json_lines import (
    RowsError,
    lines_as_table,
    readable,
    refuse_taken,
    schema_of,
    texts_of,
)

HALF = r"\ud83d"
UNKNOWN = r"\ufffd"


def series(*lines: str) -> pl.Series:
    return pl.Series(LINE, lines, pl.String)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (r'{"a": "\ud83d"}', r'{"a": "\ufffd"}'),
        (r'{"a": "\uDE00\uD83D"}', r'{"a": "\ufffd\ufffd"}'),
        (r'{"a": "\ud83d\ude00"}', r'{"a": "\ud83d\ude00"}'),
        (r'{"a": "\ud83d\ud83d\ude00"}', r'{"a": "\ufffd\ud83d\ude00"}'),
        (r'{"a": "\\ud83d"}', r'{"a": "\\ud83d"}'),
        (r'{"a": "\\\ud83d"}', r'{"a": "\\\ufffd"}'),
        (r'{"a": "\ud83d\n"}', r'{"a": "\ufffd\n"}'),
        (r'{"a": "\u00e9\ud7ff"}', r'{"a": "\u00e9\ud7ff"}'),
    ],
)
def test_halves_of_letters_are_made_readable_and_nothing_else(written: str, expected: str) -> None:
    assert readable(series("{}", written)).to_list() == ["{}", expected]


@given(st.lists(st.sampled_from(["\\", r"\\", HALF, r"\ude00", r"\n", "u", "d83d", "é"])))
def test_what_is_made_readable_stays_so(parts: list[str]) -> None:
    once = readable(series("".join(parts)))
    assert readable(once).to_list() == once.to_list()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (r'"a\n\u00e9"', "a\né"),
        ('""', ""),
        ("null", None),
        ("5", "5"),
        ("true", "true"),
        ("12345678901234567890123", "12345678901234567890123"),
        ("[1]", None),
        ('{"b": "c"}', None),
        (f'"{UNKNOWN}"', "\ufffd"),
    ],
)
def test_a_text_is_the_same_alone_and_beside_what_is_none(value: str, text: str | None) -> None:
    line = f'{{"id": [1], "t": {value}}}'
    for others in ([], ['{"t": "x"}'], ['{"t": []}', "{}"]):
        found = texts_of(series(line, *others), "t")
        assert found.to_list() == [text, *("x" if '"x"' in other else None for other in others)]
        assert found.dtype == pl.String


def test_lines_become_a_table_with_all_keys_and_those_asked_for() -> None:
    found = lines_as_table(series('{"a": 1, "b": [1.5]}', '{"c": {"d": "x"}, "a": null}'), ["z"])
    assert found.columns == ["a", "b", "c", "z"]
    assert found.rows() == [(1, [1.5], None, None), (None, None, {"d": "x"}, None)]
    assert lines_as_table(series(), ["z"]).schema == {"z": pl.Null}
    assert lines_as_table(series("{}", "{}"), ["z"]).to_dict(as_series=False) == {"z": [None] * 2}
    assert lines_as_table(series("{}", "{}")).height == 2


@pytest.mark.parametrize(
    ("one", "two", "texts"),
    [
        ("true", "1", ["true", "1"]),
        ('{"b": 1}', "1", ['{"b": 1}', "1"]),
        ("[1]", '{"é": null}', ["[1]", '{"é": null}']),
        ('"x"', "1", ["x", "1"]),
        ('["x"]', "null", [["x"], None]),
    ],
)
def test_values_without_a_type_in_common_are_text_and_disturb_no_other_key(
    one: str, two: str, texts: list[object]
) -> None:
    lines = series(f'{{"id": 1, "a": {one}, "t": "x"}}', f'{{"a": {two}, "id": 2, "new": 0.5}}')
    found = lines_as_table(lines)
    assert found.columns == ["id", "a", "t", "new"]
    assert found["a"].to_list() == texts
    assert found.drop("a").rows() == [(1, "x", None), (2, None, 0.5)]


def test_the_first_of_two_equal_keys_counts_in_each_way_of_reading() -> None:
    twice = '{"t": "one", "t": "two"}'
    assert texts_of(series(twice), "t").to_list() == ["one"]
    assert texts_of(series(twice, '{"t": []}'), "t").to_list() == ["one", None]
    assert lines_as_table(series(twice))["t"].to_list() == ["one"]
    unlike = series('{"a": true, "t": "one", "t": "two"}', '{"a": 1}')
    assert lines_as_table(unlike)["t"].to_list() == ["one", None]


@pytest.mark.parametrize(
    "line",
    [
        '{"text": "x", "model": 1}',
        '{"model": null}',
        '{"deep": ' + "[" * 1000 + "]" * 1000 + ', "model": 1}',
    ],
)
def test_a_line_with_a_key_that_is_to_be_added_is_refused(line: str) -> None:
    with pytest.raises(RowsError, match=r"the key 'model', which the first .*--prefix new_"):
        refuse_taken(series("{}", line), ["error", "model"])


@pytest.mark.parametrize(
    "line",
    [
        '{"text": "the \\"model\\" of a car"}',
        '{"a": {"model": 1}}',
        '{"text": "model"}',
        '{"a": ["model"]}',
        '{"a": ' + "[" * 1000 + '"model"' + "]" * 1000 + "}",
    ],
)
def test_a_word_that_is_no_key_of_the_line_is_not_taken_for_one(line: str) -> None:
    refuse_taken(series(line), ["model"])


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("{}", "{"),
        (' { "text" : "x" } ', '{ "text" : "x",'),
        ('{"text":"x","n":1.50e+3,"big":12345678901234567890123,"n":2}', None),
        (r'{"text": "\ud83d x", "deep": [[{"a": {}}]]}', None),
        ('{"text": null, "a": {}}', None),
        ('{"text": "}"}\t', '{"text": "}",'),
    ],
)
def test_keys_are_added_at_the_end_and_all_else_stays(line: str, start: str | None) -> None:
    scored = TableScorer(WORDS, Wanted())(pl.DataFrame(series(line)), "lines")
    (found,) = spliced(scored, Wanted(prefix="t_"))
    added = found.removeprefix(start if start is not None else line[:-1] + ",")
    assert added != found
    assert added.startswith('"t_kind":')
    names = lines_as_table(series("{" + added)).columns
    assert names == ["t_kind", "t_kind.fine", "t_other", "t_model", "t_error"]


def test_a_table_has_its_columns_in_the_order_of_the_lines_however_many() -> None:
    names = [f"k{at}" for at in range(60)]
    first = {name: dict.fromkeys(names, 1) for name in names}
    later = {"new": [dict.fromkeys(names, 1)], "k0": None}
    found = schema_of(series(json.dumps(first), json.dumps(later)))
    assert list(found) == [*names, "new"]
    assert list(found["k7"].to_schema()) == names  # type: ignore[attr-defined]
    assert list(found["new"].inner.to_schema()) == names  # type: ignore[attr-defined]
