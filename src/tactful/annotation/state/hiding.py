"""Which hidden tests a page has, so that people who compare their pages learn nothing.

A test that everybody sees is recognisable among items that three people see. So tests are shown as
ordinary items are: to as many people, from a window of the same length, in each person's own order.
That uses them up. With ``quality.tests_each``, some tests are kept for everybody. Each of these
tests has a few ordinary items, its decoys, and everybody who sees the test also sees its decoys.
``docs/annotation-rules.md`` has the argument and the cost.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from random import Random

from tactful.annotation.protocol.records import Step
from tactful.annotation.state.people import Person
from tactful.annotation.state.project_state import State

WINDOW = 8
"""A page is drawn from as many items as this number of pages has."""
_DECOY_CHOICE = 30
"""Decoys are chosen from this many times as many items, the first of the project."""
_SETTLED = 200
"""Number of finished items that show how many people an item is shown to."""


def own_order(names: Iterable[str], person: str, key: bytes) -> list[str]:
    """Return names in an order of the person's own, which nobody without the key can foresee."""
    return sorted(names, key=lambda name: _hash(key, person, name))


def _hash(key: bytes, *parts: str) -> bytes:
    told = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(told, digest_size=8, key=key[:64]).digest()


@dataclass(frozen=True, slots=True)
class Drawn:
    """The tests of a page, and the ordinary items that come with them."""

    tests: Sequence[str] = ()
    decoys: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Hiding:
    """The hidden tests of one step, as one person may be shown them."""

    state: State
    person: Person
    step: Step
    key: bytes
    held: Collection[str] = ()
    """Items that their browser has already."""
    decoys: Mapping[str, Sequence[str]] = field(init=False)
    """The tests that are kept for everybody -> the ordinary items that come with each."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "decoys", self._blocks())

    def _blocks(self) -> Mapping[str, Sequence[str]]:
        quality, tests = self.state.protocol.quality, self.state.tests(self.step.id)
        if not quality.tests_each or not tests or self.step.entry is not None:
            return {}
        each = (quality.page - quality.tests) // quality.tests
        first = list(islice(self.state.ordinary(), _DECOY_CHOICE * each * quality.tests_each))
        many = min(quality.tests_each, len(tests), len(first) // each)
        chosen = own_order((item.id for item in first), "decoys", self.key)
        return {
            test: chosen[at * each : (at + 1) * each]
            for at, test in enumerate(own_order(tests, "kept", self.key)[:many])
        }

    def kept(self) -> set[str]:
        """Return the decoys: ordinary items that come with their test only."""
        return {name for names in self.decoys.values() for name in names}

    def with_decoys(self, tests: Sequence[str]) -> Drawn:
        """Return tests with the decoys that the person does not know."""
        decoys = [
            name
            for test in tests
            for name in self.decoys.get(test, ())
            if name not in self.held
            and not self.state.is_known_to(self.person.id, name, self.step.id)
        ]
        return Drawn(tests, decoys)

    def open_blocks(self, now: float) -> list[str]:
        """Return the kept tests that the person may take and whose decoys need judgements."""
        who = self.person.id
        return [
            test
            for test in self._unseen(self.decoys)
            if any(self.state.needed(name, self.step.id, now, who) for name in self.decoys[test])
        ]

    def draw(self, count: int, now: float, rng: Random) -> Drawn:
        """Draw the tests of the next page, ``count`` at most.

        ``rng`` decides whether a page has a test where there are too few for all pages.
        """
        quality = self.state.protocol.quality
        unseen = self._unseen(self.state.tests(self.step.id))
        if quality.draw == "every_page":
            return Drawn(rng.sample(unseen, min(count, len(unseen))))
        has = self.person.tests + sum(self.state.items[name].is_test for name in self.held)
        needed = max(0, (quality.tests_each or quality.least_tests) - has)
        if needed and (blocks := self.open_blocks(now)):
            return self.with_decoys(self._own(blocks)[:count])
        usual = self._usual_showings()
        free = [name for name in self.state.tests(self.step.id) if name not in self.decoys]
        left = {name: self._showings_left(name, usual) for name in free}
        chance = self._chance(sum(left.values()))
        wanted = sum(place < needed or rng.random() < chance for place in range(count))
        fresh = [name for name in unseen if left.get(name)]
        ready = self._own(fresh[: WINDOW * count])[:wanted]
        if ready or not needed:
            return Drawn(ready)
        return self.with_decoys(self._own(self._unseen(self.decoys))[:wanted])

    def _unseen(self, tests: Iterable[str]) -> list[str]:
        who, step = self.person.id, self.step.id
        return [
            name
            for name in tests
            if name not in self.held and not self.state.is_known_to(who, name, step)
        ]

    def _own(self, names: Iterable[str]) -> list[str]:
        return own_order(names, self.person.id, self.key)

    def _usual_showings(self) -> float:
        """Return to how many people an ordinary item is shown, on average."""
        step, counts = self.step, self.state.counts(self.step.id)
        finished = counts["done"] + counts["disputed"]
        if step.most is None or finished < _SETTLED:
            return float(step.judgements)
        return min(max(self.state.judgements[step.id] / finished, step.judgements), step.most)

    def _showings_left(self, test: str, usual: float) -> int:
        """Return how many more people may see a test before it becomes recognisable."""
        most = int(usual)
        if usual > most:
            # Some tests are shown one more time, so that the mean is the same.
            most += int.from_bytes(_hash(self.key, "showings", test)) / 2**64 < usual - most
        return max(0, most - self.state.seen_by(test, self.step.id))

    def _chance(self, showings: int) -> float:
        """Return the share of places for tests that can be filled until all items are done."""
        quality, step = self.state.protocol.quality, self.step.id
        missing = self.state.wanted(step) - self.state.judgements[step]
        places = missing / (quality.page - quality.tests) * quality.tests
        return 1.0 if showings >= places else showings / places
