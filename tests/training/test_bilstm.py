"""The BiLSTM learns, repeats itself, and says the same without torch."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from tactful.detectors import load_detector, read_card  # noqa: E402
from tactful.detectors.models.bilstm import WINDOW, load_bilstm_detector  # noqa: E402
from tactful.errors import FileFormatError, InputError  # noqa: E402
from tactful.metrics.word_vectors import WordVectors  # noqa: E402
from tactful.training.bilstm.train import BiLstm  # noqa: E402

FAST = {"epochs": 8, "dimension": 8, "units": 4, "rate": 0.05, "batch": 8}


def fitted(texts: list[str], labels: np.ndarray, **settings: object) -> BiLstm:
    return BiLstm(**{**FAST, **settings}).fit(texts, labels)  # type: ignore[arg-type]


def test_the_papers_settings_are_the_defaults() -> None:
    """Pérez-Almendros et al. 2020, section 5 ("0.25%" of dropout is read as 0.25)."""
    found = BiLstm().get_params()
    papers = {"units": 20, "dropout": 0.25, "epochs": 300, "patience": 10, "validation": 0.1}
    assert {name: found[name] for name in papers} == papers


def test_it_learns_and_repeats_itself(texts: list[str], labels: np.ndarray) -> None:
    first, second = fitted(texts, labels), fitted(texts, labels)
    assert first.predict(texts).tolist() == labels.tolist()
    found = first.predict_proba(texts)
    assert found.shape == (48, 2)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert found.tolist() == second.predict_proba(texts).tolist()
    assert found.tolist() != fitted(texts, labels, random_state=2).predict_proba(texts).tolist()


def test_several_labels_have_a_column_each(texts: list[str], labels: np.ndarray) -> None:
    table = np.stack([labels, 1 - labels], axis=1)
    model = fitted(texts, table)
    assert model.predict_proba(texts).shape == (48, 2)
    assert model.predict(texts).tolist() == table.tolist()


def test_given_vectors_are_used_and_stay(texts: list[str], labels: np.ndarray) -> None:
    rng = np.random.default_rng(1)
    words = sorted({word for text in texts for word in text.split()})
    vectors = WordVectors.of({word: rng.normal(size=6).tolist() for word in words})
    model = fitted(texts, labels, vectors=vectors)
    np.testing.assert_allclose(model.network_.vectors.weight[2:].numpy(), vectors.matrix, atol=1e-6)
    tuned = fitted(texts, labels, vectors=vectors, tune_vectors=True)
    assert not np.allclose(tuned.network_.vectors.weight[2:].detach(), vectors.matrix, atol=1e-4)


def test_vectors_are_read_from_a_file(texts: list[str], labels: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_text("poor 0.1 0.9\nbridge 0.8 -0.3\nunused 0 0\n", encoding="utf-8")
    assert sorted(fitted(texts, labels, vectors=path).words_) == ["bridge", "poor"]
    path.write_text("ninguna 0.1 0.9\n", encoding="utf-8")
    with pytest.raises(InputError, match="no vector for any word"):
        fitted(texts, labels, vectors=path)


def test_the_exported_detector_says_the_same(
    texts: list[str], labels: np.ndarray, tmp_path: Path
) -> None:
    model = fitted(texts, labels)
    model.export(tmp_path / "out", ["my.label"], about={"licence": "mine"})
    detector = load_detector(tmp_path / "out")
    tried = [*texts[:3], "", "Entirely 未知 words", "POOR Souls", "poor bridge " * WINDOW]
    np.testing.assert_allclose(
        detector.score(tried)["my.label"], model.predict_proba(tried)[:, 1], atol=1e-4
    )
    card = read_card(tmp_path / "out")
    assert (card.kind, card.licence, card.training["settings"]["units"]) == ("bilstm", "mine", 4)
    assert detector.score([])["my.label"].shape == (0,)


def test_broken_folders_are_said_so(texts: list[str], labels: np.ndarray, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    fitted(texts, labels, epochs=1).export(folder, ["my.label"])
    (folder / "model.onnx").write_bytes(b"broken")
    with pytest.raises(FileFormatError, match=r"model\.onnx"):
        load_bilstm_detector(folder).score(["a text"])
    (folder / "vocabulary.json").write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(FileFormatError, match="no list of words"):
        load_bilstm_detector(folder)


def test_wrong_labels_are_refused(texts: list[str]) -> None:
    with pytest.raises(InputError, match="other than 0 and 1"):
        BiLstm().fit(texts, [2] * len(texts))
    with pytest.raises(InputError, match="a row of labels for each"):
        BiLstm().fit(texts, [1])
