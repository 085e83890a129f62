from pathlib import Path

import numpy as np
import pytest
from factory.spanish.ngrams import fit_ngrams
from sklearn.feature_extraction.text import TfidfVectorizer

from tactful.detectors.card import Card
from tactful.detectors.load import load_detector
from tactful.detectors.models.ngrams import ARRAYS_FILE, NgramDetector, Ngrams
from tactful.errors import FileFormatError

TEXTS = [
    "La  plaza del barrio está llena, ¡qué alegría!",
    "Los vecinos del barrio dicen que la plaza es para todos.",
    "El tren llega tarde; el tren siempre llega tarde.",
    "Y a mí me da igual.\nNo sé, la plaza…",
    "¿Quién abre hoy el mercado del barrio? El mercado abre.",
    "İstanbul ﬁn café", "", "x",
]  # fmt: skip
IDS = ("stereotype", "stereotype.health")


def fitted() -> Ngrams:
    return fit_ngrams(TEXTS, least=(1, 1))


def detector(calibration: dict[str, tuple[float, float]] | None = None) -> NgramDetector:
    known = fitted()
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(len(known), 2)).astype(np.float16).astype(np.float32)
    card = Card("mine", "1", IDS, kind="ngrams", lang="es", calibration=calibration or {})
    return NgramDetector(known, weights, np.array([0.5, -1.0], dtype=np.float32), card)


def test_rows_are_those_of_scikit_learn() -> None:
    known = fitted()
    rows = known.rows(TEXTS).toarray()
    shared = {"sublinear_tf": True, "strip_accents": "unicode"}
    words = TfidfVectorizer(ngram_range=(1, 2), **shared).fit_transform(TEXTS).toarray()
    pieces = (
        TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), **shared)
        .fit_transform(TEXTS)
        .toarray()
    )
    assert np.allclose(rows[:, : len(known.words)], words, atol=1e-6)
    assert np.allclose(rows[:, len(known.words) :], pieces, atol=1e-6)


def test_columns_are_those_that_are_found_with_their_places() -> None:
    known = fitted()
    odd = ["caf\u00e9\u00b4s y\u00a0plaza", "a\u2028plaza\x1ctren", "ΟΔΥΣΣΕΎΣ ŁÓDŹ ﬁn\ttren"]
    for text in [*TEXTS, *odd]:
        words, pieces = known.found(text)
        assert known.columns(text) == ([at for at, _ in words], [at for at, _ in pieces])


def test_log_odds_are_rows_times_weights() -> None:
    made = detector()
    wanted = made.ngrams.rows(TEXTS) @ made.weights + made.bias
    assert np.allclose(made.logits(TEXTS), wanted, atol=1e-5)
    assert np.allclose(made.logits([""]), made.bias)


@pytest.mark.parametrize("text", TEXTS)
def test_what_words_add_sums_up_to_the_log_odds(text: str) -> None:
    made = detector({"stereotype": (2.0, 0.1)})
    parts = made.contributions(text, IDS)
    logits = made.logits([text])[0] - made.bias
    assert sum(part.value for part in parts[IDS[0]]) == pytest.approx(2 * logits[0], abs=1e-4)
    assert sum(part.value for part in parts[IDS[1]]) == pytest.approx(logits[1], abs=1e-4)
    for part in parts[IDS[0]]:
        assert 0 <= part.start < part.end <= len(text)


def test_a_folder_comes_back(tmp_path: Path) -> None:
    made = detector()
    made.save(tmp_path / "new" / "mine")
    again = load_detector(tmp_path / "new" / "mine")
    assert isinstance(again, NgramDetector)
    assert np.allclose(again.logits(TEXTS), made.logits(TEXTS), atol=5e-3)
    report = again.check(TEXTS[1])
    assert report.model == "mine 1"


@pytest.mark.parametrize("wrong", [b"", b"not an archive"])
def test_a_broken_folder_is_one_sentence(tmp_path: Path, wrong: bytes) -> None:
    detector().save(tmp_path)
    (tmp_path / ARRAYS_FILE).write_bytes(wrong)
    with pytest.raises(FileFormatError, match="restore the file"):
        load_detector(tmp_path)


def test_weights_for_other_ids_are_refused(tmp_path: Path) -> None:
    made = detector()
    NgramDetector(made.ngrams, made.weights[:, :1], made.bias, made.card).save(tmp_path)
    with pytest.raises(FileFormatError, match="weights of shape"):
        load_detector(tmp_path)


def test_very_long_words_are_not_kept_in_memory() -> None:
    known = fitted()
    text = " ".join(letter * 1900 for letter in "abcdefgh")
    assert known.columns(text) == known.columns(text)
    known.columns("la plaza del barrio")
    assert max(map(len, known._read)) == len("barrio")
