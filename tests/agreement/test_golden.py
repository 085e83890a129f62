"""Values printed in the literature, each with its source."""

from typing import Any

import pytest

from tactful.agreement import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    measure_per_label,
    percent_agreement,
)

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section D: four observers,
# twelve units, missing data. The same table is cac.raw4raters in Gwet's R package irrCAC.
RELIABILITY_DATA = """
    1 2 3 3 2 1 4 1 2 . . .
    1 2 3 3 2 2 4 1 2 5 . 3
    . 3 3 3 2 3 4 2 2 5 1 .
    1 2 3 3 2 4 4 1 2 5 1 .
"""
FOUR_RATERS = [
    (unit, observer, value)
    for observer, line in enumerate(RELIABILITY_DATA.split("\n")[1:-1])
    for unit, value in enumerate(line.split())
    if value != "."
]

# Fleiss (1971), table 1: 30 patients, six psychiatrists each, five diagnoses. Fleiss prints how
# many gave each diagnosis; the order within a patient does not matter.
DIAGNOSES = (
    "444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 "
    "144444 124444 222333 144444 224445 333335 111455 111112 224444 133555 "
    "555555 244444 224555 114444 144445 222224 111155 224444 133333 555555"
)
PSYCHIATRISTS = [
    (patient, who, diagnosis)
    for patient, line in enumerate(DIAGNOSES.split())
    for who, diagnosis in enumerate(line)
]

# The data set anxiety of the R package irr, raters 2 and 3.
ANXIETY = ("36462424332333221334", "21443216111233113322")


def crossed(counts: list[list[int]]) -> list[tuple[int, str, int]]:
    """Return the judgements of two annotators from their table of counts."""
    rows = []
    item = 0
    for first, line in enumerate(counts):
        for second, count in enumerate(line):
            for _ in range(count):
                rows += [(item, "a", first), (item, "b", second)]
                item += 1
    return rows


@pytest.mark.parametrize(
    ("level", "value"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_krippendorff_2011(level: str, value: float) -> None:
    found = krippendorff_alpha(FOUR_RATERS, level)  # type: ignore[arg-type]
    assert found.value == pytest.approx(value, abs=5e-4)
    assert (found.items, found.annotators, found.judgements) == (11, 4, 40)
    assert found.single_items == 1


def two(first: str, second: str) -> list[tuple[int, str, str]]:
    return [
        (at, who, v) for who, line in (("a", first), ("b", second)) for at, v in enumerate(line)
    ]


def test_krippendorff_2011_two_observers_without_missing_data() -> None:
    # Section A, binary, ten units: alpha = 0.095; section B, nominal, twelve units: 0.692.
    assert krippendorff_alpha(two("0100000010", "1110010000")).value == pytest.approx(
        0.095, abs=5e-4
    )
    assert krippendorff_alpha(two("aabbdcccedda", "babbbccceddd")).value == pytest.approx(
        0.692, abs=5e-4
    )


def test_fleiss_1971() -> None:
    # Fleiss (1971): overall 0.430; with more places, and for each diagnosis against all others,
    # kappam.fleiss(diagnoses, detail=TRUE) of the R package irr.
    found = fleiss_kappa(PSYCHIATRISTS)
    assert found.value == pytest.approx(0.4302445, abs=5e-8)
    assert (found.items, found.judgements) == (30, 180)
    each = measure_per_label(PSYCHIATRISTS, "fleiss")
    assert [round(float(answer), 3) for answer in each.values()] == [
        0.245, 0.245, 0.520, 0.471, 0.566,
    ]  # fmt: skip
    # The mean share of agreeing pairs, as Fleiss prints it.
    assert percent_agreement(PSYCHIATRISTS).value == pytest.approx(0.556, abs=5e-4)


def test_cohen() -> None:
    # Fleiss, Cohen and Everitt (1969), table 1, the example of Cohen (1968): 0.429.
    table = [[106, 10, 4], [22, 28, 10], [2, 12, 6]]
    assert cohen_kappa(crossed(table)).value == pytest.approx(0.429, abs=5e-4)
    # The example of SAS PROC FREQ that statsmodels reprints: 0.4842, with linear weights 0.4701.
    table = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]
    assert cohen_kappa(crossed(table)).value == pytest.approx(0.4842, abs=5e-5)
    assert cohen_kappa(crossed(table), "linear").value == pytest.approx(0.4701, abs=5e-5)


@pytest.mark.parametrize(
    ("weights", "value"), [(None, -0.006289308), ("linear", 0.1459075), ("quadratic", 0.2520325)]
)
def test_cohen_anxiety(weights: Any, value: float) -> None:
    # kappa2(anxiety[, 2:3], "unweighted" | "equal" | "squared") of the R package irr. It counts
    # steps between the labels that occur, and nobody gave a 5.
    rows = [(i, a, "12346".index(label)) for i, a, label in two(*ANXIETY)]
    assert cohen_kappa(rows, weights).value == pytest.approx(value, abs=5e-7)


def test_gwet_four_raters() -> None:
    # irrCAC's documentation of gwet.ac1.raw, fleiss.kappa.raw and krippen.alpha.raw on
    # cac.raw4raters: 0.77544, 0.76117, 0.74342.
    assert gwet_ac1(FOUR_RATERS).value == pytest.approx(0.77544, abs=5e-6)
    assert fleiss_kappa(FOUR_RATERS).value == pytest.approx(0.76117, abs=5e-6)
    assert krippendorff_alpha(FOUR_RATERS).value == pytest.approx(0.74342, abs=5e-6)


def test_gwet_two_abstractors() -> None:
    # irrCAC, vignette "overview", cont3x3abstractors.
    rows = crossed([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
    assert cohen_kappa(rows).value == pytest.approx(0.7964094, abs=5e-8)
    assert fleiss_kappa(rows).value == pytest.approx(0.7962397, abs=5e-8)  # Scott's pi
    assert gwet_ac1(rows).value == pytest.approx(0.8493305, abs=5e-8)
    assert krippendorff_alpha(rows).value == pytest.approx(0.7972585, abs=5e-8)
    assert percent_agreement(rows).value == pytest.approx(0.89)
