"""The hierarchy of stereotypes: section 4.1.1 of DETESTS 2022 holds for all decisions."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.detectors import stereotype_labels
from tactful.detectors.stereotype_labels import (
    CATEGORIES,
    IMPLICIT,
    LABELS,
    OTHERS,
    ROOT,
    TARGETS,
    Mode,
    consistent,
    decide,
    label_sets,
)
from tactful.errors import InputError, UnknownNameError, UsageError
from tactful.taxonomies import load_taxonomy

MODES: tuple[Mode, ...] = ("closed", "two-stage", "joint")
HEALTH, CULTURE = "stereotype.health", "stereotype.culture"


def columns(**given: list[float]) -> dict[str, list[float]]:
    """Give some labels probabilities, and 0 to the others."""
    named = {ROOT if name == ROOT else f"stereotype.{name}": each for name, each in given.items()}
    rows = len(next(iter(named.values())))
    return {name: named.get(name, [0.0] * rows) for name in (ROOT, *CATEGORIES, *named)}


def test_the_examples_hold() -> None:
    assert doctest.testmod(stereotype_labels).failed == 0


def test_the_labels_are_those_of_the_taxonomy() -> None:
    entries = load_taxonomy("stereotype").entries
    assert set(LABELS) == {entry.id for entry in entries}
    assert list(CATEGORIES) == [entry.id for entry in entries if entry.kind == "category"]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (set(), set()),
        ({ROOT}, {ROOT, OTHERS}),
        ({HEALTH}, {ROOT, HEALTH}),
        ({ROOT, HEALTH, CULTURE}, {ROOT, HEALTH, CULTURE}),
        ({IMPLICIT}, set()),
        ({IMPLICIT, HEALTH}, {IMPLICIT, HEALTH, ROOT}),
        ({IMPLICIT, ROOT}, {IMPLICIT, ROOT, OTHERS}),
        (set(TARGETS), set(TARGETS)),
    ],
)
def test_what_labels_imply(labels: set[str], expected: set[str]) -> None:
    assert consistent(labels) == expected


def test_the_given_set_is_not_changed() -> None:
    given_labels = {ROOT}
    consistent(given_labels)
    assert given_labels == {ROOT}


@given(st.sets(st.sampled_from(LABELS)))
def test_a_consistent_set_stays_as_it_is(labels: set[str]) -> None:
    found = consistent(labels)
    assert consistent(found) == found
    assert (ROOT in found) == bool(found & set(CATEGORIES))
    assert found >= labels - {IMPLICIT}


def test_unknown_labels_answer_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean 'stereotype\.health'"):
        consistent({"stereotype.helth"})
    with pytest.raises(InputError, match="expected a set or list"):
        consistent("stereotype")


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.sampled_from(MODES))
def test_decisions_are_consistent_and_those_of_single_sets(seed: int, mode: Mode) -> None:
    rng = np.random.default_rng(seed)
    chances = {name: rng.random(8).round(2) for name in LABELS}
    limits = {name: float(rng.random()) for name in LABELS if rng.random() < 0.5}
    found = label_sets(decide(chances, limits, mode))
    for at, labels in enumerate(found):
        assert consistent(labels) == labels
        alone = {name for name in LABELS if chances[name][at] >= limits.get(name, 0.5)}
        if mode == "closed":
            assert labels == consistent(alone)
        elif mode == "joint":
            assert labels == consistent(alone - {ROOT})
        else:
            assert labels == (consistent(alone) if ROOT in alone else alone & set(TARGETS))


def test_the_modes_differ_where_stages_disagree() -> None:
    chances = columns(stereotype=[0.9, 0.2], health=[0.1, 0.8])
    answers = {mode: label_sets(decide(chances, mode=mode)) for mode in MODES}
    assert answers["closed"] == [{ROOT, OTHERS}, {ROOT, HEALTH}]
    assert answers["two-stage"] == [{ROOT, OTHERS}, set()]
    assert answers["joint"] == [set(), {ROOT, HEALTH}]


def test_a_threshold_itself_is_a_yes_and_joint_needs_no_root() -> None:
    chances = columns(health=[0.3, 0.29])
    del chances[ROOT]
    assert label_sets(decide(chances, {HEALTH: 0.3}, "joint")) == [{ROOT, HEALTH}, set()]


def test_no_sentences_are_no_answers() -> None:
    assert label_sets(decide({name: [] for name in (ROOT, *CATEGORIES)})) == []
    assert label_sets({}) == []


@pytest.mark.parametrize(
    ("chances", "message"),
    [
        ({ROOT: [0.5]}, "Found no probabilities of stereotype.xenophobia"),
        (columns(health=[0.1]) | {HEALTH: [0.1, 0.2]}, "columns of the shapes"),
        (columns(health=[float("nan")]), "'stereotype.health' that is missing or outside 0 to 1"),
        (columns(health=[1.5]), "outside 0 to 1"),
    ],
)
def test_wrong_columns(chances: dict[str, list[float]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        decide(chances)


def test_wrong_names() -> None:
    with pytest.raises(UsageError, match="expected one of closed, two-stage, joint"):
        decide({}, mode="three-stage")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError):
        decide(columns(health=[0.1]), {"health": 0.3})
