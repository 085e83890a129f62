"""Quick fixes: replace a term, or insert ``tactful: ignore`` where it works in each kind of text.

Each place for a directive is tested: the changed text is parsed, and the change is offered only if
all passages are the same and only the intended ones are ignored.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    Diagnostic,
    OptionalVersionedTextDocumentIdentifier,
    Range,
    TextDocumentEdit,
    TextEdit,
    WorkspaceEdit,
)

from tactful.checking.report import PlacedFinding
from tactful.documents.document import Document
from tactful.documents.ignores import find_ignores
from tactful.service.lsp.diagnostics import SOURCE, Checked, range_of
from tactful.service.lsp.documents import COMMITS, LATEX
from tactful.words import shorten, visible

TITLES = {
    "en": ("Ignore '{id}' here", "Ignore '{id}' in this file"),
    "es": ("Ignorar «{id}» aquí", "Ignorar «{id}» en este archivo"),
}
REPLACE = {
    "en": "Replace '{words}' with '{suggestion}'",
    "es": "Sustituir «{words}» por «{suggestion}»",
}
_MARKS = {**dict.fromkeys(COMMITS, "# "), **dict.fromkeys(LATEX, "% ")}
_ID = "\0"
"""Stands for the id in a placement, which is the same for all ids of a passage."""
_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*(\r\n|\r|\n).*?^(\1|\.\.\.)[ \t]*(\r\n|\r|\n)",
                           re.DOTALL | re.MULTILINE)  # fmt: skip
_PROLOGUE = re.compile(r"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype[^>]*>)?", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Insertion:
    """Text to insert at an offset of the source."""

    offset: int
    text: str

    def naming(self, name: str) -> "Insertion":
        """Return the insertion for one id."""
        return Insertion(self.offset, self.text.replace(_ID, name))

    def into(self, source: str) -> str:
        """Return the changed source."""
        return source[: self.offset] + self.text + source[self.offset :]


def actions_in(
    checked: Checked, range_: Range, diagnostics: list[Diagnostic], *, versioned: bool
) -> list[CodeAction]:
    """Return the ways to replace or ignore what is marked in a range."""
    places = checked.places
    found = [each for each, _ in checked.findings_in(places.offset(range_.start),
                                                     places.offset(range_.end))]  # fmt: skip
    actions: list[CodeAction] = []
    here: dict[int, Insertion | None] = {}
    everywhere: Insertion | None = None
    titles = TITLES.get(checked.reading.lang, TITLES["en"])
    for finding in found:
        actions += _replacements(checked, finding, diagnostics, versioned)
    for finding in found:
        number = finding.passage.number
        if number not in here:
            here[number] = place_here(checked, finding)
        if everywhere is None:
            everywhere = place_in_file(checked, finding.id)
        shown = _shown(diagnostics, finding)
        for title, insertion in zip(titles, (here[number], everywhere), strict=True):
            if insertion is not None:
                actions.append(
                    CodeAction(
                        title=title.format(id=finding.id),
                        kind=CodeActionKind.QuickFix,
                        diagnostics=shown or None,
                        edit=_edit(checked, insertion.naming(finding.id), versioned),
                    )
                )
    return list({action.title: action for action in actions}.values())


def _replacements(
    checked: Checked, finding: PlacedFinding, diagnostics: list[Diagnostic], versioned: bool
) -> Iterator[CodeAction]:
    """Yield an action for each thing to write instead; none where markup is between the words."""
    source, title = checked.snapshot.text, REPLACE.get(checked.reading.lang, REPLACE["en"])
    for span in finding.spans if finding.suggestions else ():
        place = span.place
        if source[place.start : place.end] != span.words:
            continue
        for each in finding.suggestions:
            edit = TextEdit(range_of(checked, place), each)
            yield CodeAction(
                title=title.format(words=shorten(visible(span.words)), suggestion=visible(each)),
                kind=CodeActionKind.QuickFix,
                diagnostics=_shown(diagnostics, finding) or None,
                edit=_workspace_edit(checked, edit, versioned),
                is_preferred=each == finding.suggestions[0],
            )


def _shown(diagnostics: list[Diagnostic], finding: PlacedFinding) -> list[Diagnostic]:
    return [each for each in diagnostics if each.source == SOURCE and each.code == finding.id]


def place_here(checked: Checked, finding: PlacedFinding) -> Insertion | None:
    """Return where to ignore an id in the block of a finding; None where no place works."""
    number = finding.passage.number
    for each in _candidates(checked, number):
        if _works(checked, each, finding.id, number):
            return each
    return None


def place_in_file(checked: Checked, name: str) -> Insertion | None:
    """Return where to ignore an id in the whole document."""
    source, language = checked.snapshot.text, checked.snapshot.language
    end = _end_of_line(source)
    directive = _directive(checked, "ignore-file")
    at_end = Insertion(len(source), ("" if source.endswith(("\n", "\r")) else end) + end
                       + directive + end)  # fmt: skip
    start = 0
    if checked.document.kind == "markdown":
        front = _FRONT_MATTER.match(source)
        start = front.end() if front else 0
    elif checked.document.kind == "html":
        prologue = _PROLOGUE.match(source)
        start = prologue.end() if prologue else 0
    lead = end if start and not source[:start].endswith(("\n", "\r")) else ""
    is_before_end = source[start : start + 1] in ("\n", "\r")
    tail = end + end if not is_before_end else "" if lead else end
    at_top = Insertion(start, f"{lead}{directive}{tail}")
    for each in (at_end,) if language in COMMITS else (at_top, at_end):
        if _works(checked, each, name, None):
            return each
    return None


def _candidates(checked: Checked, number: int) -> Iterator[Insertion]:
    source, kind = checked.snapshot.text, checked.document.kind
    block = [each for each in checked.document.segments if each.number == number]
    start, end = block[0].start, block[-1].end
    line_start, _ = checked.places.line_span(start)
    _, line_end = checked.places.line_span(end)
    before = source[line_start:start]
    indent = before[: len(before) - len(before.lstrip())]
    new_line = _end_of_line(source)
    if kind == "rst":
        text = f"{indent}{_directive(checked, 'ignore-next')}{new_line}{new_line}"
        yield Insertion(line_start, text)
        return
    if kind == "plain":
        yield Insertion(line_start, f"{indent}{_directive(checked, 'ignore')}{new_line}")
        return
    if not before.strip(" \t#"):
        yield Insertion(line_start, f"{indent}{_directive(checked, 'ignore-next')}{new_line}")
    inside = f" {_directive(checked, 'ignore')}"
    yield Insertion(line_end, inside)
    yield Insertion(end, inside)
    yield Insertion(start, f"{_directive(checked, 'ignore')} ")


def _directive(checked: Checked, verb: str) -> str:
    said = f"tactful: {verb} {_ID}"
    if checked.document.kind in ("markdown", "html"):
        return f"<!-- {said} -->"
    if checked.document.kind == "rst":
        return f".. {said}"
    return f"{_MARKS.get(checked.snapshot.language, '')}{said}"


def _works(checked: Checked, insertion: Insertion, name: str, number: int | None) -> bool:
    """Say whether it ignores ``name`` in one block, or in all, and changes nothing else."""
    before = checked.document
    source = insertion.naming(name).into(checked.snapshot.text)
    after = checked.snapshot.read(source)
    if [each.text for each in before.segments] != [each.text for each in after.segments]:
        return False
    wanted = {
        at for at, each in enumerate(before.segments) if number is None or each.number == number
    } | _silenced(before, name)
    return _silenced(after, name) == wanted


def _silenced(document: Document, name: str) -> set[int]:
    ignores = find_ignores(document)
    return {at for at, each in enumerate(document.segments) if ignores.silences(each, name)}


def _end_of_line(source: str) -> str:
    found = _LINE_END.search(source)
    return found[0] if found else "\n"


def _edit(checked: Checked, insertion: Insertion, versioned: bool) -> WorkspaceEdit:
    at = checked.places.position(insertion.offset)
    return _workspace_edit(checked, TextEdit(Range(at, at), insertion.text), versioned)


def _workspace_edit(checked: Checked, edit: TextEdit, versioned: bool) -> WorkspaceEdit:
    uri = checked.snapshot.uri
    if not versioned:
        return WorkspaceEdit(changes={uri: [edit]})
    identifier = OptionalVersionedTextDocumentIdentifier(uri, checked.snapshot.version)
    return WorkspaceEdit(document_changes=[TextDocumentEdit(identifier, [edit])])
