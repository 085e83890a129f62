"""A client of the REST API that ``tactful annotate serve`` has, with the standard library only."""

import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from http.client import HTTPException
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from tactful import __version__
from tactful.annotation.project.exchange import NewAnswer, NewItem, NewSuggestion
from tactful.annotation.project.importing import Added
from tactful.annotation.project.item_json import answer_data, item_data, suggestion_data
from tactful.annotation.protocol.records import Role
from tactful.errors import InputError, UsageError
from tactful.files import atomic_path
from tactful.posting import SameHost, checked_timeout, is_local, read_address, refuse_plain_http

T = TypeVar("T")
_MOST_BYTES = 256 * 1024 * 1024
_PER_PAGE = 1_000


class ApiError(InputError):
    """The server refused a request, with this status of HTTP; ``details`` has each problem."""

    def __init__(self, code: int, message: str, status: str = "", details: Iterable[Any] = ()):
        self.code, self.status, self.details = code, status, tuple(details)
        super().__init__(message)


class AccessError(ApiError):
    """The token is unknown or was revoked (401), or its role may not do this (403)."""


class NoAnswerError(InputError):
    """The server cannot be reached, or is not a Tactful server."""


@dataclass(frozen=True, slots=True)
class ProjectInfo:
    """A project, and who asks."""

    name: str
    protocol: Mapping[str, Any]
    """Its id, name, version, language, and steps with their questions."""
    you: Mapping[str, Any]
    """The id and the role of the person whose token is used."""


@dataclass(frozen=True, slots=True)
class StepCounts:
    """The items and judgements of one step."""

    step: str
    waiting: int
    open: int
    done: int
    disputed: int
    judgements: int
    needed: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a project is."""

    items: int
    tests: int
    people: int
    active: int
    finished: bool
    events: int
    steps: tuple[StepCounts, ...]
    left: Mapping[str, float]
    """How many judgements are missing: ``least``, ``expected`` and ``most``."""


@dataclass(frozen=True, slots=True)
class ItemInfo:
    """An item and its status in each step."""

    id: str
    text: str
    context: Mapping[str, str]
    meta: Mapping[str, str]
    priority: float
    gold: Mapping[str, Any] | None
    steps: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ItemLabels:
    """The labels of an item in a step."""

    item: str
    text: str
    step: str
    status: str
    labels: Mapping[str, Mapping[str, Any]]
    context: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one person answered about one item in one step."""

    item: str
    step: str
    annotator: str
    answers: Mapping[str, Any]
    at: float | None = None
    seconds: float | None = None
    counts: bool = True
    adjudicated: bool = False


@dataclass(frozen=True, slots=True)
class PersonInfo:
    """A person and their work."""

    person: str
    name: str
    role: Role
    status: str
    answered: int
    skipped: int
    tests: int
    right: int
    trust: float | None
    last: float | None


@dataclass(frozen=True, slots=True)
class Invited:
    """An invitation; its token is shown once."""

    person: str
    role: Role
    token: str = field(repr=False)
    link: str = field(repr=False)


