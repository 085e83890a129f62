"""What an editor shows when the pointer rests on marked words: name, probability and reason."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from lsprotocol.types import Hover, MarkupContent, MarkupKind, Position

from tactful.checking.explanation import taxonomy_entries
from tactful.checking.report import PlacedFinding
from tactful.checking.reports.run import implied_sentences, instead_sentence
from tactful.service.lsp.diagnostics import Checked, docs_link, range_of
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
    parts = [write(checked, finding, docs) for finding, _ in found]
    kind = MarkupKind.Markdown if markdown else MarkupKind.PlainText
    value = ("\n\n---\n\n" if markdown else "\n\n").join(parts)
    # The narrowest: the editor keeps the box open while the pointer stays within.
    spot = min((place for _, place in found), key=lambda place: place.end - place.start)
    return Hover(MarkupContent(kind, value), range_of(checked, spot))


def _markdown(checked: Checked, finding: PlacedFinding, docs: str) -> str:
    head = f"**{escaped(finding.name)}** · {checked.wording.how_sure(finding.probability)}"
    lines = [head, *_said(checked, finding, escaped)]
    link = f"[`{finding.id}`]({docs_link(docs, finding.id)})"
    source = _standing(finding.id, checked.reading.lang)
    lines.append(" · ".join([link, *(f"*{escaped(each)}*" for each in source)]))
    return "\n\n".join(lines)


def _plain(checked: Checked, finding: PlacedFinding, docs: str) -> str:
    head = f"{visible(finding.name)}: {checked.wording.how_sure(finding.probability)}"
    source = _standing(finding.id, checked.reading.lang)
    last = " · ".join([finding.id, *map(visible, source)])
    return "\n".join([head, *_said(checked, finding, visible), last])


def _said(checked: Checked, finding: PlacedFinding, safe: Callable[[str], str]) -> list[str]:
    """Return why, in paragraphs; an explanation begins with the definition of the taxonomy."""
    lang = checked.reading.lang
    why = finding.explanation or _entry(finding.id, lang).get("definition", "")
    implied = [] if finding.frame is None else implied_sentences(finding.frame, lang)
    instead = instead_sentence(finding, lang)
    return [safe(each) for each in (why, *implied, instead) if each]


def _standing(name: str, lang: str) -> list[str]:
    """Return the path of an id in its taxonomy, and its source."""
    entry = _entry(name, lang)
    if not entry:
        return []
    names, parent = [entry["name"]], entry.get("parent")
    while parent and len(names) < _DEEPEST:
        above = _entry(parent, lang)
        names.append(above["name"])
        parent = above.get("parent")
    return [" / ".join(reversed(names)), *filter(None, [entry.get("source_section")])]


def _entry(name: str, lang: str) -> Mapping[str, Any]:
    return taxonomy_entries(name.partition(".")[0], lang).get(name, (0, {}))[1]
