"""Where records end, and cuts that are the same wherever one begins."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.errors import FileFormatError
from tactful.scale.tables import records
from tactful.scale.tables.formats import Format
from tactful.scale.tables.records import cut_records, record_ends

CSV, TSV, JSONL = Format("csv"), Format("tsv"), Format("jsonl")
ANY_BYTES = st.lists(
    st.sampled_from([b'"', b"\n", b"\r\n", b",", b"a", b"\xc3\xa9", b'""', b'"a\nb"', b""])
).map(b"".join)


def cuts(data: bytes, rows: int, most: int, kind: Format = CSV) -> list[bytes]:
    return list(cut_records(io.BytesIO(data), kind, rows, most, "here"))


@given(ANY_BYTES, st.integers(1, 4), st.integers(1, 9), st.sampled_from([CSV, JSONL]))
@settings(max_examples=300)
def test_cuts_give_the_bytes_back_and_begin_again_at_any_of_them(
    data: bytes, rows: int, most: int, kind: Format
) -> None:
    found = cuts(data, rows, most, kind)
    assert b"".join(found) == data
    assert all(found)
    start = 0
    for at, piece in enumerate(found):
        assert cuts(data[start:], rows, most, kind) == found[at:]
        start += len(piece)
        ends = record_ends(piece, kind)
        assert len(ends) <= rows
        if start < len(data):
            assert ends[-1] == len(piece)


def ends_letter_by_letter(data: bytes, separator: bytes) -> list[int]:
    """Find the ends as slowly and plainly as can be."""
    ends: list[int] = []
    quoted, at_start, at = False, True, 0
    while at < len(data):
        letter = data[at : at + 1]
        if quoted and data[at : at + 2] == b'""':
            at += 1
        elif quoted:
            quoted = letter != b'"'
            at_start = False
        elif letter == b'"' and at_start:
            quoted = True
        else:
            at_start = letter in (separator, b"\n")
            if letter == b"\n":
                ends.append(at + 1)
        at += 1
    return ends


@given(ANY_BYTES, st.sampled_from([CSV, TSV]))
@settings(max_examples=400)
def test_ends_are_those_of_a_reader_that_goes_letter_by_letter(data: bytes, kind: Format) -> None:
    data = data.replace(b",", kind.separator.encode())
    assert record_ends(data, kind).tolist() == ends_letter_by_letter(data, kind.separator.encode())


@given(ANY_BYTES, ANY_BYTES)
def test_more_bytes_behind_change_no_end(data: bytes, more: bytes) -> None:
    ends = record_ends(data, CSV).tolist()
    assert record_ends(data + more, CSV).tolist()[: len(ends)] == ends


def test_a_quote_inside_a_cell_opens_none() -> None:
    data = b'12" pipe,x\n"two\nlines",y\nz,5"\n'
    assert cuts(data, 1, 100) == [b'12" pipe,x\n', b'"two\nlines",y\n', b'z,5"\n']
    assert cuts(data.replace(b",", b"\t"), 1, 100, TSV)[1] == b'"two\nlines"\ty\n'


def test_a_line_end_in_quotes_is_none() -> None:
    assert record_ends(b'a,"b\nc"\nd\n', CSV).tolist() == [8, 10]
    assert record_ends(b'a,"b\nc"\nd\n', JSONL).tolist() == [5, 8, 10]
    assert record_ends(b"", CSV).dtype == np.int64


def test_a_record_larger_than_a_piece_is_one_piece() -> None:
    assert cuts(b"aaaaaaaaaa\nb\nc\n", 9, 4) == [b"aaaaaaaaaa\n", b"b\nc\n"]


def test_a_stream_that_gives_little_at_a_time_is_cut_the_same() -> None:
    class Drops(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(min(size or 0, 3))

    data = b'a,"b\nc"\nd,e\n' * 20
    found = list(cut_records(Drops(data), CSV, 7, 1000, "here"))
    assert found == cuts(data, 7, 1000)


def test_a_row_that_never_ends_is_told_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_BYTES", 1 << 20)
    data = b'a,"x\ny"\nb,c\n"' + b"d\n" * (1 << 20)
    with pytest.raises(FileFormatError, match=r"^here, line 14: found a row of more than 1 MB"):
        list(cut_records(io.BytesIO(data), CSV, 10, 1 << 16, "here", line=11))
