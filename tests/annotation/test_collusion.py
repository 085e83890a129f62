"""Hidden tests hold against people who compare their pages.

The attack that found 12 of 12 tests: people compare what they were shown. Where tests are drawn
for every page from a small pool, everybody sees all of them, and few see the same ordinary item.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from random import Random
from statistics import fmean, stdev

import pytest
from tests.annotation.scenes import STEP, Scene, protocol, step

from tactful.annotation.protocol.records import Quality

Pages = Mapping[str, Sequence[Sequence[str]]]
"""What each person was shown: page after page, in order."""
PEOPLE = [f"p{number:02}" for number in range(20)]
SEEDS = range(24)


def is_test(item: str) -> bool:
    return item.startswith("t")


@cache
def collect(quality: Quality, items: int, tests: int, seed: int) -> tuple[Scene, Pages]:
    """Let 20 people judge everything, in a random order of pages; answers are mostly right."""
    scene = Scene(protocol(step(judgements=3), quality=quality), PEOPLE)
    scene.add(*(f"i{number:03}" for number in range(items)))
    scene.add(*(f"t{number:03}" for number in range(tests)), gold={"rude": "no"})
    rng, key = Random(seed), b"secret %d" % seed
    pages: dict[str, list[list[str]]] = {name: [] for name in PEOPLE}
    able = list(PEOPLE)
    while able:
        person = rng.choice(able)
        page = scene.page(person, rng.randrange(10**9), key)
        if not page:
            able.remove(person)
            continue
        pages[person].append([given.item for given in page])
        for given in page:
            scene.shows(person, given.item)
        for given in page:
            scene.answers(person, given.item, "no")
    assert scene.state.finished()
    return scene, pages


Attack = Callable[[Pages, Random], Mapping[str, float]]
"""What some people know -> how much each item looks like a test."""


def often(pages: Pages, rng: Random) -> dict[str, float]:
    """Items that many of us were shown."""
    # Without sets, whose order differs from run to run: each item draws its own number below.
    seen = Counter(
        item for mine in pages.values() for item in dict.fromkeys(i for page in mine for i in page)
    )
    return {item: count + rng.random() / 2 for item, count in seen.items()}


def seldom(pages: Pages, rng: Random) -> dict[str, float]:
    """Items that few of us were shown."""
    return {item: -score for item, score in often(pages, rng).items()}


def apart(pages: Pages, rng: Random) -> dict[str, float]:
    """Items that we were shown at very different times: ordinary ones come from one queue."""
    places: dict[str, list[int]] = {}
    for mine in pages.values():
        for at, page in enumerate(mine):
            for item in page:
                places.setdefault(item, []).append(at)
    return {item: max(at) - min(at) + rng.random() / 2 for item, at in places.items()}


def in_place(pages: Pages, rng: Random) -> dict[str, float]:
    """Items at the place where the item that most of us saw is most often."""
    counts = often(pages, rng)
    liked: Counter[int] = Counter()
    for mine in pages.values():
        for page in mine:
            liked[max(range(len(page)), key=lambda at: counts[page[at]])] += 1
    return {
        item: liked[at] + rng.random() / 2
        for mine in pages.values()
        for page in mine
        for at, item in enumerate(page)
    }


ATTACKS: list[Attack] = [often, seldom, apart, in_place]


def found(pages: Pages, attack: Attack, rng: Random) -> Iterator[tuple[float, float]]:
    """Yield, for each page of people who compare theirs, what a guess finds and what chance does.

    The rules are no secret: who is alone knows that a page of seven has a test, and guesses.
    """
    looks = attack(pages, rng)
    for mine in pages.values():
        for page in mine:
            tests = sum(map(is_test, page))
            yield is_test(max(page, key=looks.__getitem__)), tests / len(page)


def advantage(quality: Quality, items: int, tests: int, attack: Attack, people: int) -> float:
    """Return by how much an attack beats chance, in standard errors over the seeds.

    One tie-break decides many pages of a seed, so that seeds are the sample, not pages.
    """
    gained = []
    for seed in SEEDS:
        _, pages = collect(quality, items, tests, seed)
        rng = Random(seed)
        together = {name: pages[name] for name in rng.sample(PEOPLE, people)}
        pairs = [pair for pair in found(together, attack, rng) if pair[1]]
        gained.append(fmean(hit - chance for hit, chance in pairs))
    return fmean(gained) / (stdev(gained) / math.sqrt(len(gained)))


def test_the_attack_finds_all_tests_that_every_page_has() -> None:
    scene, pages = collect(Quality(page=7, tests=1, draw="every_page"), 500, 12, seed=0)
    some = {name: pages[name] for name in PEOPLE[:4]}
    looks = often(some, Random(0))
    guessed = sorted(looks, key=looks.__getitem__, reverse=True)[:12]
    assert sum(map(is_test, guessed)) == 12
    assert len(scene.state.tests(STEP)) == 12


ENOUGH = (Quality(page=7, tests=1), 300, 50)
"""One test for six items: each is shown to three people, and all pages have one."""
FEW = (Quality(page=7, tests=1, tests_each=5), 500, 12)
"""The pool that was found: now everybody gets five tests, most of them with decoys."""


@pytest.mark.parametrize("people", [2, 5, 20])
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("pool", [ENOUGH, FEW], ids=["enough", "few"])
def test_no_attack_beats_chance(
    pool: tuple[Quality, int, int], attack: Attack, people: int
) -> None:
    assert advantage(*pool, attack, people) < 3


def test_an_attack_on_every_page_beats_chance() -> None:
    # The measure notices an attack that works.
    assert advantage(Quality(page=7, tests=1, draw="every_page"), 500, 12, often, 5) > 10
