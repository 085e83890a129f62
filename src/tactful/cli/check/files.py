"""Which files ``tactful check`` reads when it is given files and folders."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from tactful.checking.report import Unread
from tactful.documents import document as documents
from tactful.documents.exclusion import Exclusion
from tactful.errors import UsageError

ENDINGS = (".txt", ".text", ".rst", *documents.ENDINGS)
"""What is read in a folder; a file that is named is read whatever its ending."""
SKIPPED_FOLDERS = ("node_modules", "__pycache__", "site-packages")


def find_files(
    named: Sequence[Path], endings: Sequence[str], excluded: Exclusion
) -> Iterator[Path | Unread]:
    """Yield the files to check, each once: the named ones, and those of the named folders.

    Folders are read in the order of names, without hidden ones, virtual environments and linked
    folders. What cannot be listed is an :class:`Unread`.
    """
    for path in named:
        if not path.exists() and not path.is_symlink():
            raise UsageError(f"There is no file or folder '{path}'; check the name.")
    seen: set[Path] = set()
    for path in named:
        inside = _walk(path, tuple(map(str.lower, endings)), excluded) if path.is_dir() else [path]
        for found in inside:
            if isinstance(found, Unread):
                yield found
            elif not excluded(found) and (real := found.resolve()) not in seen:
                seen.add(real)
                yield found


def _walk(folder: Path, endings: tuple[str, ...], excluded: Exclusion) -> Iterator[Path | Unread]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield Unread(str(folder), f"the folder cannot be listed ({error.strerror})")
        return
    for entry in entries:
        path = folder / entry.name
        if entry.is_dir(follow_symlinks=False):
            if not _is_skipped(path) and not excluded(path):
                yield from _walk(path, endings, excluded)
        elif entry.name.startswith(".") or not entry.name.lower().endswith(endings):
            continue
        elif entry.is_file() or not path.exists():  # a broken link is reported, a pipe is not
            yield path


def _is_skipped(folder: Path) -> bool:
    if folder.name.startswith(".") or folder.name in SKIPPED_FOLDERS:
        return True
    try:
        return (folder / "pyvenv.cfg").exists()
    except PermissionError:  # listing the folder will say so
        return False
