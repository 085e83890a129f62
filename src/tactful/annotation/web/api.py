"""The REST API of a project, under ``/api/v1``: for programs, with a token in the header.

The token is that of an invitation, so that a program has the rights of a person's role and loses
them when the invitation is revoked. Cookies are not accepted here, and no page is at risk of
forged requests. Errors have the shape of :mod:`tactful.json_errors`.
"""

import hmac
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tactful.annotation.formats.annotated import Judged, plain, record_of
from tactful.annotation.formats.labels import labels_of
from tactful.annotation.formats.load import EXPORTS
from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.files import command_token
from tactful.annotation.project.item_json import read_answer, read_item, read_suggestion
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.records import Role
from tactful.annotation.state.assignment import day_of
from tactful.annotation.state.items import STATUSES, Item
from tactful.annotation.state.people import Person
from tactful.annotation.state.roles import ROLES, Right, may, may_manage
from tactful.annotation.web.figures import Figures
from tactful.annotation.web.owner.export import Exports, attachment, may_export
from tactful.annotation.web.owner.site import now
from tactful.annotation.web.pages import join_link, path_of
from tactful.annotation.web.security import read_long_body
from tactful.errors import BadRowsError, InputError, OutputError, TactfulError
from tactful.json_errors import error_body

T = TypeVar("T")
PREFIX = "/api/v1"
MOST_BYTES = 128 * 1024 * 1024
"""Maximum size of a body; only those who may import can send so much."""
MOST_SMALL_BYTES = 1024 * 1024
PER_PAGE = 100
MOST_PER_PAGE = 1_000
MOST_LOOKED_AT = 5_000
"""Items that one request looks at; a search that finds few goes on with the next page."""
MOST_RANKED = 10_000
_FINISHED = ("done", "disputed")
_UNKNOWN = (
    "The request has no valid token; expected the token of an invitation that was not revoked, as "
    "'Authorization: Bearer TOKEN'."
)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: somebody who was invited, or a command on the server's own machine."""

    role: Role
    person: str | None


@dataclass(frozen=True, slots=True)
class Call:
    """One request: who asks, and what they sent."""

    request: Request
    caller: Caller
    body: Mapping[str, Any]


def routes(project: Project) -> list[Route]:
    """Return the routes of the API."""
    api = _Api(project)
    return [
        Route(PREFIX + path, api.endpoint(act, right), methods=[method])
        for method, path, act, right in api.table()
    ]


