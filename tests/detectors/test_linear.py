"""The linear detector caches words, up to a limit."""

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
        assert sum(map(len, detector._table.row_of)) <= _MOST_CHARACTERS + longest + 10


def test_what_is_forgotten_is_scored_as_before() -> None:
    detector = fast()
    before = detector.score(TEXTS)
    table = detector._table
    assert len(table.row_of) > len(TEXTS)
    detector.forget()
    assert not table.row_of
    after = detector.score(TEXTS)
    assert all(np.array_equal(before[name], after[name]) for name in before)
