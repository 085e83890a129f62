"""The owner's pages for status, agreement and the log."""

import math
from collections import Counter
from collections.abc import Sequence, Set
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tactful.annotation.analysis import confusion
from tactful.annotation.analysis.agreement_summary import QuestionAgreement
from tactful.annotation.analysis.views import View, option_names
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.records import Step
from tactful.annotation.state.roles import may
from tactful.annotation.store.events import KINDS, Event
from tactful.annotation.web import charts
from tactful.annotation.web.figures import StepTable
from tactful.annotation.web.owner import (
    assignment,
    crowd,
    export,
    importing,
    items,
    learning,
    people,
    settings,
)
from tactful.annotation.web.owner.site import OwnerPages, OwnerSite, download, now, number_of
from tactful.annotation.web.session import Session

LOG_PAGE = 50
_MOST_LABELS = 15
"""With more labels, their agreement is in a collapsed list."""
_MOST_SKIPPED = 20
"""Maximum number of skipped items on the page 'Status'."""
_NOT_TOLD = ("token", "text", "context", "meta", "traits", "screening")
_SEARCH_STEP = 5_000
"""Events read together when searching for a kind."""
_LONGEST_SEARCH = 20_000
"""Maximum number of events searched for one page of the log."""


def routes(project: Project) -> list[Route]:
    """Return the routes of the owner's and the referee's pages."""
    site = OwnerSite(project)
    pages = _Pages(site)
    return [
        Route("/owner", site.page(pages.status, "figures")),
        Route("/owner/live", site.page(pages.live, "figures")),
        Route("/owner/agreement", site.page(pages.agreement, "figures")),
        Route("/owner/agreement.csv", site.page(pages.agreement_file, "figures")),
        Route("/owner/log", site.page(pages.log, "log")),
        *people.routes(site),
        *items.routes(site),
        *importing.routes(site),
        *export.routes(site),
        *assignment.routes(site),
        *crowd.routes(site),
        *learning.routes(site),
        *settings.routes(site),
    ]


class _Pages(OwnerPages):
    def status(self, request: Request, session: Session) -> Response:
        return self._show(request, session, "owner_status.html", **self._status(request, session))

    def live(self, request: Request, session: Session) -> Response:
        return self._show(request, session, "owner_live.html", **self._status(request, session))

    def _status(self, request: Request, session: Session) -> dict[str, Any]:
        items = may(session.person.role, "items")
        price = _price(request.query_params.get("price", ""))
        status = self._figures.status(price, now())
        return {
            "status_now": status,
            "price": price,
            "bars": [charts.progress_bar(step) for step in status.steps],
            "day_chart": charts.day_chart(status.days, "Answers a day, of the last two weeks"),
            "suspects": [test for test in self._figures.tests() if test.suspect] if items else [],
            "skipped_items": self._figures.skipped_items() if items else [],
            "most_skipped": _MOST_SKIPPED,
        }

    def agreement(self, request: Request, session: Session) -> Response:
        table = self._table(request)
        view = _chosen(table.views, request.query_params.get("view", ""))
        names = self._names(session)
        people = view.ratings.annotators if view else ()
        pairs = confusion.pairs(view) if view else []
        first, second = _two(request, people, pairs)
        crossed = confusion.confusion(view, first, second) if view and first and second else None
        main, long_lists = _parted(table.agreements)
        return self._show(
            request,
            session,
            "owner_agreement.html",
            step=table.step,
            agreements=main,
            long_lists=long_lists,
            chart=charts.interval_chart(
                [_interval(each) for each in main if each.answers],
                "Agreement on each question, with intervals of 95 %",
            ),
            seen=table.views,
            view=view,
            people=sorted(people, key=lambda person: names[person].casefold()),
            names=names,
            pairs=pairs,
            crossed=crossed,
            label_names=_label_names(table.step, view),
            most=max((max(row) for row in crossed.counts), default=0) if crossed else 0,
            heat=charts.heat,
            others=confusion.against_others(view) if view else [],
        )

    def agreement_file(self, request: Request, session: Session) -> Response:
        table = self._table(request)
        header = ("question", "label", "measure", "value", "low", "high", "items", "annotators")
        rows = [
            (
                each.question,
                each.label,
                answer.name,
                answer.value,
                *(answer.interval or (None, None)),
                answer.items,
                answer.annotators,
                answer.reason,
            )
            for each in table.agreements
            for answer in each.answers
        ]
        return download("agreement.csv", (*header, "why undefined"), rows)

    def log(self, request: Request, session: Session) -> Response:
        store = self._project.store
        kind = request.query_params.get("kind", "")
        last = store.last
        before = min(number_of(request, "before", last + 1), last + 1)
        free = {
            question.id
            for step in self._project.protocol.steps
            for question in step.questions
            if question.kind in ("text", "texts") or question.open
        }
        events, reached = _newest(self._project, before, kind if kind in KINDS else None)
        return self._show(
            request,
            session,
            "owner_log.html",
            events=[(event, _told(event), _has_words(event, free)) for event in events],
            names=self._names(session),
            kind=kind,
            kinds=KINDS,
            last=last,
            older=reached if reached > 1 else None,
            newest=before > last,
        )

    def _table(self, request: Request) -> StepTable:
        steps = self._project.state.protocol.steps
        wanted = request.query_params.get("step", "")
        step: Step = next((each for each in steps if each.id == wanted), steps[0])
        return self._figures.agreement(step)

    def _names(self, session: Session) -> dict[str, str]:
        """Return the names of people by id; who may not see people sees their ids."""
        named = may(session.person.role, "people")
        with self._project.lock:
            people = self._project.state.people.values()
            return {person.id: person.name if named else person.id for person in people}


