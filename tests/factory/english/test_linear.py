from functools import cache
from pathlib import Path

import numpy as np
import pytest
from factory.english.linear import (
    Design,
    LinearWeights,
    Strength,
    vocabulary,
    write_linear,
)
from numpy.typing import NDArray

from tactful.detectors.card import Card, write_card
from tactful.detectors.models.linear import LinearDetector, load_linear_detector

KIND = ["Thank you, that was a helpful reply.", "I see it differently, and here is why."]
UNKIND = ["What utter nonsense, as always from you.", "Only a fool would write such nonsense."]
TEXTS = [*KIND, *UNKIND] * 6
TARGETS = np.array([[0.0, 0.1], [0.0, 0.2], [0.9, 0.5], [1.0, 0.4]] * 6)
IDS = ("unhealthy", "unhealthy.dismissive")


@cache
def fitted(vectors: bool = False) -> tuple[LinearWeights, Design]:
    words = vocabulary(TEXTS)
    meaning = np.random.default_rng(1).normal(size=(len(words), 4)) if vectors else None
    design = Design(TEXTS, words, meaning)
    return design.fit(TARGETS, np.ones_like(TARGETS), Strength(sparse=0.02)), design


def predicted(weights: LinearWeights, design: Design) -> NDArray[np.floating]:
    blocks = [weights.word_weights, weights.piece_weights, weights.pair_weights]
    logits: NDArray[np.floating] = design.raw @ np.concatenate(blocks) + weights.bias
    return logits


def written(folder: Path, vectors: bool = False) -> LinearDetector:
    weights, _ = fitted(vectors)
    write_linear(weights, folder)
    write_card(Card("small", "1", IDS, kind="linear", calibration={IDS[0]: (1.5, -0.5)}), folder)
    return load_linear_detector(folder)


def test_it_learns_the_soft_targets() -> None:
    weights, design = fitted()
    found = 1 / (1 + np.exp(-predicted(weights, design)))
    assert np.abs(found - TARGETS).mean() < 0.15
    assert (found[[2, 3], 0] > found[[0, 1], 0].max()).all()


def test_some_rows_alone_can_be_learnt_from() -> None:
    rows = np.arange(12)
    part = Design(TEXTS, vocabulary(TEXTS)).fit(TARGETS[rows], np.ones((12, 2)), rows=rows)
    alone = Design(TEXTS[:12], vocabulary(TEXTS)).fit(TARGETS[rows], np.ones((12, 2)))
    design = Design(TEXTS, vocabulary(TEXTS))
    signs = [predicted(each, design) > 0 for each in (part, alone)]
    assert (signs[0] == signs[1]).all()


def test_words_of_like_meaning_share_strength() -> None:
    texts = ["foolish reply", "helpful reply"] * 20 + ["silly", "useful"]
    targets = np.array([[0.9], [0.1]] * 21)
    weights = np.ones_like(targets)
    weights[-2:] = 0.0  # nothing is said about the last two texts
    words = vocabulary(texts, least=1)
    meaning = np.array([[1.0 if word in ("foolish", "silly") else -1.0] for word in words])
    found = Design(texts, words, meaning).fit(targets, weights, Strength())
    without = Design(texts, words).fit(targets, weights, Strength())
    at = [words.index("silly"), words.index("useful")]
    assert found.word_weights[at[0], 0] > 0.1
    assert found.word_weights[at[1], 0] < -0.1
    assert without.word_weights[at] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("vectors", [False, True])
def test_the_detector_adds_up_what_was_fitted(vectors: bool, tmp_path: Path) -> None:
    weights, design = fitted(vectors)
    detector = written(tmp_path, vectors)
    # Small integers keep about two digits of the largest weight.
    assert detector.logits(TEXTS) == pytest.approx(predicted(weights, design), abs=0.05)


def test_contributions_are_exact_for_known_and_unknown_words(tmp_path: Path) -> None:
    detector = written(tmp_path)
    for text in ("Such nonsense from a quixotic fool!", "zyzzyva", "a\u200b b", ""):
        scores = detector.score([text])
        bias = detector.score([""])
        for name, parts in detector.contributions(text, IDS).items():
            found, empty = (float(each[name][0]) for each in (scores, bias))
            difference = np.log(found / (1 - found)) - np.log(empty / (1 - empty))
            assert sum(part.value for part in parts) == pytest.approx(difference, abs=1e-4)


def test_spans_are_the_words_that_add_most(tmp_path: Path) -> None:
    text = "Thank you, but that is nonsense."
    spans = written(tmp_path).spans(text, ["unhealthy"])["unhealthy"]
    assert "nonsense" in [span.cut(text) for span in spans]


def test_scores_do_not_depend_on_the_other_texts(tmp_path: Path) -> None:
    detector = written(tmp_path)
    texts = [*TEXTS[:4], "", "wholly unseen vocabulary here", "🙂", "x" * 5000]
    together = detector.score(texts)
    for at, text in enumerate(texts):
        alone = load_linear_detector(tmp_path).score([text])
        for name in IDS:
            assert together[name][at] == pytest.approx(alone[name][0], abs=1e-6)


def test_unknown_words_are_forgotten_before_they_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tactful.detectors.models.linear._MOST_WORDS", 50)
    detector = written(tmp_path)
    texts = [f"word{number}a word{number}b" for number in range(300)]
    expected = load_linear_detector(tmp_path).score(texts)["unhealthy"]
    found = np.concatenate([detector.score([text])["unhealthy"] for text in texts])
    assert found == pytest.approx(expected, abs=1e-6)
    assert len(detector._table.row_of) < 60
