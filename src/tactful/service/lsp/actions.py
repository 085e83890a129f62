"""Quick fixes: replace a term, or insert ``tactful: ignore`` where it works in each kind of text.

A directive names the ids of all kinds of a finding. Each place for it is tested: the changed text
is parsed, and the change is offered only if all passages are the same and only the intended one is
ignored.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from tactful.service.lsp.diagnostics import SOURCE, Checked
from tactful.service.lsp.documents import COMMITS, LATEX
from tactful.words import shorten, visible

IGNORE = {"en": "Ignore '{ids}' here", "es": "Ignorar «{ids}» aquí"}
REPLACE = {
    "en": "Replace '{words}' with '{suggestion}'",
    "es": "Sustituir «{words}» por «{suggestion}»",
}
_MARKS = {**dict.fromkeys(COMMITS, "# "), **dict.fromkeys(LATEX, "% ")}
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Insertion:
    """Text to insert at an offset of the source."""

    offset: int
    text: str

    def into(self, source: str) -> str:
        """Return the changed source."""
        return source[: self.offset] + self.text + source[self.offset :]


def actions_in(
    checked: Checked,
    range_: Range,
    diagnostics: list[Diagnostic],
    *,
    versioned: bool,
    rewrites: Callable[..., Iterable[CodeAction]] = lambda *_, **__: (),
) -> list[CodeAction]:
    """Return the ways to replace, rewrite or ignore what is marked in a range, in this order."""
    places = checked.places
    found = list(checked.findings_in(places.offset(range_.start), places.offset(range_.end)))
    actions: list[CodeAction] = []
    for finding in found:
        actions += _replacements(checked, finding, diagnostics, versioned)
    for finding in found:
        actions += rewrites(checked, finding, diagnostics, versioned=versioned)
    title = IGNORE.get(checked.reading.lang, IGNORE["en"])
    for finding in found:
        insertion = place_here(checked, finding)
        if insertion is not None:
            actions.append(
                CodeAction(
                    title=title.format(ids=", ".join(ids_of(finding))),
                    kind=CodeActionKind.QuickFix,
                    diagnostics=diagnostics_on(diagnostics, finding) or None,
                    edit=_edit(checked, insertion, versioned),
                )
            )
    return list({action.title: action for action in actions}.values())


def ids_of(finding: PlacedFinding) -> list[str]:
    """Return the ids whose kinds, and those below them, are all kinds of a finding."""
    return [kind.id for kind in finding.kinds if kind.parent is None]


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
            edit = TextEdit(checked.places.range(place.start, place.end), each)
            yield CodeAction(
                title=title.format(words=shorten(visible(span.words)), suggestion=visible(each)),
                kind=CodeActionKind.QuickFix,
                diagnostics=diagnostics_on(diagnostics, finding) or None,
                edit=workspace_edit(checked, edit, versioned),
                is_preferred=each == finding.suggestions[0],
            )


def diagnostics_on(diagnostics: list[Diagnostic], finding: PlacedFinding) -> list[Diagnostic]:
    """Return the diagnostics of the editor that show a finding."""
    return [each for each in diagnostics if each.source == SOURCE and each.code == finding.id]


def place_here(checked: Checked, finding: PlacedFinding) -> Insertion | None:
    """Return where to ignore a finding in its block; None where no place works."""
    number, ids = finding.passage.number, ids_of(finding)
    for each in _candidates(checked, number, ids):
        if _works(checked, each, ids, number):
            return each
    return None


def _candidates(checked: Checked, number: int, ids: Sequence[str]) -> Iterator[Insertion]:
    source, kind = checked.snapshot.text, checked.document.kind
    block = [each for each in checked.document.segments if each.number == number]
    start, end = block[0].start, block[-1].end
    line_start, _ = checked.places.line_span(start)
    _, line_end = checked.places.line_span(end)
    before = source[line_start:start]
    indent = before[: len(before) - len(before.lstrip())]
    new_line = _end_of_line(source)
    if kind == "rst":
        text = f"{indent}{_directive(checked, 'ignore-next', ids)}{new_line}{new_line}"
        yield Insertion(line_start, text)
        return
    if kind == "plain":
        yield Insertion(line_start, f"{indent}{_directive(checked, 'ignore', ids)}{new_line}")
        return
    if not before.strip(" \t#"):
        yield Insertion(line_start, f"{indent}{_directive(checked, 'ignore-next', ids)}{new_line}")
    inside = f" {_directive(checked, 'ignore', ids)}"
    yield Insertion(line_end, inside)
    yield Insertion(end, inside)
    yield Insertion(start, f"{_directive(checked, 'ignore', ids)} ")


def _directive(checked: Checked, verb: str, ids: Sequence[str]) -> str:
    said = f"tactful: {verb} {', '.join(ids)}"
    if checked.document.kind in ("markdown", "html"):
        return f"<!-- {said} -->"
    if checked.document.kind == "rst":
        return f".. {said}"
    return f"{_MARKS.get(checked.snapshot.language, '')}{said}"


def _works(checked: Checked, insertion: Insertion, ids: Sequence[str], number: int) -> bool:
    """Say whether an insertion ignores all ``ids`` in one block, and has no other effect."""
    before = checked.document
    after = checked.snapshot.read(insertion.into(checked.snapshot.text))
    if [each.text for each in before.segments] != [each.text for each in after.segments]:
        return False
    block = {at for at, each in enumerate(before.segments) if each.number == number}
    return all(_silenced(after, name) == block | _silenced(before, name) for name in ids)


def _silenced(document: Document, name: str) -> set[int]:
    ignores = find_ignores(document)
    return {at for at, each in enumerate(document.segments) if ignores.silences(each, name)}


def _end_of_line(source: str) -> str:
    found = _LINE_END.search(source)
    return found[0] if found else "\n"


def _edit(checked: Checked, insertion: Insertion, versioned: bool) -> WorkspaceEdit:
    at = checked.places.position(insertion.offset)
    return workspace_edit(checked, TextEdit(Range(at, at), insertion.text), versioned)


def workspace_edit(checked: Checked, edit: TextEdit, versioned: bool) -> WorkspaceEdit:
    """Return the change of a document that an editor applies."""
    uri = checked.snapshot.uri
    if not versioned:
        return WorkspaceEdit(changes={uri: [edit]})
    identifier = OptionalVersionedTextDocumentIdentifier(uri, checked.snapshot.version)
    return WorkspaceEdit(document_changes=[TextDocumentEdit(identifier, [edit])])
