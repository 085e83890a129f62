"""brat's standoff files: a text and its spans, in a folder for each step and annotator.

Offsets are code points. A span with gaps is a discontinuous annotation. A line of an ``.ann`` file
cannot hold a line break, so a span across one is written in fragments, too, and put together again
when it is read.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tactful.annotation.formats.annotated import Annotated, Source
from tactful.annotation.formats.log import ABOUT
from tactful.annotation.formats.losses import Loss, losses
from tactful.annotation.formats.names import safe_names
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.span_labels import Piece, parts_of

LABELS = "labels~combined"
"""The folder of the combined labels, beside those of the annotators; no id is given this name."""
BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
"""All that ends a line for Python's readers, and so for brat."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


def write_brat(source: Source, folder: Path) -> list[Loss]:
    """Write ``STEP/ANNOTATOR/ITEM.txt`` and ``.ann``, ``annotation.conf`` and ``visual.conf``."""
    types = brat_types(source.protocol)
    records = [each for each in source.judged() if _span_questions(source.protocol, each.step)]
    items = safe_names(each.id for each in records)
    people = safe_names(j.annotator for each in records for j in each.counted)
    steps = safe_names(step.id for step in source.protocol.steps)
    lost: Counter[tuple[str, str]] = Counter()
    for record in records:
        marking = _span_questions(source.protocol, record.step)
        given = [
            (people[each.annotator], dict(each.answers))
            for each in record.counted
            if not each.answers.keys().isdisjoint(marking)
        ]
        combined = {name: record.value(name) for name in marking}
        for person, answers in [*given, (LABELS, combined)]:
            whose = " of combined labels" if person == LABELS else ""
            lines = _lines(record, answers, types, whose, lost)
            place = folder / steps[record.step] / person
            place.mkdir(parents=True, exist_ok=True)
            _write(place / f"{items[record.id]}.txt", record.text)
            _write(place / f"{items[record.id]}.ann", "".join(lines))
    _write(folder / "annotation.conf", _conf(types))
    _write(folder / "visual.conf", _visual(source.protocol, types))
    named = {"items": items, "annotators": people, "steps": steps}
    index = {kind: {safe: name for name, safe in found.items()} for kind, found in named.items()}
    _write(folder / ABOUT, json.dumps({"format": "brat", "names": index}, ensure_ascii=False))
    found = losses(
        source, ("people", "labels", "decisions"), lambda _step, question: question.kind == "spans"
    )
    why = "brat marks within lines"
    return found + [Loss(what + whose, n, why) for (what, whose), n in lost.items() if n]


def brat_types(protocol: Protocol) -> dict[tuple[str, str], str]:
    """Return brat's type for each question and option: brat allows letters, digits, _ and -."""
    types: dict[tuple[str, str], str] = {}
    for step in protocol.steps:
        for question in step.questions:
            if question.kind == "spans":
                for option in question.options:
                    if (question.id, option.value) not in types:
                        name = _UNSAFE.sub("_", option.value) or "_"
                        while name in types.values():
                            name += "_"
                        types[question.id, option.value] = name
    return types


def pieces(text: str, start: int, end: int) -> list[Piece]:
    """Cut a span at the line breaks in it.

    >>> pieces("so\\nkind", 0, 7)
    [(0, 2), (3, 7)]
    """
    found, at = [], start
    for gap in BREAK.finditer(text, start, end):
        if gap.start() > at:
            found.append((at, gap.start()))
        at = gap.end()
    if at < end:
        found.append((at, end))
    return found


def join_pieces(text: str, marked: Iterable[Piece]) -> list[Piece]:
    """Put pieces together that touch or that only line breaks part: brat cannot mark across them.

    >>> join_pieces("so\\nkind of", [(0, 2), (3, 7), (8, 10)])
    [(0, 7), (8, 10)]
    """
    joined: list[Piece] = []
    for start, end in sorted(marked):
        last = joined[-1][1] if joined else None
        if last is not None and (start == last or BREAK.fullmatch(text, last, start)):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _lines(
    record: Annotated,
    answers: dict[str, object],
    types: dict[tuple[str, str], str],
    whose: str,
    lost: Counter[tuple[str, str]],
) -> list[str]:
    """Return the lines of an ``.ann`` file, and count the spans that lost something."""
    lines: list[str] = []
    for question, spans in answers.items():
        for span in spans if isinstance(spans, list) else ():
            if not isinstance(span, dict) or (question, span["value"]) not in types:
                continue
            parts = parts_of(span)
            kept = [cut for part in parts if (cut := pieces(record.text, *part))]
            if not kept:
                lost["spans of line breaks alone", whose] += 1
                continue
            edges = [(cut[0][0], cut[-1][1]) for cut in kept]
            lost["line breaks at the edge of spans", whose] += edges != list(parts)
            flat = [piece for cut in kept for piece in cut]
            closed = len(join_pieces(record.text, flat)) < len(kept)
            lost["gaps of line breaks alone", whose] += closed
            where = ";".join(f"{start} {end}" for start, end in flat)
            words = " ".join(record.text[start:end] for start, end in flat)
            kind = types[question, span["value"]]
            lines.append(f"T{len(lines) + 1}\t{kind} {where}\t{words}\n")
    return lines


def _span_questions(protocol: Protocol, step: str) -> list[str]:
    return [each.id for each in protocol.step(step).questions if each.kind == "spans"]


def _conf(types: dict[tuple[str, str], str]) -> str:
    overlap = "<OVERLAP> Arg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>"
    return "\n".join(
        ["[entities]", *types.values(), "", "[relations]", overlap, "", "[events]", "",
         "[attributes]", ""]
    )  # fmt: skip


def _visual(protocol: Protocol, types: dict[tuple[str, str], str]) -> str:
    shown = {
        (question.id, option.value): BREAK.sub(" ", option.name).replace("|", "/")
        for step in protocol.steps
        for question in step.questions
        for option in question.options
    }
    lines = [f"{kind} | {shown[key]}" for key, kind in types.items()]
    return "\n".join(["[labels]", *lines, "", "[drawing]", ""])


def _write(path: Path, text: str) -> None:
    # Without translation of line breaks: offsets count them.
    path.write_bytes(text.encode("utf-8"))
