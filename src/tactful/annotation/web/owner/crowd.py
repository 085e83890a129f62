"""The owner's page of a study on a crowd platform."""

from collections import Counter
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tactful.annotation.protocol.changes import CROWD
from tactful.annotation.state.crowd import Crowd, read_crowd
from tactful.annotation.web.crowd import crowd_link
from tactful.annotation.web.owner.site import Form, OwnerPages, OwnerSite, back, one
from tactful.annotation.web.session import Session
from tactful.errors import InputError, TactfulError

_LONGEST = 2_000
_TEXTS = ("code", "parameter", "back", "screened_code")


def routes(site: OwnerSite) -> list[Route]:
    """Return the routes of the page of the crowd."""
    pages = _Pages(site)
    return [
        Route("/owner/crowd", site.page(pages.crowd), methods=["GET"]),
        Route("/owner/crowd", site.action(pages.change), methods=["POST"]),
    ]


class _Pages(OwnerPages):
    def change(self, request: Request, session: Session, form: Form) -> Response:
        if one(form, "action") == "close":
            self._project.change({CROWD: None})
            return back("/owner/crowd", "The link no longer lets anybody in.")
        try:
            value = _value(form)
            read_crowd(value)
            self._project.change({CROWD: value})
        except TactfulError as error:
            return self.crowd(request, session, problem=str(error))
        return back("/owner/crowd", "Saved; the link is open.")

    def crowd(self, request: Request, session: Session, problem: str = "") -> Response:
        with self._project.lock:
            found = self._project.state.crowd
            people = [each for each in self._project.state.people.values() if each.crowd]
            statuses = Counter(each.status for each in people)
            has_quota = self._project.state.settings.get("quotas")
        return self._show(
            request,
            session,
            "owner_crowd.html",
            status=409 if problem else 200,
            problem=problem,
            crowd=found or Crowd(""),
            is_open=found is not None,
            link="" if found is None else crowd_link(self._project, request, found),
            statuses=statuses,
            finished=sum(bool(self._project.completion_code(each.id)) for each in people),
            has_quota=bool(has_quota),
        )


def _value(form: Form) -> dict[str, Any]:
    given: dict[str, Any] = {name: one(form, name)[:_LONGEST] for name in _TEXTS}
    for name in ("countries", "languages"):
        names = one(form, name)[:_LONGEST].split(",")
        given[name] = [each.strip() for each in names if each.strip()]
    most = one(form, "most")
    if not (most.isascii() and most.isdigit() and len(most) < 10):
        raise InputError(f"The number of places is '{most[:20]}'; expected a whole number.")
    return {**given, "most": int(most)}
