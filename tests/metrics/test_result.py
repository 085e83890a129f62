"""A measure behaves as the number it holds, and explains itself where it holds none."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tactful.agreement import Agreement, krippendorff_alpha
from tactful.errors import InputError
from tactful.metrics import Measure, f1_score, roc_auc_score

HALF = Measure("F1", 0.5)
NONE = Measure("AUC", None, "gold has no positive")


def test_a_measure_is_formatted_as_a_number() -> None:
    assert f"{HALF:.3f}" == "0.500"
    assert f"{HALF:>8.2%}" == "  50.00%"
    assert f"{HALF}" == str(HALF) == "F1: 0.5000"
    # The function's own answer, not only one made here.
    assert f"{f1_score([1, 0, 1], [1, 0, 0]):.3f}" == "0.667"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (".3f", "undefined"),
        ("10.3f", " undefined"),
        ("<10", "undefined "),
        ("^+011,.2f", " undefined "),
        ("*>10.1%", "*undefined"),
    ],
)
def test_an_undefined_measure_is_formatted_as_a_word(spec: str, expected: str) -> None:
    assert format(NONE, spec) == expected


def test_a_wrong_format_is_refused_also_where_there_is_no_value() -> None:
    for measure in (HALF, NONE):
        with pytest.raises(ValueError, match=r"[Ff]ormat"):
            format(measure, "wrong")


def test_measures_are_compared_with_numbers_and_with_each_other() -> None:
    other = Measure("recall", 0.75)
    assert HALF > 0.25
    assert other > HALF
    assert HALF <= 0.5 <= other
    assert other >= HALF
    assert max(HALF, other) is other
    assert sorted([other, HALF]) == [0.5, other]
    assert Measure("precision", 0.5) == HALF == 0.5
    assert other != HALF


def test_equal_measures_have_equal_hashes() -> None:
    parts = {"precision": Measure("precision", 1.0)}
    assert len({HALF, Measure("other", 0.5, parts=parts), 0.5}) == 1
    assert len({NONE, Measure("AUC", None, "gold has no positive"), 0.5}) == 2
    assert Measure("AUC", None, "gold has no negative") != NONE
    assert NONE != 0.5
    assert NONE != None  # noqa: E711
    assert HALF != "F1"


def test_measures_are_rounded_and_reckoned_with() -> None:
    assert round(Measure("F1", 2 / 3), 2) == 0.67
    assert round(Measure("ICM", 1.6)) == 2
    assert HALF + 1 == 1 + HALF == 1.5
    assert HALF - Measure("F1", 0.25) == 0.25
    assert 1 - HALF == 0.5
    assert HALF * 100 == 100 * HALF == 50
    assert HALF / 2 == 0.25
    assert 1 / HALF == 2
    assert (-HALF, +HALF, abs(Measure("ICM", -1.5))) == (-0.5, 0.5, 1.5)
    assert sum([HALF, HALF]) == 1
    assert np.mean([HALF, Measure("F1", 1.0)]) == 0.75
    assert np.asarray([HALF], dtype=float).tolist() == [0.5]
    assert math.isclose(HALF, 0.5)


@pytest.mark.parametrize(
    "use",
    [
        float,
        round,
        abs,
        lambda m: m > 0.5,
        lambda m: m >= 0.5,
        lambda m: m > HALF,
        lambda m: m + 1,
        lambda m: 1 / m,
        lambda m: sum([HALF, m]),
        lambda m: np.mean([HALF, m]),
    ],
)
def test_an_undefined_measure_tells_why_it_is_no_number(use: Callable[[Any], Any]) -> None:
    measure = roc_auc_score([1, 1], [0.2, 0.3])
    with pytest.raises(InputError, match="undefined: all 2 gold answers are positive"):
        use(measure)


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(TypeError):
        HALF < "a"  # noqa: B015
    with pytest.raises(TypeError):
        HALF + "a"


def test_agreement_behaves_alike() -> None:
    table = {"item": ["1", "1", "2", "2"], "annotator": list("abab"), "label": list("xxyy")}
    alpha = krippendorff_alpha(table)
    assert isinstance(alpha, Agreement)
    assert f"{alpha:.2f}" == "1.00"
    assert alpha > 0.8
    assert round(alpha, 1) == 1
    alone = krippendorff_alpha({name: values[:1] for name, values in table.items()})
    assert f"{alone:.2f}" == "undefined"
    with pytest.raises(InputError, match="no item has two judgements"):
        assert alone > 0.8
