"""Downloads of all annotations, in every format.

A process of its own writes the files, as ``tactful annotate export`` does: it reads the log beside
the server, so that nobody who is annotating waits for it, however large the project is.
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import IO
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tactful.annotation.analysis.estimate import day_of
from tactful.annotation.web.desk import Desk, Form, now, one
from tactful.annotation.web.session import Session
from tactful.errors import OutputError, TactfulError, UsageError

_LONGEST_SECONDS = 1800
_PIECE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Format:
    """A format as the page offers it."""

    name: str
    title: str
    about: str


GROUPS: tuple[tuple[str, tuple[Format, ...]], ...] = (
    (
        "Everything",
        (
            Format(
                "jsonl",
                "JSON Lines",
                "Nothing is lost: every judgement, the soft labels, and the log, from which the "
                "project can be built again.",
            ),
            Format("parquet", "Parquet", "The same as tables."),
            Format("csv", "CSV", "One table for a spreadsheet."),
        ),
    ),
    (
        "As the papers publish theirs",
        (
            Format("dpm", "Don't Patronize Me!", "Two TSV files: paragraphs and categories."),
            Format("ucc", "Unhealthy Comment Corpus", "Comments, and every judgement."),
            Format("sbic", "Social Bias Inference Corpus", "A row for each annotation."),
            Format("detests", "DETESTS 2022", "Sentences, and what each annotator said."),
        ),
    ),
    (
        "For other tools",
        (
            Format("brat", "brat", "Texts with .ann files and their annotation.conf."),
            Format("label-studio", "Label Studio", "Tasks, and the labelling interface."),
            Format("doccano", "doccano", "JSON Lines with categories and spans."),
            Format("conll", "CoNLL", "Words with BIO tags; spans that overlap lose something."),
            Format("crowd-kit", "crowd-kit", "Task, worker, label."),
        ),
    ),
)
FORMATS = {each.name: each for _, group in GROUPS for each in group}


def routes(desk: Desk) -> list[Route]:
    """Return the routes of the page of exports."""
    pages = _Pages(desk)
    return [
        Route("/owner/export", desk.page(pages.export), methods=["GET"]),
        Route("/owner/export", desk.action(pages.download), methods=["POST"]),
    ]


class _Pages:
    def __init__(self, desk: Desk):
        self._desk = desk
        self._busy = Lock()

    def export(self, request: Request, session: Session) -> Response:
        return self._show(request, session)

    def download(self, request: Request, session: Session, form: Form) -> Response:
        """Send one format as a ZIP file."""
        name = one(form, "format")
        if name not in FORMATS:
            raise HTTPException(400, f"There is no format '{name}'; choose one of the list.")
        if not self._busy.acquire(blocking=False):
            problem = "Another export is being made; wait until it is done, and try again."
            return self._show(request, session, problem)
        try:
            options = [f"--{each}" for each in ("spreadsheet", "unfinished") if each in form]
            made = _zipped(self._desk.project.folder, name, options)
        except TactfulError as error:
            return self._show(request, session, str(error))
        finally:
            self._busy.release()
        file = f"{safe_name(self._desk.project.name)}-{name}-{day_of(now())}.zip"
        headers = {
            "Content-Disposition": f"attachment; filename*=utf-8''{quote(file)}",
            "Content-Length": str(made.seek(0, 2)),
        }
        return StreamingResponse(_pieces(made), media_type="application/zip", headers=headers)

    def _show(self, request: Request, session: Session, problem: str = "") -> Response:
        return self._desk.show(
            request,
            session,
            "owner_export.html",
            status=409 if problem else 200,
            groups=GROUPS,
            problem=problem,
        )


def safe_name(name: str) -> str:
    """Return a name that is a file's everywhere: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:60] or "annotations"


def _zipped(project: Path, name: str, options: list[str]) -> IO[bytes]:
    """Export a project, and return the files as an archive that is gone when it is closed."""
    with tempfile.TemporaryDirectory(prefix="tactful-export-") as place:
        folder = Path(place, "files")
        _export(project, name, folder, options)
        made = tempfile.TemporaryFile()  # noqa: SIM115 (it is closed when it was sent)
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(folder).as_posix())
    return made


def _export(project: Path, name: str, folder: Path, options: list[str]) -> None:
    arguments = ["annotate", "export", str(project), "--format", name, "--output", str(folder)]
    arguments += options
    try:
        done = subprocess.run(  # noqa: S603 (this program; the format is one of the list)
            [sys.executable, "-m", "tactful", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise OutputError(
            f"The export as '{name}' took more than {_LONGEST_SECONDS // 60} minutes and was "
            "ended; make it with 'tactful annotate export'."
        ) from None
    if done.returncode:
        said = " ".join(done.stderr.split()).removeprefix("Error: ")
        raise UsageError(said or f"The export as '{name}' failed; nothing was written.")


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece
