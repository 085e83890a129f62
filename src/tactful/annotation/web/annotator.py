"""The annotators' pages: consent, work, guideline, help, and stopping.

Nothing that is sent reveals hidden tests: items have opaque handles, every accepted answer gets the
same response, and counts include tests.
"""

import math
import time
from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tactful.annotation.project.exchange import PageItem
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.records import Question
from tactful.annotation.state.assignment import day_of
from tactful.annotation.state.roles import may
from tactful.annotation.web.catalogue import Catalogue
from tactful.annotation.web.helplines import directory, helplines
from tactful.annotation.web.pages import render, words_of
from tactful.annotation.web.security import parse_json, read_body, read_form
from tactful.annotation.web.session import (
    BAD_LINK,
    Session,
    must_consent,
    need_session,
    session_of,
    set_cookie,
    start_session,
)
from tactful.annotation.web.side_by_side import others_of

_MOST_SECONDS = 24 * 3600.0
_KEY_LENGTHS = range(8, 101)
_MOST_HANDLES = 100


def routes(project: Project) -> list[Route]:
    """Return the routes of the annotators' pages."""
    pages = _Pages(project)
    return [
        Route("/", pages.home),
        Route("/join/{token}", pages.join),
        Route("/consent", pages.consent, methods=["GET"]),
        Route("/consent", pages.agree, methods=["POST"]),
        Route("/work", pages.work),
        Route("/guideline", pages.guideline),
        Route("/help", pages.help),
        Route("/done", pages.done),
        Route("/stopped", pages.stopped),
        Route("/api/page", pages.next_page),
        Route("/api/answer", pages.answer, methods=["POST"]),
        Route("/api/skip", pages.skip, methods=["POST"]),
        Route("/api/stop", pages.stop, methods=["POST"]),
    ]


