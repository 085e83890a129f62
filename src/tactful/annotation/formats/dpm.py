"""The two files of Don't Patronize Me!: paragraphs with a label from 0 to 4, and their spans.

The authors' layout: four lines of disclaimer, no header, tabs, no quoting. Tabs and line breaks in
a text cannot be written; each becomes a space, so that offsets still count.
"""

import re
from pathlib import Path
from typing import Any

from tactful.annotation.formats.annotated import Source
from tactful.annotation.formats.codec import GAPS, WHY, has_gaps, without_gaps
from tactful.annotation.formats.complete_items import CompleteItem, complete_items, lost_unfinished
from tactful.annotation.formats.losses import Loss, losses
from tactful.annotation.formats.names import safe_name
from tactful.annotation.protocol.records import Protocol, Question
from tactful.corpora.dpm import CATEGORIES
from tactful.errors import UsageError

PARAGRAPHS = "dontpatronizeme_pcl.tsv"
SPANS = "dontpatronizeme_categories.tsv"
UNKNOWN = "unknown"
"""Written where an item has no article, keyword or country, which the format requires."""
_MOST_PEOPLE = 2
_SCALE = range(5)
_BREAK = re.compile("[\t\n\r]")
_NAMES = {category: name for name, category in reversed(CATEGORIES.items())}


def write_dpm(source: Source, folder: Path) -> list[Loss]:
    """Write the paragraphs that have a label and, where there are any, the spans in them."""
    scaled, marking = _questions(source.protocol)
    found = _Written()
    unfinished = 0
    for item in complete_items(source):
        unfinished += item.unfinished
        found.add(item, scaled, marking)
    for name, rows in ((PARAGRAPHS, found.paragraphs), (SPANS, found.spans)):
        # A file without rows could not be recognised.
        if rows:
            whole = _disclaimer(source) + "".join(rows)
            (folder / name).write_text(whole, encoding="utf-8", newline="\n")
    kept = {scaled, *([marking] if marking else [])}
    lost = losses(
        source, ("labels", "decisions", "meta"), lambda step, question: (step, question) in kept
    )
    left = "labels and spans that may still change are left out"
    lost += lost_unfinished(source, "paragraphs", unfinished, left)
    return lost + [Loss(what, n, why) for what, (n, why) in found.lost.items() if n]


Asked = tuple[str, Question]


class _Written:
    def __init__(self) -> None:
        self.paragraphs: list[str] = []
        self.spans: list[str] = []
        self.lost: dict[str, tuple[int, str]] = {}

    def add(self, item: CompleteItem, scaled: Asked, marking: Asked | None) -> None:
        """Add the rows of one item."""
        steps = {step.step: step for step in item.labelled}
        judged = steps.get(scaled[0])
        if judged is None and item.unfinished:
            return
        label = None if judged is None else judged.value(scaled[1].id)
        if label is None or not str(label).isdecimal() or int(label) not in _SCALE:
            self._lose("paragraphs without a label from 0 to 4", "the format must have one")
            return
        text = self._flat(item.text)
        is_plain = item.id == item.id.strip() and not _BREAK.search(item.id)
        par_id = item.id if is_plain else safe_name(item.id)
        about = [self._about(item, name) for name in ("art_id", "keyword", "country")]
        self.paragraphs.append("\t".join([par_id, *about, text, str(int(label))]) + "\n")
        others = set(item.meta) - {"art_id", "keyword", "country"}
        if others:
            self._lose("further columns", "the format has no place for them", len(others))
        spans = steps[marking[0]].value(marking[1].id) if marking and marking[0] in steps else None
        gaps = sum(map(has_gaps, spans or ()))
        if gaps:
            self._lose(GAPS, WHY, gaps)
        for span in without_gaps(spans or ()):
            self._span(span, text, [par_id, about[0]], about[1:])

    def _span(self, span: dict[str, Any], text: str, ids: list[str], about: list[str]) -> None:
        start, end = span["start"], span["end"]
        name = _NAMES.get(span["value"])
        if name is None:
            self._lose("spans of other categories", "the format knows its own only")
            return
        people = span.get("annotators", 1)
        if people > _MOST_PEOPLE:
            self._lose("counts of annotators above 2", "the format counts up to 2")
        cells = [*ids, text, *about, str(start), str(end), text[start:end], name]
        self.spans.append("\t".join([*cells, str(min(max(people, 1), _MOST_PEOPLE))]) + "\n")

    def _flat(self, text: str) -> str:
        count = len(_BREAK.findall(text))
        if count:
            self._lose("tabs and line breaks in texts", "each became a space", count)
        return _BREAK.sub(" ", text)

    def _about(self, item: CompleteItem, name: str) -> str:
        value = _BREAK.sub(" ", item.meta.get(name, "")).strip()
        if not value:
            self._lose(f"paragraphs without '{name}'", f"'{UNKNOWN}' is written")
        return value or UNKNOWN

    def _lose(self, what: str, why: str, count: int = 1) -> None:
        self.lost[what] = (self.lost.get(what, (0, why))[0] + count, why)


def _questions(protocol: Protocol) -> tuple[Asked, Asked | None]:
    """Find the question whose label is the 5-point scale, and the one that asks for spans."""
    scaled = next(
        (
            (step.id, question)
            for step in protocol.steps
            if step.combine == "dpm_scale"
            for question in step.questions
            if question.kind in ("choice", "scale")
        ),
        None,
    )
    if scaled is None:
        raise UsageError(
            f"The protocol '{protocol.id}' gives no label from 0 to 4 (a step with combine: "
            "dpm_scale), which the format 'dpm' needs; choose another format."
        )
    marking = next(
        ((s.id, q) for s in protocol.steps for q in s.questions if q.kind == "spans"), None
    )
    return scaled, marking


def _disclaimer(source: Source) -> str:
    line = "-" * 48
    about = (
        f"Written by Tactful from the annotation project '{_BREAK.sub(' ', source.name)}'. The "
        "texts may be condescending; they are here to be studied."
    )
    columns = (
        "Labels are from 0 (no PCL) to 4 (clearly PCL), from two annotators; offsets are code "
        "points, half-open."
    )
    return f"{line}\n{about}\n{columns}\n{line}\n"
