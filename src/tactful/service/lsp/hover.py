"""What an editor shows when the pointer rests on marked words: each kind, how sure, and why."""

import re
from collections.abc import Callable

from lsprotocol.types import Hover, MarkupContent, MarkupKind, Position

from tactful.checking.explanation import entry_of
from tactful.checking.report import FRAMED, Kind, PlacedFinding
from tactful.checking.reports.run import advice_on, as_tree, implied_sentences
from tactful.service.lsp.diagnostics import Checked, docs_link, marked_in
from tactful.words import visible

_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~&!$]|(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
_LIST_MARK = re.compile(r"\A([-+=]|\d+(?=[.)]))")
_DEEPEST = 10


def escaped(text: str) -> str:
    r"""Return a text as Markdown that shows it as it is: no markup, no link, no HTML.

    >>> escaped("<b>*not* bold</b>")
    '\\<b\\>\\*not\\* bold\\</b\\>'
    """
    marked = _SPECIAL.sub(lambda found: f"\\{found[0]}", visible(text))
    return _LIST_MARK.sub(r"\\\1" if marked[:1] in "-+=" else r"\1\\", marked)


def hover_of(checked: Checked, position: Position, docs: str, *, markdown: bool) -> Hover | None:
    """Return what is said about the words at a position; None where nothing is marked."""
    offset = checked.places.offset(position)
    found = list(checked.findings_in(offset, offset))
    if not found:
        return None
    write = _markdown if markdown else _plain
    parts = [
        write(checked, finding, kind, docs) for finding in found for _, kind in as_tree(finding)
    ]
    shown_as = MarkupKind.Markdown if markdown else MarkupKind.PlainText
    value = ("\n\n---\n\n" if markdown else "\n\n").join(parts)
    # The narrowest: the editor keeps the box open while the pointer stays within.
    narrowest = min(found, key=lambda each: marked_in(each)[1] - marked_in(each)[0])
    return Hover(MarkupContent(shown_as, value), checked.range_of(narrowest))


def _markdown(checked: Checked, finding: PlacedFinding, kind: Kind, docs: str) -> str:
    head = f"**{escaped(kind.name)}** · {checked.wording.how_sure(kind.confidence)}"
    lines = [head, *_said(checked, finding, kind, escaped)]
    link = f"[`{kind.id}`]({docs_link(docs, kind.id)})"
    source = _path_and_source(kind.id, checked.reading.lang)
    lines.append(" · ".join([link, *(f"*{escaped(each)}*" for each in source)]))
    return "\n\n".join(lines)


def _plain(checked: Checked, finding: PlacedFinding, kind: Kind, docs: str) -> str:
    head = f"{visible(kind.name)}: {checked.wording.how_sure(kind.confidence)}"
    source = _path_and_source(kind.id, checked.reading.lang)
    last = " · ".join([kind.id, *map(visible, source)])
    return "\n".join([head, *_said(checked, finding, kind, visible), last])


def _said(
    checked: Checked, finding: PlacedFinding, kind: Kind, safe: Callable[[str], str]
) -> list[str]:
    """Return why, in paragraphs: with the main kind, what the text does and what to do about it."""
    lang = checked.reading.lang
    why = kind.explanation or entry_of(kind.id, lang).get("definition", "")
    said = [finding.explanation if kind is finding.main and finding.explanation != why else "", why]
    if finding.frame is not None and kind.id == FRAMED:
        said += implied_sentences(finding.frame, lang)
    if kind is finding.main:
        said.append(advice_on(finding, checked.wording))
    return [safe(each) for each in said if each]


def _path_and_source(name: str, lang: str) -> list[str]:
    """Return the path of an id in its taxonomy, and the section that it comes from, if known."""
    entry = entry_of(name, lang)
    if not entry:
        return []
    names, parent = [entry["name"]], entry.get("parent")
    while parent and len(names) < _DEEPEST:
        above = entry_of(parent, lang)
        names.append(above["name"])
        parent = above.get("parent")
    return [" / ".join(reversed(names)), *filter(None, [entry.get("source_section")])]
