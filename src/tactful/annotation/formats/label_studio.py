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
from itertools import accumulate
from pathlib import Path
from typing import Any, TextIO
from xml.sax.saxutils import quoteattr

from tactful.annotation.formats.annotated import (
    Annotated,
    Imported,
    Judged,
    Source,
    as_texts,
    bad_value,
    find_step,
    outside,
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
from tactful.annotation.formats.log import ABOUT
from tactful.annotation.formats.losses import Loss, Lost, as_losses, losses
from tactful.annotation.formats.names import safe_names
from tactful.annotation.project.exchange import NewSuggestion
from tactful.annotation.protocol.records import Protocol, Question, Step
from tactful.errors import FileFormatError, UsageError
from tactful.files import open_text
from tactful.registry import unknown_name

TASKS = "tasks.json"
INTERFACE = "interface.xml"
TEXT = "text"
FOR = ":for"
"""Suffix of the field with the keys of an answer whose question has ``per``."""
MODEL = "tactful: combined label"
MAIL = "@annotators.invalid"
"""Label Studio identifies people by email; addresses in ``.invalid`` belong to nobody."""

_CARRIED = ("people", "labels", "confidence", "decisions", "times", "context", "meta")


def write_label_studio(source: Source, folder: Path) -> list[Loss]:
    """Write the tasks and the interface of each step that somebody judged."""
    names = safe_names(step.id for step in source.protocol.steps)
    people: dict[str, int] = {}
    written: Counter[str] = Counter()
    lost: Lost = Counter()
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
            # One task at a time: a list of all would take gigabytes in a large project.
            written[step.id] += 1
            given = [*record.counted, *([record.decision] if record.decision else [])]
            labels = {name: record.value(name) for name in record.labels}
            lost[GAPS, WHY] += sum(count_gaps(step, each.answers) for each in given)
            lost[f"{GAPS} of combined labels", WHY] += count_gaps(step, labels)
            task = _task(record, step, written[step.id], people)
            files[step.id].write("[\n" if written[step.id] == 1 else ",\n")
            files[step.id].write(json.dumps(task, ensure_ascii=False))
        for file in files.values():
            file.write("\n]\n")
    return losses(source, _CARRIED, lambda _step, _question: True, lost)


def _task(record: Annotated, step: Step, number: int, people: dict[str, int]) -> dict[str, Any]:
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
    record: Annotated,
    step: Step,
    judged: Judged,
    number: int,
    decided: bool,
    people: dict[str, int],
) -> dict[str, Any]:
    # Label Studio numbers people; their Tactful id is the first name.
    name = judged.annotator
    person = people.setdefault(name, len(people) + 1)
    mail = f"{person}{MAIL}"
    found = {
        "id": number,
        "completed_by": {"id": person, "email": mail, "first_name": name, "last_name": ""},
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
    """Say whether an answer is typed: Label Studio's choices allow no other words."""
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


_OWN = ("item", "step", "context", "meta")
_KINDS = ("labels", "choices", "textarea")
_RELATION = "relation"
"""It connects two marks and does not affect what was marked."""


def read_label_studio(path: Path, protocol: Protocol, text: str = TEXT) -> Imported:
    """Read a JSON file of tasks, or all of a folder; the text is under ``data``, in ``text``."""
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.rglob("*.json") if file != path / ABOUT)
    if not files:
        raise UsageError(f"{path}: found no .json file; expected Label Studio's tasks.")
    lost: Lost = Counter()
    items = [
        _Task(file, at, task, protocol, text, lost).read()
        for file in files
        for at, task in enumerate(_tasks(file), 1)
    ]
    return Imported(tuple(items), as_losses(lost))


def _tasks(path: Path) -> list[Any]:
    try:
        with open_text(path) as handle:
            found = json.load(handle)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise bad_value(str(path), "no list of tasks", "Label Studio's JSON")
    return found