class _Api:
    def __init__(self, project: Project):
        self._project = project
        self._figures = Figures(project)
        self._exports = Exports(project)

    def table(self) -> list[tuple[str, str, Callable[[Call], Any], Right | None]]:
        """Return the method, path, action and needed right of each endpoint."""
        return [
            ("GET", "/project", self.project, None),
            ("GET", "/progress", self.progress, "figures"),
            ("GET", "/items", self.items, "items"),
            ("POST", "/items", self.add_items, "import"),
            ("GET", "/item", self.item, "items"),
            ("GET", "/labels", self.labels, "labels"),
            ("GET", "/judgements", self.judgements, "export"),
            ("POST", "/judgements", self.add_judgements, "import"),
            ("POST", "/suggestions", self.suggest, "import"),
            ("POST", "/ranking", self.rank, "settings"),
            ("POST", "/decisions", self.decide, "decide"),
            ("GET", "/people", self.people, "people"),
            ("POST", "/people", self.invite, "invite"),
            ("POST", "/people/{person}/{change}", self.change_person, "people"),
            ("GET", "/settings", self.settings, "settings"),
            ("POST", "/settings", self.change_settings, "settings"),
            ("GET", "/export/{format}", self.export, "labels"),
        ]

    def endpoint(self, act: Callable[[Call], Any], right: Right | None) -> Callable[[Request], Any]:
        """Return the endpoint of an action that needs a right."""

        async def run(request: Request) -> Response:
            try:
                caller = await run_in_threadpool(self._caller, request)
                if right is not None and not may(caller.role, right):
                    raise HTTPException(
                        403,
                        f"Your role is '{caller.role}', which does not have the right '{right}'.",
                    )
                most = MOST_BYTES if right == "import" else MOST_SMALL_BYTES
                body = await _json_body(request, most) if request.method == "POST" else {}
                answer = await run_in_threadpool(act, Call(request, caller, body))
            except HTTPException as error:
                return _failure(error.status_code, error.detail)
            except TactfulError as error:
                return _failure(503 if isinstance(error, OutputError) else 400, str(error), error)
            if right not in (None, "figures") and request.method == "POST":
                self._figures.forget()
            return answer if isinstance(answer, Response) else JSONResponse(answer)

        return run

    def _caller(self, request: Request) -> Caller:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        given = token.strip() if scheme.lower() == "bearer" else ""
        if not given and path_of(request).startswith(f"{PREFIX}/export/"):
            # For programs that read an address and cannot send a header.
            given = request.query_params.get("token", "")
        if not given:
            raise HTTPException(401, _UNKNOWN)
        own = command_token(self._project.secret)
        if hmac.compare_digest(given.encode("utf-8", "surrogatepass"), own.encode()):
            return Caller("owner", None)
        person = self._project.who(given)
        if person is None or person.status != "active":
            raise HTTPException(401, _UNKNOWN)
        return Caller(person.role, person.id)

    # ---- project ----------------------------------------------------------------------------

    def project(self, call: Call) -> dict[str, Any]:
        protocol = self._project.protocol
        return {
            "name": self._project.name,
            "protocol": {
                "id": protocol.id,
                "name": protocol.name,
                "version": protocol.version,
                "lang": protocol.lang,
                "steps": [
                    {
                        "id": step.id,
                        "title": step.title,
                        "role": step.role,
                        "questions": [
                            {
                                "id": question.id,
                                "kind": question.kind,
                                "text": question.text,
                                "options": [option.value for option in question.options],
                            }
                            for question in step.questions
                        ],
                    }
                    for step in protocol.steps
                ],
            },
            "you": {"person": call.caller.person, "role": call.caller.role},
        }

    def progress(self, call: Call) -> dict[str, Any]:
        status = self._figures.status(None, now())
        with self._project.lock:
            state = self._project.state
            finished, number = state.finished(), state.number
        left = status.estimate
        return {
            "items": status.items,
            "tests": status.tests,
            "people": status.people,
            "active": status.active,
            "finished": finished and status.items > 0,
            "events": number,
            "steps": [
                {
                    "step": step.step,
                    **{name: getattr(step, name) for name in ("waiting", "open", "done")},
                    "disputed": step.disputed,
                    "judgements": step.collected,
                    "needed": step.needed,
                }
                for step in status.steps
            ],
            "left": {"least": left.least, "expected": left.expected, "most": left.most},
        }

    # ---- items, labels and judgements --------------------------------------------------------

    def items(self, call: Call) -> dict[str, Any]:
        query = call.request.query_params
        words, status, step = query.get("q", "").casefold(), query.get("status"), query.get("step")
        steps = [each.id for each in self._project.state.protocol.steps]
        for name, value, known in (("status", status, (*STATUSES, "test")), ("step", step, steps)):
            if value is not None and value not in known:
                raise HTTPException(
                    400, f"Found '{value[:100]}' as '{name}'; expected one of {', '.join(known)}."
                )
        return self._page(call, "items", lambda item: self._found(item, words, status, step))

    def _found(
        self, item: Item, words: str, status: str | None, step: str | None
    ) -> Iterator[dict[str, Any]]:
        if words and words not in item.id.casefold() and words not in item.text.casefold():
            return
        if status is not None:
            parts = [part for name, part in item.steps.items() if step in (None, name)]
            is_wanted = (
                item.is_test
                if status == "test"
                else not item.is_test and any(part.status == status for part in parts)
            )
            if not is_wanted:
                return
        yield _item_data(item)

    def item(self, call: Call) -> dict[str, Any]:
        name = call.request.query_params.get("id", "")
        with self._project.lock:
            found = self._project.state.items.get(name)
            if found is None:
                raise HTTPException(404, f"There is no item '{name[:100]}' in this project.")
            return _item_data(found)

    def labels(self, call: Call) -> dict[str, Any]:
        unfinished = call.request.query_params.get("unfinished") == "1"
        state = self._project.state

        def found(item: Item) -> Iterator[dict[str, Any]]:
            for step, part in item.steps.items():
                is_there = part.status in _FINISHED or (unfinished and part.status == "open")
                if not item.is_test and is_there:
                    yield labels_of(record_of(state, item, step, part))

        return self._page(call, "labels", found)

    def judgements(self, call: Call) -> dict[str, Any]:
        state = self._project.state

        def found(item: Item) -> Iterator[dict[str, Any]]:
            for step, part in item.steps.items():
                record = record_of(state, item, step, part)
                for judged in record.judged:
                    yield {**_judged(item.id, step, judged), "adjudicated": False}
                if record.decision is not None:
                    yield {**_judged(item.id, step, record.decision), "adjudicated": True}

        return self._page(call, "judgements", found)

    def _page(
        self, call: Call, name: str, find: Callable[[Item], Iterator[dict[str, Any]]]
    ) -> dict[str, Any]:
        """Return a page of what items yield, and where the next page begins."""
        after, limit = _number(call, "after", 0), _number(call, "limit", PER_PAGE)
        limit = max(1, min(limit, MOST_PER_PAGE))
        rows: list[dict[str, Any]] = []
        place = after
        with self._project.lock:
            items = self._project.state.items_from(after)
            for item in islice(items, MOST_LOOKED_AT):
                rows += find(item)
                place += 1
                if len(rows) >= limit:
                    break
            more = place < len(self._project.state.items)
        return {name: rows, "next": place if more else None}

    def add_items(self, call: Call) -> dict[str, Any]:
        given = _listed(call.body, "items")
        items = [read_item(each, f"items[{number}]") for number, each in enumerate(given)]
        added = self._project.import_items(
            items,
            skip_existing=call.body.get("skip_existing") is True,
            check_only=call.body.get("check_only") is True,
            in_parts=True,
        )
        return asdict(added)

    def add_judgements(self, call: Call) -> dict[str, Any]:
        """Add judgements of items that are there; several of an item are added together."""
        answers = _by_item(call.body, "judgements", read_answer)
        with self._project.lock:
            texts = {name: self._project.state.items.get(name) for name in answers}
        for name, found in texts.items():
            if found is None:
                raise InputError(
                    f"Found a judgement of the item '{name[:100]}', which the project does not "
                    "have; expected items that were added before."
                )
        items = [
            NewItem(name, found.text, answers=tuple(answers[name]), place=f"the item '{name}'")
            for name, found in texts.items()
            if found is not None
        ]
        return asdict(self._project.import_items(items, in_parts=True))

    def suggest(self, call: Call) -> dict[str, Any]:
        """Add suggested answers to items that are there."""
        found = _by_item(call.body, "suggestions", read_suggestion)
        return {"suggestions": self._project.suggest(found)}

    def rank(self, call: Call) -> dict[str, Any]:
        """Put items before all others, in the order of their ids."""
        first = _listed(call.body, "first")
        if not all(isinstance(each, str) for each in first) or len(first) > MOST_RANKED:
            raise InputError(
                f"Found {len(first):,} values in 'first'; expected at most {MOST_RANKED:,} ids of "
                "items."
            )
        measured = call.body.get("measured") or {}
        if not isinstance(measured, dict):
            raise InputError("Found no object in 'measured'; expected what the ranking measured.")
        self._project.rank(first, _named(call.body, "by"), measured)
        return {"ranked": len(first)}

    def decide(self, call: Call) -> dict[str, Any]:
        if call.caller.person is None:
            raise HTTPException(403, "A decision needs the token of a person.")
        item, step = _named(call.body, "item"), _named(call.body, "step")
        answers, note = call.body.get("answers"), call.body.get("note", "")
        if not isinstance(answers, dict) or not isinstance(note, str):
            raise InputError("Found no 'answers'; expected an object of questions and answers.")
        if not may(call.caller.role, "items"):
            with self._project.lock:
                found = self._project.state.items.get(item)
                parts = found.steps.values() if found is not None and not found.is_test else ()
                if not any(part.status == "disputed" or part.decision for part in parts):
                    raise HTTPException(404, f"There is no disputed item '{item[:100]}'.")
        made = self._project.adjudicate(call.caller.person, item, step, answers, note)
        return {"item": item, "step": step, "answers": plain(made.answers)}

    # ---- people and settings -----------------------------------------------------------------

    def people(self, call: Call) -> dict[str, Any]:
        with self._project.lock:
            return {"people": [_person(each) for each in self._project.state.people.values()]}

    def invite(self, call: Call) -> dict[str, Any]:
        role, name = call.body.get("role", "annotator"), _named(call.body, "name")
        if role not in ROLES:
            raise InputError(f"Found the role {role!r}; expected one of {', '.join(ROLES)}.")
        again = call.body.get("person")
        if again is not None:
            person = self._person(again)
            _check_manage(call, person.role)
        _check_manage(call, role)
        made = self._project.invite(role, name, person=again)
        link = join_link(call.request, made.token)
        return {"person": made.person, "role": role, "token": made.token, "link": link}

    def change_person(self, call: Call) -> dict[str, Any]:
        person = self._person(call.request.path_params["person"])
        _check_manage(call, person.role)
        reason = call.body.get("reason", "")
        if not isinstance(reason, str):
            raise InputError("Found a 'reason' that is not a text; expected a text.")
        match call.request.path_params["change"]:
            case "revoke":
                if person.id == call.caller.person:
                    raise InputError("You cannot revoke your own invitation.")
                self._project.revoke(person.id)
            case "remove":
                self._project.remove(person.id, reason)
            case "readmit":
                self._project.readmit(person.id, reason)
            case other:
                raise HTTPException(
                    404, f"There is no change '{other[:40]}'; expected revoke, remove or readmit."
                )
        return _person(self._person(person.id))

    def _person(self, name: object) -> Person:
        with self._project.lock:
            found = self._project.state.people.get(name) if isinstance(name, str) else None
        if found is None:
            raise HTTPException(404, f"There is no person '{str(name)[:100]}' in this project.")
        return found

    def settings(self, call: Call) -> dict[str, Any]:
        with self._project.lock:
            return {"settings": dict(self._project.state.settings)}

    def change_settings(self, call: Call) -> dict[str, Any]:
        changes = call.body.get("settings")
        if not isinstance(changes, dict) or not changes:
            raise InputError("Found no 'settings'; expected an object of names and values.")
        self._project.change(changes)
        return self.settings(call)

    def export(self, call: Call) -> Response:
        name = call.request.path_params["format"]
        EXPORTS.get(name)
        if not may_export(call.caller.role, name):
            raise HTTPException(403, f"The format '{name}' says who judged what; choose another.")
        asked = [
            each
            for each in ("spreadsheet", "unfinished")
            if call.request.query_params.get(each) == "1"
        ]
        made = self._exports.make(name, asked)
        if made is None:
            raise HTTPException(429, "Another export is being made; try again when it is done.")
        return attachment(made, self._exports.file_name(name, day_of(now())))


