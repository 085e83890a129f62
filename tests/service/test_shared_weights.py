from pathlib import Path

import pytest

from tactful.detectors.load import load_detector
from tactful.detectors.shared_weights import ARRAYS_FILE
from tactful.frames.load import load_framer
from tactful.service.engine.loading import detector_folders, lay_out_weights, open_detector
from tactful.service.settings import ServiceSettings

TEXTS = ["With our help even they can learn to hope again.", "The library opens on Monday."]


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = lay_out_weights(ServiceSettings(), tmp_path_factory.mktemp("shared") / "weights")
    assert found is not None
    return found


@pytest.mark.parametrize("lang", ["en", "es"])
def test_shared_weights_say_the_same(laid_out: Path, lang: str) -> None:
    folder = detector_folders(ServiceSettings(weights=laid_out))[lang]
    found = open_detector(folder, threads=1).score(TEXTS)
    expected = load_detector(lang=lang).score(TEXTS)
    for name, values in expected.items():
        assert found[name] == pytest.approx(values, abs=1e-6)


def test_arrays_lie_in_a_file_of_their_own(laid_out: Path) -> None:
    encoder = laid_out / "encoder-en"
    assert (encoder / ARRAYS_FILE).stat().st_size > 10 * (encoder / "model.onnx").stat().st_size
    assert (encoder / "tokenizer.json").is_symlink()


def test_the_framer_is_shared_too(laid_out: Path) -> None:
    text = "We should not lower our standards just to hire more women."
    assert load_framer(laid_out / "frames-en").frame([text]) == load_framer().frame([text])


def test_a_folder_of_ones_own_is_left_alone(tmp_path: Path) -> None:
    settings = ServiceSettings(model=str(tmp_path))
    assert lay_out_weights(settings, tmp_path / "weights") is None
