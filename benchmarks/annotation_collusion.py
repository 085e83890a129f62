"""People who compare their pages look for the hidden tests in every way that we know.

The attacks are those of the project's tests, which fail where one beats chance.

    python benchmarks/annotation_collusion.py
"""

import argparse
import math
import sys
from pathlib import Path
from random import Random
from statistics import fmean, stdev

from results import machine_line, table, write_page

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.annotation.test_collusion import (
    ATTACKS,
    ENOUGH,
    FEW,
    PEOPLE,
    SEEDS,
    Attack,
    collect,
    found,
    often,
)

from tactful.annotation.protocol.records import Quality

TOGETHER = (2, 5, 20)
MOST_ERRORS = 3.0
"""Standard errors above chance from which an attack counts as one that works."""
POOLS = (
    ("50 tests, 300 items", ENOUGH),
    ("12 tests, 500 items, `tests_each: 5`", FEW),
)
PAPER = (Quality(page=7, tests=1, draw="every_page"), 500, 12)


def attacks() -> tuple[list[tuple[object, ...]], float]:
    """Return the rows of all attacks, and the most standard errors above chance."""
    rows: list[tuple[object, ...]] = []
    most = -math.inf
    for title, pool in POOLS:
        for attack in ATTACKS:
            for people in TOGETHER:
                hits, chance, errors = strength(pool, attack, people)
                most = max(most, errors)
                rows.append((title, attack.__name__, people, hits, chance, f"{errors:+.1f}"))
    hits, chance, errors = strength(PAPER, often, 5)
    title = "12 tests on every page (`draw: every_page`)"
    rows.append((title, often.__name__, 5, hits, chance, f"{errors:+.1f}"))
    return rows, most


def strength(pool: tuple[Quality, int, int], attack: Attack, people: int) -> tuple[str, str, float]:
    """Return the share of guesses that are tests, that of chance, and how surely they differ."""
    hits, chances = [], []
    for seed in SEEDS:
        _, pages = collect(*pool, seed)
        rng = Random(seed)
        together = {name: pages[name] for name in rng.sample(PEOPLE, people)}
        pairs = [pair for pair in found(together, attack, rng) if pair[1]]
        hits.append(fmean(hit for hit, _ in pairs))
        chances.append(fmean(chance for _, chance in pairs))
    gained = [hit - chance for hit, chance in zip(hits, chances, strict=True)]
    errors = fmean(gained) / (stdev(gained) / math.sqrt(len(gained)))
    return f"{fmean(hits):.1%}", f"{fmean(chances):.1%}", errors


def main() -> int:
    """Attack, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="print only; write no page")
    options = parser.parse_args()
    compared, most = attacks()
    holds = most < MOST_ERRORS
    body = "\n\n".join(
        [
            f"20 people judge everything; some of them compare which items they saw, when, how "
            "often and at which place, and guess one item of each page that has a test. "
            f"{len(SEEDS)} seeds; the last column is the distance from chance in standard errors "
            "over the seeds.",
            table(
                ("pool", "attack", "people", "guesses that are tests", "by chance", "distance"),
                compared,
            ),
            "Bar: no attack on a pool that is drawn as items are finds more than chance, by "
            f"{MOST_ERRORS:g} standard errors: **{'met' if holds else 'not met'}** (largest "
            f"{most:+.1f} of {len(compared) - 1} comparisons). The last row is the paper's rule, "
            "where the attack works.",
            machine_line(),
            "Command: `python benchmarks/annotation_collusion.py`.",
        ]
    )  # fmt: skip
    print(body)
    if not options.dry:
        write_page("annotation-collusion", "Annotation: people who compare their pages", body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
