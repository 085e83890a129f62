"""A table for people: one row for each judgement, to be opened in a spreadsheet.

Cells that a spreadsheet would run are always neutralised (:mod:`tactful.annotation.formats.cells`).
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tactful.annotation.formats.annotated import Annotated, Judged, Source, plain
from tactful.annotation.formats.cells import write_csv
from tactful.annotation.formats.losses import Loss, losses

_CARRIED = (
    "tests", "uncounted", "people", "labels", "confidence", "decisions", "trust", "times",
    "context", "meta", "unjudged",
)  # fmt: skip
TABLE = "judgements.csv"
COLUMNS = (
    "item", "step", "text", "gold", "who", "annotator", "counts", "trust", "at", "seconds",
)  # fmt: skip
CONTEXT, META, SURE = "context: ", "meta: ", "confidence: "
"""What the names of further columns begin with."""


def write_sheet(source: Source, folder: Path) -> list[Loss]:
    """Write ``judgements.csv``: judgements, then the referee's decision and the combined label."""
    questions = list(
        dict.fromkeys(each.id for step in source.protocol.steps for each in step.questions)
    )
    contexts, metas = (
        list(
            dict.fromkeys(
                name for item in source.state.items.values() for name in getattr(item, of)
            )
        )
        for of in ("context", "meta")
    )
    header = [
        *COLUMNS, *questions, *(f"{SURE}{each}" for each in questions),
        *(f"{CONTEXT}{each}" for each in contexts), *(f"{META}{each}" for each in metas),
    ]  # fmt: skip

    def rows() -> Iterator[list[object]]:
        for record in source.records():
            about: list[object] = [record.context.get(name) for name in contexts]
            about += [record.meta.get(name) for name in metas]
            for start, answers, sure in _rows(record):
                yield [
                    record.id, record.step, record.text, _cell(record.gold), *start,
                    *(_cell(answers.get(each)) for each in questions),
                    *(sure.get(each) for each in questions), *about,
                ]  # fmt: skip

    write_csv(folder / TABLE, header, rows(), safe=True)
    return losses(source, _CARRIED, lambda _step, _question: True)


def _rows(record: Annotated) -> Iterator[tuple[list[object], dict[str, Any], dict[str, Any]]]:
    """Yield who said it, the answers, and how sure that is."""
    for each in record.judged:
        yield _start("annotator", each), dict(each.answers), {}
    if record.decision is not None:
        yield _start("referee", record.decision), dict(record.decision.answers), {}
    values = {name: plain(label.value) for name, label in record.labels.items()}
    if values or not record.judged:
        sure = {name: label.confidence for name, label in record.labels.items()}
        yield ["label", None, None, None, None, None], values, sure


def _start(who: str, judged: Judged) -> list[object]:
    at = None if judged.at is None else datetime.fromtimestamp(judged.at, UTC).isoformat()
    counts = "yes" if judged.counts else f"no: {judged.why}"
    return [who, judged.annotator, counts, judged.trust, at, judged.seconds]


def _cell(answer: Any) -> object:
    if answer is None or isinstance(answer, str):
        return answer
    return json.dumps(plain(answer), ensure_ascii=False)
