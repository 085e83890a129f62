"""A SentencePiece model is read as it was written, and a damaged one is refused."""

import struct

import pytest
from factory.use.pieces import NORMAL, UNKNOWN, Piece, read_pieces

from tactful.errors import FileFormatError


def number(value: int) -> bytes:
    found = b""
    while value > 127:
        found += bytes([value & 127 | 128])
        value >>= 7
    return found + bytes([value])


def block(field: int, data: bytes) -> bytes:
    return number(field << 3 | 2) + number(len(data)) + data


def piece(text: str, score: float, kind: int | None = None) -> bytes:
    data = block(1, text.encode()) + number(2 << 3 | 5) + struct.pack("<f", score)
    return block(1, data if kind is None else data + number(3 << 3) + number(kind))


def model(kind: int = 1) -> bytes:
    # A field of eight bytes and a number of ten bytes (-1) are among what is skipped.
    trainer = number(3 << 3) + number(kind) + number(43 << 3) + b"\xff" * 9 + b"\x01"
    rules = block(1, b"nmt_nfkc") + block(2, b"compiled") + number(9 << 3 | 1) + bytes(8)
    pieces = piece("<unk>", 0.0, UNKNOWN) + piece("▁niño", -2.5) + piece("日", -9.0, NORMAL)
    return pieces + block(2, trainer) + block(3, rules)


def test_pieces_and_rules_are_read() -> None:
    found = read_pieces(model(), "here")
    assert found.pieces == (
        Piece("<unk>", 0.0, UNKNOWN),
        Piece("▁niño", -2.5),
        Piece("日", -9.0),
    )
    assert found.charsmap == b"compiled"


@pytest.mark.parametrize(
    "data",
    [
        model()[:-3],
        block(1, b"\x0a\xff"),
        b"\xff" * 12,
        number(1 << 3 | 3),
        number(1 << 3) + number(7),
        block(1, block(1, b"\xff\xfe")),
    ],
    ids=["cut off", "a part cut off", "endless", "a group", "no message", "no text"],
)
def test_damage_is_one_sentence(data: bytes) -> None:
    with pytest.raises(FileFormatError, match=r"^here: found a damaged SentencePiece model"):
        read_pieces(data, "here")


def test_other_kinds_are_refused() -> None:
    with pytest.raises(FileFormatError, match="kind 2 with 3 pieces"):
        read_pieces(model(kind=2), "here")
    with pytest.raises(FileFormatError, match="0 pieces"):
        read_pieces(b"", "here")
