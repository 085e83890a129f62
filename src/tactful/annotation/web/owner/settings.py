"""The settings that an owner can change while a project runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tactful.annotation.protocol.changes import (
    OF_QUALITY,
    OF_STEPS,
    OF_WELLBEING,
    OPTIONAL,
    WORKLOADS,
    Kind,
)
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.protocol.versions import changes
from tactful.annotation.web.owner.site import Form, OwnerPages, OwnerSite, back
from tactful.annotation.web.session import Session
from tactful.errors import InputError, TactfulError

_LONGEST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting and its current value."""

    name: str
    title: str
    kind: Kind
    value: Any
    help: str = ""
    optional: bool = False
    """Whether it can be empty, which means no limit."""


def routes(site: OwnerSite) -> list[Route]:
    """Return the routes of the page of settings."""
    pages = _Pages(site)
    return [
        Route("/owner/settings", site.page(pages.settings), methods=["GET"]),
        Route("/owner/settings", site.action(pages.change), methods=["POST"]),
        Route("/owner/wording", site.page(pages.wording, "figures")),
    ]


_TITLES: Mapping[str, tuple[str, str]] = {
    "judgements": ("Judgements per item", ""),
    "most": ("Maximum judgements per item",
     "One more is asked for at a time, up to this number, until the labels are sure enough."),
    "confidence": ("Confidence that is enough",
     "From 0 to 1. Leave empty to ask for no further judgements."),
    "least_trust": ("Minimum trust",
     "From 0 to 1. People who are not above it are removed. Leave empty to remove nobody."),
    "least_tests": ("Tests before anybody is removed", ""),
    "tests_each": ("Tests for each person, at the cost of decoys",
     "Each has ordinary items judged once more. Leave empty for as many as cost nothing."),
    "rows_remain_finalized": ("Keep finished items finished when somebody is removed", ""),
    "most_per_day": ("Maximum items per person and day", "Leave empty for no limit."),
    "break_after": ("Minutes before a break is suggested", "Leave empty for never."),
    "blur": ("Blur texts until they are revealed", ""),
    "help": ("Where to find help (Markdown)", ""),
}  # fmt: skip
"""The title of each setting, and what else to know."""


def settings_of(protocol: Protocol, workload: str) -> list[tuple[str, list[Setting]]]:
    """Return all settings in groups, with their current values."""

    def group(owner: object, kinds: Mapping[str, Kind], prefix: str = "") -> list[Setting]:
        return [
            Setting(prefix + name, title, kind, getattr(owner, name), about, name in OPTIONAL)
            for name, kind in kinds.items()
            for title, about in (_TITLES[name],)
        ]

    lease = "Minutes before an unanswered page goes to others"
    divide = "Shared: people take the next items. Balanced: nobody judges more than their share."
    work = [
        Setting("lease_minutes", lease, "minutes", protocol.lease_minutes),
        Setting("workload", "Workload", "workload", workload, divide),
    ]
    return [
        *((step.title, group(step, OF_STEPS, f"{step.id}.")) for step in protocol.steps),
        ("Hidden tests", group(protocol.quality, OF_QUALITY)),
        ("Well-being", group(protocol.wellbeing, OF_WELLBEING)),
        ("Work", work),
    ]


def read_settings(groups: list[tuple[str, list[Setting]]], form: Form) -> dict[str, Any]:
    """Return the settings that a form changes."""
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


class _Pages(OwnerPages):
    def change(self, request: Request, session: Session, form: Form) -> Response:
        try:
            changes = read_settings(self._groups(), form)
            if not changes:
                return back("/owner/settings", "Nothing changed.")
            self._project.change(changes)
        except TactfulError as error:
            return self.settings(request, session, str(error))
        return back("/owner/settings", f"Changed: {', '.join(changes)}.")

    def settings(self, request: Request, session: Session, problem: str = "") -> Response:
        return self._show(
            request,
            session,
            "owner_settings.html",
            status=409 if problem else 200,
            groups=self._groups(),
            workloads=WORKLOADS,
            problem=problem,
        )

    def wording(self, request: Request, session: Session) -> Response:
        """Show the versions of questions and guideline, the latest first, and what they changed."""
        with self._project.lock:
            versions = list(self._project.state.wordings)
            unworded = self._project.state.unworded
        told = [
            (each, changes(before.wording, each.wording) if before else [])
            for before, each in zip([None, *versions], versions, strict=False)
        ]
        return self._show(
            request, session, "owner_wording.html", versions=told[::-1], unworded=unworded
        )

    def _groups(self) -> list[tuple[str, list[Setting]]]:
        with self._project.lock:
            state = self._project.state
            return settings_of(state.protocol, state.settings["workload"])
