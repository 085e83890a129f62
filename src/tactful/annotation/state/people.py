"""The people of a project, their work and their trust."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from tactful.annotation.protocol.records import Quality, Role

PersonStatus = Literal["active", "removed", "revoked"]
NEW_STRETCH = 600.0
"""Seconds without an answer that count as a break."""


@dataclass(slots=True)
class Person:
    """Somebody who was invited."""

    id: str
    name: str
    role: Role
    token: str | None = None
    """The hash of the token of the invitation."""
    crowd: str | None = None
    """Their id on a crowd platform, if one sent them."""
    status: PersonStatus = "active"
    """``removed``: their judgements no longer count; ``revoked``: their invitation has ended, what
    they judged before still counts."""
    consented: float | None = None
    traits: dict[str, Any] = field(default_factory=dict)
    right: int = 0
    tests: int = 0
    """Hidden tests that were answered."""
    answered: int = 0
    """Items that were answered, tests among them."""
    skipped: int = 0
    days: Counter[str] = field(default_factory=Counter)
    """How many items were answered on each day (UTC)."""
    harmful: Counter[str] = field(default_factory=Counter)
    """How many of them they found harmful, by day."""
    spent: dict[str, float] = field(default_factory=dict)
    """How many seconds they worked, by day."""
    seconds: float = 0.0
    history: list[tuple[float, float]] = field(default_factory=list)
    """When each test was answered, and the trust after it."""
    last: float | None = None
    """Time of the last answer."""
    since: float | None = None
    """Start of the current work without a break."""
    counts: bool = True
    """Whether their judgements count."""
    removed_for: str | None = None
    """Why they were removed: ``trust``, ``owner`` or another reason."""
    kept: bool = False
    """Whether the owner readmitted them: low trust no longer removes them."""
    taken: dict[tuple[str, str], bool] = field(default_factory=dict)
    """The tests, by item and step, and whether each was right."""

    @property
    def trust(self) -> float | None:
        """The share of tests that were right; None before the first one."""
        return self.right / self.tests if self.tests else None

    @property
    def weight(self) -> float:
        """The weight of their judgements: the trust, or 1.0 before the first test."""
        return self.right / self.tests if self.tests else 1.0

    def fails(self, quality: Quality) -> bool:
        """Say whether the trust is not above the minimum, after enough tests.

        Price et al. 2020, section 3: "a trustworthiness score of more than 78%". Somebody without
        a mistake never fails.
        """
        if quality.least_trust is None or self.tests < max(quality.least_tests, 1):
            return False
        return self.right < self.tests and self.weight <= quality.least_trust

    def add_time(self, at: float, seconds: float | None) -> None:
        """Add the time spent on an answer."""
        spent = seconds or 0.0
        self.seconds += spent
        if self.since is None or self.last is None or at - self.last > NEW_STRETCH + spent:
            self.since = at - spent
        self.last = at

    def add_test(self, test: tuple[str, str], right: bool, at: float) -> None:
        """Add the answer to a new test."""
        self.taken[test] = right
        self.tests += 1
        self.right += right
        self.history.append((at, self.right / self.tests))

    def set_tests(self, tests: list[tuple[tuple[str, str], bool, float]]) -> None:
        """Compute the trust again from all tests in order, because one of them changed."""
        self.taken, self.history = {}, []
        self.right = self.tests = 0
        for test, right, at in tests:
            self.add_test(test, right, at)
