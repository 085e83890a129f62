"""The plain way, to compare with: the same people, no tests, nobody removed, most votes win.

Everybody judges equally many items, which is kind to it: in a real job those who do not read are
faster, and so judge more. Items have odd numbers of votes, which is kind to it, too.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from tactful.annotation.protocol.records import Question, Step
from tactful.annotation.simulation.annotators import Annotator, Answering
from tactful.annotation.simulation.cases import Case

_SESSION = 2700.0
"""Seconds; judgements are given anywhere in a session, tired or not."""


def share_out(items: int, budget: int, most: int, rng: Random) -> list[int]:
    """Return how many votes each item has, so that all of the budget is spent.

    Each item has one vote, then pairs are dealt out as evenly as can be; what is left of an odd
    budget is one vote more for somewhere. Nobody votes twice on an item, so that ``most`` is the
    number of people.
    """
    budget = min(budget, items * most)
    if budget <= items:
        votes = [1] * budget + [0] * (items - budget)
    else:
        pairs = (budget - items) // 2
        votes = [1 + 2 * (pairs // items)] * items
        for place in range(pairs % items):
            votes[place] += 2
        surplus = sum(max(0, each - most) for each in votes)
        votes = [min(each, most) for each in votes]
        rest = surplus + (budget - items) % 2
        for place, each in enumerate(votes):
            more = min(most - each, rest)
            votes[place] += more
            rest -= more
    rng.shuffle(votes)
    return votes


def majority_labels(
    step: Step,
    cases: Sequence[Case],
    people: Sequence[Annotator],
    answering: Answering,
    budget: int,
    rng: Random,
) -> list[dict[str, Any]]:
    """Return the labels of each item: question -> answer, or the list of those that are there."""
    labels = []
    for case, votes in zip(cases, share_out(len(cases), budget, len(people), rng), strict=True):
        ballots = [
            answering.answer(person, step, case, person.tired(_answered_before(person, rng)), rng)
            for person in rng.sample(people, votes)
        ]
        labels.append(
            {question.id: _winner(question, ballots) for question in step.questions}
            if ballots
            else {}
        )
    return labels


def _answered_before(person: Annotator, rng: Random) -> int:
    return int(rng.random() * _SESSION / person.seconds)


def _winner(question: Question, ballots: Sequence[dict[str, Any]]) -> Any:
    """Return what most said; of equals, what was said first. Who was not asked says nothing."""
    if question.per is not None or question.kind in ("text", "texts"):
        return None
    given = [ballot.get(question.id) for ballot in ballots]
    if question.kind in ("choice", "scale"):
        return Counter(given).most_common(1)[0][0]
    counts = Counter(
        value
        for answer in given
        for value in {each["value"] if isinstance(each, dict) else each for each in answer or ()}
    )
    if all(answer is None for answer in given):
        return None
    return [option.value for option in question.options if 2 * counts[option.value] > len(given)]
