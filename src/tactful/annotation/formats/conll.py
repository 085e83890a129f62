"""CoNLL columns: one token per line with its BIO tag, a file for each question and annotator.

A token has one tag. Where spans overlap, the one that starts first (the longer of two that start
together) keeps the tokens, and the losses of the others are counted. A span with gaps becomes one
span for each of its parts.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tactful.annotation.formats.annotated import Source
from tactful.annotation.formats.codec import GAPS, WHY, has_gaps, without_gaps
from tactful.annotation.formats.losses import Loss, losses
from tactful.annotation.formats.names import safe_names

LABELS = "labels~combined"
"""The name of the file with the combined labels; no annotator gets this name."""
_RUN = re.compile(r"\S+")
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_LOST = {
    "gaps": (GAPS, WHY),
    "gone": ("spans", "others cover all their tokens, and a token has one tag"),
    "cut": ("spans cut short", "others cover some of their tokens, and a token has one tag"),
    "widened": ("spans widened", "they start or end within a token"),
    "empty": ("spans without a token", "they cover only spaces"),
}


def write_conll(source: Source, folder: Path) -> list[Loss]:
    """Write ``STEP/QUESTION/ANNOTATOR.conll``: token, start, end and tag, tab-separated."""
    records = list(source.judged())
    people = safe_names(j.annotator for each in records for j in each.counted)
    parts: dict[Path, list[str]] = {}
    lost: dict[str, Counter[str]] = {"": Counter(), " of combined labels": Counter()}
    for step in source.protocol.steps:
        marking = [each.id for each in step.questions if each.kind == "spans"]
        names = safe_names([step.id, *marking])
        for record in records:
            for question in marking if record.step == step.id else ():
                given = [
                    (people[each.annotator], each.answers.get(question)) for each in record.counted
                ]
                for person, spans in [*given, (LABELS, record.value(question))]:
                    if spans is not None:
                        path = folder / names[step.id] / names[question] / f"{person}.conll"
                        whose = " of combined labels" if person == LABELS else ""
                        block = _block(record.id, record.text, spans, lost[whose])
                        parts.setdefault(path, []).append(block)
    for path, blocks in parts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(blocks), encoding="utf-8", newline="\n")
    kept = ("people", "labels", "decisions")
    told = {
        (what + whose, why): counts[kind]
        for whose, counts in lost.items()
        for kind, (what, why) in _LOST.items()
    }
    return losses(source, kept, lambda _step, question: question.kind == "spans", told)


def tokens(text: str) -> list[tuple[int, int]]:
    """Split a text at spaces and punctuation; each punctuation mark is a token.

    >>> [("¡Ven, Zoë!")[start:end] for start, end in tokens("¡Ven, Zoë!")]
    ['¡', 'Ven', ',', 'Zoë', '!']
    """
    return [found for run in _RUN.finditer(text) for found in _split(text, *run.span())]


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for place in range(start, end):
        if unicodedata.category(text[place]).startswith("P"):
            if at < place:
                yield at, place
            yield place, place + 1
            at = place + 1
    if at < end:
        yield at, end


def _block(item: str, text: str, spans: list[dict[str, Any]], lost: Counter[str]) -> str:
    """Return the lines of one text."""
    found = tokens(text)
    tags = ["O"] * len(found)
    lost["gaps"] += sum(map(has_gaps, spans))
    order = sorted(
        without_gaps(spans), key=lambda each: (each["start"], -each["end"], each["value"])
    )
    for span in order:
        covered = [
            at
            for at, (start, end) in enumerate(found)
            if start < span["end"] and end > span["start"]
        ]
        free = [at for at in covered if tags[at] == "O"]
        if not covered:
            lost["empty"] += 1
            continue
        if not free:
            lost["gone"] += 1
            continue
        lost["cut"] += len(free) < len(covered)
        first, last = found[covered[0]][0], found[covered[-1]][1]
        lost["widened"] += first < span["start"] or last > span["end"]
        for place, at in enumerate(free):
            # After a gap the tag starts again with B: two pieces must not read as one.
            starts = place == 0 or free[place - 1] != at - 1
            tags[at] = f"{'B' if starts else 'I'}-{span['value']}"
    head = [f"# id = {item.translate(_ESCAPES)}", f"# text = {text.translate(_ESCAPES)}"]
    rows = [
        f"{text[start:end]}\t{start}\t{end}\t{tag}"
        for (start, end), tag in zip(found, tags, strict=True)
    ]
    return "\n".join([*head, *rows]) + "\n"