def _item_data(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "text": item.text,
        "context": dict(item.context),
        "meta": dict(item.meta),
        "priority": item.priority,
        "gold": plain(item.gold),
        "steps": {
            name: {
                "status": "test" if item.is_test else part.status,
                "judgements": len(part.answers),
                "skipped": len(part.skipped),
            }
            for name, part in item.steps.items()
        },
    }


def _judged(item: str, step: str, judged: Judged) -> dict[str, Any]:
    return {
        "item": item,
        "step": step,
        "annotator": judged.annotator,
        "answers": plain(judged.answers),
        "at": judged.at,
        "seconds": judged.seconds,
        "counts": judged.counts,
    }


def _person(person: Person) -> dict[str, Any]:
    names = ("name", "role", "status", "answered", "skipped", "tests", "right", "trust", "last")
    return {"person": person.id, **{name: getattr(person, name) for name in names}}


def _check_manage(call: Call, role: Role) -> None:
    if not may_manage(call.caller.role, role):
        raise HTTPException(
            403, f"Your role is '{call.caller.role}', which cannot manage people as '{role}'."
        )


def _by_item(
    body: Mapping[str, Any], name: str, read: Callable[[object, str], T]
) -> dict[str, list[T]]:
    """Read a list of objects that name their item."""
    found: dict[str, list[T]] = {}
    for number, each in enumerate(_listed(body, name)):
        place = f"{name}[{number}]"
        if not isinstance(each, dict) or not isinstance(each.get("item"), str):
            raise InputError(f"{place}: found no 'item'; expected the id of an item.")
        rest = {field: value for field, value in each.items() if field != "item"}
        found.setdefault(each["item"], []).append(read(rest, place))
    return found


