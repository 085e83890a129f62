"""What an owner may change while a project runs."""

from dataclasses import dataclass
from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tactful.annotation.protocol.changes import WORKLOADS
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.web.desk import Desk, Form, back
from tactful.annotation.web.session import Session
from tactful.errors import InputError, TactfulError

Kind = Literal["count", "share", "minutes", "truth", "text", "workload"]
_LONGEST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that can be changed, and what it is now."""

    name: str
    title: str
    kind: Kind
    value: Any
    help: str = ""
    optional: bool = False
    """It may be left empty: there is then no such limit."""


def routes(desk: Desk) -> list[Route]:
    """Return the routes of the page of settings."""
    pages = _Pages(desk)
    return [
        Route("/owner/settings", desk.page(pages.settings), methods=["GET"]),
        Route("/owner/settings", desk.action(pages.change), methods=["POST"]),
    ]


def settings_of(protocol: Protocol, workload: str) -> list[tuple[str, list[Setting]]]:
    """Return all settings in groups, with what is in force now."""
    quality, care = protocol.quality, protocol.wellbeing
    groups = [
        (
            step.title,
            [
                Setting(f"{step.id}.judgements", "Judgements", "count", step.judgements),
                Setting(
                    f"{step.id}.most",
                    "At most",
                    "count",
                    step.most,
                    "While the labels are not sure enough, one more is asked for, up to so many.",
                    optional=True,
                ),
                Setting(
                    f"{step.id}.confidence",
                    "Confidence that is enough",
                    "share",
                    step.confidence,
                    "From 0 to 1; empty: no further judgements are asked for.",
                    optional=True,
                ),
            ],
        )
        for step in protocol.steps
    ]
    groups.append(
        (
            "Hidden tests",
            [
                Setting(
                    "least_trust",
                    "Least trust",
                    "share",
                    quality.least_trust,
                    "From 0 to 1; below it a person is removed. Empty: nobody is.",
                    optional=True,
                ),
                Setting("least_tests", "Not before so many tests", "count", quality.least_tests),
                Setting(
                    "rows_remain_finalized",
                    "Items that are done stay done when somebody is removed",
                    "truth",
                    quality.rows_remain_finalized,
                ),
            ],
        )
    )
    groups.append(
        (
            "Well-being",
            [
                Setting(
                    "most_per_day",
                    "Items a day, for each person",
                    "count",
                    care.most_per_day,
                    "Empty: no cap.",
                    optional=True,
                ),
                Setting(
                    "break_after",
                    "Minutes before a break is proposed",
                    "count",
                    care.break_after,
                    "Empty: never.",
                    optional=True,
                ),
                Setting("blur", "Texts are blurred until they are revealed", "truth", care.blur),
                Setting("help", "Where help can be found (Markdown)", "text", care.help),
            ],
        )
    )
    groups.append(
        (
            "Work",
            [
                Setting(
                    "lease_minutes",
                    "Minutes before an unanswered page goes to others",
                    "minutes",
                    protocol.lease_minutes,
                ),
                Setting(
                    "workload",
                    "Workload",
                    "workload",
                    workload,
                    "Shared: whoever comes takes the next; balanced: nobody more than their share.",
                ),
            ],
        )
    )
    return groups


def read_settings(groups: list[tuple[str, list[Setting]]], form: Form) -> dict[str, Any]:
    """Return what a form changes; what is as it was is left out."""
    changes = {}
    for _, settings in groups:
        for setting in settings:
            value = _read(setting, form)
            if value != setting.value:
                changes[setting.name] = value
    return changes


def _read(setting: Setting, form: Form) -> Any:
    given = (form.get(setting.name) or [""])[0].strip()
    match setting.kind:
        case "truth":
            return given == "yes"
        case "text":
            return given.replace("\r\n", "\n")[:_LONGEST_TEXT]
        case "workload":
            return given or setting.value
    if not given:
        if setting.optional:
            return None
        raise InputError(f"'{setting.title}' is empty; expected a number.")
    try:
        return int(given) if setting.kind == "count" else float(given)
    except ValueError:
        expected = "a whole number" if setting.kind == "count" else "a number"
        raise InputError(
            f"'{setting.title}' was given as '{given}'; expected {expected}."
        ) from None


class _Pages:
    def __init__(self, desk: Desk):
        self._desk = desk

    def settings(self, request: Request, session: Session) -> Response:
        return self._show(request, session)

    def change(self, request: Request, session: Session, form: Form) -> Response:
        try:
            changes = read_settings(self._groups(), form)
            if not changes:
                return back("/owner/settings", "Nothing was changed.")
            self._desk.project.change(changes)
        except TactfulError as error:
            return self._show(request, session, str(error))
        return back("/owner/settings", f"Changed: {', '.join(changes)}.")

    def _show(self, request: Request, session: Session, problem: str = "") -> Response:
        return self._desk.show(
            request,
            session,
            "owner_settings.html",
            status=409 if problem else 200,
            groups=self._groups(),
            workloads=WORKLOADS,
            problem=problem,
        )

    def _groups(self) -> list[tuple[str, list[Setting]]]:
        project = self._desk.project
        with project.lock:
            state = project.state
            return settings_of(state.protocol, state.settings["workload"])
