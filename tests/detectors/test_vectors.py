"""Mean word vectors and SVM: coverage, the papers' settings, and a folder without pickles."""

from pathlib import Path

import numpy as np
import pytest

from tactful.detectors import load_detector
from tactful.detectors.models.vectors import (
    DPM_TASK_1,
    DPM_TASK_2,
    Coverage,
    VectorsSvm,
    coverage,
    load_vectors_detector,
    mean_rows,
    read_vectors,
    vectors_detector,
)
from tactful.errors import FileFormatError, InputError
from tactful.metrics.word_vectors import WordVectors

VECTORS = WordVectors.of({
    "help": [1.0, 0.0, 0.2], "poor": [0.9, 0.1, 0.0], "rain": [-1.0, 0.3, 0.1],
    "monday": [-0.8, 0.2, 0.4], "Town": [0.0, 1.0, 0.0],
})  # fmt: skip
TEXTS = ["help the poor", "Help poor Town", "rain on monday", "monday Town rain"] * 5
LABELS = np.array([1, 1, 0, 0] * 5)


@pytest.fixture
def glove(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.txt"
    path.write_text("help 1 0\npoor 0.9 0.1\nrain -1 0.3\nmonday -0.8 0.2\n", encoding="utf-8")
    return path


def test_the_settings_are_those_of_the_paper() -> None:
    """DPM section 5 (SVM-WV): task 1 C=10, poly; task 2 C=100, rbf."""
    assert DPM_TASK_1 == {"kernel": "poly", "C": 10.0}
    assert DPM_TASK_2 == {"kernel": "rbf", "C": 100.0}


def test_a_text_is_the_mean_of_its_known_words() -> None:
    rows = mean_rows(VECTORS, ["Help, POOR xyz!", "", "Town town"])
    np.testing.assert_allclose(rows[0], [0.95, 0.05, 0.1])
    assert rows[1].tolist() == [0.0, 0.0, 0.0]
    assert rows[2].tolist() == [0.0, 1.0, 0.0]


def test_coverage_counts_words_and_different_words() -> None:
    found = coverage(VECTORS, ["help help xyz", "Poor xyz"])
    assert found == Coverage(tokens=5, known_tokens=3, types=3, known_types=2)
    assert str(found) == "vectors for 60.0 % of 5 words (66.7 % of 3 different ones)"
    nothing = coverage(VECTORS, [""])
    assert str(nothing) == "there are no words to cover"


@pytest.mark.parametrize("kernel", ["poly", "rbf", "linear"])
def test_what_is_learnt_is_right_and_can_be_saved(tmp_path: Path, kernel: str) -> None:
    fitted = VectorsSvm(VECTORS, kernel=kernel, C=100, calibrate=True).fit(TEXTS, LABELS)
    assert (fitted.predict(TEXTS) == LABELS).all()
    assert fitted.predict_proba(TEXTS).shape == (20, 2)
    made = vectors_detector(fitted, ["pcl"])
    made.save(tmp_path / "d")
    again = load_detector(tmp_path / "d")
    new = [*TEXTS, "", "nothing known"]
    np.testing.assert_allclose(again.score(new)["pcl"], made.score(new)["pcl"], atol=1e-5)
    assert "% of" in again.card.limits[0]


def test_a_file_is_read_once_for_the_words_of_the_texts(glove: Path) -> None:
    fitted = VectorsSvm(glove, kernel="linear").fit(TEXTS, LABELS)
    assert set(fitted.vectors_.index) == {"help", "poor", "rain", "monday"}
    assert fitted.coverage_.known_types == 5
    made = vectors_detector(fitted, ["pcl"])
    assert made.card.training["settings"]["vectors"] == "vectors.txt"


def test_several_labels(glove: Path) -> None:
    table = np.stack([LABELS, 1 - LABELS], axis=1)
    fitted = VectorsSvm(str(glove), kernel="linear").fit(TEXTS, table)
    assert (fitted.predict(TEXTS) == table).all()


def test_a_fasttext_model_is_told_by_its_first_bytes(tmp_path: Path) -> None:
    path = tmp_path / "cut.bin"
    path.write_bytes((793712314).to_bytes(4, "little"))
    with pytest.raises(FileFormatError, match="cut off"):
        read_vectors(path, ["help"])


def test_vectors_of_another_language_are_refused() -> None:
    with pytest.raises(InputError, match="no vector for any of 2 different words"):
        VectorsSvm(VECTORS).fit(["xyz", "zyx"], [0, 1])


def test_a_broken_folder_is_one_sentence(tmp_path: Path) -> None:
    fitted = VectorsSvm(VECTORS, kernel="rbf").fit(TEXTS, LABELS)
    vectors_detector(fitted, ["pcl"]).save(tmp_path / "d")
    path = tmp_path / "d" / "model.npz"
    with np.load(path) as opened:
        arrays = dict(opened)
    np.savez(path, **{**arrays, "vectors": arrays["vectors"][:-1]})
    with pytest.raises(FileFormatError, match="5 words and vectors of shape"):
        load_vectors_detector(tmp_path / "d")
