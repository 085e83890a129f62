"""Random numbers of a simulation: each part has its own, all from one seed."""

from random import Random


def chance(seed: int, part: str) -> Random:
    """Return the random numbers of one part.

    Parts do not disturb each other: one more item leaves the people as they were.
    """
    return Random(f"{seed} {part}")  # noqa: S311 - nothing secret depends on it
