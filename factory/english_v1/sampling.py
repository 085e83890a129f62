"""Which texts an epoch sees: every text with PCL twice, a new share of the plentiful kinds."""

from collections.abc import Mapping, Sequence

import numpy as np

from factory.records import Record

TEACHER_SHARES = {"negative": 2400, "post": 4000}
STUDENT_SHARES = {"post": 10_000, "comment": 18_000}
FINAL_SHARES = {"post": 5000, "comment": 18_000, "crop": 5300}
"""For a student no paragraph is without any sign: it hears the teachers' doubts, and sees all."""


class BalancedSampler:
    """Deals the rows of an epoch out; over the epochs it goes through all of them.

    ``shares`` says how many texts of a plentiful kind an epoch sees: ``negative`` (paragraphs
    without any sign of PCL, eight of ten in DPM), ``post`` and ``comment`` (texts that only carry
    a noisy label or the teachers' labels), ``crop`` (passages of paragraphs). A kind that it does
    not name is not seen.
    """

    def __init__(self, records: Sequence[Record], seed: int, shares: Mapping[str, int]):
        self._shares = dict(shares)
        rows: dict[str, list[int]] = {"twice": [], "always": [], **{kind: [] for kind in shares}}
        for row, record in enumerate(records):
            kind = _kind(record)
            if record.part == "train" and kind in rows:
                rows[kind].append(row)
        rng = np.random.default_rng([seed, 77])
        self._plenty = {kind: rng.permutation(rows[kind]) for kind in shares}
        self._fixed = rows["twice"] * 2 + rows["always"]

    def __call__(self, epoch: int) -> list[int]:
        """Return the rows of an epoch."""
        found = list(self._fixed)
        for kind, number in self._shares.items():
            found += np.roll(self._plenty[kind], -number * epoch)[:number].tolist()
        return found


def _kind(record: Record) -> str:
    if record.corpus in ("post", "comment", "crop"):
        return record.corpus
    if record.corpus == "dpm":
        if record.gold["pcl"]:
            return "twice"
        return "always" if record.targets["pcl"] > 0 else "negative"
    return "always"
