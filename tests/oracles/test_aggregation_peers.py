"""Aggregation against crowd-kit: the same steps give the same, and ours is right as often.

Where crowd-kit differs from us, and why:

- Ties: crowd-kit draws one of the labels with numpy's global generator; ours have no label unless
  a policy is chosen. Compared are the shares of the votes, and labels where there is no tie.
- Dawid-Skene and one-coin stop in crowd-kit as soon as a bound (which counts the prior of a label
  once for each judgement) grows by less than 1e-5 for each judgement, often after a few steps. On
  small tables that keeps it from explaining chance. Ours runs until the likelihood converges and
  has a prior instead: an annotator is taken to be right more often than not.
- An annotator who judged no item that may have some label: crowd-kit takes them to give their one
  answer for certain, ours to give any answer. Steps are compared on the tables without such people.
- MACE in crowd-kit counts habits in the order of the annotators' names and reads them in that of
  their first answers, so that annotators get the habits of others; all its starts are the same, as
  each is drawn with the same seed. Ours also learns how frequent each label is. The labels can
  differ, and are compared by how often they are right.
"""

from typing import Any

import numpy as np
import pytest
from tests.peers import CASES, peer, quiet
from tests.small_tables import Row, small_table

from tactful.aggregation import aggregate, fit_dawid_skene, fit_mace, fit_one_coin

pytestmark = pytest.mark.slow

FIRST = 5_000
"""The seeds from here on were not looked at when the priors were chosen."""


def frame(rows: list[Row]) -> Any:
    pandas = peer("pandas")
    return pandas.DataFrame(rows, columns=["task", "worker", "label"]).astype(object)


def table_of(found: Any, classes: tuple[str, ...]) -> np.ndarray:
    return np.asarray(found.sort_index()[list(classes)], dtype=np.float64)


def everyone_saw_every_label(rows: list[Row]) -> bool:
    """Say whether each annotator judged an item to which somebody gave each label."""
    labels = {label for _, _, label in rows}
    given: dict[str, set[str]] = {}
    for item, _, label in rows:
        given.setdefault(item, set()).add(label)
    seen: dict[str, set[str]] = {}
    for item, who, _ in rows:
        seen.setdefault(who, set()).update(given[item])
    return all(each == labels for each in seen.values())


def test_shares_of_votes_are_those_of_crowd_kit() -> None:
    crowd = peer("crowdkit.aggregation")
    for seed in range(CASES):
        rows, _ = small_table(seed)
        ours = aggregate(rows, "majority")
        with quiet():
            theirs = crowd.MajorityVote().fit_predict_proba(frame(rows))
        found = table_of(theirs, ours.classes)
        np.testing.assert_allclose(np.asarray(ours.posteriors), found, atol=1e-12)


def test_the_steps_of_dawid_skene_are_those_of_crowd_kit() -> None:
    """Without priors and with as many steps, both are the paper's EM."""
    crowd = peer("crowdkit.aggregation")
    for seed in range(CASES):
        rows, _ = small_table(seed)
        if not everyone_saw_every_label(rows):
            continue
        ours = fit_dawid_skene(rows, smoothing=0, competence=0, iterations=3, tolerance=0)
        with quiet():
            model = crowd.DawidSkene(n_iter=3, tol=-np.inf).fit(frame(rows))
        found = table_of(model.probas_, ours.classes)
        # crowd-kit clips shares at 1e-10, ours at the smallest number there is.
        np.testing.assert_allclose(np.asarray(ours.posteriors), found, atol=1e-6)


@pytest.mark.parametrize(
    ("method", "peer_class", "tables"),
    [
        ("dawid_skene", "DawidSkene", 217),
        ("one_coin", "OneCoinDawidSkene", 217),
        ("mace", "MACE", 40),
    ],
)
def test_it_is_right_as_often_as_crowd_kit(method: str, peer_class: str, tables: int) -> None:
    """The mean share of right labels; of MACE fewer tables, as crowd-kit's takes seconds each."""
    crowd = peer("crowdkit.aggregation")
    ours, theirs = [], []
    for seed in range(FIRST, FIRST + tables):
        rows, truth = small_table(seed)
        found = aggregate(rows, method, ties="random").label_of()
        ours.append(np.mean([found[item] == label for item, label in truth.items()]))
        np.random.seed(0)
        how = {"random_state": 0} if method == "mace" else {}
        with quiet():
            said = getattr(crowd, peer_class)(**how).fit(frame(rows)).labels_
        theirs.append(np.mean([said[item] == label for item, label in truth.items()]))
    assert np.mean(ours) >= np.mean(theirs) - 0.002, (np.mean(ours), np.mean(theirs))


def test_mace_is_that_of_crowd_kit_where_annotators_are_named_in_their_order() -> None:
    """What was found: else crowd-kit gives annotators the habits of others."""
    crowd = peer("crowdkit.aggregation")
    rng = np.random.default_rng(29)
    items, people, each = 800, 20, 5
    truth = (rng.random(items) < 0.2).astype(int)
    truth[0] = 0
    accuracy = rng.beta(8, 2, people)
    order: dict[int, int] = {}
    shuffled, named = [], []
    for item, label in enumerate(truth):
        for who in rng.choice(people, each, replace=False):
            right = not order or rng.random() < accuracy[who]
            said = label if right else 1 - label
            place = order.setdefault(int(who), len(order))
            shuffled.append((f"i{item:03}", f"a{who:02}", f"l{said}"))
            named.append((f"i{item:03}", f"a{place:02}", f"l{said}"))
    assert named[0][2] == "l0"  # labels, too, are read in the order of their first row
    paper: dict[str, Any] = {"knowing": 0.5, "spamming": 0.5, "smoothing": None}
    ours = fit_mace(named, restarts=1, iterations=150, tolerance=0, **paper)
    apart = []
    for rows in (named, shuffled):
        with quiet():
            theirs = crowd.MACE(n_restarts=1, n_iter=150, random_state=1).fit(frame(rows))
        found = table_of(theirs.probas_, ours.classes)
        apart.append(np.abs(np.asarray(ours.posteriors) - found).max())
    assert apart[0] < 0.01 < apart[1]


def test_the_priors_help_on_small_tables() -> None:
    """What was found: the plain likelihood explains chance where there is little to go by."""
    for fit in (fit_dawid_skene, fit_one_coin):
        right = []
        plain: dict[str, Any] = {"smoothing": 0.01, "competence": 0.0}
        for how in ({}, plain):
            share = []
            for seed in range(FIRST, FIRST + 100):
                rows, truth = small_table(seed)
                found = fit(rows, **how).label_of()
                share.append(np.mean([found[item] == label for item, label in truth.items()]))
            right.append(np.mean(share))
        assert right[0] > right[1] + 0.02
