"""``/review``: the queue of texts that wait for a moderator; only with ``--feedback``.

All paths are below ``/review``, so that the browser sends the key that it asked for as a password.
"""

from collections.abc import Mapping
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from tactful.checking.findings import check_thresholds
from tactful.checking.options import CheckOptions
from tactful.checking.report import DocumentReport
from tactful.detectors.base import GATES
from tactful.service.engine.engine import Engine, Scored
from tactful.service.feedback.records import Record
from tactful.service.http.addresses import known_address
from tactful.service.http.answers import JsonAnswer
from tactful.service.http.body import read_model
from tactful.service.http.errors import ServiceError, TooLong, invalid
from tactful.service.logs import key_in_use
from tactful.service.loop import feedback_of, loop_of
from tactful.service.models import MOST_ENTRIES, Id, Sent
from tactful.service.review.similar import MOST_COMPARED, similar_decisions
from tactful.service.routes.feedback import MOST_NOTE
from tactful.service.routes.pages import shown
from tactful.service.settings import ServiceSettings
from tactful.service.web.rendering import Site

SCHEMA = "tactful/review/1"
MOST_ASKED = 9
"""The ids that a page asks about: as many as there are keys from 1 to 9."""
_ROOTS_FROM = 0.05
_DIGITS = 4


class DecisionRequest(Sent):
    """What a moderator decided."""

    item: str = Field(pattern=r"^[0-9a-f]{64}$")
    decision: Literal["keep", "remove", "escalate"]
    labels: dict[Id, bool] = Field({}, max_length=MOST_ENTRIES)
    note: str | None = Field(None, max_length=MOST_NOTE)
    id: str = Field(pattern=r"^[\w-]{8,64}$")