def _newest(project: Project, before: int, kind: str | None) -> tuple[list[Event], int]:
    """Return a page of events before a number, newest first, and the number it reached."""
    found: list[Event] = []
    top = before
    while top > 1 and len(found) < LOG_PAGE and before - top < _LONGEST_SEARCH:
        size = LOG_PAGE if kind is None else _SEARCH_STEP
        after = max(0, top - 1 - size)
        part = []
        for event in project.store.read(after):
            if (event.number or 0) >= top:
                break
            if kind is None or event.kind == kind:
                part.append(event)
        found += reversed(part)
        top = after + 1
    if len(found) > LOG_PAGE:
        found = found[:LOG_PAGE]
        top = found[-1].number or 1
    return found, top


def _told(event: Event) -> str:
    """Summarise an event in a line, without texts and tokens."""
    return "; ".join(
        f"{name}: {_plain(value)}" for name, value in event.data.items() if name not in _NOT_TOLD
    )


def _has_words(event: Event, free: Set[str]) -> bool:
    """Say whether an event contains free text, which may quote an item."""
    told = {**(event.data.get("answers") or {}), **(event.data.get("gold") or {})}
    return not free.isdisjoint(told) or bool(event.data.get("note") or event.data.get("reason"))


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.10g}" if value.is_integer() else f"{value:.1f}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "none"
    return str(value)


def _parted(
    agreements: Sequence[QuestionAgreement],
) -> tuple[list[QuestionAgreement], list[tuple[str, list[QuestionAgreement]]]]:
    """Separate the labels of questions with very many, with the text of the question."""
    count = Counter(each.question for each in agreements if each.label is not None)
    titles = {each.question: each.title for each in agreements if each.label is None}
    is_long = {name for name, labels in count.items() if labels > _MOST_LABELS}
    apart = {
        name: [each for each in agreements if each.question == name and each.label is not None]
        for name in titles
        if name in is_long
    }
    main = [each for each in agreements if each.label is None or each.question not in is_long]
    return main, [(titles[name], found) for name, found in apart.items()]


def _chosen(seen: Sequence[View], wanted: str) -> View | None:
    return next((view for view in seen if view.id == wanted), seen[0] if seen else None)


def _label_names(step: Step, view: View | None) -> dict[str, str]:
    """Return the names of a view's labels, if the protocol has them."""
    if view is None or view.option is not None:
        return {}
    return {**option_names(step.question(view.question))}


def _two(
    request: Request, people: Sequence[str], pairs: Sequence[confusion.Pair]
) -> tuple[str | None, str | None]:
    """Return the requested two people, or the pair with most items in common."""
    first, second = (request.query_params.get(name, "") for name in ("first", "second"))
    if first in people and second in people:
        return first, second
    return (pairs[0].first, pairs[0].second) if pairs else (None, None)


def _interval(accord: QuestionAgreement) -> charts.Interval:
    answer = accord.answers[0]
    low, high = answer.interval or (None, None)
    # A question's text would be cut off in a chart; its id identifies it.
    name = accord.question if accord.label is None else accord.title
    return charts.Interval(name, answer.value, low, high, indent=accord.label is not None)


def _price(given: str) -> float | None:
    try:
        price = float(given)
    except ValueError:
        return None
    return price if math.isfinite(price) and 0 <= price < 1e6 else None
