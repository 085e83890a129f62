"""In which order a model reads many texts so that it reads what they share only once.

Prompts of a probe begin alike ("For me to rent a room in my home to someone who has …"). Rows that
share a beginning form a group: the beginning is read once, the rest of the rows in batches of
similar length. All costs are counted in tokens.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tactful.audit.causal.tokens import Tokens

PASS = 40
"""What starting the model once costs, in tokens read: measured with a small model on two cores."""
_LARGEST_GROUP = 128


@dataclass(frozen=True, slots=True)
class Group:
    """Rows with a common beginning of ``stem`` tokens, and the batches for what comes after it."""

    stem: int
    batches: tuple[tuple[int, ...], ...]


def plan_rows(rows: Sequence[Tokens], most: int) -> list[Group]:
    """Return groups that hold each row once; ``most`` limits the tokens of a batch.

    Every row keeps at least one token after the stem. A group without a stem has batches of equal
    length only: they need no padding, and padding with nothing before it would see nothing.
    """
    order = sorted(range(len(rows)), key=rows.__getitem__)
    groups: list[Group] = []
    for start, end in _cut_groups([rows[row] for row in order]):
        members = order[start:end]
        stem = _stem([rows[row] for row in members])
        members.sort(key=lambda row: len(rows[row]))
        lengths = [len(rows[row]) - stem for row in members]
        cuts = _cut_batches(lengths, most, equal=stem == 0)
        together = [Group(stem, tuple(tuple(members[a:b]) for a, b in cuts))]
        alone = [Group(0, ((row,),)) for row in members]
        # The cut into groups knows nothing of padding, which can eat up what sharing saves.
        groups += min(together, alone, key=lambda some: cost(rows, some))
    return groups


def cost(rows: Sequence[Tokens], groups: Iterable[Group]) -> int:
    """Return what the groups cost, padding included."""
    total = 0
    for group in groups:
        total += group.stem + PASS * bool(group.stem)
        for batch in group.batches:
            total += PASS + len(batch) * (max(len(rows[row]) for row in batch) - group.stem)
    return total


def _stem(rows: Sequence[Tokens]) -> int:
    # One row alone shares nothing; reading it in two steps would only cost a step.
    if len(rows) < 2:
        return 0
    return min(_common(rows[0], rows[-1]), min(map(len, rows)) - 1)


def _common(one: Tokens, other: Tokens) -> int:
    shortest = min(len(one), len(other))
    return next((at for at in range(shortest) if one[at] != other[at]), shortest)


def _cut_groups(rows: Sequence[Tokens]) -> list[tuple[int, int]]:
    """Cut sorted rows where that costs least, as if rows of a group were never padded."""
    beside = [0, *(_common(rows[at - 1], rows[at]) for at in range(1, len(rows)))]
    best, came_from = [0.0], [0]
    for end in range(1, len(rows) + 1):
        least, where = float("inf"), end - 1
        stem, total = len(rows[end - 1]), 0
        for start in range(end - 1, max(-1, end - 1 - _LARGEST_GROUP), -1):
            size = end - start
            total += len(rows[start])
            stem = min(stem, len(rows[start]) - 1)
            price = PASS + total if size == 1 else 2 * PASS + total - (size - 1) * stem
            if best[start] + price < least:
                least, where = best[start] + price, start
            # A further row could share at most this much with the group.
            stem = min(stem, beside[start])
        best.append(least)
        came_from.append(where)
    return _walk_back(came_from)


def _cut_batches(lengths: Sequence[int], most: int, equal: bool) -> list[tuple[int, int]]:
    """Cut ascending lengths where that costs least; a batch is as wide as its last row."""
    best, came_from = [0.0], [0]
    for end in range(1, len(lengths) + 1):
        width = lengths[end - 1]
        least, where = best[end - 1] + PASS + width, end - 1
        for start in range(end - 2, -1, -1):
            size = end - start
            if size * width > most or (equal and lengths[start] != width):
                break
            if best[start] + PASS + size * width < least:
                least, where = best[start] + PASS + size * width, start
        best.append(least)
        came_from.append(where)
    return _walk_back(came_from)


def _walk_back(came_from: Sequence[int]) -> list[tuple[int, int]]:
    cuts, end = [], len(came_from) - 1
    while end > 0:
        cuts.append((came_from[end], end))
        end = came_from[end]
    return cuts[::-1]
