"""What writers wave through: ``tactful: ignore`` in a document.

=================================  ===========================================================
``tactful: ignore``                silences the block it is in or, alone, the one it touches
``tactful: ignore pcl, frame``     only these ids and what is below them
``tactful: ignore-next``           the next block
``tactful: ignore-start``          everything up to ``tactful: ignore-end`` (or the end)
``tactful: ignore-file``           the whole document
=================================  ===========================================================

In Markdown and HTML a directive is an HTML comment; in plain text it is alone in a line, or
behind a comment mark (``#``, ``//``, ``--``, ``;``, ``%``) or in brackets. Two dashes begin a
reason: ``tactful: ignore pcl -- a quotation``.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tactful.documents.segments import Offsets, Segment
from tactful.errors import Problem, Severity, UnknownNameError

if TYPE_CHECKING:
    from tactful.documents.document import Document

VERBS = ("ignore", "ignore-next", "ignore-start", "ignore-end", "ignore-file")

_ID = r"[a-z_]+(?:\.[a-z_]+)*"
_COMMENT = re.compile(r"\s*tactful:\s*(?P<verb>[\w-]*)(?P<rest>.*)", re.DOTALL)
_IN_PLAIN = re.compile(
    rf"""(?:^[ \t]*|(?:(?<=[ \t])|^)(?:<!--|/\*|//|--|[#;%(\[])[ \t]*)
    tactful:[ \t]*(?P<verb>ignore(?:-(?:next|start|end|file))?)
    (?P<rest>(?:[ \t]+{_ID}(?:[ \t]*,[ \t]*{_ID})*)?(?:[ \t]+--[ \t][^\r\n]*?)?)
    [ \t]*(?:-->|\*/|[)\]]|(?=\r|$))""",
    re.MULTILINE | re.VERBOSE,
)
MOST_PROBLEMS = 100
"""Further problems with directives are counted in one sentence."""
MOST_IDS = 256
"""Different ids that the directives of a document may name: more than all taxonomies have."""

_PROBLEMS = {
    "unknown-directive": (
        "'tactful: {verb}'",
        f"one of {', '.join(VERBS)}",
        "correct it; it silences nothing",
    ),
    "end-without-start": (
        "'tactful: ignore-end'",
        "'tactful: ignore-start' before it",
        "add the start or remove the end",
    ),
    "start-without-end": (
        "'tactful: ignore-start'",
        "'tactful: ignore-end' after it",
        "add the end; everything from here to the end of the document is silenced",
    ),
    "nothing-to-ignore": (
        "'tactful: {verb}' that touches no text",
        "{near}",
        "move it, or remove it",
    ),
    "unknown-id": (
        "the id '{name}'",
        "an id such as pcl or unhealthy.sarcastic{guess}",
        "correct it, unless a detector of your own has it",
    ),
    "more-problems": (
        "{more} further problems with directives",
        "directives with known ids",
        "correct those that are listed and check again",
    ),
}
"""What is wrong with a directive: what was found, what was expected, and what to do."""
_REASON = re.compile(r"(?:^|\s)--\s")


class Directive(NamedTuple):
    """One directive as it was found in the source."""

    start: int
    end: int
    verb: str
    ids: tuple[str, ...]
    """Empty: everything."""
    block: int | None = None
    """The block it is in; None where it is between blocks."""


def directive_in_comment(body: str, start: int, end: int) -> Directive | None:
    """Read the body of an HTML comment that covers ``start`` to ``end`` of the source."""
    found = _COMMENT.match(body)
    return found and _directive(found, start, end)


def placed_directive(directive: Directive, offsets: Offsets, before: int) -> Directive:
    """Return a directive of a text within a document, behind ``before`` blocks, in the source."""
    start, end = offsets.to_source(directive.start, directive.end)
    block = None if directive.block is None else directive.block + before
    return directive._replace(start=start, end=end, block=block)


def directives_in_plain(source: str) -> Iterator[Directive]:
    """Yield the directives of a plain text, in order."""
    for found in _IN_PLAIN.finditer(source):
        yield _directive(found, *found.span())


def _directive(found: re.Match[str], start: int, end: int) -> Directive:
    ids = _REASON.split(found["rest"], maxsplit=1)[0]
    return Directive(start, end, found["verb"], tuple(ids.replace(",", " ").split()))


@dataclass(frozen=True, slots=True)
class Ignores:
    """What is silenced in a document, and what is wrong with its directives."""

    everywhere: frozenset[str] = frozenset()
    by_block: dict[int, frozenset[str]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    def silences(self, segment: Segment, id: str) -> bool:
        """Say whether a finding of ``id`` in ``segment`` is to be left out."""
        silenced = self.everywhere | self.by_block.get(segment.number, frozenset())
        if not silenced:
            return False
        parts = id.split(".")
        above = (".".join(parts[:size]) for size in range(1, len(parts) + 1))
        return _ALL in silenced or any(each in silenced for each in above)


_ALL = "*"


def find_ignores(document: "Document") -> Ignores:
    """Work out what the directives of a document silence."""
    if not document.directives:
        return Ignores()
    return _Reading(document.whole or document).ignores()


class _Reading:
    """One walk over the directives of a document."""

    def __init__(self, document: "Document"):
        self.document = document
        self.name = str(document.path) if document.path else "text"
        self.everywhere: set[str] = set()
        self.by_block: dict[int, frozenset[str]] = {}
        self.problems: list[Problem] = []
        self.more_problems = 0
        self.guesses: dict[str, str | None] = {}
        """What was found out about the ids so far: None for one that is known."""
        # The first segment of each block, in the order of the source, and where blocks end.
        firsts: dict[int, Segment] = {}
        lasts: dict[int, Segment] = {}
        for segment in document.segments:
            firsts.setdefault(segment.number, segment)
            lasts[segment.number] = segment
        self.numbers = list(firsts)
        self.known_numbers = firsts.keys()
        self.starts = [segment.start for segment in firsts.values()]
        self.ends = [segment.end for segment in lasts.values()]
        self.ranges: list[tuple[int, int, frozenset[str]]] = []
        """Blocks between a start and an end: from, up to, and the ids that are silenced there."""

    def ignores(self) -> Ignores:
        open_: list[tuple[Directive, frozenset[str]]] = []
        for directive in self.document.directives:
            if directive.verb not in VERBS:
                self._problem(directive, "unknown-directive")
                continue
            ids = self._checked_ids(directive)
            if directive.verb == "ignore-end":
                if not open_:
                    self._problem(directive, "end-without-start")
                else:
                    self._close(*open_.pop(), directive.start)
            elif directive.verb == "ignore-start":
                open_.append((directive, ids))
            elif directive.verb == "ignore-file":
                self.everywhere |= ids
            else:
                self._silence_one(directive, ids)
        for directive, ids in open_:
            self._problem(directive, "start-without-end")
            self._close(directive, ids, len(self.document.source))
        self._silence_ranges()
        problems = sorted(self.problems, key=lambda problem: problem.line or 0)
        if self.more_problems:
            more = f"{self.more_problems:,}"
            problems.append(self._said(None, "more-problems", more=more))
        return Ignores(frozenset(self.everywhere), self.by_block, tuple(problems))

    def _close(self, start: Directive, ids: frozenset[str], end: int) -> None:
        first, last = (bisect_left(self.starts, at) for at in (start.start, end))
        if first < last:
            self.ranges.append((first, last, ids))

    def _silence_ranges(self) -> None:
        """Walk the blocks once: ranges may be nested, and each of them may hold every block."""
        changes: dict[int, list[tuple[int, frozenset[str]]]] = {}
        for first, last, ids in self.ranges:
            changes.setdefault(first, []).append((1, ids))
            changes.setdefault(last, []).append((-1, ids))
        open_ids: Counter[str] = Counter()
        silenced: frozenset[str] = frozenset()
        for at, number in enumerate(self.numbers):
            if at in changes:
                for step, ids in changes[at]:
                    for each in ids:
                        open_ids[each] += step
                silenced = frozenset(name for name, count in open_ids.items() if count)
            if silenced:
                self._silence(number, silenced)

    def _silence(self, number: int, ids: frozenset[str]) -> None:
        known = self.by_block.get(number)
        self.by_block[number] = ids if known is None else known | ids

    def _silence_one(self, directive: Directive, ids: frozenset[str]) -> None:
        number = self._target(directive)
        if number is None:
            own = "a paragraph that it is in or touches"
            near = own if directive.verb == "ignore" else "text after it"
            self._problem(directive, "nothing-to-ignore", near=near)
        else:
            self._silence(number, ids)

    def _target(self, directive: Directive) -> int | None:
        after = bisect_left(self.starts, directive.end)
        if directive.verb == "ignore-next":
            return self.numbers[after] if after < len(self.numbers) else None
        if directive.block in self.known_numbers:
            return directive.block
        line_of = self.document.line_column
        if after < len(self.starts):
            below = line_of(self.starts[after])[0] - line_of(directive.end)[0]
            if below <= 1:
                return self.numbers[after]
        if after and line_of(directive.start)[0] - line_of(self.ends[after - 1])[0] <= 1:
            return self.numbers[after - 1]
        return None

    def _checked_ids(self, directive: Directive) -> frozenset[str]:
        """Return the ids that a directive names; what is wrong with them is noted."""
        if not directive.ids:
            return frozenset((_ALL,))
        ids = []
        for name in directive.ids:
            if name not in self.guesses:
                if len(self.guesses) >= MOST_IDS:
                    self.more_problems += 1
                    continue
                self.guesses[name] = _problem_with_id(name)
            ids.append(name)
            guess = self.guesses[name]
            if guess is not None:
                self._problem(directive, "unknown-id", name=name, guess=guess)
        return frozenset(ids)

    def _problem(self, directive: Directive, code: str, **said: str) -> None:
        if len(self.problems) >= MOST_PROBLEMS:
            self.more_problems += 1
            return
        line = self.document.line_column(directive.start)[0]
        self.problems.append(self._said(line, code, verb=directive.verb, **said))

    def _said(self, line: int | None, code: str, **said: str) -> Problem:
        found, expected, action = (each.format(**said) for each in _PROBLEMS[code])
        return Problem(self.name, line, code, found, expected, action, Severity.NOTE)


def _problem_with_id(name: str) -> str | None:
    """Return None for a known id; for another one, a guess at what was meant, or nothing."""
    from tactful.taxonomies import find_entry, taxonomy_names

    if name in taxonomy_names():
        return None
    try:
        find_entry(name)
    except UnknownNameError as error:
        return f"; did you mean '{error.nearest}'?" if error.nearest else ""
    return None
