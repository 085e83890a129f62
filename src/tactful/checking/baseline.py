"""A baseline: the known findings of a project, which a check leaves out.

A kind of a finding is known by its file, its id and a hash of its passage, so that it stays known
when lines move. A finding is left out when all its kinds are known. The file never holds a text::

    {
      "schema": "tactful/baseline/1",
      "findings": [
        {"path": "docs/letter.md", "id": "pcl", "passage": "c0ffee…", "count": 1}
      ]
    }

Paths are relative to the folder of the baseline.
"""

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

from tactful.checking.report import DocumentReport, Kind, Outcome, PlacedFinding, Unread
from tactful.errors import FileFormatError, UsageError
from tactful.files import atomic_path
from tactful.words import counted

SCHEMA = "tactful/baseline/1"
MOST_BYTES = 100_000_000
NO_PATH = "-"
"""The path of a text that is in no file."""
_DIGITS = 32


class Known(NamedTuple):
    """What identifies a kind of a finding."""

    path: str
    id: str
    passage: str


class Baseline:
    """Leaves known findings out of reports, and notes which were seen.

    Parameters
    ----------
    path
        The file. Paths in it are relative to its folder.
    known
        How often each kind of finding is known.
    update
        Whether all findings are taken as known, to be written.

    """

    def __init__(self, path: Path, known: Counter[Known] | None = None, *, update: bool = False):
        self.path, self.known, self.update = path, known or Counter(), update
        self._seen: Counter[Known] = Counter()
        self._checked: set[str] = set()
        self._unread: set[str] = set()

    def filter(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Yield the outcomes without the kinds of findings that are known."""
        for outcome in outcomes:
            if isinstance(outcome, Unread):
                self._unread.add(self._name(outcome.path))
                yield outcome
            else:
                yield self._without_known(outcome)

    def not_found(self, ids: Collection[str]) -> int:
        """Count the entries that were looked for in this run and not found.

        Parameters
        ----------
        ids
            The ids that the run looked for.

        """
        gone = self.known - self._seen
        return sum(
            count
            for entry, count in gone.items()
            if entry.id in ids and (entry.path in self._checked or self._is_gone(entry.path))
        )

    def note(self, ids: Collection[str]) -> str | None:
        """Say in one line how many entries are stale; None where none is."""
        stale = self.not_found(ids)
        if not stale:
            return None
        return (
            f"{self.path}: {counted(stale, 'entry was', 'entries were')} not found in this run; "
            "use --update-baseline to remove them."
        )

    def write(self, ids: Collection[str]) -> str:
        """Write the findings of this run; keep entries that it did not look for.

        Returns
        -------
        str
            A line that says what was written.

        """
        kept = {
            entry: count
            for entry, count in self.known.items()
            if not self._is_gone(entry.path)
            and (entry.path not in self._checked or entry.id not in ids)
        }
        entries = sorted(Counter(kept | self._seen).items())
        lines = ",\n".join(
            "    " + json.dumps({**entry._asdict(), "count": count}) for entry, count in entries
        )
        listed = f"[\n{lines}\n  ]" if lines else "[]"
        text = f'{{\n  "schema": "{SCHEMA}",\n  "findings": {listed}\n}}\n'
        with atomic_path(self.path, force=True) as temporary:
            temporary.write_text(text, encoding="utf-8")
        total = sum(count for _, count in entries)
        return f"Wrote {self.path}: {counted(total, 'entry', 'entries')}."

    def _without_known(self, report: DocumentReport) -> DocumentReport:
        name = self._name(report.path)
        self._checked.add(name)

        def is_new(finding: PlacedFinding, kind: Kind) -> bool:
            key = Known(name, kind.id, passage_hash(finding))
            self._seen[key] += 1
            return not self.update and self._seen[key] > self.known[key]

        left = report.keeping(is_new)
        return replace(left, known=len(report.findings) - len(left.findings))

    def _name(self, path: str | None) -> str:
        if path is None:
            return NO_PATH
        whole, folder = Path.cwd() / path, Path.cwd() / self.path.parent
        relative = Path(os.path.relpath(whole, folder)).as_posix()
        return relative.encode("utf-8", "backslashreplace").decode("utf-8")

    def _is_gone(self, name: str) -> bool:
        return name not in self._unread | {NO_PATH} and not (self.path.parent / name).exists()


def passage_hash(finding: PlacedFinding) -> str:
    """Return a hash of the words of a finding's passage, however its lines are wrapped."""
    words = normalize("NFC", " ".join(finding.passage.text.split()))
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def read_baseline(path: Path, *, update: bool = False) -> Baseline:
    """Read a baseline.

    Parameters
    ----------
    path
        The file; with ``update`` it need not exist.
    update
        Whether the findings of the run are to be written to it.

    """
    if not path.exists() and update:
        return Baseline(path, update=True)
    if not path.is_file():
        raise UsageError(
            f"There is no baseline '{path}'; use --update-baseline to write the findings of this "
            "run to it."
        )
    if path.stat().st_size > MOST_BYTES:
        raise FileFormatError(
            f"{path}: found more than {MOST_BYTES:,} bytes; expected a baseline of Tactful."
        )
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise _no_baseline(path, f"no readable JSON ({error})") from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise _no_baseline(path, f"the schema {str(schema)[:60]!r}")
    entries = data.get("findings")
    if not isinstance(entries, list):
        raise _no_baseline(path, "no list 'findings'")
    known: Counter[Known] = Counter()
    for number, entry in enumerate(entries, 1):
        if not _is_entry(entry):
            raise _no_baseline(path, f"an unusable entry {number}")
        known[Known(entry["path"], entry["id"], entry["passage"])] += entry.get("count", 1)
    return Baseline(path, known, update=update)


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict) or not set(entry) <= {*Known._fields, "count"}:
        return False
    count = entry.get("count", 1)
    texts = all(isinstance(entry.get(name), str) for name in Known._fields)
    return texts and isinstance(count, int) and not isinstance(count, bool) and count > 0


def _no_baseline(path: Path, found: str) -> FileFormatError:
    return FileFormatError(
        f"{path}: found {found}; expected a baseline with the schema '{SCHEMA}' and entries of "
        "path, id, passage and count; name another file, or remove this one and write it with "
        "--update-baseline."
    )
