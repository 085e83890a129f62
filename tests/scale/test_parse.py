"""Pieces become tables, and a line that cannot be read is reported with its number."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.errors import InputError
from tactful.scale.tables.formats import Format
from tactful.scale.tables.headers import Header
from tactful.scale.tables.parse import Parsed, parse
from tactful.scale.tables.pieces import Piece
from tactful.scale.tables.sources import Source

DEEP = '{"a":%s%s}'
FINE = [
    "{}",
    '{"a": 1, "a": 2}',
    '  {"a":\t[1, {"b": null}]}  ',
    '{"n": 123456789012345678901234567890, "m": -1.50e-7, "big": 1E+300}',
    r'{"half": "\ud83d", "turned": "\ude00\ud83d", "whole": "\ud83d\ude00", "not": "\\ud83d"}',
    r'{"\ud83d": "a key of half a letter"}',
    '{"": "\x7f\u2028\u0085"}',
    DEEP % ("[" * 900, "]" * 900),
]
BAD = [
    ("[1]", "JSON that is a list"),
    ("5", "JSON that is a number"),
    ("1.5", "JSON that is a number"),
    ('"x"', "JSON that is a text"),
    ("true", "JSON that is true or false"),
    ("null", "JSON that is null"),
    ('{"a": NaN}', r"no JSON \(NaN is no number in JSON"),
    ('{"a": -Infinity}', r"no JSON \(-Infinity is no number"),
    ('{"a": 1e999}', r"no JSON \(the number 1e999 is too large"),
    ('{"a": 1' + "0" * 40 + "}", r"no JSON \(the number 10+ is too large"),
    ('{"a": ' + "9" * 5000 + "}", r"no JSON \(Exceeds the limit"),
    ('{"a": 1', r"no JSON \(Expecting"),
    ('{"a": 1} {"b": 2}', r"no JSON \(Extra data"),
    ('{"a": 1,}', r"no JSON \("),
    ("{'a': 1}", r"no JSON \("),
    ('{"a": 01}', r"no JSON \("),
    ('{"a": "x\ty"}', r"no JSON \(Invalid control character"),
    (r'{"a": "\x"}', r"no JSON \(Invalid"),
    ('\ufeff{"a": 1}', r"no JSON \(Unexpected UTF-8 BOM"),
    ("\x1c", r"no JSON \("),
    ("a,b", r"no JSON \("),
    (DEEP % ("[" * 5000, "]" * 5000), "JSON that is nested too deeply"),
]
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 100), 1 << 100) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def parsed(
    data: bytes, kind: str = "jsonl", skip: bool = False, line: int = 1, columns: str = "xy"
) -> Parsed:
    piece = Piece(0, 0, 0, len(data), line, line + data.count(b"\n"), data)
    source = Source(Path(f"here.{kind}"), Format(kind))  # type: ignore[arg-type]
    return parse(piece, source, Header(columns=tuple(columns)), skip)


def lines_of(found: Parsed) -> list[str]:
    assert found.table.columns == ["line"]
    return found.table["line"].to_list()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_of_json_are_kept_letter_by_letter(end: str) -> None:
    data = end.join(FINE).encode()
    assert lines_of(parsed(data)) == FINE
    assert lines_of(parsed(data + end.encode())) == FINE
    for each in FINE:
        assert lines_of(parsed(each.encode())) == [each]


@pytest.mark.parametrize(("bad", "said"), BAD, ids=[bad[:20] for bad, _ in BAD])
def test_a_line_that_is_no_object_is_refused_with_its_number_or_skipped(
    bad: str, said: str
) -> None:
    data = "\n".join(["{}", "", bad, *FINE, ""]).encode()
    with pytest.raises(InputError, match=rf"^here.jsonl, line 13: found {said}"):
        parsed(data, line=11)
    found = parsed(data, skip=True)
    assert (lines_of(found), len(found.rejects)) == (["{}", *FINE], 1)


def test_the_first_bad_line_is_named() -> None:
    with pytest.raises(InputError, match=r"line 2: .*expected a JSON object on each line; repair"):
        parsed(b'{}\n[]\n{"a"\n')


@settings(max_examples=150)
@given(st.lists(values, max_size=4), st.booleans())
def test_any_value_is_an_object_or_refused_alone_as_in_company(
    written: list[Any], ascii_only: bool
) -> None:
    lines = [json.dumps(each, ensure_ascii=ascii_only) for each in written]
    fine = [
        line
        for line, each in zip(lines, written, strict=True)
        if isinstance(each, dict) and "NaN" not in line and "Infinity" not in line
    ]
    found = parsed("\n".join(lines).encode("utf-8", "surrogatepass"), skip=True)
    alone = [parsed(line.encode("utf-8", "surrogatepass"), skip=True) for line in lines]
    assert lines_of(found) == [line for each in alone for line in lines_of(each)]
    assert len(lines_of(found)) + len(found.rejects) == len(lines)
    assert set(lines_of(found)) >= set(fine)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(list('{}[]":,a1-.eE0 \\utrn')), max_size=10).map("".join))
def test_the_fast_reader_takes_nothing_that_is_no_json(inside: str) -> None:
    found = parsed(f'{{"a":{inside}}}'.encode(), skip=True)
    for line in lines_of(found):
        assert isinstance(json.loads(line), dict)


def test_depth_does_not_depend_on_the_neighbours() -> None:
    for depth in range(980, 1030, 7):
        line = DEEP % ("[" * depth, "]" * depth)
        alone = parsed(line.encode(), skip=True)
        beside = parsed(f"{line}\n[]\n".encode(), skip=True)
        assert lines_of(alone) == lines_of(beside)
        assert len(beside.rejects) == len(alone.rejects) + 1


@pytest.mark.parametrize("kind", ["jsonl", "txt"])
def test_bytes_that_are_no_text_are_refused_with_their_line_or_skipped(kind: str) -> None:
    data = b'{"a": "1"}\n\n{"a": "\xff"}\r\n{"a": "\xc3\xa9"}\n{"\xe9": 1}'
    said = rf"^here.{kind}, line 7: found bytes that are not UTF-8 text; .*--bad-rows skip"
    with pytest.raises(InputError, match=said):
        parsed(data, kind, line=5)
    found = parsed(data, kind, skip=True)
    assert found.table.to_series().to_list() == ['{"a": "1"}', '{"a": "é"}']
    assert len(found.rejects) == 2


def test_plain_lines_are_texts_and_blank_ones_are_none() -> None:
    found = parsed(b' one, "two" \r\n\n \t\r\n\xc3\xa9\rx\n{', "txt")
    assert found.table.to_dict(as_series=False) == {"text": [' one, "two" ', "é\rx", "{"]}
    assert parsed(b"", "txt").table.schema == {"text": pl.String}


def test_a_piece_without_lines_is_an_empty_table() -> None:
    for data in (b"", b"\n\r\n"):
        assert parsed(data).table.schema == {"line": pl.String}
        assert not len(parsed(data).table)


def test_cells_are_read_with_the_columns_of_the_head() -> None:
    assert parsed(b"a,b\n", "csv").table.to_dict(as_series=False) == {"x": ["a"], "y": ["b"]}
    assert len(parsed(b"a\tb\nc\n", "tsv", skip=True).rejects) == 1
    with pytest.raises(InputError, match=r"^here.tsv, line 8: found 1 cell"):
        parsed(b"a\tb\nc\n", "tsv", line=7)


def test_rows_of_a_table_are_read_from_its_file(tmp_path: Path) -> None:
    pl.DataFrame({"text": list("abcd")}).write_parquet(tmp_path / "a.parquet")
    source = Source(tmp_path / "a.parquet", Format("parquet"))
    found = parse(Piece(0, 0, 1, 3, 2, 4), source, Header())
    assert found.table["text"].to_list() == ["b", "c"]
