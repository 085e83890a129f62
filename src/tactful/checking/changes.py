"""Which lines of files changed since a commit, as Git says; findings elsewhere are left out."""

import os
import re
import subprocess
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from tactful.checking.report import DocumentReport, Outcome, Place, Unread
from tactful.errors import UsageError

Range = tuple[int, int]
"""The first and the last of some changed lines, from 1; where lines were only deleted, the last one
is the line before them."""

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
}
_LONGEST_ANSWER = 300


class Changes:
    """What changed in a working tree since a commit.

    Parameters
    ----------
    ref
        The commit, branch or tag.
    paths
        The files and folders to ask about.

    """

    def __init__(self, ref: str, paths: Sequence[Path]):
        if not ref or ref.startswith("-"):
            raise UsageError(f"Found --diff '{ref}'; expected a commit, a branch or a tag.")
        try:
            top = _git("rev-parse", "--show-toplevel")
        except UsageError as error:
            raise UsageError(
                f"--diff asks Git what changed, and the working directory is not in a Git "
                f"repository: {error}"
            ) from None
        try:
            commit = _git(
                "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}"
            )
        except UsageError:
            raise UsageError(
                f"Git knows no commit '{ref}' for --diff; name a commit, a branch or a tag, and "
                "fetch it if this is a shallow clone."
            ) from None
        self._top = Path(os.fsdecode(top.removesuffix(b"\n")))
        self._commit = commit.decode("ascii").strip()
        self._paths = [os.fsencode(path) for path in paths]

    def touches(self, path: Path) -> bool:
        """Say whether anything changed in a file."""
        lines = self._lines_of(path)
        return lines is None or bool(lines)

    def filter(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Yield the outcomes without the findings whose passage did not change."""
        for outcome in outcomes:
            yield outcome if isinstance(outcome, Unread) else self._changed(outcome)

    def _changed(self, report: DocumentReport) -> DocumentReport:
        lines = None if report.path is None else self._lines_of(Path(report.path))
        if lines is None:
            return report
        if not report.has_lines and lines:
            return report
        # Git ends lines at LF only.
        starts = [0, *(found.end() for found in re.finditer("\n", report.source))]
        # A detector reads the whole passage: a finding is new where any line of it changed.
        left = report.keeping(lambda finding, _: _touches(finding.passage.place, starts, lines))
        return replace(left, unchanged=len(report.findings) - len(left.findings))

    def _lines_of(self, path: Path) -> list[Range] | None:
        """Return the changed lines; None for a file that Git does not compare by lines."""
        # A link is known by its own name; the folders above it may be links.
        whole = Path.cwd() / path
        name = os.fsencode(
            os.path.relpath(whole.parent.resolve() / whole.name, self._top.resolve())
        )
        if name not in self._tracked:
            return None
        return self._by_name.get(name, [])

    @cached_property
    def _tracked(self) -> frozenset[bytes]:
        return frozenset(_git("ls-files", "-z", "--full-name", "--", *self._paths).split(b"\0"))

    @cached_property
    def _by_name(self) -> dict[bytes, list[Range] | None]:
        return changed_lines(
            _git(
                "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv",
                "--no-renames", "--no-relative", "--ignore-submodules", "--src-prefix=a/",
                "--dst-prefix=b/", self._commit, "--", *self._paths,
            )
        )  # fmt: skip


def _touches(place: Place, starts: list[int], lines: list[Range]) -> bool:
    first, last = (
        bisect_right(starts, at) for at in (place.start, max(place.start, place.end - 1))
    )
    # The ranges are in order and apart, so the last one that begins in time ends last.
    at = bisect_right(lines, last, key=lambda each: each[0]) - 1
    return at >= 0 and first <= lines[at][1]


def changed_lines(diff: bytes) -> dict[bytes, list[Range] | None]:
    """Read a diff without context; None is for a file that has no lines to compare.

    >>> changed_lines(b"--- a/x.md\\n+++ b/x.md\\n@@ -1 +1,2 @@\\n-a\\n+b\\n+c\\n")
    {b'x.md': [(1, 2)]}
    """
    found: dict[bytes, list[Range] | None] = {}
    name = b""
    skip = 0
    for line in diff.split(b"\n"):
        if skip and not line.startswith(b"\\"):
            skip -= 1  # what a hunk holds may look like the head of a file
        elif line.startswith(b"diff --git "):
            name = _one_name(line)
        elif line.startswith(b"+++ "):
            name = _unquoted(line[4:]).removeprefix(b"b/")
            found[name] = []
        elif line.startswith(b"Binary files ") and name:
            found[name] = None
        elif hunk := _HUNK.match(line):
            gone, start, new = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
            ranges = found.get(name)
            if ranges is not None:
                ranges.append((start, start + new - 1) if new else (start + 1, start))
            skip = gone + new
    return found


def _one_name(line: bytes) -> bytes:
    """Return the name in ``diff --git a/NAME b/NAME``; both are the same without renames."""
    rest = line.removeprefix(b"diff --git ")
    half = rest[len(rest) // 2 + 1 :]
    return _unquoted(half).removeprefix(b"b/")


def _unquoted(name: bytes) -> bytes:
    name = name.removesuffix(b"\t")
    if not (name.startswith(b'"') and name.endswith(b'"') and len(name) > 1):
        return name

    def char(found: re.Match[bytes]) -> bytes:
        code = found[1]
        return bytes([int(code, 8) & 255]) if len(code) == 3 else _ESCAPED.get(code, code)

    return _ESCAPE.sub(char, name[1:-1])


def _git(*arguments: str | bytes) -> bytes:
    environment = {**os.environ, "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C"}
    try:
        done = subprocess.run(  # noqa: S603 (a list, and no name in it can be an option)
            ["git", *arguments],  # noqa: S607 (the user's own Git, wherever it is)
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=environment,
            check=False,
        )
    except OSError as error:
        raise UsageError(f"--diff needs Git, which could not be started ({error}).") from None
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:_LONGEST_ANSWER]
        raise UsageError(f"Git could not say what changed: {said}")
    return done.stdout
