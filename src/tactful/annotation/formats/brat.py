"""brat's standoff files: a text and its spans, in a folder for each step and annotator.

Offsets are code points. A span with gaps is a discontinuous annotation. A line of an ``.ann`` file
cannot hold a line break, so a span across one is written in fragments and joined again when it is
read. When reading, a folder of documents is the work of one annotator, named after the folder; its
parent folder can name the step. Documents without a folder belong to one annotator ``brat``.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from tactful.annotation.formats.annotated import (
    Annotated,
    Imported,
    Judged,
    Source,
    outside,
    together,
)
from tactful.annotation.formats.log import ABOUT
from tactful.annotation.formats.losses import Loss, Lost, as_losses, losses
from tactful.annotation.formats.names import safe_names
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.span_labels import Piece, parts_of, span_of
from tactful.errors import FileFormatError, UsageError
from tactful.registry import unknown_name

LABELS = "labels~combined"
"""The folder of the combined labels; no annotator gets this name."""
BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
"""Everything that ends a line in Python, and so in brat."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_WITHIN = "brat marks within lines"


def write_brat(source: Source, folder: Path) -> list[Loss]:
    """Write ``STEP/ANNOTATOR/ITEM.txt`` and ``.ann``, ``annotation.conf`` and ``visual.conf``."""
    types = brat_types(source.protocol)
    records = [each for each in source.judged() if _span_questions(source.protocol, each.step)]
    items = safe_names(each.id for each in records)
    people = safe_names(j.annotator for each in records for j in each.counted)
    steps = safe_names(step.id for step in source.protocol.steps)
    lost: Lost = Counter()
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
    kept = ("people", "labels", "decisions")
    return losses(source, kept, lambda _step, question: question.kind == "spans", lost)


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
    """Join pieces that touch or are separated by line breaks only, which brat cannot mark across.

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
    lost: Lost,
) -> list[str]:
    """Return the lines of an ``.ann`` file, and count what spans lose."""
    lines: list[str] = []
    for question, spans in answers.items():
        for span in spans if isinstance(spans, list) else ():
            if not isinstance(span, dict) or (question, span["value"]) not in types:
                continue
            parts = parts_of(span)
            kept = [cut for part in parts if (cut := pieces(record.text, *part))]
            if not kept:
                lost["spans of line breaks alone" + whose, _WITHIN] += 1
                continue
            edges = [(cut[0][0], cut[-1][1]) for cut in kept]
            lost["line breaks at the edge of spans" + whose, _WITHIN] += edges != list(parts)
            flat = [piece for cut in kept for piece in cut]
            closed = len(join_pieces(record.text, flat)) < len(kept)
            lost["gaps of line breaks alone" + whose, _WITHIN] += closed
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
    # Bytes, so that line breaks stay as they are: offsets count them.
    path.write_bytes(text.encode("utf-8"))


ALONE = "brat"
"""The annotator of files without a folder of their own."""
_MARK = re.compile(
    r"T[0-9]+\S*\t(?P<type>\S+) (?P<where>[0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*)(?:\t.*)?"
)
_KINDS = {
    "R": "relations", "*": "equivalences", "E": "events", "A": "attributes", "M": "attributes",
    "N": "normalisations", "#": "notes",
}  # fmt: skip


def read_brat(path: Path, protocol: Protocol) -> Imported:
    """Read all ``.ann`` files below a folder; each has its ``.txt`` beside it."""
    if not path.is_dir():
        raise UsageError(
            f"{path}: found no folder; expected a folder with brat's .txt and .ann files."
        )
    marking = [s.id for s in protocol.steps if any(q.kind == "spans" for q in s.questions)]
    if not marking:
        raise UsageError(
            f"The protocol '{protocol.id}' asks for no spans; brat files hold spans only; choose "
            "another format."
        )
    # A symbolic link could lead out of the folder: its target is not read.
    files = sorted(
        file for file in path.rglob("*.ann") if file.resolve().is_relative_to(path.resolve())
    )
    if not files:
        raise FileFormatError(f"{path}: found no .ann file; expected brat's .txt and .ann files.")
    lost: Lost = Counter()
    return Imported(together(_records(path, files, protocol, marking, lost)), as_losses(lost))


def _records(
    root: Path, files: list[Path], protocol: Protocol, marking: list[str], lost: Lost
) -> Iterator[Annotated]:
    names = _index(root)
    texts: dict[str, tuple[str, Path]] = {}
    for file in files:
        folders = file.parent.relative_to(root).parts
        folder = folders[-1] if folders else ALONE
        if folder == LABELS:
            lost["documents of combined labels", "they follow from the judgements"] += 1
            continue
        above = names["steps"].get(folders[-2], folders[-2]) if len(folders) > 1 else ""
        step = above if any(each.id == above for each in protocol.steps) else marking[0]
        item = names["items"].get(file.stem, file.stem)
        path = file.with_suffix(".txt")
        text = _read_text(path)
        known, first = texts.setdefault(item, (text, path))
        if known != text:
            raise FileFormatError(
                f"{path}: found a different text than in {first}; expected one text for all "
                "annotators."
            )
        person = names["annotators"].get(folder, folder)
        judged = Judged(person, _answers(protocol, file, step, text, lost))
        yield Annotated(item, text, step, judged=(judged,), place=str(file))


def _answers(protocol: Protocol, file: Path, step: str, text: str, lost: Lost) -> dict[str, Any]:
    asked = _span_questions(protocol, step)
    types = {kind: key for key, kind in brat_types(protocol).items() if key[0] in asked}
    answers: dict[str, Any] = {question: [] for question in sorted(asked)}
    for number, written in enumerate(_read_text(file).removeprefix("\ufeff").split("\n"), 1):
        line = written.removesuffix("\r")
        if not line.strip():
            continue
        if not line.startswith("T"):
            what = _KINDS.get(line[0], "lines of another kind")
            lost[what, "a project holds spans only"] += 1
            continue
        match = _MARK.fullmatch(line)
        if match is None:
            raise FileFormatError(
                f"{file}, line {number}: found an annotation that cannot be read; expected an id, "
                "a tab, a type, offsets such as '0 4' or '0 4;9 12', a tab and the words."
            )
        if match["type"] not in types:
            raise FileFormatError(
                f"{file}, line {number}: {unknown_name('type', match['type'], list(types))}"
            )
        marked = [_piece(each, file, number, text) for each in match["where"].split(";")]
        question, value = types[match["type"]]
        _refuse_overlap(marked, file, number)
        answers[question].append(span_of(join_pieces(text, marked), value))
    for question, spans in answers.items():
        answers[question] = sorted(
            spans, key=lambda each: (each["start"], each["end"], each["value"], parts_of(each))
        )
    return answers


def _refuse_overlap(marked: list[Piece], file: Path, number: int) -> None:
    for (_, end), (start, _) in pairwise(sorted(marked)):
        if start < end:
            raise FileFormatError(
                f"{file}, line {number}: found fragments that overlap at {start}; expected "
                "fragments that do not overlap."
            )


def _piece(found: str, file: Path, number: int, text: str) -> Piece:
    start, end = (int(each) for each in found.split())
    if not start < end <= len(text):
        raise outside(f"{file}, line {number}", start, end, text)
    return start, end


def _read_text(path: Path) -> str:
    if not path.is_file():
        raise FileFormatError(f"{path}: not found; expected the text beside the .ann file.")
    try:
        # Like brat: offsets count a byte-order mark as a character.
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise FileFormatError(
            f"{path}: found bytes that are not UTF-8; expected UTF-8 text; save it as UTF-8."
        ) from None


def _index(path: Path) -> dict[str, dict[str, str]]:
    """Return the ids behind the names of files, where the export is one of ours."""
    empty: dict[str, dict[str, str]] = {"items": {}, "annotators": {}, "steps": {}}
    about = path / ABOUT
    if not about.is_file():
        return empty
    try:
        found = json.loads(about.read_text(encoding="utf-8"))["names"]
        return {
            kind: {str(safe): str(name) for safe, name in found[kind].items()} for kind in empty
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FileFormatError(
            f"{about}: found an unreadable file; expected the names of an export; remove the "
            "file to read the folder as a plain brat folder."
        ) from None
