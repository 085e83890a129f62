"""Label Studio's JSON: tasks with everybody's annotations, and the labels as predictions.

For each step there are ``STEP/tasks.json`` and ``STEP/interface.xml``. Offsets are code points, as
Label Studio has counted them since its frontend stopped counting the browser's UTF-16 units
(label-studio-frontend #308); the reader tells older files by the words beside the offsets.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO
from xml.sax.saxutils import quoteattr

from tactful.annotation.formats.annotated import Annotated, Judged, Source
from tactful.annotation.formats.codec import pairs
from tactful.annotation.formats.gaps import has_gaps, lost_gaps, without_gaps
from tactful.annotation.formats.losses import Loss, losses
from tactful.annotation.formats.names import safe_names
from tactful.annotation.protocol.records import Question, Step

TASKS = "tasks.json"
INTERFACE = "interface.xml"
TEXT = "text"
FOR = ":for"
"""Ends the name of the field that says for what an answer is, where it was asked per something."""
MODEL = "tactful: combined label"
MAIL = "@annotators.invalid"
"""Label Studio knows people by mail; this ending can belong to nobody."""

_CARRIED = ("people", "labels", "confidence", "decisions", "times", "context", "meta")


def write_label_studio(source: Source, folder: Path) -> list[Loss]:
    """Write the tasks and the interface of each step that somebody judged."""
    names = safe_names(step.id for step in source.protocol.steps)
    people = _People()
    written: Counter[str] = Counter()
    gaps: Counter[str] = Counter()
    with ExitStack() as stack:
        files: dict[str, TextIO] = {}
        for record in source.judged():
            step = source.protocol.step(record.step)
            if step.id not in files:
                place = folder / names[step.id]
                place.mkdir()
                xml = "\n".join(_interface(step)) + "\n"
                (place / INTERFACE).write_text(xml, encoding="utf-8", newline="\n")
                opened = (place / TASKS).open("w", encoding="utf-8", newline="\n")
                files[step.id] = stack.enter_context(opened)
            # One task after the other: a list of them all would take gigabytes in a large project.
            written[step.id] += 1
            gaps += _gaps(record, step)
            task = _task(record, step, written[step.id], people)
            files[step.id].write("[\n" if written[step.id] == 1 else ",\n")
            files[step.id].write(json.dumps(task, ensure_ascii=False))
        for file in files.values():
            file.write("\n]\n")
    found = losses(source, _CARRIED, lambda _step, _question: True)
    return found + lost_gaps(gaps["given"], gaps["labels"])


def _gaps(record: Annotated, step: Step) -> Counter[str]:
    marking = [question.id for question in step.questions if question.kind == "spans"]
    given = [*record.counted, *([record.decision] if record.decision else [])]
    return Counter(
        given=sum(
            has_gaps(span)
            for each in given
            for name in marking
            for span in each.answers.get(name) or ()
        ),
        labels=sum(has_gaps(span) for name in marking for span in record.value(name) or ()),
    )


class _People:
    """Label Studio numbers people; their id here is the first name."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def __getitem__(self, name: str) -> dict[str, Any]:
        number = self._known.setdefault(name, len(self._known) + 1)
        mail = f"{number}{MAIL}"
        return {"id": number, "email": mail, "first_name": name, "last_name": ""}


def _task(record: Annotated, step: Step, number: int, people: _People) -> dict[str, Any]:
    data = {
        TEXT: record.text,
        "item": record.id,
        "step": record.step,
        "context": dict(record.context),
        "meta": dict(record.meta),
    }
    given = [(each, False) for each in record.counted]
    if record.decision is not None:
        given.append((record.decision, True))
    return {
        "id": number,
        "data": data,
        "annotations": [
            _annotation(record, step, each, at, decided, people)
            for at, (each, decided) in enumerate(given, 1)
        ],
        "predictions": _predictions(record, step),
    }


def _annotation(
    record: Annotated, step: Step, judged: Judged, number: int, decided: bool, people: _People
) -> dict[str, Any]:
    found = {
        "id": number,
        "completed_by": people[judged.annotator],
        "result": list(_results(record.text, step, judged.answers, f"a{number}")),
        "was_cancelled": False,
        "ground_truth": decided,
        "lead_time": judged.seconds,
    }
    if judged.at is not None:
        found["created_at"] = datetime.fromtimestamp(judged.at, UTC).isoformat()
    return found


def _predictions(record: Annotated, step: Step) -> list[dict[str, Any]]:
    answers = {name: record.value(name) for name in record.labels}
    results = list(_results(record.text, step, answers, "p"))
    for result in results:
        label = record.labels[result["from_name"].removesuffix(FOR)]
        if label.confidence is not None:
            result["score"] = label.confidence
    return [{"model_version": MODEL, "result": results}] if results else []


def _results(
    text: str, step: Step, answers: Mapping[str, Any], prefix: str
) -> Iterator[dict[str, Any]]:
    for question in step.questions:
        answer = answers.get(question.id)
        if answer is None:
            continue
        if question.kind == "spans":
            for at, span in enumerate(without_gaps(answer), 1):
                start, end = span["start"], span["end"]
                value = {"start": start, "end": end, "text": text[start:end]}
                value["labels"] = [span["value"]]
                yield _result(f"{prefix}-{question.id}-{at}", question.id, "labels", value)
            continue
        found = pairs(question, answer)
        if not found:
            continue
        kind = "textarea" if is_typed(question) else "choices"
        words = [word for _, word in found]
        value = {"text" if kind == "textarea" else "choices": words}
        yield _result(f"{prefix}-{question.id}", question.id, kind, value)
        if question.per is not None:
            keys = {"text": [key for key, _ in found]}
            yield _result(f"{prefix}-{question.id}{FOR}", question.id + FOR, "textarea", keys)


def _result(number: str, name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"id": number, "from_name": name, "to_name": TEXT, "type": kind, "value": value}


def is_typed(question: Question) -> bool:
    """Say whether an answer is typed there: Label Studio's choices allow no other words."""
    return question.kind in ("text", "texts") or question.open or question.per is not None


def _interface(step: Step) -> Iterator[str]:
    yield "<View>"
    yield f'  <Text name="{TEXT}" value="${TEXT}"/>'
    for question in step.questions:
        yield f"  <Header value={quoteattr(question.text)}/>"
        name = f'name={quoteattr(question.id)} toName="{TEXT}"'
        if question.kind == "spans":
            yield f"  <Labels {name}>"
            yield from _options(question, "Label")
            yield "  </Labels>"
        elif is_typed(question):
            yield f'  <TextArea {name} maxSubmissions="100"/>'
            if question.per is not None:
                yield f'  <TextArea name={quoteattr(question.id + FOR)} toName="{TEXT}"/>'
        else:
            many = "multiple" if question.kind == "choices" else "single"
            yield f'  <Choices {name} choice="{many}">'
            yield from _options(question, "Choice")
            yield "  </Choices>"
    yield "</View>"


def _options(question: Question, tag: str) -> Iterator[str]:
    for option in question.options:
        yield f"    <{tag} value={quoteattr(option.value)} hint={quoteattr(option.name)}/>"
