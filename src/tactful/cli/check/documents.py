"""What ``tactful check`` checks, one document after the other, whatever happens to one of them."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tactful.checking.checker import Checker
from tactful.checking.configuration import Configuration
from tactful.checking.report import Outcome, Unread
from tactful.checking.reports.run import Run
from tactful.checking.reports.visible import visible
from tactful.cli.check.files import ENDINGS, find_files
from tactful.cli.output import echo_sentence
from tactful.documents.document import Document, Kind, document_of
from tactful.documents.exclusion import Exclusion
from tactful.errors import InputError, TactfulError, UsageError

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
            echo_sentence("Reading from the terminal; end with Ctrl-D.", err=True)
        text = _decoded(sys.stdin.buffer.read())
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


def outcomes(
    checker: Checker, found: Iterable[Source], kind: Kind | None = None
) -> Iterator[Outcome]:
    """Check one after the other; say which cannot be checked and go on with the others."""
    for source in found:
        outcome = source if isinstance(source, Unread) else _outcome(checker, source, kind)
        if isinstance(outcome, Unread):
            echo_sentence(f"Not checked: {visible(str(outcome))}", err=True)
        yield outcome


def _outcome(checker: Checker, source: Path | Document, kind: Kind | None) -> Outcome:
    path = str(source) if isinstance(source, Path) else "text"
    try:
        if isinstance(source, Path):
            return checker.check_file(source, kind)
        return checker.check_document(source)
    except OSError as error:
        return Unread(path, f"it cannot be read ({error.strerror or error}).")
    except TactfulError as error:
        # Errors begin with the path, and so does the message about an unread document.
        return Unread(path, str(error).removeprefix(path).lstrip(":, "))


def on_terminal(run: Run) -> Run:
    """Return how wide and colourful a report may be, if standard output is a terminal."""
    if not sys.stdout.isatty():
        return run
    colour = not os.environ.get("NO_COLOR")
    return replace(run, width=shutil.get_terminal_size().columns, colour=colour)
