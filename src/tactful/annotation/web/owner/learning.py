"""The page of models in the loop: suggestions, the order of items, and the learning curve."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tactful.annotation.learning.anchoring import HEADER, Anchoring, Share, rows
from tactful.annotation.learning.background import ranker_of
from tactful.annotation.learning.curve import Point
from tactful.annotation.learning.suggest import without_suggestion
from tactful.annotation.protocol.changes import RANK_BY
from tactful.annotation.web import charts
from tactful.annotation.web.owner.site import Form, OwnerPages, OwnerSite, back, download, one
from tactful.annotation.web.session import Session
from tactful.errors import InputError, TactfulError

_PATH = "/owner/learning"


def routes(site: OwnerSite) -> list[Route]:
    """Return the routes of the page."""
    pages = _Pages(site)
    return [
        Route(_PATH, site.page(pages.learning, "figures"), methods=["GET"]),
        Route(_PATH, site.action(pages.change), methods=["POST"]),
        Route("/owner/anchoring.csv", site.page(pages.file, "figures")),
    ]


class _Pages(OwnerPages):
    def learning(self, request: Request, session: Session, problem: str = "") -> Response:
        found = self._figures.anchoring()
        ranker = ranker_of(self._project)
        with self._project.lock:
            state = self._project.state
            settings, ranking = dict(state.settings), state.ranking
            suggested = len(state.suggestions)
            missing = without_suggestion(self._project) if suggested else {}
        curve = [Point(*point) for point in ranking.data.get("curve", ())] if ranking else []
        return self._show(
            request,
            session,
            "owner_learning.html",
            status=409 if problem else 200,
            problem=problem,
            suggested=suggested,
            missing=missing,
            anchoring=found,
            agreement_chart=charts.interval_chart(
                [_interval(each, name) for each in found for name in ("shown", "blind")],
                "Agreement with suggestions, where they were shown and where not",
            ),
            ranking=ranking,
            curve=curve,
            curve_chart=charts.curve_chart(curve, "F1 of a quick model by number of labels"),
            is_running=ranker.is_running,
            failure=ranker.problem,
            settings=settings,
            strategies=RANK_BY,
        )

    def change(self, request: Request, session: Session, form: Form) -> Response:
        if one(form, "action") == "rank":
            begun = ranker_of(self._project).start()
            said = "Ranking has begun; load this page again in a while." if begun else "It is busy."
            return back(_PATH, said)
        try:
            changes = self._changes(form)
            if not changes:
                return back(_PATH, "Nothing changed.")
            self._project.change(changes)
        except TactfulError as error:
            return self.learning(request, session, str(error))
        return back(_PATH, f"Changed: {', '.join(changes)}.")

    def file(self, request: Request, session: Session) -> Response:
        return download("anchoring.csv", HEADER, rows(self._figures.anchoring()))

    def _changes(self, form: Form) -> dict[str, Any]:
        every, share = one(form, "rank_every"), one(form, "blind_share")
        try:
            given: dict[str, Any] = {
                "rank_every": int(every) if every else None,
                "rank_by": one(form, "rank_by"),
                "blind_share": float(share) / 100,
            }
        except ValueError:
            raise InputError(
                f"Found '{every[:20]}' judgements and '{share[:20]}' per cent; expected numbers."
            ) from None
        with self._project.lock:
            settings = self._project.state.settings
            return {name: value for name, value in given.items() if settings[name] != value}


def _interval(each: Anchoring, name: str) -> charts.Interval:
    share: Share = getattr(each, name)
    low, high = share.interval or (None, None)
    return charts.Interval(f"{each.question}: {name}", share.value, low, high)
