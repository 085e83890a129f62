"""Tables 3 and 4 of DETESTS 2022: numbers as printed, and what follows from them."""

import math

import pytest
from pydantic import ValidationError

from tactful_lab.evaluation.reproduce.detests_systems import GROUPS
from tactful_lab.evaluation.reproduce.paper_tables import DetestsRow, load_detests_tables

STEREOTYPES = 488
"""AllOnes of table 3 says so: F = 2p / (1 + p) = 0.4243 of 1,812 sentences."""


def row(name: str) -> DetestsRow:
    (found,) = [each for each in load_detests_tables().rows if each.name == name]
    return found


def test_rows_stand_in_the_order_of_the_tables() -> None:
    tables = load_detests_tables()
    assert [each.name for each in tables.of(1)] == [
        "Gold Standard", "I2C_III", "UMUTeam", "Lak_NLP", "DaMinCi", "MALNIS", "FastText+SVC",
        "TFIDF+SVC", "AllOnes", "RandomClassifier",
    ]  # fmt: skip
    assert [each.name for each in tables.of(2)] == [
        "Gold Standard", "MALNIS", "UMUTeam", "Lak_NLP", "TFIDF+SVC", "AllZeros", "FastText+SVC",
        "RandomClassifier", "AllOnes",
    ]  # fmt: skip
    baselines = {each.name for each in tables.rows if each.kind == "baseline"}
    assert baselines == set(GROUPS["baselines"])


def test_numbers_are_as_printed() -> None:
    assert row("I2C_III").values(1) == {"f1": 0.7042}
    assert row("I2C_III").values(2) is None
    assert row("AllZeros").values(1) is None
    assert list((row("TFIDF+SVC").values(2) or {}).values()) == [-0.6954, 0.8552, 0.8442]
    assert list((row("AllOnes").values(2) or {}).values()) == [-36.3162, 0.2224, 0.1354]
    assert row("MALNIS").rank_2 == 1
    assert load_detests_tables().items == 1812


def test_a_row_of_half_a_table_is_refused() -> None:
    with pytest.raises(ValidationError, match="table 4 needs 3 numbers"):
        DetestsRow(name="x", kind="baseline", icm=1.0)


def test_all_ones_of_table_3_gives_the_share_of_stereotypes() -> None:
    share = STEREOTYPES / load_detests_tables().items
    assert round(2 * share / (1 + share), 4) == row("AllOnes").f1


def test_all_zeros_and_all_ones_of_table_4_tell_the_categories_per_stereotype() -> None:
    """Both follow from how many categories stereotypes have, and agree on it (section 5.3).

    With k categories and the root, AllZeros has F = 2 / (4 + k) on a stereotype and 1 elsewhere;
    AllOnes, of 12 labels with the root, 2 (2 + k) / (14 + k), and 2 / 14 elsewhere.
    """
    share = STEREOTYPES / load_detests_tables().items
    zeros = (float(row("AllZeros").hierarchical_f or 0) - (1 - share)) / share
    ones = (float(row("AllOnes").hierarchical_f or 0) - (1 - share) * 2 / 14) / share
    one_category = (zeros - 2 / 6) / (2 / 5 - 2 / 6)
    assert 0.6 < one_category < 0.7
    predicted = one_category * 6 / 15 + (1 - one_category) * 8 / 16
    assert ones == pytest.approx(predicted, abs=0.002)


def test_icm_of_all_zeros_follows_from_gold() -> None:
    """An empty set is a class: gold is p I + x, AllZeros p I - (1 - p) I - x."""
    p = 1 - STEREOTYPES / load_detests_tables().items
    bits = -math.log2(p)
    x = float(row("Gold Standard").icm or 0) - p * bits
    assert p * bits - (1 - p) * bits - x == pytest.approx(float(row("AllZeros").icm or 0), abs=1e-4)
