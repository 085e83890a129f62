"""The linear detector remembers words to be quick, but only so many."""

import numpy as np

from tactful.detectors.load import load_detector
from tactful.detectors.models.linear import _MOST_CHARACTERS, LinearDetector

TEXTS = ["With our help even they can learn to hope again.", "Qwxzt vvkpz library."]


def fast() -> LinearDetector:
    found = load_detector("fast")
    assert isinstance(found, LinearDetector)
    return found


def test_long_words_fill_no_memory() -> None:
    detector, longest = fast(), 50_000
    for number in range(100):
        detector.score([f"{number}{'x' * longest}"])
        kept = detector._table.words[detector._table.known :]
        assert sum(map(len, kept)) <= _MOST_CHARACTERS + longest + 10


def test_what_is_forgotten_is_scored_as_before() -> None:
    detector = fast()
    before = detector.score(TEXTS)
    table = detector._table
    assert len(table.words) > table.known
    detector.forget()
    assert len(table.words) == len(table.row_of) == len(table.rows) == table.known
    after = detector.score(TEXTS)
    assert all(np.array_equal(before[name], after[name]) for name in before)
