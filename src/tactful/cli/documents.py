"""What ``tactful check`` and ``tactful frame`` read: an error in one file stops no other."""

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import click

from tactful.checking.checker import Checker
from tactful.checking.options import Configuration
from tactful.checking.report import Outcome, Unread
from tactful.checking.reports.run import Run
from tactful.cli.progress import progress
from tactful.detectors.base import BaseDetector, Detector, Scores, Spans
from tactful.documents import document as documents
from tactful.documents.document import (
    MOST_BYTES,
    Document,
    Exclusion,
    Kind,
    document_of,
    docx_document,
    read_document,
)
from tactful.errors import InputError, TactfulError, UsageError
from tactful.settings import Settings
from tactful.words import visible

T = TypeVar("T")
Show = Callable[[str | bytes], None]
Inside = Callable[[str, int, int], None]
"""Takes the name of a file, and how many of how many passages are done."""

_FEWEST = 3
"""Fewer files than these are done before a bar could be read, unless one is large."""
_LARGE_BYTES = 200_000
LARGE_PASSAGES = 500
"""A document with more passages shows how far it is."""


@contextmanager
def over_files(
    files: Sequence[T], settings: Settings, title: str = "Checking", unit: str = "files"
) -> Iterator[tuple[Iterator[T], Show, Inside]]:
    """Give the files back one by one, and show on standard error how many are done.

    Also give back what prints a piece of a report, which stays above the bar; and what shows how
    far a large file is.
    """
    few = len(files) < _FEWEST and not any(map(_is_large, files))
    with progress(title, len(files), setting=settings.progress, unit=unit, bar=not few) as shown:

        def advancing() -> Iterator[T]:
            for done, each in enumerate(files, 1):
                yield each
                shown.unit = unit
                shown(done, len(files), title)

        def beside(piece: str | bytes) -> None:
            with shown.paused():
                click.echo(piece, nl=False)

        def inside(name: str, done: int, total: int) -> None:
            if total > LARGE_PASSAGES:
                shown.unit = "passages"
                shown(min(done, total), total, f"{title} {visible(name)}")

        yield advancing(), beside, inside


def _is_large(file: object) -> bool:
    if isinstance(file, Document):
        return len(file.segments) > LARGE_PASSAGES
    try:
        return isinstance(file, Path) and file.stat().st_size > _LARGE_BYTES
    except OSError:  # reading it will say so
        return False


def deliver(
    pieces: Iterable[str], output_format: str, output: Path | None, force: bool, show: Show
) -> None:
    """Write a report to a file, or show it piece by piece."""
    if output is None:
        for piece in pieces:
            # All formats but text are UTF-8 by definition, whatever the terminal has.
            show(piece if output_format == "text" else piece.encode("utf-8"))
        return
    from tactful.files import atomic_path

    with atomic_path(output, force) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.writelines(pieces)


ENDINGS = (".txt", ".text", *documents.ENDINGS)
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


Source = Path | Document | Unread

_EMPTY = "The text is empty: there is nothing to check."


@dataclass(frozen=True, slots=True)
class Files:
    """What to check: paths, or a text, or else standard input."""

    paths: Sequence[Path]
    text: str | None = None
    kind: Kind | None = None
    exclude: tuple[str, ...] = ()
    project: Configuration = field(default_factory=Configuration)


def sources(files: Files) -> list[Source]:
    """Return all that is to be checked; files are not read yet."""
    paths, text = files.paths, files.text
    if text is not None or not paths or list(map(str, paths)) == ["-"]:
        return [_given(text, files.kind)]
    if any(str(path) == "-" for path in paths):
        raise UsageError("Give files or '-' for standard input, not both.")
    project = files.project
    base = project.path.parent if project.path is not None else Path.cwd()
    endings = (*ENDINGS, *project.include)
    excluded = Exclusion(files.exclude, base)
    found: list[Source] = list(find_files(paths, endings, excluded))
    if not found and not any(path.is_file() and excluded(path) for path in paths):
        shown = ", ".join(map(str, paths))
        raise InputError(
            f"{visible(shown)}: found no file to check; expected files that end in "
            f"{', '.join(endings)} and are not excluded; name a file to check it whatever its "
            "ending."
        )
    return found


def _given(text: str | None, kind: Kind | None) -> Document:
    if text is None:
        if sys.stdin.isatty():
            from tactful.cli.output import echo_sentence

            echo_sentence("Reading from the terminal; end with Ctrl-D.", err=True)
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise InputError(
                f"Standard input: found more than {MOST_BYTES:,} bytes; expected a shorter text; "
                "cut it into several."
            )
        if kind == "docx":
            return docx_document(data)
        text = _decoded(data)
    if not text.strip():
        raise UsageError(_EMPTY)
    return document_of(text, kind or "plain")


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"Standard input: found the byte 0x{raw[error.start]:02X} at byte {error.start:,}, "
            "which is not UTF-8; expected text in UTF-8; convert it first."
        ) from None


class Watched(BaseDetector):
    """A detector that says how many passages of a document it has read."""

    def __init__(self, detector: BaseDetector, advance: Callable[[int], None]):
        self.card = detector.card
        self._detector, self._advance = detector, advance

    def score(self, texts: Sequence[str]) -> Scores:
        """Return the scores, and say so."""
        found = self._detector.score(texts)
        self._advance(len(texts))
        return found

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the words that carry each id."""
        return self._detector.spans(text, ids)


def outcomes(
    checker: Checker,
    found: Iterable[Source],
    kind: Kind | None = None,
    inside: Inside | None = None,
) -> Iterator[Outcome]:
    """Check one after the other; say which cannot be checked and go on with the others."""
    for source in found:
        outcome = source if isinstance(source, Unread) else _outcome(checker, source, kind, inside)
        if isinstance(outcome, Unread):
            from tactful.cli.output import echo_sentence

            echo_sentence(f"Not checked: {visible(str(outcome))}", err=True)
        yield outcome


def _outcome(
    checker: Checker, source: Path | Document, kind: Kind | None, inside: Inside | None
) -> Outcome:
    path = str(source) if isinstance(source, Path) else "text"
    try:
        document = read_document(source, kind) if isinstance(source, Path) else source
        if inside is None or len(document.segments) <= LARGE_PASSAGES:
            return checker.check_document(document)
        return checker.check_document(document, read_by=_watching(document, path, inside))
    except OSError as error:
        return Unread(path, f"it cannot be read ({error.strerror or error}).")
    except TactfulError as error:
        # Errors begin with the path, and so does the message about an unread document.
        return Unread(path, str(error).removeprefix(path).lstrip(":, "))


def _watching(document: Document, name: str, inside: Inside) -> Callable[[Detector], Detector]:
    done, total = 0, len(document.segments)

    def advance(more: int) -> None:
        nonlocal done
        done += more
        inside(name, done, total)

    def watched(detector: Detector) -> Detector:
        return Watched(detector, advance) if isinstance(detector, BaseDetector) else detector

    return watched


def on_terminal(run: Run) -> Run:
    """Return how wide and colourful a report may be, if standard output is a terminal."""
    if not sys.stdout.isatty():
        return run
    colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return replace(run, width=shutil.get_terminal_size().columns, colour=colour)