class UndoRequest(Sent):
    """Which decision is taken back."""

    id: str = Field(pattern=r"^[\w-]{8,64}$")


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the routes."""
    routes = APIRouter()
    site = Site(engine, settings)

    def check_host(request: Request) -> None:
        # Without keys, a page of another site could give its own name to this machine's address.
        if settings.keys_file is None and known_address(request, settings) is None:
            raise invalid(
                "This host is not known to be the service's; open /review by the address that "
                "'tactful serve' printed.",
                "UNKNOWN_HOST",
                403,
            )

    @routes.get("/review", include_in_schema=False)
    async def page(request: Request) -> Response:
        check_host(request)
        return shown(request, site, "review.html", keeps=settings.feedback_texts == "keep")

    @routes.get("/review/queue", include_in_schema=False)
    async def queue(request: Request) -> JsonAnswer:
        check_host(request)
        feedback = feedback_of(request)
        waiting = await feedback.read(lambda store: store.queue())
        counts = await feedback.read(lambda store: store.count())
        items = [
            {"item": each.item, "since": each.since, "reports": each.reports} for each in waiting
        ]
        return JsonAnswer({"schema": SCHEMA, "items": items, "decided": counts.get("decided", 0)})

    @routes.get("/review/items/{item}", include_in_schema=False)
    async def item(request: Request, item: str) -> JsonAnswer:
        check_host(request)
        feedback = feedback_of(request)
        records = await feedback.read(lambda store: store.records(item=item))
        text = next((each.text for each in records if each.text is not None), None)
        if text is None:
            raise ServiceError(404, "This text is no longer in the queue.", "NO_SUCH_ITEM")
        decided = await feedback.read(
            lambda store: similar_decisions(
                text, store.records(kind="decided", newest=MOST_COMPARED)
            )
        )
        report, problem = await _checked(engine, text)
        scores = await _scores(engine, text)
        findings = [] if report is None else _findings(report)
        return JsonAnswer(
            {
                "schema": SCHEMA,
                "item": item,
                "text": text,
                "findings": findings,
                "problem": problem,
                "asked": asked_ids(
                    [kind["id"] for each in findings for kind in each["kinds"]], scores
                ),
                "scores": {name: round(value, _DIGITS) for name, value in scores.items()},
                "reports": [_report(each) for each in records if each.kind != "decided"],
                "decisions": [_decision(each) for each in records if each.kind == "decided"],
                "similar": [
                    {
                        "text": each.record.text,
                        "similarity": round(each.similarity, 2),
                        **_decision(each.record),
                    }
                    for each in decided
                    if each.record.item != item
                ],
            }
        )

    @routes.post("/review/decisions", include_in_schema=False)
    async def decide(request: Request) -> JsonAnswer:
        check_host(request)
        wanted = await read_model(request, DecisionRequest)
        check_thresholds({name: float(each) for name, each in wanted.labels.items()}, engine.ids)
        feedback = feedback_of(request)
        records = await feedback.read(lambda store: store.records(item=wanted.item))
        first = next((each for each in records if each.text is not None), None)
        if first is None or first.text is None:
            raise ServiceError(404, "This text is no longer in the queue.", "NO_SUCH_ITEM")
        data: dict[str, Any] = {
            "decision": wanted.decision,
            "labels": {name: int(each) for name, each in wanted.labels.items()},
        }
        if wanted.note:
            data["note"] = wanted.note
        stored = await feedback.add(
            "decided", first.text, data, id=wanted.id, lang=first.lang, by_hash=first.author
        )
        loop_of(request).decided(wanted.item, data, [each.id for each in records])
        return JsonAnswer({"schema": SCHEMA, "id": stored})

    @routes.post("/review/undo", include_in_schema=False)
    async def undo(request: Request) -> JsonAnswer:
        check_host(request)
        wanted = await read_model(request, UndoRequest)
        key = key_in_use()
        gone = await feedback_of(request).read(
            lambda store: store.delete(id=wanted.id, key=key, kind="decided")
        )
        return JsonAnswer({"schema": SCHEMA, "deleted": gone})

    return routes


def asked_ids(found: list[str], scores: Mapping[str, float]) -> list[str]:
    """Return the ids that a moderator is asked about: what was found, then what is most likely.

    Of what was not found only whole families are asked about, not their parts.
    """
    ids = list(dict.fromkeys(name for name in found if name in scores))
    roots = [name for name in scores if "." not in name or name in GATES]
    likely = sorted(roots, key=lambda name: (-scores[name], name))
    ids += [name for name in likely if name not in ids and scores[name] >= _ROOTS_FROM]
    return ids[:MOST_ASKED]


async def _checked(engine: Engine, text: str) -> tuple[DocumentReport | None, str | None]:
    try:
        return await engine.check(text, CheckOptions(frames="off", quotes="label")), None
    except TooLong as error:
        return None, error.message
    except ServiceError as error:
        if error.code >= 500 or error.code == 429:
            raise
        return None, error.message


async def _scores(engine: Engine, text: str) -> dict[str, float]:
    (found,) = await engine.score_each([text], watched=False)
    return found.probabilities if isinstance(found, Scored) else {}


def _findings(report: DocumentReport) -> list[dict[str, Any]]:
    """Return each finding with its reason, kinds and words; offsets count code points."""
    return [
        {
            "id": finding.main.id,
            "reason": finding.explanation,
            "quoted": finding.quoted,
            "kinds": [
                {
                    "id": kind.id,
                    "name": kind.name,
                    "confidence": round(kind.confidence, _DIGITS),
                    "spans": [
                        [span.place.start, span.place.end] for span in kind.spans or finding.spans
                    ],
                }
                for kind in finding.kinds
            ],
        }
        for finding in report.findings
    ]


def _report(record: Record) -> dict[str, Any]:
    data = {name: record.data[name] for name in ("thumb", "labels", "note") if name in record.data}
    return {"kind": record.kind, "at": record.at, **data}


def _decision(record: Record) -> dict[str, Any]:
    names = ("decision", "labels", "note")
    return {"at": record.at, **{name: record.data.get(name) for name in names}}