class Client:
    """Talks to one project of a running server.

    Parameters
    ----------
    address
        Where the project is, such as ``http://127.0.0.1:8100`` or
        ``https://label.example.org/p/my-project``; or a whole invitation link.
    token
        The token of an invitation, which is the last part of its link.
    timeout
        Seconds without an answer after which a request fails. Exports, which the server makes
        before it answers, may take ten times as long.

    """

    def __init__(self, address: str, token: str | None = None, *, timeout: float = 60.0):
        address, _, last = address.rstrip("/").partition("/join/")
        token = token or last
        if not token:
            raise UsageError("There is no token; give one, or a link of an invitation.")
        parts = read_address(address, option="token", example="http://127.0.0.1:8100")
        refuse_plain_http(parts, "the token and the texts", "an address with https")
        self.address, self._token = address, token
        self._timeout = checked_timeout(timeout)

    def project(self) -> ProjectInfo:
        """Return the project and its protocol."""
        return _made(ProjectInfo, self._get("/project"))

    def progress(self) -> Progress:
        """Return how far the project is."""
        found = self._get("/progress")
        steps = tuple(_made(StepCounts, each) for each in found["steps"])
        return _made(Progress, {**found, "steps": steps})

    def import_items(
        self,
        items: Iterable[NewItem],
        *,
        skip_existing: bool = False,
        check_only: bool = False,
    ) -> Added:
        """Add texts, hidden tests and judgements, all or none.

        Parameters
        ----------
        items
            The items; with ``gold`` they are hidden tests.
        skip_existing
            Leave out items whose ids the project has.
        check_only
            Only return what would be added.

        """
        sent = {
            "items": [item_data(item) for item in items],
            "skip_existing": skip_existing,
            "check_only": check_only,
        }
        return _made(Added, self._post("/items", sent))

    def items(
        self, *, status: str | None = None, step: str | None = None, query: str | None = None
    ) -> Iterator[ItemInfo]:
        """Yield the items, in the order of import.

        Parameters
        ----------
        status
            ``waiting``, ``open``, ``done``, ``disputed`` or ``test``; all by default.
        step
            The step that the status is about; any by default.
        query
            Only items whose id or text contains this.

        """
        asked = {"status": status, "step": step, "q": query}
        return (_made(ItemInfo, each) for each in self._pages("items", asked))

    def item(self, name: str) -> ItemInfo:
        """Return one item by its id."""
        return _made(ItemInfo, self._get("/item", {"id": name}))

    def labels(self, *, unfinished: bool = False) -> Iterator[ItemLabels]:
        """Yield the labels of finished items; with ``unfinished``, those that may still change."""
        asked = {"unfinished": "1" if unfinished else None}
        return (_made(ItemLabels, each) for each in self._pages("labels", asked))

    def judgements(self) -> Iterator[Judgement]:
        """Yield every judgement and decision."""
        return (_made(Judgement, each) for each in self._pages("judgements", {}))

    def add_judgements(self, judgements: Mapping[str, Iterable[NewAnswer]]) -> Added:
        """Add judgements that were made elsewhere, by the id of their item, all or none."""
        sent = [
            {"item": item, **answer_data(answer)}
            for item, answers in judgements.items()
            for answer in answers
        ]
        return _made(Added, self._post("/judgements", {"judgements": sent}))

    def suggest(self, suggestions: Mapping[str, Iterable[NewSuggestion]]) -> int:
        """Add suggested answers by item, and return how many are new."""
        sent = [
            {"item": item, **suggestion_data(each)}
            for item, given in suggestions.items()
            for each in given
        ]
        return int(self._post("/suggestions", {"suggestions": sent})["suggestions"])

    def rank(
        self, first: Sequence[str], by: str, measured: Mapping[str, Any] | None = None
    ) -> None:
        """Put items before all others, in this order, instead of those ranked before."""
        data = {"first": list(first), "by": by, "measured": dict(measured or {})}
        self._post("/ranking", data)

    def decide(self, item: str, step: str, answers: Mapping[str, Any], note: str = "") -> None:
        """Decide a disputed item."""
        sent = {"item": item, "step": step, "answers": dict(answers), "note": note}
        self._post("/decisions", sent)

    def people(self) -> list[PersonInfo]:
        """Return everybody who was invited."""
        return [_made(PersonInfo, each) for each in self._get("/people")["people"]]

    def invite(self, name: str, role: Role = "annotator", *, person: str | None = None) -> Invited:
        """Invite somebody, or make a new link for the ``person`` with this id."""
        sent = {"name": name, "role": role} | ({} if person is None else {"person": person})
        return _made(Invited, self._post("/people", sent))

    def revoke(self, person: str) -> PersonInfo:
        """Revoke an invitation; the person's judgements still count."""
        return self._change(person, "revoke", "")

    def remove(self, person: str, reason: str = "") -> PersonInfo:
        """Remove somebody: their judgements no longer count."""
        return self._change(person, "remove", reason)

    def readmit(self, person: str, reason: str = "") -> PersonInfo:
        """Count the judgements of a removed person again."""
        return self._change(person, "readmit", reason)

    def settings(self) -> dict[str, Any]:
        """Return the settings that were changed."""
        return dict(self._get("/settings")["settings"])

    def change(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Change settings, and return all that were changed."""
        return dict(self._post("/settings", {"settings": dict(settings)})["settings"])

    def export(
        self, name: str, path: str | Path, *, unfinished: bool = False, force: bool = False
    ) -> Path:
        """Write an export to a ZIP file.

        Parameters
        ----------
        name
            The format, such as ``labels`` or ``jsonl``.
        path
            The file to write.
        unfinished
            Include labels that may still change.
        force
            Replace an existing file.

        """
        query = {"unfinished": "1" if unfinished else None}
        with (
            atomic_path(Path(path), force) as temporary,
            self._open(
                "GET", f"/export/{quote(name, safe='')}", query, wait=10 * self._timeout
            ) as answer,
            temporary.open("wb") as file,
        ):
            shutil.copyfileobj(answer, file)
        return Path(path)

    def _change(self, person: str, change: str, reason: str) -> PersonInfo:
        path = f"/people/{quote(person, safe='')}/{change}"
        return _made(PersonInfo, self._post(path, {"reason": reason}))

    def _pages(self, name: str, query: Mapping[str, str | None]) -> Iterator[Any]:
        after: int | None = 0
        while after is not None:
            asked = {**query, "after": str(after), "limit": str(_PER_PAGE)}
            page = self._get(f"/{name}", asked)
            yield from page[name]
            after = page["next"]

    def _get(self, path: str, query: Mapping[str, str | None] | None = None) -> Any:
        with self._open("GET", path, query or {}) as answer:
            return _parsed(answer.read(_MOST_BYTES), self.address)

    def _post(self, path: str, data: Mapping[str, Any]) -> Any:
        with self._open("POST", path, {}, json.dumps(data).encode()) as answer:
            return _parsed(answer.read(_MOST_BYTES), self.address)

    def _open(
        self,
        method: str,
        path: str,
        query: Mapping[str, str | None],
        body: bytes | None = None,
        wait: float | None = None,
    ) -> Any:
        asked = urlencode({name: value for name, value in query.items() if value is not None})
        request = urllib.request.Request(  # noqa: S310 (the scheme was checked)
            f"{self.address}/api/v1{path}{'?' if asked else ''}{asked}",
            body,
            {
                "Authorization": f"Bearer {self._token}",
                "Accept": "application/json",
                "User-Agent": f"tactful/{__version__}",
                **({} if body is None else {"Content-Type": "application/json"}),
            },
            method=method,
        )
        handlers: list[urllib.request.BaseHandler] = [SameHost(self.address)]
        if is_local(urlsplit(self.address).hostname or ""):
            handlers.append(urllib.request.ProxyHandler({}))
        try:
            return urllib.request.build_opener(*handlers).open(
                request, timeout=wait or self._timeout
            )
        except urllib.error.HTTPError as error:
            with closing(error):
                raise _refusal(error, self.address) from None
        except (OSError, HTTPException) as error:
            raise NoAnswerError(
                f"{self.address}: found no answer ({error}); expected one; check the address and "
                "that the server is running."
            ) from None


def _refusal(error: urllib.error.HTTPError, place: str) -> InputError:
    try:
        found = json.loads(error.read(_MOST_BYTES))["error"]
        message, status = str(found["message"]), str(found["status"])
        details = list(found.get("details", ()))
    except (ValueError, LookupError, TypeError, OSError):
        return NoAnswerError(
            f"{place}: found the status {error.code}; expected an answer of 'tactful annotate "
            "serve'; is this the right address?"
        )
    kind = AccessError if error.code in (401, 403) else ApiError
    return kind(error.code, message, status, details)


def _parsed(body: bytes, place: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise NoAnswerError(
            f"{place}: found an answer that is not JSON; expected one of 'tactful annotate serve'; "
            "is this the right address?"
        ) from None


def _made(kind: type[T], data: Mapping[str, Any]) -> T:
    """Return a record of JSON; fields of a later version are left out."""
    known = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in data.items() if name in known})