class _Task:
    def __init__(self, path: Path, at: int, task: Any, protocol: Protocol, name: str, lost: Lost):
        self.place, self.at, self.protocol, self.lost = f"{path}, task {at}", at, protocol, lost
        self.name = name
        self.task = task if isinstance(task, dict) else {}
        data = self.task.get("data")
        self.data: dict[str, Any] = data if isinstance(data, dict) else {}

    def read(self) -> Annotated:
        """Return the task as a record."""
        text = self.data.get(self.name)
        if not isinstance(text, str):
            wanted = f"a text under data.{self.name}, or its name as --text-column"
            raise bad_value(self.place, "no text", wanted)
        name = str(self.data.get("step", self.protocol.steps[0].id))
        step = find_step(self.protocol, name, self.place)
        judged: list[Judged] = []
        decision: Judged | None = None
        for found in self._list(self.task.get("annotations", [])):
            if found.get("was_cancelled"):
                self.lost["skipped annotations", "they hold no answer"] += 1
                continue
            one = self._judged(found, step, text)
            if one is None:
                self.lost["annotations without a readable answer", "they were left out"] += 1
            elif found.get("ground_truth") is True:
                decision = one
            else:
                judged.append(one)
        suggested = self._suggested(step, text)
        return Annotated(
            str(self.data.get("item", self.task.get("id", self.at))),
            text,
            step.id,
            context=_texts(self.data.get("context")),
            meta={
                **as_texts({k: v for k, v in self.data.items() if k not in (self.name, *_OWN)}),
                **_texts(self.data.get("meta")),
            },
            judged=tuple(judged),
            decision=decision,
            suggested=suggested,
            place=self.place,
            made_id="item" not in self.data and "id" not in self.task,
        )

    def _suggested(self, step: Step, text: str) -> tuple[NewSuggestion, ...]:
        """Return the latest prediction, which a project keeps as a suggestion."""
        found = []
        for each in self._list(self.task.get("predictions", [])):
            source = str(each.get("model_version") or "Label Studio")
            given = self._given(each, step, text)[0]
            if source == MODEL:
                self.lost["combined labels", "a project computes its own labels"] += 1
            elif step.role != "annotator" or not given:
                self.lost["predictions without a readable answer", "they were left out"] += 1
            else:
                found.append(NewSuggestion(step.id, given, source))
        self.lost["earlier predictions", "a project keeps the latest"] += max(0, len(found) - 1)
        return tuple(found[-1:])

    def _judged(self, found: dict[str, Any], step: Step, text: str) -> Judged | None:
        """Return what somebody answered; None if nothing of it can be read.

        Where a part cannot be read, such as a box on an image, empty answers are not filled in.
        """
        answers, is_whole = self._given(found, step, text)
        if not is_whole and not answers:
            return None
        return Judged(
            _person(found.get("completed_by")),
            complete(step, answers) if is_whole else answers,
            _time(found.get("created_at")),
            _number(found.get("lead_time")),
        )

    def _given(self, found: dict[str, Any], step: Step, text: str) -> tuple[dict[str, Any], bool]:
        """Return the answers in an annotation or a prediction, and whether all could be read."""
        words: dict[str, list[tuple[str | None, str]]] = {}
        keys: dict[str, list[str]] = {}
        spans: dict[str, list[tuple[dict[str, Any], str]]] = {}
        questions = {question.id: question for question in step.questions}
        is_whole = True
        for result in self._list(found.get("result", [])):
            kind, value = result.get("type"), result.get("value")
            if kind not in _KINDS or not isinstance(value, dict):
                why = "a project holds choices, texts and spans"
                self.lost[f"results of the type '{kind}'", why] += 1
                is_whole = is_whole and kind == _RELATION
                continue
            name = str(result.get("from_name"))
            question = questions.get(name.removesuffix(FOR))
            if question is None:
                raise FileFormatError(
                    f"{self.place}: {unknown_name('question', name, list(questions))}"
                )
            given = value.get("text" if kind == "textarea" else kind)
            listed = [given] if isinstance(given, str) else given
            if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
                raise bad_value(self.place, f"no answer to '{name}'", "a list of texts")
            if kind == "labels":
                spans.setdefault(name, []).extend((value, each) for each in listed)
            elif question.id != name:
                keys.setdefault(question.id, []).extend(listed)
            else:
                words.setdefault(name, []).extend((None, each) for each in listed)
        answers = {
            name: self._join(questions[name], given, keys.get(name))
            for name, given in words.items()
        }
        for name, marked in spans.items():
            answers[name] = self._spans(text, marked)
        return answers, is_whole

    def _join(
        self, question: Question, given: list[tuple[str | None, str]], keys: list[str] | None
    ) -> Any:
        if question.per is not None:
            if keys is None or len(keys) != len(given):
                found = f"{len(given)} answers to '{question.id}' for {len(keys or ())} things"
                wanted = f"as many lines in '{question.id}{FOR}' as answers"
                raise bad_value(self.place, found, wanted)
            given = [(key, word) for key, (_, word) in zip(keys, given, strict=True)]
        return join(question, given)

    def _spans(self, text: str, marked: list[tuple[dict[str, Any], str]]) -> list[dict[str, Any]]:
        places = self._places(text, [value for value, _ in marked])
        found = []
        for value, label in marked:
            start, end = places.get(value["start"]), places.get(value["end"])
            if start is None or end is None or start >= end:
                raise outside(self.place, value["start"], value["end"], text)
            found.append({"start": start, "end": end, "value": label})
        return sorted(found, key=lambda each: (each["start"], each["end"], each["value"]))

    def _places(self, text: str, values: list[dict[str, Any]]) -> dict[int, int]:
        """Return the code point at each offset, in the unit in which all match their words."""
        for value in values:
            whole = (value.get("start"), value.get("end"))
            if not all(isinstance(at, int) and not isinstance(at, bool) for at in whole):
                wanted = "start and end as whole numbers"
                raise bad_value(self.place, "a span without offsets", wanted)
        known = [value for value in values if isinstance(value.get("text"), str)]
        for largest in (1, 2):
            # UTF-16 has two units for characters above U+FFFF.
            widths = (largest if ord(letter) > 0xFFFF else 1 for letter in text)
            places = {offset: at for at, offset in enumerate(accumulate(widths, initial=0))}
            if text.isascii() or all(
                text[places.get(value["start"], 0) : places.get(value["end"], 0)] == value["text"]
                for value in known
            ):
                return places
        wanted = "offsets in code points (or UTF-16 units, as older versions wrote them)"
        raise bad_value(self.place, "offsets that do not match the words beside them", wanted)

    def _list(self, found: Any) -> list[dict[str, Any]]:
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            wanted = "annotations, results and predictions as lists"
            raise bad_value(self.place, "no list of objects", wanted)
        return found


def _person(found: Any) -> str:
    """Return the annotator: the name that Tactful wrote, the email address, or the number."""
    if isinstance(found, Mapping):
        mail = str(found.get("email") or "")
        first = str(found.get("first_name") or "")
        return first if first and mail.endswith(MAIL) else mail or str(found.get("id", "unknown"))
    return "unknown" if found is None else str(found)


def _time(found: Any) -> float | None:
    try:
        return datetime.fromisoformat(found).timestamp()
    except (TypeError, ValueError):
        return None


def _number(found: Any) -> float | None:
    number = isinstance(found, int | float) and not isinstance(found, bool)
    return float(found) if number else None


def _texts(found: Any) -> dict[str, str]:
    return as_texts(found) if isinstance(found, Mapping) else {}
