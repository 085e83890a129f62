"""fastText's own format: vectors as fastText itself gives them, and files that are broken."""

import base64
import zlib
from pathlib import Path

import numpy as np
import pytest

from tactful.detectors.models.fasttext_model import (
    is_fasttext_model,
    piece_hash,
    read_fasttext_model,
)
from tactful.errors import FileFormatError

# A model of five words, 20 buckets and two dimensions, trained with fastText 0.9.2 on sentences of
# ours (minn 2, maxn 3), and what its get_word_vector answers; 'unseen' and 'tøwn' were not there.
MODEL = (
    "eNrbJeavz8PAwMAExKxQzIhEM0GxCJRmBuIUINZ1lnn9yEzKnh3IBmEQYGaE0P+hICM1p4BBAyrJUJKRisTJL89D8JIT"
    "0w6vRHBLixFsG/1iOwZ1GA9kYjHYLRAgDaWZoHTxjCv7ijecsPNXnr9v+tnze0OiK+0WlF3ZZ6R+wi783dx9XmIX9/6Y"
    "VWnHgAYmn9u8y3DjDSvP2m+7ujq6rHutO3cpX1KwRleXo2mya+2ST1Ywvtf58l28LwXg6lIFtu96OcHaekrGnF2790lb"
    "9/rL7/oU6mk1edfcXYfrNax3ebfv3LJ1j+VMX49dBTwZVhjugKpDF4cHMcyjWmd0rQs2/LPY48dqky51c3dA8BTrF+u1"
    "LVdu+b7b88cnqw3SH3ZFKIfsvheeafWvmm1X0jO5XUl5XNYAWtB6Ig=="
)
ANSWERS = {
    "help": [-0.042443, 0.040982],
    "café": [0.037949, -0.028311],
    "</s>": [0.0, 0.0],
    "unseen": [-0.000748, 0.001649],
    "tøwn": [-0.000771, 0.001631],
}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.bin"
    path.write_bytes(zlib.decompress(base64.b64decode(MODEL)))
    return path


def test_vectors_are_those_that_fasttext_gives(model: Path) -> None:
    assert is_fasttext_model(model)
    vectors = read_fasttext_model(model, ANSWERS)
    assert set(vectors.index) == set(ANSWERS)
    for word, expected in ANSWERS.items():
        np.testing.assert_allclose(vectors.rows([word])[0], expected, atol=2e-6)


def test_a_word_without_a_piece_is_absent(model: Path) -> None:
    vectors = read_fasttext_model(model, ["", "\ud800"])
    assert len(vectors) <= 2
    assert len(read_fasttext_model(model, [])) == 0


def test_the_hash_takes_bytes_as_signed() -> None:
    """FNV-1a of ASCII is the public one; of a byte above 127 fastText extends the sign."""
    assert piece_hash(b"") == 2166136261
    assert piece_hash(b"a") == 0xE40C292C
    assert piece_hash(b"\xc3") != (2166136261 ^ 0xC3) * 16777619 & 0xFFFFFFFF


@pytest.mark.parametrize("share", [0.01, 0.1, 0.25, 0.5, 0.7])
def test_a_cut_off_file_is_one_sentence(model: Path, share: float) -> None:
    data = model.read_bytes()
    model.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(FileFormatError, match=r"model\.bin: found"):
        read_fasttext_model(model, ["help"])


def test_other_versions_and_quantised_models_are_refused(model: Path) -> None:
    data = bytearray(model.read_bytes())
    model.write_bytes(bytes(data[:4]) + b"\x63\0\0\0" + bytes(data[8:]))
    with pytest.raises(FileFormatError, match="version 99"):
        read_fasttext_model(model, ["help"])
    # The byte behind the dictionary says whether the table is quantised.
    place = bytes(data).index(b"\0" + (27).to_bytes(8, "little") + (2).to_bytes(8, "little"))
    data[place] = 1
    model.write_bytes(bytes(data))
    with pytest.raises(FileFormatError, match="quantised"):
        read_fasttext_model(model, ["help"])
