"""Faithfulness: a true order of words beats chance, chance beats a false one, by exact numbers."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tactful.detectors.base import Contribution
from tactful.detectors.explain.words import word_contributions, words_of
from tactful.errors import InputError, UsageError
from tactful_lab.evaluation.faithfulness import (
    BINS,
    RANDOM,
    STEPS,
    Faithfulness,
    faithfulness,
    word_values,
)

TEN = "one two three four five six seven eight nine key"


class KeyDetector:
    """Says 0.9 where the word "key" is there and 0.1 where it is not."""

    def __init__(self) -> None:
        self.scored: list[str] = []

    def score(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        self.scored += texts
        return {"pcl": np.array([0.9 if "key" in t else 0.1 for t in texts], dtype=np.float32)}


def by_value(values: dict[str, float], text: str) -> list[Contribution]:
    return [Contribution(a, b, values.get(text[a:b], 0.0)) for a, b in words_of(text)]


def right(text: str, name: str) -> list[Contribution]:
    return by_value({"key": 1.0}, text)


def wrong(text: str, name: str) -> list[Contribution]:
    return by_value({"key": -1.0}, text)


@pytest.fixture
def rows() -> dict[str, Faithfulness]:
    found = faithfulness(KeyDetector(), [TEN], "pcl", {"right": right, "wrong": wrong}, repeats=200)
    return {row.explainer: row for row in found}


def test_the_right_order_by_hand(rows: dict[str, Faithfulness]) -> None:
    """Ten words: "key" goes first, and with it 0.8 of the probability."""
    row = rows["right"]
    assert (row.id, row.texts) == ("pcl", 1)
    assert row.deletion == pytest.approx([0.9] + [0.1] * 9)
    assert row.insertion == pytest.approx([0.9] * 10)
    assert row.deletion_area == pytest.approx((0.5 + 8 * 0.1) / 9)
    assert row.insertion_area == pytest.approx(0.9)
    assert row.comprehensiveness == row.aopc_comprehensiveness == pytest.approx(0.8)
    assert row.sufficiency == row.aopc_sufficiency == pytest.approx(0.0)
    assert row.better_than_random == 1.0


def test_the_wrong_order_by_hand(rows: dict[str, Faithfulness]) -> None:
    row = rows["wrong"]
    assert row.deletion == pytest.approx([0.9] * 10)  # the last word is never removed
    assert row.insertion == pytest.approx([0.1] * 9 + [0.9])
    assert row.comprehensiveness == pytest.approx(0.0)
    assert row.sufficiency == row.aopc_sufficiency == pytest.approx(0.8)
    assert row.better_than_random == 0.0


def test_chance_lies_between_them(rows: dict[str, Faithfulness]) -> None:
    chance = rows[RANDOM]
    assert chance.better_than_random is None
    # "key" is among the first two of ten in a fifth of all orders.
    assert chance.comprehensiveness == pytest.approx(0.8 * 0.2, abs=0.08)
    assert rows["right"].deletion_area < chance.deletion_area < rows["wrong"].deletion_area
    assert rows["wrong"].insertion_area < chance.insertion_area < rows["right"].insertion_area


def test_chance_depends_on_the_seed_alone() -> None:
    def chance(seed: int) -> Faithfulness:
        return faithfulness(KeyDetector(), [TEN] * 3, "pcl", {}, seed=seed)[-1]

    assert chance(1) == chance(1)
    assert chance(1) != chance(2)


def test_occlusion_is_a_faithful_explainer() -> None:
    detector = KeyDetector()
    occlusion, chance = faithfulness(
        detector,
        [TEN, "key " * 1 + "and some other words here"],
        "pcl",
        {"occlusion": lambda text, name: word_contributions(detector, text, [name])[name]},
    )
    assert occlusion.texts == chance.texts == 2
    assert occlusion.better_than_random == 1.0


def test_short_texts_are_left_out_and_no_empty_text_is_scored() -> None:
    detector = KeyDetector()
    rows = faithfulness(detector, ["key", "", "one two three four key"], "pcl", {"right": right})
    assert {row.texts for row in rows} == {1}
    assert all(words_of(text) for text in detector.scored)
    # Different variants are scored once: one text, so no variant comes twice.
    assert len(detector.scored) == len(set(detector.scored))


def test_nothing_to_measure_is_refused() -> None:
    with pytest.raises(InputError, match="5 or more words among 2"):
        faithfulness(KeyDetector(), ["too short", ""], "pcl", {"right": right})
    with pytest.raises(UsageError, match="another name"):
        faithfulness(KeyDetector(), [TEN], "pcl", {RANDOM: right})
    with pytest.raises(UsageError, match="0 random orders"):
        faithfulness(KeyDetector(), [TEN], "pcl", {"right": right}, repeats=0)


def test_pieces_of_other_explainers_are_laid_over_the_words() -> None:
    text = "ab cdef"
    pieces = [Contribution(0, 2, 1.0), Contribution(1, 5, 4.0), Contribution(2, 3, 9.0)]
    # The second covers one letter of the first word, a space and two letters of the second word.
    assert word_values(words_of(text), pieces).tolist() == pytest.approx([1 + 1, 2])
    assert word_values([], pieces).tolist() == []


def test_the_rationales_have_the_lengths_of_the_benchmark() -> None:
    """DeYoung et al. 2020: 1, 5, 10, 20 and 50 % of the words."""
    assert BINS == (0.01, 0.05, 0.1, 0.2, 0.5)
    assert STEPS[0] == 0
