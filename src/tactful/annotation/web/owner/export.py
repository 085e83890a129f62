"""The page with exports in every format.

A separate ``tactful annotate export`` process writes the files: it reads the log beside the server,
so that annotators do not wait.
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import IO
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tactful.annotation.formats.load import EXPORTS, FORMATS
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.records import Role
from tactful.annotation.state.assignment import day_of
from tactful.annotation.state.roles import may
from tactful.annotation.web.owner.site import Form, OwnerPages, OwnerSite, now, one
from tactful.annotation.web.session import Session
from tactful.errors import OutputError, TactfulError, UsageError

_LONGEST_SECONDS = 1800
_PIECE = 64 * 1024
_WITH_PEOPLE = {each.name for each in FORMATS if each.people}


GROUPS = {
    group: [each for each in FORMATS if each.group == group]
    for group in dict.fromkeys(each.group for each in FORMATS)
}


def routes(site: OwnerSite) -> list[Route]:
    """Return the routes of the page of exports."""
    pages = _Pages(site)
    return [
        Route("/owner/export", site.page(pages.export, "labels"), methods=["GET"]),
        Route("/owner/export", site.action(pages.download, "labels"), methods=["POST"]),
    ]


class Exports:
    """Makes the exports of a project, one at a time."""

    def __init__(self, project: Project):
        self._project = project
        self._busy = Lock()

    def make(self, name: str, asked: Sequence[str]) -> IO[bytes] | None:
        """Return a format as a ZIP archive; None while another one is being made."""
        if not self._busy.acquire(blocking=False):
            return None
        try:
            return _zipped(self._project.folder, name, [f"--{each}" for each in asked])
        finally:
            self._busy.release()

    def file_name(self, name: str, day: str) -> str:
        """Return the name of the file of an export."""
        return f"{safe_name(self._project.name)}-{name}-{day}.zip"


class _Pages(OwnerPages):
    def __init__(self, site: OwnerSite):
        super().__init__(site)
        self._exports = Exports(site.project)

    def download(self, request: Request, session: Session, form: Form) -> Response:
        """Send one format as a ZIP file."""
        name = one(form, "format")
        if name not in EXPORTS:
            raise HTTPException(400, f"There is no format '{name}'; choose one of the list.")
        if not may_export(session.person.role, name):
            raise HTTPException(403, f"The format '{name}' says who judged what; choose another.")
        try:
            asked = [each for each in ("spreadsheet", "unfinished") if each in form]
            made = self._exports.make(name, asked)
        except TactfulError as error:
            return self.export(request, session, str(error))
        if made is None:
            problem = "Another export is being made; wait until it is done and try again."
            return self.export(request, session, problem)
        return attachment(made, self._exports.file_name(name, day_of(now())))

    def export(self, request: Request, session: Session, problem: str = "") -> Response:
        return self._show(
            request,
            session,
            "owner_export.html",
            status=409 if problem else 200,
            groups={
                group: allowed
                for group, formats in GROUPS.items()
                if (allowed := [f for f in formats if may_export(session.person.role, f.name)])
            },
            problem=problem,
        )


def may_export(role: Role, name: str) -> bool:
    """Say whether people of a role may export a format: with or without who judged what."""
    return may(role, "export") or (may(role, "labels") and name not in _WITH_PEOPLE)


def safe_name(name: str) -> str:
    """Return a portable file name: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:60] or "annotations"


def _zipped(project: Path, name: str, options: list[str]) -> IO[bytes]:
    """Export a project, and return the files as a temporary ZIP archive."""
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
            "stopped; run 'tactful annotate export' instead."
        ) from None
    if done.returncode:
        said = " ".join(done.stderr.split()).removeprefix("Error: ")
        raise UsageError(said or f"The export as '{name}' failed; nothing was written.")


def attachment(made: IO[bytes], name: str) -> Response:
    """Return a ZIP archive to download."""
    headers = {
        "Content-Disposition": f"attachment; filename*=utf-8''{quote(name)}",
        "Content-Length": str(made.seek(0, 2)),
    }
    return StreamingResponse(_pieces(made), media_type="application/zip", headers=headers)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece
