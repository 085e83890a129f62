"""Word vectors that encoders share: found, kept alive, and refused where they do not fit."""

import gc
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from tactful.detectors.models.encoder import MODEL_FILE, load_encoder_detector
from tactful.detectors.models.onnx_session import SHARED_FILE, open_session
from tactful.detectors.weights import OWN_FOLDER, weights_folder
from tactful.errors import FileFormatError

ENCODER = OWN_FOLDER / "open-encoder-en"
TEXTS = ["With our help even they can hope again.", "The bus was late."]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the encoder's folder, away from the word vectors."""
    return Path(shutil.copytree(ENCODER, tmp_path / "mine"))


def test_a_copied_encoder_finds_the_word_vectors_that_are_installed(copied: Path) -> None:
    np.testing.assert_array_equal(
        load_encoder_detector(copied).logits(TEXTS), load_encoder_detector(ENCODER).logits(TEXTS)
    )


def test_the_word_vectors_live_as_long_as_the_session() -> None:
    tokens = np.array([[101, 2023, 2003, 102]])
    inputs = {"tokens": tokens, "mask": np.ones_like(tokens)}
    session = open_session(ENCODER / MODEL_FILE)
    first = session.run(["logits"], inputs)[0]
    gc.collect()
    np.zeros(20_000_000)
    np.testing.assert_array_equal(session.run(["logits"], inputs)[0], first)


@pytest.mark.parametrize(
    "content",
    [
        b"no json",
        b"[]",
        b'{"x": 1}',
        b'{"x": "../words.npy"}',
        b'{"x": "/etc/passwd"}',
        b'{"x": "a/b/c.npy"}',
    ],
    ids=["text", "list", "number", "parent", "absolute", "deep"],
)
def test_other_places_are_refused(copied: Path, content: bytes) -> None:
    (copied / SHARED_FILE).write_bytes(content)
    with pytest.raises(FileFormatError, match=r"shared\.json: expected a JSON object"):
        open_session(copied / MODEL_FILE)


def test_missing_word_vectors_are_named(copied: Path) -> None:
    name = next(iter(json.loads((copied / SHARED_FILE).read_bytes())))
    (copied / SHARED_FILE).write_text(json.dumps({name: "embeddings-xx/words.npy"}))
    with pytest.raises(FileFormatError, match=r"'embeddings-xx/words\.npy', which comes"):
        open_session(copied / MODEL_FILE)


def test_a_file_that_is_no_array_is_named(copied: Path) -> None:
    name = next(iter(json.loads((copied / SHARED_FILE).read_bytes())))
    folder = copied.parent / "embeddings-xx"
    folder.mkdir()
    (folder / "words.npy").write_bytes(b"nothing")
    (copied / SHARED_FILE).write_text(json.dumps({name: "embeddings-xx/words.npy"}))
    with pytest.raises(FileFormatError, match=r"words\.npy: found no array"):
        open_session(copied / MODEL_FILE)


def test_word_vectors_of_another_size_are_refused(copied: Path) -> None:
    name = next(iter(json.loads((copied / SHARED_FILE).read_bytes())))
    folder = copied.parent / "embeddings-xx"
    folder.mkdir()
    np.save(folder / "words.npy", np.zeros((3, 4), dtype=np.int8))
    (copied / SHARED_FILE).write_text(json.dumps({name: "embeddings-xx/words.npy"}))
    with pytest.raises(FileFormatError, match="found no model that onnxruntime can open"):
        open_session(copied / MODEL_FILE)


def test_both_tiers_use_the_same_word_vectors() -> None:
    research, own = weights_folder("encoder-en"), weights_folder("open-encoder-en")
    assert research != own
    assert (research / SHARED_FILE).read_bytes() == (own / SHARED_FILE).read_bytes()
