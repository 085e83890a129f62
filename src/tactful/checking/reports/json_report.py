"""The reports for programs: one JSON document, or one JSON line for each finding.

The shape is documented in ``docs/check.md`` and, as a JSON schema, in
``docs/schemas/check-2.json``; a change that breaks a reader gets a new number in ``SCHEMA``.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from tactful import __version__
from tactful.checking.report import (
    DocumentReport,
    Kind,
    Outcome,
    Passage,
    Place,
    PlacedFinding,
    PlacedSpan,
    Unread,
)
from tactful.checking.reports.run import Run, Tally, advice_on
from tactful.checking.wording import Wording, wording
from tactful.types import Frame

SCHEMA = "tactful/check/2"
_DIGITS = 4


def render_json(outcomes: Iterable[Outcome], run: Run) -> Iterator[str]:
    """Yield one JSON document."""
    tally = Tally()
    kept = list(tally.watch(outcomes))
    yield dump(
        {
            "schema": SCHEMA,
            "tool": _tool(),
            **_models(run.used(tally.models)),
            "documents": [
                _document(each, wording(run.language_for(each)))
                for each in kept
                if isinstance(each, DocumentReport)
            ],
            "errors": [asdict(each) for each in kept if isinstance(each, Unread)],
            "summary": _summary(tally),
        },
        indent=2,
    )


def render_jsonl(outcomes: Iterable[Outcome], run: Run) -> Iterator[str]:
    """Yield one line for each finding, as soon as its document is checked; the last sums up."""
    tally = Tally()
    for outcome in tally.watch(outcomes):
        if isinstance(outcome, Unread):
            yield dump({"type": "error", **asdict(outcome)})
            continue
        where = {"path": outcome.path, "kind": outcome.kind}
        words = wording(run.language_for(outcome))
        for finding in outcome.findings:
            yield dump({"type": "finding", **where, **_finding(finding, words)})
        for problem in outcome.problems:
            yield dump({"type": "problem", "path": outcome.path, "message": str(problem)})
        for passage in outcome.unchecked:
            yield dump({"type": "unchecked", **where, **_unchecked(passage)})
        for passage in _with_scores(outcome):
            yield dump({"type": "scores", **where, **_scores(passage)})
    yield dump(
        {
            "type": "summary",
            "schema": SCHEMA,
            "tool": _tool(),
            **_models(run.used(tally.models)),
            **_summary(tally),
        }
    )


def dump(value: object, indent: int | None = None) -> str:
    """Write JSON that can always be encoded as UTF-8, and has no line separators inside strings."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate, from bytes that were no text
        text = json.dumps(value, indent=indent, allow_nan=False)
    # JSON allows these two as they are; some readers of lines take them for the end of one.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n"


def _tool() -> dict[str, str]:
    return {"name": "tactful", "version": __version__}


def _models(run: Run) -> dict[str, Any]:
    """Return the detector, and where texts in several languages were read, all of them."""
    found = [
        {
            "name": card.name,
            "version": card.version,
            "lang": card.lang,
            "ids": [name for name in run.ids if name in card.ids] if run.others else list(run.ids),
        }
        for card in run.cards
    ]
    return {"model": found[0], **({"models": found} if run.others else {})}


def _summary(tally: Tally) -> dict[str, Any]:
    return {
        "documents": tally.documents,
        "passages": tally.passages,
        "findings": tally.findings,
        "silenced": tally.silenced,
        **_left_out(tally),
        **({"unchecked": tally.unchecked} if tally.unchecked else {}),
        "errors": tally.unread,
        "by_id": dict(sorted(tally.by_id.items())),
    }


def _left_out(counts: Tally | DocumentReport) -> dict[str, int]:
    """Return how many findings were left out by other means than ignores, as optional fields."""
    found = {name: getattr(counts, name) for name in ("quoted", "known", "unchanged", "unsure")}
    return {name: number for name, number in found.items() if number}


def _document(report: DocumentReport, words: Wording) -> dict[str, Any]:
    document: dict[str, Any] = {
        "path": report.path,
        "kind": report.kind,
        "model": report.model,
        "passages": len(report.passages),
        "silenced": report.silenced,
        **_left_out(report),
        "findings": [_finding(finding, words) for finding in report.findings],
        "problems": [str(problem) for problem in report.problems],
    }
    scores = [_scores(passage) for passage in _with_scores(report)]
    unchecked = [_unchecked(passage) for passage in report.unchecked]
    return {
        **document,
        **({"models": [report.model, *report.others]} if report.others else {}),
        **({"scores": scores} if scores else {}),
        **({"unchecked": unchecked} if unchecked else {}),
    }


def _finding(finding: PlacedFinding, words: Wording) -> dict[str, Any]:
    frame = {} if finding.frame is None else {"implications": _implications(finding.frame)}
    return {
        **_kind(finding.main),
        "explanation": finding.explanation,
        "advice": advice_on(finding, words),
        "likelihood": finding.likelihood,
        **_place(finding.place),
        **_block(finding.passage),
        "passage": _place(finding.passage.place),
        "lang": finding.passage.lang,
        "excerpt": finding.excerpt,
        "spans": _spans(finding.spans),
        "kinds": [_kind(kind) for kind in finding.kinds],
        **({"suggestions": list(finding.suggestions)} if finding.suggestions else {}),
        **({"quoted": True} if finding.quoted else {}),
        **frame,
    }


def _kind(kind: Kind) -> dict[str, Any]:
    return {
        "id": kind.id,
        "name": kind.name,
        "parent": kind.parent,
        "probability": round(kind.probability, _DIGITS),
        "confidence": round(kind.confidence, _DIGITS),
        "threshold": round(kind.threshold, _DIGITS),
        "spans": _spans(kind.spans),
        "explanation": kind.explanation,
    }


def _spans(spans: Sequence[PlacedSpan]) -> list[dict[str, Any]]:
    return [{**_place(span.place), "text": span.words} for span in spans]


def _unchecked(passage: Passage) -> dict[str, Any]:
    return {**_place(passage.place), **_block(passage), "reason": "another language"}


def _implications(frame: Frame) -> list[dict[str, Any]]:
    return [asdict(each) for each in frame.implications]


def _with_scores(report: DocumentReport) -> list[Passage]:
    return [passage for passage in report.passages if passage.probabilities is not None]


def _scores(passage: Passage) -> dict[str, Any]:
    probabilities = passage.probabilities or {}
    rounded = {name: round(value, _DIGITS) for name, value in probabilities.items()}
    return {**_place(passage.place), **_block(passage), "probabilities": rounded}


def _block(passage: Passage) -> dict[str, Any]:
    where = {} if passage.where is None else {"where": passage.where}
    return {"block": passage.block, "block_number": passage.number, **where}


def _place(place: Place) -> dict[str, int]:
    return asdict(place)
