"""The owner's page that adds texts, hidden tests and judgements while people annotate.

A file is checked first: the page shows what it would add, or each problem with its line. What was
shown is kept until the owner confirms it.
"""

import email.parser
import email.policy
import re
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_urlsafe
from threading import Lock

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tactful.annotation.formats.annotated import new_items
from tactful.annotation.formats.load import read_annotations
from tactful.annotation.formats.table import Columns, items_of_table, tests_of_table
from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.importing import Added
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.web.owner.site import Form, OwnerPages, OwnerSite, back, one
from tactful.annotation.web.security import check_csrf, read_long_body
from tactful.annotation.web.session import Session
from tactful.errors import BadRowsError, TactfulError, UsageError
from tactful.words import counted

MOST_UPLOAD = 64 * 1024 * 1024
_MOST_WAITING = 4
"""Files that were checked and not confirmed yet."""
_SHOWN = 5
_UNSAFE = re.compile(r"[^\w.~-]+")

Reader = Callable[[Path, Columns, Protocol], list[NewItem]]


def _annotations(name: str) -> Reader:
    def read(path: Path, columns: Columns, protocol: Protocol) -> list[NewItem]:
        options = {"text": columns.text} if name == "label-studio" else {}
        return new_items(read_annotations(path, name, protocol, **options).items)

    return read


KINDS: Mapping[str, tuple[str, Reader]] = {
    "texts": ("A table of texts (.csv, .tsv, .jsonl, .parquet)", items_of_table),
    "tests": ("A table of hidden tests, with columns named after the questions", tests_of_table),
    "csv": ("Judgements: a Tactful export as CSV", _annotations("csv")),
    "label-studio": ("Judgements: tasks of Label Studio (JSON)", _annotations("label-studio")),
    "doccano": ("Judgements: a doccano export (JSON Lines)", _annotations("doccano")),
}


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was checked."""

    name: str
    items: list[NewItem]
    skip_existing: bool
    added: Added


def routes(site: OwnerSite) -> list[Route]:
    """Return the routes of the page of imports."""
    pages = _Pages(site)
    return [
        Route("/owner/import", site.page(pages.show, "import"), methods=["GET"]),
        Route("/owner/import", pages.check, methods=["POST"]),
        Route("/owner/import/confirm", site.action(pages.confirm, "import"), methods=["POST"]),
    ]


class _Pages(OwnerPages):
    def __init__(self, site: OwnerSite):
        super().__init__(site)
        self._site = site
        self._waiting: OrderedDict[tuple[str, str], Upload] = OrderedDict()
        self._lock = Lock()

    async def check(self, request: Request) -> Response:
        session = await run_in_threadpool(self._site.enter, request, "import")
        body = await read_long_body(request, MOST_UPLOAD)
        return await run_in_threadpool(self._check, request, session, body)

    def _check(self, request: Request, session: Session, body: bytes) -> Response:
        form, name, content = read_upload(request.headers.get("content-type", ""), body)
        check_csrf(session, one(form, "csrf"))
        try:
            if not name:
                raise UsageError("No file was chosen; choose one and send it again.")
            upload = self._read(form, name, content)
        except BadRowsError as error:
            more = error.total - len(error.problems)
            rest = [f"and {counted(more, 'further problem')}"] if more > 0 else []
            problems = [*map(str, error.problems), *rest]
            return self.show(request, session, problems=problems, form=form)
        except TactfulError as error:
            return self.show(request, session, problems=[str(error)], form=form)
        key = token_urlsafe(16)
        with self._lock:
            self._waiting[session.person.id, key] = upload
            while len(self._waiting) > _MOST_WAITING:
                self._waiting.popitem(last=False)
        return self.show(request, session, upload=upload, key=key, form=form)

    def _read(self, form: Form, name: str, content: bytes) -> Upload:
        kind = one(form, "kind")
        if kind not in KINDS:
            raise HTTPException(400, f"There is no kind of file '{kind}'; choose one of the list.")
        columns = Columns(
            text=one(form, "text_column") or "text",
            id=one(form, "id_column") or None,
            priority=one(form, "priority_column") or None,
        )
        with tempfile.TemporaryDirectory(prefix="tactful-import-") as place:
            path = Path(place, file_name(name))
            path.write_bytes(content)
            inside = f"{place}/"
            try:
                found = KINDS[kind][1](path, columns, self._project.protocol)
            except TactfulError as error:
                raise UsageError(str(error).replace(inside, "")) from None
        items = [replace(item, place=item.place.replace(inside, "")) for item in found]
        skip = "skip_existing" in form
        added = self._project.import_items(items, skip_existing=skip, check_only=True)
        return Upload(path.name, items, skip, added)

    def confirm(self, request: Request, session: Session, form: Form) -> Response:
        with self._lock:
            upload = self._waiting.pop((session.person.id, one(form, "key")), None)
        if upload is None:
            said = "This file is no longer there, or was already added; choose it again."
            return self.show(request, session, problems=[said])
        try:
            added = self._project.import_items(
                upload.items, skip_existing=upload.skip_existing, in_parts=True
            )
        except TactfulError as error:
            return self.show(request, session, problems=[str(error)])
        return back("/owner/import", f"Added {told(added)} from {upload.name}.")

    def show(
        self,
        request: Request,
        session: Session,
        *,
        upload: Upload | None = None,
        key: str = "",
        problems: Sequence[str] = (),
        form: Form | None = None,
    ) -> Response:
        form = form or {}
        return self._show(
            request,
            session,
            "owner_import.html",
            status=400 if problems else 200,
            kinds={name: title for name, (title, _) in KINDS.items()},
            chosen={name: one(form, name) for name in form},
            upload=upload,
            told="" if upload is None else told(upload.added),
            first=[] if upload is None else upload.items[:_SHOWN],
            key=key,
            problems=problems,
        )


def told(added: Added) -> str:
    """Say what an import adds."""
    parts = [counted(added.items, "text"), counted(added.tests, "hidden test")]
    parts.append(counted(added.judgements, "judgement"))
    return ", ".join(part for part in parts if not part.startswith("0 ")) or "nothing new"


def file_name(given: str) -> str:
    """Return the name of an uploaded file, without folders and odd characters."""
    last = re.split(r"[/\\]", given)[-1]
    return _UNSAFE.sub("_", last).strip("._")[-100:] or "upload"


def read_upload(content_type: str, body: bytes) -> tuple[dict[str, list[str]], str, bytes]:
    """Return the fields of a form with a file, the name of the file, and its bytes."""
    if not content_type.casefold().startswith("multipart/form-data"):
        raise HTTPException(415, "Send the form with a file ('multipart/form-data').")
    head = f"Content-Type: {content_type}\r\n\r\n".encode("latin-1", "replace")
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    form: dict[str, list[str]] = {}
    name, content = "", b""
    for part in message.iter_parts() if message.is_multipart() else ():
        field = part.get_param("name", header="content-disposition")
        data = part.get_payload(decode=True)
        if not isinstance(field, str) or not isinstance(data, bytes):
            raise HTTPException(400, "The form that was sent cannot be read.")
        if field == "file":
            name, content = part.get_filename() or "", data
        else:
            form.setdefault(field, []).append(data.decode("utf-8", "replace"))
    return form, name, content
