"""The two files of Don't Patronize Me!: paragraphs with a label from 0 to 4, and their spans.

The authors' layout: four lines of disclaimer, no header, tabs, no quoting. Tabs and line breaks in
a text cannot be written; each becomes a space, so that offsets still count.
"""

import re
from collections import Counter
from pathlib import Path

from tactful.annotation.formats.annotated import Source
from tactful.annotation.formats.codec import GAPS, WHY, has_gaps, without_gaps
from tactful.annotation.formats.complete_items import CompleteItem, complete_items, lost_unfinished
from tactful.annotation.formats.losses import NO_PLACE, Loss, Lost, losses
from tactful.annotation.formats.names import safe_name
from tactful.annotation.protocol.records import Protocol, Question
from tactful.corpora.dpm import CATEGORIES
from tactful.errors import UsageError

PARAGRAPHS = "dontpatronizeme_pcl.tsv"
SPANS = "dontpatronizeme_categories.tsv"
UNKNOWN = "unknown"
"""Written where an item has no article, keyword or country, which the format requires."""
_ABOUT = ("art_id", "keyword", "country")
_MOST_PEOPLE = 2
_SCALE = range(5)
_BREAK = re.compile("[\t\n\r]")
_NAMES = {category: name for name, category in reversed(CATEGORIES.items())}


def write_dpm(source: Source, folder: Path) -> list[Loss]:
    """Write the paragraphs that have a label and, where there are any, the spans in them."""
    scaled, marking = _questions(source.protocol)
    rows: dict[str, list[str]] = {PARAGRAPHS: [], SPANS: []}
    lost: Lost = Counter()
    left = "labels and spans that may still change are left out"
    unfinished = lost_unfinished(source, "paragraphs", left)
    for item in complete_items(source):
        lost[unfinished] += item.unfinished
        _add(rows, item, scaled, marking, lost)
    for name, written in rows.items():
        # A file without rows could not be recognised.
        if written:
            whole = _disclaimer(source) + "".join(written)
            (folder / name).write_text(whole, encoding="utf-8", newline="\n")
    kept = {scaled, *([marking] if marking else [])}
    carried = ("labels", "decisions", "meta")
    return losses(source, carried, lambda step, question: (step, question) in kept, lost)


Asked = tuple[str, Question]


def _add(
    rows: dict[str, list[str]],
    item: CompleteItem,
    scaled: Asked,
    marking: Asked | None,
    lost: Lost,
) -> None:
    """Add the rows of one item."""
    steps = {step.step: step for step in item.labelled}
    judged = steps.get(scaled[0])
    if judged is None and item.unfinished:
        return
    label = None if judged is None else judged.value(scaled[1].id)
    if label is None or not str(label).isdecimal() or int(label) not in _SCALE:
        lost["paragraphs without a label from 0 to 4", "the format must have one"] += 1
        return
    breaks = len(_BREAK.findall(item.text))
    lost["tabs and line breaks in texts", "each became a space"] += breaks
    text = _BREAK.sub(" ", item.text)
    is_plain = item.id == item.id.strip() and not _BREAK.search(item.id)
    par_id = item.id if is_plain else safe_name(item.id)
    about = [_BREAK.sub(" ", item.meta.get(name, "")).strip() for name in _ABOUT]
    for name, value in zip(_ABOUT, about, strict=True):
        lost[f"paragraphs without '{name}'", f"'{UNKNOWN}' is written"] += not value
    article, keyword, country = (value or UNKNOWN for value in about)
    cells = [par_id, article, keyword, country, text, str(int(label))]
    rows[PARAGRAPHS].append("\t".join(cells) + "\n")
    lost["further columns", NO_PLACE] += len(set(item.meta) - set(_ABOUT))
    spans = steps[marking[0]].value(marking[1].id) if marking and marking[0] in steps else None
    lost[GAPS, WHY] += sum(map(has_gaps, spans or ()))
    for span in without_gaps(spans or ()):
        start, end, kind = span["start"], span["end"], _NAMES.get(span["value"])
        if kind is None:
            lost["spans of other categories", "the format knows its own only"] += 1
            continue
        people = span.get("annotators", 1)
        lost["counts of annotators above 2", "the format counts up to 2"] += people > _MOST_PEOPLE
        cells = [par_id, article, text, keyword, country, str(start), str(end), text[start:end]]
        cells += [kind, str(min(max(people, 1), _MOST_PEOPLE))]
        rows[SPANS].append("\t".join(cells) + "\n")


def _questions(protocol: Protocol) -> tuple[Asked, Asked | None]:
    """Find the question whose label is the 5-point scale, and the one that asks for spans."""
    asked = [(step, question) for step in protocol.steps for question in step.questions]
    scaled = [
        (step.id, question)
        for step, question in asked
        if step.combine == "dpm_scale" and question.kind in ("choice", "scale")
    ]
    if not scaled:
        raise UsageError(
            f"The protocol '{protocol.id}' gives no label from 0 to 4 (a step with combine: "
            "dpm_scale), which the format 'dpm' needs; choose another format."
        )
    marking = [(step.id, question) for step, question in asked if question.kind == "spans"]
    return scaled[0], marking[0] if marking else None


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
