"""Reading brat's standoff files as the answers of annotators.

A folder of documents is one annotator's work, named by the folder; above it may stand the step. A
single folder of documents, as brat serves it, is the work of one annotator ``brat``.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from tactful.annotation.formats.annotated import Annotated, Imported, Judged
from tactful.annotation.formats.brat import LABELS, brat_types, join_pieces
from tactful.annotation.formats.log import ABOUT
from tactful.annotation.formats.losses import Loss
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.span_labels import Piece, parts_of, span_of
from tactful.errors import FileFormatError, UsageError
from tactful.registry import unknown_name

ALONE = "brat"
"""The annotator of files that stand in no folder of their own."""
_MARK = re.compile(
    r"T[0-9]+\S*\t(?P<type>\S+) (?P<where>[0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*)(?:\t.*)?"
)
_KINDS = {
    "R": "relations", "*": "equivalences", "E": "events", "A": "attributes", "M": "attributes",
    "N": "normalisations", "#": "notes",
}  # fmt: skip


@dataclass
class _Reading:
    protocol: Protocol
    names: dict[str, dict[str, str]]
    texts: dict[str, tuple[str, Path]] = field(default_factory=dict)
    judged: dict[tuple[str, str], list[Judged]] = field(default_factory=dict)
    lost: Counter[tuple[str, str]] = field(default_factory=Counter)


def read_brat(path: Path, protocol: Protocol) -> Imported:
    """Read all ``.ann`` files below a folder; each has its ``.txt`` beside it."""
    if not path.is_dir():
        raise UsageError(f"{path}: found no folder; expected one with brat's .txt and .ann files.")
    marking = [s.id for s in protocol.steps if any(q.kind == "spans" for q in s.questions)]
    if not marking:
        raise UsageError(
            f"The protocol '{protocol.id}' asks for no spans; brat's files hold nothing else."
        )
    reading = _Reading(protocol, _index(path))
    # A link could lead out of the folder: what it stands for is not read.
    files = sorted(
        file for file in path.rglob("*.ann") if file.resolve().is_relative_to(path.resolve())
    )
    if not files:
        raise FileFormatError(f"{path}: found no .ann file; expected brat's .txt and .ann files.")
    for file in files:
        _read_document(reading, path, file, marking[0])
    items = tuple(
        Annotated(item, reading.texts[item][0], step, judged=tuple(judged),
                  place=str(reading.texts[item][1]))
        for (item, step), judged in reading.judged.items()
    )  # fmt: skip
    return Imported(items, tuple(Loss(what, n, why) for (what, why), n in reading.lost.items()))


def _read_document(reading: _Reading, root: Path, file: Path, first: str) -> None:
    folders = file.parent.relative_to(root).parts
    people, steps, items = (reading.names[kind] for kind in ("annotators", "steps", "items"))
    folder = folders[-1] if folders else ALONE
    if folder == LABELS:
        reading.lost["documents of combined labels", "they follow from the judgements"] += 1
        return
    above = steps.get(folders[-2], folders[-2]) if len(folders) > 1 else first
    known = {step.id for step in reading.protocol.steps}
    step = above if above in known else first
    item = items.get(file.stem, file.stem)
    text = _read_text(file.with_suffix(".txt"))
    if reading.texts.setdefault(item, (text, file))[0] != text:
        raise FileFormatError(
            f"{file.with_suffix('.txt')}: found another text than in "
            f"{reading.texts[item][1].with_suffix('.txt')}; expected one text for all annotators."
        )
    answers = _answers(reading, file, step, text)
    reading.judged.setdefault((item, step), []).append(Judged(people.get(folder, folder), answers))


def _answers(reading: _Reading, file: Path, step: str, text: str) -> dict[str, Any]:
    asked = {each.id for each in reading.protocol.step(step).questions if each.kind == "spans"}
    types = {kind: key for key, kind in brat_types(reading.protocol).items() if key[0] in asked}
    answers: dict[str, Any] = {question: [] for question in sorted(asked)}
    for number, written in enumerate(_read_text(file).removeprefix("\ufeff").split("\n"), 1):
        line = written.removesuffix("\r")
        if not line.strip():
            continue
        if not line.startswith("T"):
            what = _KINDS.get(line[0], "lines of another kind")
            reading.lost[what, "a project holds spans only"] += 1
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
    ordered = sorted(marked)
    for (_, end), (start, _) in pairwise(ordered):
        if start < end:
            raise FileFormatError(
                f"{file}, line {number}: found fragments that overlap at {start}; expected each "
                "letter in one fragment at most."
            )


def _piece(found: str, file: Path, number: int, text: str) -> Piece:
    start, end = (int(each) for each in found.split())
    if not start < end <= len(text):
        raise FileFormatError(
            f"{file}, line {number}: found offsets {start} to {end}; expected a piece of the text, "
            f"which has {len(text):,} characters."
        )
    return start, end


def _read_text(path: Path) -> str:
    if not path.is_file():
        raise FileFormatError(f"{path}: it is not there; expected the text beside the .ann file.")
    try:
        # As brat does: a byte-order mark is a letter like others, and offsets count it.
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise FileFormatError(
            f"{path}: found bytes that are not UTF-8 text; expected UTF-8; save it as UTF-8."
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
            f"{about}: found what cannot be read; expected the names of an export; remove the "
            "file to read the folder as brat's own."
        ) from None
