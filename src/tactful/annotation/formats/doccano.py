"""doccano's JSON Lines: the categories and the spans of a text, a file for each step and annotator.

This is doccano's project of the kind "intent detection and slot filling", the only one with both:
``{"text": …, "cats": ["question=answer", …], "entities": [[start, end, label], …]}``. Offsets are
code points. Other keys are doccano's meta data; the item's id is one of them.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tactful.annotation.formats.annotated import (
    Annotated,
    Imported,
    Judged,
    Source,
    as_texts,
    bad_value,
    find_step,
    outside,
    together,
)
from tactful.annotation.formats.codec import (
    GAPS,
    WHY,
    complete,
    count_gaps,
    join,
    pairs,
    without_gaps,
)
from tactful.annotation.formats.losses import Loss, Lost, as_losses, losses
from tactful.annotation.formats.names import safe_names
from tactful.annotation.protocol.records import Protocol, Question, Step
from tactful.errors import FileFormatError, UsageError
from tactful.files import json_lines
from tactful.registry import unknown_name

_TYPED = "doccano's categories are labels, not sentences"
_OWN = ("text", "cats", "entities", "label", "labels", "relations", "Comments", "item", "step",
        "annotator", "id")  # fmt: skip


def write_doccano(source: Source, folder: Path) -> list[Loss]:
    """Write ``STEP/ANNOTATOR.jsonl`` with a line for each item."""
    records = list(source.judged())
    people = safe_names(each.annotator for record in records for each in record.counted)
    steps = safe_names(step.id for step in source.protocol.steps)
    lines: dict[Path, list[str]] = {}
    lost: Lost = Counter()
    for record in records:
        step = source.protocol.step(record.step)
        for each in record.counted:
            path = folder / steps[record.step] / f"{people[each.annotator]}.jsonl"
            line = json.dumps(_as_dict(record, step, each), ensure_ascii=False)
            lost[GAPS, WHY] += count_gaps(step, each.answers)
            lines.setdefault(path, []).append(line + "\n")
        reserved = sum(name in _OWN for name in record.meta) if record.counted else 0
        lost["further columns", "doccano reserves these names"] += reserved
    for path, written in lines.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(written), encoding="utf-8", newline="\n")
    kept = ("people", "meta")
    return losses(source, kept, lambda _step, question: _carried(question), lost, _TYPED)


def read_doccano(path: Path, protocol: Protocol) -> Imported:
    """Read a file or a folder; the file name is the annotator where a line names none."""
    files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise UsageError(f"{path}: found no .jsonl file; expected doccano's export.")
    lost: Lost = Counter()
    lines = ((file, number, found) for file in files for number, found in json_lines(file))
    items = together(_Line(*line, protocol, lost).read() for line in lines)
    return Imported(items, as_losses(lost))


def _carried(question: Question) -> bool:
    return question.kind not in ("text", "texts") and question.per is None


def _as_dict(record: Annotated, step: Step, judged: Judged) -> dict[str, Any]:
    cats: list[str] = []
    entities: list[list[Any]] = []
    for question in step.questions:
        answer = judged.answers.get(question.id)
        if answer is None or not _carried(question):
            continue
        if question.kind == "spans":
            entities += [
                [span["start"], span["end"], f"{question.id}={span['value']}"]
                for span in without_gaps(answer)
            ]
        else:
            cats += [f"{question.id}={word}" for _, word in pairs(question, answer)]
    meta = {name: value for name, value in record.meta.items() if name not in _OWN}
    return {
        "text": record.text,
        "cats": cats,
        "entities": entities,
        "item": record.id,
        "step": record.step,
        "annotator": judged.annotator,
        **meta,
    }


class _Line:
    def __init__(
        self, file: Path, number: int, found: dict[str, Any], protocol: Protocol, lost: Lost
    ):
        self.file, self.found, self.protocol, self.lost = file, found, protocol, lost
        self.place = f"{file}, line {number}"
        self.number = number

    def read(self) -> Annotated:
        """Return the line as a record."""
        text = self.found.get("text")
        if not isinstance(text, str):
            raise bad_value(self.place, "no text", "a text under 'text'")
        name = str(self.found.get("step", self.protocol.steps[0].id))
        step = find_step(self.protocol, name, self.place)
        words: dict[str, list[tuple[str | None, str]]] = {}
        spans: dict[str, list[dict[str, Any]]] = {}
        for each in [*self._list("cats"), *self._list("label"), *self._list("labels")]:
            if isinstance(each, str):
                question, value = self._label(each, step, marks=False)
                words.setdefault(question, []).append((None, value))
            else:
                self._mark(each, step, text, spans)
        for each in self._list("entities"):
            self._mark(each, step, text, spans)
        for name, what in (("relations", "relations"), ("Comments", "comments")):
            self.lost[what, "a project has none"] += len(self._list(name))
        answers: dict[str, Any] = {
            name: join(step.question(name), given) for name, given in words.items()
        }
        for name, marked in spans.items():
            answers[name] = sorted(marked, key=lambda s: (s["start"], s["end"], s["value"]))
        person = str(self.found.get("annotator", self.file.stem))
        return Annotated(
            str(self.found.get("item", self.found.get("id", f"{self.file.stem}-{self.number}"))),
            text,
            step.id,
            meta=as_texts({k: v for k, v in self.found.items() if k not in _OWN}),
            judged=(Judged(person, complete(step, answers)),),
            place=self.place,
            made_id="item" not in self.found and "id" not in self.found,
        )

    def _mark(
        self, found: Any, step: Step, text: str, spans: dict[str, list[dict[str, Any]]]
    ) -> None:
        """Read a span, as a list of three or as an object."""
        if isinstance(found, dict):
            found = [found.get(name) for name in ("start_offset", "end_offset", "label")]
        if not isinstance(found, list) or [type(each) for each in found] != [int, int, str]:
            raise bad_value(self.place, "a span that cannot be read", "a start, an end and a label")
        start, end, label = found
        if not 0 <= start < end <= len(text):
            raise outside(self.place, start, end, text)
        question, value = self._label(label, step, marks=True)
        spans.setdefault(question, []).append({"start": start, "end": end, "value": value})

    def _label(self, label: str, step: Step, marks: bool) -> tuple[str, str]:
        """Find the question of a label: 'question=answer', or the value or name of an option."""
        questions = [
            each for each in step.questions if _carried(each) and (each.kind == "spans") == marks
        ]
        for question in questions:
            if label.startswith(f"{question.id}="):
                return question.id, label.removeprefix(f"{question.id}=")
        holders = [
            (question.id, option.value)
            for question in questions
            for option in question.options
            if label in (option.value, option.name)
        ]
        if len(holders) == 1:
            return holders[0]
        known = [f"{q.id}={option.value}" for q in questions for option in q.options]
        raise FileFormatError(f"{self.place}: {unknown_name('label', label, known)}")

    def _list(self, name: str) -> list[Any]:
        found = self.found.get(name)
        if found is None:
            return []
        if not isinstance(found, list):
            raise bad_value(self.place, f"no list under '{name}'", "a list")
        return found
