"""Packed files are read as what they hold, and damage is one sentence."""

import gzip
import io
import sys
from pathlib import Path

import pytest

from tactful.errors import FileFormatError, InputError
from tactful.scale.tables.formats import Format, Packing
from tactful.scale.tables.headers import read_headers
from tactful.scale.tables.pieces import cut_pieces
from tactful.scale.tables.sources import Source, open_source, pack, zstd

TEXT = b"text\n" + b"".join(b"We learn %d things.\n" % (at * 7919 % 10007) for at in range(9000))
DAMAGED = (
    r": found a damaged or cut-off %s file \(.+\); expected a complete one; download it again\.$"
)
packings = pytest.mark.parametrize("packing", ["gz", "zst"])


def read(data: bytes, packing: Packing, folder: Path, start: int = 0) -> bytes:
    path = folder / "a"
    path.write_bytes(data)
    with open_source(Source(path, Format("csv", packing))) as file:
        file.seek(start)
        return file.read()


@pytest.mark.parametrize("packing", ["", "gz", "zst"])
def test_packed_parts_laid_end_to_end_are_one_file(packing: Packing, tmp_path: Path) -> None:
    parts = [TEXT, b"", b"more\n", TEXT[:9]]
    data = b"".join(pack(part, packing) for part in parts)
    assert read(data, packing, tmp_path) == b"".join(parts)
    assert read(data, packing, tmp_path, start=len(TEXT) + 2) == b"re\n" + TEXT[:9]


def test_what_is_packed_can_be_read_by_the_tools_of_others() -> None:
    assert gzip.decompress(pack(TEXT, "gz") + pack(b"x", "gz")) == TEXT + b"x"
    assert zstd().decompress(pack(TEXT, "zst") + pack(b"x", "zst")) == TEXT + b"x"


@packings
def test_the_same_rows_give_the_same_bytes_and_fewer(packing: Packing) -> None:
    assert pack(TEXT, packing) == pack(TEXT, packing)
    assert len(pack(TEXT, packing)) < len(TEXT) / 2
    assert pack(TEXT, "") is TEXT
    if packing == "gz":
        assert pack(TEXT, packing)[4:8] == bytes(4), "no time of packing"


@packings
@pytest.mark.parametrize("keep", [3, 30, 2000, -1, -9])
def test_a_file_that_is_cut_off_is_told(packing: Packing, keep: int, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=DAMAGED % packing):
        read(pack(TEXT, packing)[:keep], packing, tmp_path)
    with pytest.raises(FileFormatError, match=DAMAGED % packing):
        read(pack(b"a\n", packing) + pack(TEXT, packing)[:keep], packing, tmp_path)


@packings
@pytest.mark.parametrize("place", [0.001, 0.25, 0.5, 0.75, 0.9999])
def test_a_file_with_a_wrong_bit_is_told(packing: Packing, place: float, tmp_path: Path) -> None:
    data = bytearray(pack(TEXT, packing))
    at = max(int(len(data) * place), 2)
    data[at] ^= 0x10
    with pytest.raises(FileFormatError, match=DAMAGED % packing):
        assert read(bytes(data), packing, tmp_path) != TEXT


@packings
@pytest.mark.parametrize("data", [b"text\nnot packed at all\n", b"PAR1"])
def test_a_file_that_is_not_packed_is_told(packing: Packing, data: bytes, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=DAMAGED % packing):
        read(data, packing, tmp_path)
    with pytest.raises(FileFormatError, match=DAMAGED % packing):
        read(pack(TEXT, packing) + data, packing, tmp_path)


@pytest.mark.parametrize("packing", ["", "gz", "zst"])
def test_a_file_that_is_gone_or_a_folder_is_told(packing: Packing, tmp_path: Path) -> None:
    for path, said in ((tmp_path / "gone", "No such file"), (tmp_path, "Is a directory")):
        with (
            pytest.raises(InputError, match=rf"{path.name}: it cannot be read \({said}"),
            open_source(Source(path, Format("csv", packing))),
        ):
            pass


@pytest.mark.parametrize("packing", ["", "gz", "zst"])
def test_standard_input_is_read_on_behind_its_head(
    packing: Packing, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pack(TEXT, packing) + pack(b"the end\n", packing)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
    sources = [Source(None, Format("csv", packing))]
    pieces = cut_pieces(sources, read_headers(sources), 1000, 1 << 16)
    assert b"".join(piece.data for piece in pieces) == TEXT[len(b"text\n") :] + b"the end\n"
