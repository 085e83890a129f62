"""Signs that somebody may not read: speed and patterns of answers.

These are flags for the owner, never a reason to remove anybody by itself: fast people may be good,
and in many projects "no" to everything is most often right. So people are compared with others.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from tactful.annotation.state.project_state import Item, State

FEWEST = 20
"""Number of answers before anything is flagged."""
FAST = 1 / 3
"""Somebody is fast below this share of the others' pace."""
SPED_UP = 1 / 2
"""Somebody sped up if the latest answers take less than this share of their usual time."""
SAME = 0.9
"""The share of answers that make a pattern."""
FAR = 4.0
"""How many standard deviations more often than others somebody gives the same answers."""
_PERIODS = (2, 3, 4)

FlagKind = Literal["fast", "sped up", "same answers", "alternating"]


@dataclass(frozen=True, slots=True)
class Flag:
    """One sign, and the figures that it rests on."""

    kind: FlagKind
    why: str


@dataclass(frozen=True, slots=True)
class Given:
    """One answer of somebody, to all questions of an item."""

    at: float
    step: str
    seconds: float | None
    said: Hashable


def given_answers(state: "State", items: Iterable["Item"] | None = None) -> dict[str, list[Given]]:
    """Return what each person answered, unsorted; tests are answers like others."""
    found: dict[str, list[Given]] = {}
    known: dict[Hashable, Hashable] = {}
    for item in state.touched_items() if items is None else items:
        for step, part in item.steps.items():
            for one in part.answers.values():
                said = _plain(one.answers)
                said = known.setdefault(said, said)
                found.setdefault(one.annotator, []).append(Given(one.at, step, one.seconds, said))
    return found


def conduct_flags(answers: Mapping[str, Sequence[Given]]) -> dict[str, tuple[Flag, ...]]:
    """Return the flags of each person who has any; ``answers`` is from :func:`given_answers`."""
    steps: dict[str, dict[str, list[Given]]] = {}
    for who, given in answers.items():
        for one in sorted(given, key=lambda one: one.at):
            steps.setdefault(one.step, {}).setdefault(who, []).append(one)
    found: dict[str, tuple[Flag, ...]] = {}
    for people in steps.values():
        everyone = Counter(one.said for given in people.values() for one in given)
        paces = {who: _pace(given) for who, given in people.items()}
        for who, given in people.items():
            others = [pace for name, pace in paces.items() if name != who and pace is not None]
            flags = (
                *_speed(given, paces[who], median(others) if others else None),
                *_patterns([one.said for one in given], everyone),
            )
            if flags:
                found[who] = (*found.get(who, ()), *flags)
    return found


def _speed(given: Sequence[Given], pace: float | None, usual: float | None) -> Iterable[Flag]:
    if pace is not None and usual is not None and pace < FAST * usual:
        yield Flag("fast", f"{pace:.1f} s for an item, others {usual:.1f} s (medians)")
    latest, before = _pace(given[-FEWEST:]), _pace(given[:-FEWEST])
    if latest is not None and before is not None and latest < SPED_UP * before:
        yield Flag("sped up", f"{latest:.1f} s for the latest {FEWEST}, {before:.1f} s before")


def _patterns(said: Sequence[Hashable], everyone: Counter[Hashable]) -> Iterable[Flag]:
    if len(said) < FEWEST:
        return
    usual, count = Counter(said).most_common(1)[0]
    share, others = count / len(said), everyone.total() - len(said)
    if share >= SAME and others >= FEWEST:
        # One more of each, so that nobody is compared with a share of 0 or 1.
        theirs = (everyone[usual] - count + 1) / (others + 2)
        if share > theirs + FAR * sqrt(theirs * (1 - theirs) / len(said)):
            why = f"the same for {share:.0%} of the items, others {theirs:.0%}"
            yield Flag("same answers", why)
    yield from _alternating(said[-2 * FEWEST :])


def _alternating(said: Sequence[Hashable]) -> Iterable[Flag]:
    changes = sum(one != two for one, two in pairwise(said)) / (len(said) - 1)
    if changes < SAME:
        return
    for period in _PERIODS:
        pairs = list(zip(said, said[period:], strict=False))
        share = sum(one == two for one, two in pairs) / len(pairs)
        if share >= SAME:
            yield Flag("alternating", f"the answers repeat every {period} items ({share:.0%})")
            return


def _pace(given: Sequence[Given]) -> float | None:
    seconds = [one.seconds for one in given if one.seconds is not None]
    return median(seconds) if len(seconds) >= FEWEST else None


def _plain(answers: Any) -> Hashable:
    if isinstance(answers, Mapping):
        try:
            # Most answers are the values of options.
            return frozenset(answers.items())
        except TypeError:
            return frozenset((name, _plain(value)) for name, value in answers.items())
    if isinstance(answers, list | tuple):
        return tuple(map(_plain, answers))
    return cast(Hashable, answers)
