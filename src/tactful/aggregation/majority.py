"""Majority vote: the label that most annotators gave."""

from typing import Any

from tactful.aggregation.judgements import judged, read_judgements, shares
from tactful.aggregation.result import Aggregated, settle
from tactful.aggregation.ties import Ties


def majority_vote(table: Any, *, ties: Ties = "none", seed: int = 0) -> Aggregated:
    """Give each item the label that most of its annotators gave.

    The confidence is that label's share of the votes. ``ties`` says what happens where two labels
    have the most votes: ``none`` (no label, with the reason), ``error``, ``first`` (in the order
    of the labels), ``lowest``, ``highest`` (labels that are numbers), or ``random`` (by ``seed``).

    >>> votes = [("a", "ann", "yes"), ("a", "bob", "yes"), ("a", "cem", "no")]
    >>> result = majority_vote(votes)
    >>> print(result.why[0])
    yes: share of the votes 0.6667; 3 judgements: no by cem; yes by ann, bob.
    """
    ratings = read_judgements(table)
    data = judged(ratings)
    votes = shares(data.counts())
    return Aggregated(
        "majority",
        **settle(ratings.items, data, votes, ties=ties, seed=seed, measure="share of the votes"),
    )
