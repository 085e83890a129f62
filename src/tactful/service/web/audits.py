"""The reports of audits that a folder holds: pages that the web app lists and shows."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

MOST = 500
"""A folder with more reports shows these."""
_DEEPEST = 2


@dataclass(frozen=True, slots=True)
class AuditReport:
    """One report."""

    name: str
    """Its path in the folder, with slashes."""
    path: Path
    day: str
    """When it was last written."""


def audit_reports(folder: Path) -> list[AuditReport]:
    """Return the HTML reports of a folder and the folders in it; links are not followed."""
    found: list[AuditReport] = []
    for path in _pages(folder, 0):
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        found.append(
            AuditReport(path.relative_to(folder).as_posix(), path, changed.date().isoformat())
        )
        if len(found) == MOST:
            break
    return found


def _pages(folder: Path, depth: int) -> Iterator[Path]:
    try:
        inside = sorted(folder.iterdir())
    except OSError:  # removed, or not readable: there is nothing to list
        return
    for path in inside:
        if path.name.startswith(".") or path.is_symlink():
            continue
        if path.is_dir() and depth < _DEEPEST:
            yield from _pages(path, depth + 1)
        elif path.suffix.lower() in (".html", ".htm") and path.is_file():
            yield path