class _Pages:
    """The endpoints; Starlette runs those that are not ``async`` in threads."""

    def __init__(self, project: Project):
        self._project = project

    def home(self, request: Request) -> Response:
        session = need_session(self._project, request)
        return _see("/owner" if may(session.person.role, "figures") else "/work")

    def join(self, request: Request) -> Response:
        session = start_session(self._project, request.path_params["token"])
        if session is None:
            raise HTTPException(401, BAD_LINK)
        response = _see("/")
        set_cookie(self._project, request, response, session)
        return response

    def consent(self, request: Request) -> Response:
        session = need_session(self._project, request)
        return render(request, "consent.html", session, wellbeing=self._project.wellbeing)

    async def agree(self, request: Request) -> Response:
        session = await run_in_threadpool(need_session, self._project, request)
        form = await read_form(request, session)
        if form.get("agree") != ["yes"]:
            raise HTTPException(400, "You have not agreed yet; tick the box to continue.")
        traits = read_traits(self._project.protocol.traits, form)
        await run_in_threadpool(self._project.consent, session.person.id, traits)
        return _see("/work")

    def work(self, request: Request) -> Response:
        session = need_session(self._project, request)
        if must_consent(self._project, session):
            return _see("/consent")
        return render(request, "work.html", session, wellbeing=self._project.wellbeing)

    def guideline(self, request: Request) -> Response:
        return render(request, "guideline.html", need_session(self._project, request))

    def help(self, request: Request) -> Response:
        session = session_of(self._project, request)
        today = {"read": 0, "minutes": 0}
        if session is not None:
            day = day_of(time.time())
            with self._project.lock:
                today["read"] = session.person.days[day]
                today["minutes"] = round(session.person.spent.get(day, 0.0) / 60)
        return self._caring(request, "help.html", session, today=today)

    def done(self, request: Request) -> Response:
        session = need_session(self._project, request)
        if must_consent(self._project, session):
            return _see("/consent")
        page = self._project.page(session.person.id)
        if page.items:
            return _see("/work")
        why = None if page.why is None else words_of(request).say(page.why)
        code = self._project.completion_code(session.person.id)
        crowd = self._project.state.crowd
        way_back = "" if crowd is None else crowd.way_back(code)
        return render(request, "done.html", session, why=why, code=code, way_back=way_back)

    def stopped(self, request: Request) -> Response:
        session = need_session(self._project, request)
        return self._caring(request, "stopped.html", session)

    def _caring(
        self, request: Request, template: str, session: Session | None, **values: Any
    ) -> Response:
        """Return a page with places to get help."""
        lines = helplines(words_of(request).lang, request.headers.get("accept-language", ""))
        care: dict[str, Any] = {"lines": lines, "directory": directory(), **values}
        return render(request, template, session, wellbeing=self._project.wellbeing, **care)

    def next_page(self, request: Request) -> Response:
        """Return the next items; with ``held``, those that come after the named ones."""
        session = self._consenting(request)
        query = request.query_params
        if "held" in query:
            held, sent = _handles(query["held"]), _handles(query.get("sent", ""))
            page = self._project.page_ahead(session.person.id, held, sent)
        else:
            page = self._project.page(session.person.id)
        words = words_of(request)
        return JSONResponse(
            {
                "items": [self._sent(item, words) for item in page.items],
                "left": page.left,
                "why": None if page.why is None else words.say(page.why),
                "break_due": page.break_due,
                "today": page.today,
                "ahead": page.ahead,
            }
        )

    def _sent(self, item: PageItem, words: Catalogue) -> dict[str, Any]:
        """Return an item as the browser gets it."""
        return {
            "handle": item.handle,
            "step": item.step,
            "text": item.text,
            "context": {words.context(name): text for name, text in item.context.items()},
            "others": others_of(self._project.protocol, item, words),
            "again": item.again,
            "suggestion": item.suggestion,
        }

    async def answer(self, request: Request) -> Response:
        # Waiting for the project happens in a thread, so that the event loop stays free.
        return await run_in_threadpool(self._answer, request, await read_body(request))

    def _answer(self, request: Request, sent: bytes) -> Response:
        session = self._consenting(request)
        body = parse_json(request, session, sent)
        answers, seconds = body.get("answers"), body.get("seconds")
        if not isinstance(answers, dict):
            raise HTTPException(400, "The request has no answers.")
        if not isinstance(seconds, int | float) or not math.isfinite(seconds) or seconds < 0:
            raise HTTPException(400, "The request has no valid number of seconds.")
        key = _own_key(session, body.get("key"))
        item, step = self._resolve(session, body.get("handle"))
        person, spent = session.person.id, min(seconds, _MOST_SECONDS)
        self._project.answer(person, item, step, answers, spent, key)
        return JSONResponse({"saved": True})

    async def skip(self, request: Request) -> Response:
        return await run_in_threadpool(self._skip, request, await read_body(request))

    def _skip(self, request: Request, sent: bytes) -> Response:
        session = self._consenting(request)
        body = parse_json(request, session, sent)
        reason = body.get("reason", "")
        if not isinstance(reason, str):
            raise HTTPException(400, "The reason is not text.")
        key = None if "key" not in body else _own_key(session, body["key"])
        item, step = self._resolve(session, body.get("handle"))
        self._project.skip(session.person.id, item, step, reason, key)
        return JSONResponse({"saved": True})

    async def stop(self, request: Request) -> Response:
        session = await run_in_threadpool(need_session, self._project, request)
        await read_form(request, session)
        await run_in_threadpool(self._project.give_back, session.person.id)
        return _see("/stopped")

    def _resolve(self, session: Session, handle: object) -> tuple[str, str]:
        if not isinstance(handle, str):
            raise HTTPException(400, "The request names no item.")
        return self._project.resolve(session.person.id, handle)

    def _consenting(self, request: Request) -> Session:
        session = need_session(self._project, request)
        if must_consent(self._project, session):
            raise HTTPException(403, "Read the first page and agree to it before you begin.")
        return session


def _handles(text: str) -> list[str]:
    """Return the handles of a list with commas; more than anybody can hold are not read."""
    return text.split(",", _MOST_HANDLES)[:_MOST_HANDLES] if text else []


def _own_key(session: Session, key: object) -> str:
    """Return the unique key of a request, so that it counts once."""
    if not isinstance(key, str) or len(key) not in _KEY_LENGTHS:
        raise HTTPException(400, "The request has no valid key.")
    # Browsers make the keys: the person's id keeps them apart.
    return f"{session.person.id}:{key}"


def read_traits(questions: tuple[Question, ...], form: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return the traits of a form; empty fields are left out."""
    traits: dict[str, Any] = {}
    for question in questions:
        known = {option.value for option in question.options}
        given = [value.strip() for value in form.get(question.id, []) if value.strip()]
        if question.options:
            given = [value for value in given if value in known]
            if question.open:
                own = form.get(f"{question.id}:own", [])
                given += [value.strip() for value in own if value.strip()]
        if given:
            traits[question.id] = given if question.kind in ("choices", "texts") else given[0]
    return traits


def _see(path: str) -> RedirectResponse:
    return RedirectResponse(path, 303)