def _listed(body: Mapping[str, Any], name: str) -> list[Any]:
    found = body.get(name)
    if not isinstance(found, list) or not found:
        raise InputError(f"Found no '{name}'; expected a list with at least one.")
    return found


def _named(body: Mapping[str, Any], name: str) -> str:
    found = body.get(name)
    if not isinstance(found, str) or not found.strip():
        raise InputError(f"Found no '{name}'; expected a text.")
    return found


def _number(call: Call, name: str, default: int) -> int:
    given = call.request.query_params.get(name)
    if given is None:
        return default
    if not (given.isascii() and given.isdigit() and len(given) < 10):
        raise InputError(f"Found '{given[:20]}' as '{name}'; expected a whole number.")
    return int(given)


async def _json_body(request: Request, most: int) -> dict[str, Any]:
    """Return the JSON object of a body; refuse a long (413), slow (408) or wrong (400) one."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "Send the request with 'Content-Type: application/json'.")
    body = await read_long_body(request, most)
    try:
        found = await run_in_threadpool(json.loads, body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "The request is not JSON.") from None
    if not isinstance(found, dict):
        raise HTTPException(400, "The request is not a JSON object.")
    return found


def _failure(code: int, message: str, error: TactfulError | None = None) -> Response:
    details = []
    if isinstance(error, BadRowsError):
        details = [{"errorType": "BAD_ROW", "message": str(each)} for each in error.problems]
    answer = JSONResponse(error_body(code, message, details=details), code)
    if code == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    if code in (408, 413):
        # The rest of the body is unread, so the connection cannot be reused.
        answer.headers["Connection"] = "close"
    return answer
