"""The owner's page of assignment: groups, who judges everything, batches, quotas and deadlines."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tactful.annotation.protocol.changes import TEAM_SETTINGS
from tactful.annotation.state.teams import batch_of, too_few
from tactful.annotation.web.owner.site import Form, OwnerPages, OwnerSite, back, one
from tactful.annotation.web.session import Session
from tactful.errors import InputError, TactfulError

_LONGEST_TEXT = 100_000
_MOST_BATCHES = 200


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch that is assigned or has a deadline, and how far it is in the first step."""

    name: str
    items: int
    done: int
    end: float | None
    is_over: bool
    too_few: tuple[tuple[str, int], ...]
    """The steps for which it has too few people, and how many it has."""


def routes(site: OwnerSite) -> list[Route]:
    """Return the routes of the page of assignment."""
    pages = _Pages(site)
    return [
        Route("/owner/assignment", site.page(pages.assignment), methods=["GET"]),
        Route("/owner/assignment", site.action(pages.change), methods=["POST"]),
    ]


class _Pages(OwnerPages):
    def change(self, request: Request, session: Session, form: Form) -> Response:
        texts = {name: one(form, name)[:_LONGEST_TEXT] for name in TEAM_SETTINGS}
        try:
            new = {name: _READ[name](text) for name, text in texts.items()}
            with self._project.lock:
                old = self._project.state.settings
                changes = {
                    name: value
                    for name, value in new.items()
                    if value != (old.get(name) or type(value)())
                }
            if not changes:
                return back("/owner/assignment", "Nothing changed.")
            self._project.change(changes)
        except TactfulError as error:
            return self.assignment(request, session, problem=str(error), texts=texts)
        return back("/owner/assignment", f"Changed: {', '.join(changes)}.")

    def assignment(
        self,
        request: Request,
        session: Session,
        *,
        problem: str = "",
        texts: Mapping[str, str] | None = None,
    ) -> Response:
        with self._project.lock:
            state = self._project.state
            settings, teams = dict(state.settings), state.teams
            people = sorted(state.people.values(), key=lambda each: each.name.casefold())
            quotas = {each.id: teams.quota(each.id) for each in people}
        return self._show(
            request,
            session,
            "owner_assignment.html",
            status=409 if problem else 200,
            problem=problem,
            texts=texts or {name: _written(settings.get(name)) for name in TEAM_SETTINGS},
            people=[each for each in people if each.status == "active"],
            quotas=quotas,
            batches=self._batches(),
        )

    def _batches(self) -> list[Batch]:
        with self._project.lock:
            state = self._project.state
            teams, people = state.teams, list(state.people.values())
            step, protocol = state.protocol.steps[0].id, state.protocol
        names = teams.batches[:_MOST_BATCHES]
        if not names:
            return []
        items: Counter[str] = Counter()
        done: Counter[str] = Counter()
        for item in self._figures.all_items():
            if item.gold is None:
                items[batch_of(item)] += 1
                done[batch_of(item)] += item.steps[step].status in ("done", "disputed")
        now = time.time()
        return [
            Batch(
                name,
                items[name],
                done[name],
                end := teams.end_of(name),
                end is not None and now >= end,
                tuple(too_few(teams, protocol, people, name)),
            )
            for name in names
        ]


def _names(text: str) -> list[str]:
    return [name for each in text.replace("\n", ",").split(",") if (name := each.strip())]


def _lines(text: str) -> dict[str, str]:
    """Read lines of ``name: value``; names may contain colons, values may not."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        name, mark, value = line.rpartition(": ")
        if not mark or not name.strip() or not value.strip():
            raise InputError(
                f"Line {number} is '{line.strip()[:60]}'; expected a name, a colon with a "
                "space, and a value."
            )
        if name.strip() in found:
            raise InputError(f"Line {number} has '{name.strip()[:60]}' again; expected it once.")
        found[name.strip()] = value.strip()
    return found


def _quotas(text: str) -> dict[str, Any]:
    found = {}
    for name, value in _lines(text).items():
        if not (value.isascii() and value.isdigit()):
            raise InputError(f"The quota of '{name}' is '{value[:20]}'; expected a whole number.")
        found[name] = int(value)
    return found


_READ: Mapping[str, Callable[[str], Any]] = {
    "groups": lambda text: {name: _names(value) for name, value in _lines(text).items()},
    "everything": _names,
    "assign": lambda text: {name: _names(value) for name, value in _lines(text).items()},
    "quotas": _quotas,
    "deadlines": _lines,
}


def _written(value: Any) -> str:
    """Write a setting as the form has it."""
    if isinstance(value, list):
        return ", ".join(value)
    return "\n".join(
        f"{name}: {', '.join(each) if isinstance(each, list) else each}"
        for name, each in (value or {}).items()
    )
