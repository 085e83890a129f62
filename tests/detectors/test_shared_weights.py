"""Weights laid out for several processes: the same bits, and mapped instead of copied."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from tactful.checking.bulk import bulk_scorer
from tactful.detectors.models.onnx_session import SHARED_FILE
from tactful.detectors.shared_weights import ARRAYS_FILE, lay_out, with_parts
from tactful.detectors.weights import weights_folder

TEXTS = {
    "en": [
        "With our help even they can hope again.",
        "The bus was late.",
        "My neighbour is Muslim and we share a garden.",
        "",
    ],
    "es": ["Vienen de fuera y viven de las ayudas.", "El autobús llegó tarde.", ""],
}


@pytest.mark.parametrize(
    ("model", "lang"),
    [("default", "en"), ("cascade", "en"), ("fast", "en"), ("default", "es")],
)
def test_shared_weights_give_the_same_bits(tmp_path: Path, model: str, lang: str) -> None:
    scorer = bulk_scorer(model, lang)
    assert scorer.lay_out is not None
    shared = scorer.lay_out(tmp_path / "weights")()(TEXTS[lang])
    alone = scorer.load()(TEXTS[lang])
    assert list(shared) == list(alone)
    for name in scorer.ids:
        one, other = (
            np.asarray(found[name], np.float32).view(np.uint32) for found in (shared, alone)
        )
        assert one.tolist() == other.tolist()


def test_a_folder_of_your_own_may_have_the_name_of_an_embedded_one(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "default-en"
    shutil.copytree(weights_folder("fast-en"), folder)
    scorer = bulk_scorer(str(folder))
    assert scorer.lay_out is not None
    shared = scorer.lay_out(tmp_path / "weights")()(TEXTS["en"])
    alone = bulk_scorer("fast", "en").load()(TEXTS["en"])
    assert list(shared["frame.offensive"]) == list(alone["frame.offensive"])


def test_both_languages_share_one_layout(tmp_path: Path) -> None:
    scorer = bulk_scorer("fast", only=["toxicity"])
    assert scorer.lay_out is not None
    texts = [*TEXTS["en"][:2], *TEXTS["es"][:2]]
    shared, alone = scorer.lay_out(tmp_path / "weights")()(texts), scorer.load()(texts)
    assert list(shared["toxicity"]) == list(alone["toxicity"])
    assert list(shared["lang"]) == list(alone["lang"])


def test_large_arrays_lie_beside_the_model_and_nothing_else_is_copied(tmp_path: Path) -> None:
    lay_out([weights_folder("encoder-en")], tmp_path)
    laid = tmp_path / "encoder-en"
    original = {file.name: file for file in weights_folder("encoder-en").iterdir()}
    # The arrays of the model include those that it shares with other encoders.
    del original[SHARED_FILE]
    assert {file.name for file in laid.iterdir()} == {*original, ARRAYS_FILE}
    model, arrays = laid / "model.onnx", laid / ARRAYS_FILE
    assert model.stat().st_size < arrays.stat().st_size
    links = [file for file in laid.iterdir() if file.is_symlink()]
    assert {file.name for file in links} == set(original) - {"model.onnx"}
    assert all(file.resolve() == original[file.name].resolve() for file in links)


def test_a_detector_comes_with_those_that_it_is_made_of(tmp_path: Path) -> None:
    names = [folder.name for folder in with_parts(weights_folder("cascade-en"))]
    assert names[0] == "cascade-en"
    assert {"fast-en", "default-en", "encoder-en"} <= set(names)
    # Those of several are laid out once.
    lay_out([weights_folder("cascade-en"), weights_folder("default-en")], tmp_path)
    assert {folder.name for folder in tmp_path.iterdir()} == set(names)
