"""Rewrites by a chat endpoint: one code action asks for a rewrite, another one offers the answer.

The endpoint gets a sentence only when the user chooses the first action; the text changes only when
the user chooses the second.
"""

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

from lsprotocol.types import CodeAction, CodeActionKind, Command, Diagnostic, TextEdit

from tactful.checking.chat import ChatEndpoint, open_chat
from tactful.checking.options import ProjectRewrite
from tactful.checking.report import PlacedFinding
from tactful.checking.rewriting import Rewrite, Sentence, find_sentences
from tactful.posting import refuse_plain_http
from tactful.service.lsp.actions import diagnostics_on, workspace_edit
from tactful.service.lsp.diagnostics import SOURCE, Checked
from tactful.words import plain, shorten

COMMAND = f"{SOURCE}.rewrite"
"""Its arguments are the address and the version of a document, and where the sentence lies."""
ASK = {
    "en": "Suggest a rewrite of '{words}' (asks {host})",
    "es": "Proponer otra redacción de «{words}» (pregunta a {host})",
}
USE = {
    "en": "Use the rewrite ({before:.2f} → {after:.2f}): '{text}'",
    "es": "Usar la nueva redacción ({before:.2f} → {after:.2f}): «{text}»",
}
READY = {
    "en": "Rewrite ({before:.2f} → {after:.2f}): '{text}'. {judged} The quick fixes now offer it.",
    "es": "Nueva redacción ({before:.2f} → {after:.2f}): «{text}». {judged} Ya está entre las "
    "correcciones rápidas.",
}
NO_BETTER = {"en": "It is no better.", "es": "No es mejor."}
NOTHING = {
    "en": "There is no rewrite. {problem}",
    "es": "No hay otra redacción. El servidor dice: {problem}",
}
CHANGED = {
    "en": "The document has changed. Ask for a rewrite again.",
    "es": "El documento ha cambiado. Pide la redacción otra vez.",
}
_LONGEST_WORDS, _LONGEST_REWRITE = 40, 120


class Rewrites:
    """The rewrites of the open documents, by sentence."""

    def __init__(self) -> None:
        self.endpoints: dict[str, ProjectRewrite] = {}
        """The endpoint of each document."""
        self._known: dict[str, dict[str, Rewrite]] = {}

    def keep(self, uri: str, sentence: Sentence, rewrite: Rewrite) -> None:
        """Offer a rewrite from now on."""
        self._known.setdefault(uri, {})[sentence.text] = rewrite

    def forget(self, uri: str) -> None:
        """Remove a document that was closed."""
        self.endpoints.pop(uri, None)
        self._known.pop(uri, None)

    def actions(
        self,
        checked: Checked,
        finding: PlacedFinding,
        diagnostics: list[Diagnostic],
        *,
        versioned: bool,
    ) -> Iterator[CodeAction]:
        """Yield the action that uses the known rewrite of a sentence, and the one that asks."""
        snapshot, place, text = checked.snapshot, finding.place, plain(finding.text)
        lang = checked.reading.lang
        on = diagnostics_on(diagnostics, finding) or None
        known = self._known.get(snapshot.uri, {}).get(text)
        # With markup inside, the rewrite would remove it.
        if known is not None and plain(snapshot.text[place.start : place.end]) == text:
            edit = TextEdit(checked.places.range(place.start, place.end), known.text or "")
            yield CodeAction(
                title=_said(USE[lang], known, _LONGEST_REWRITE),
                kind=CodeActionKind.QuickFix,
                diagnostics=on,
                edit=workspace_edit(checked, edit, versioned),
            )
        endpoint = self.endpoints.get(snapshot.uri, ProjectRewrite()).endpoint
        if endpoint is not None:
            title = ASK[lang].format(words=shorten(text, 0, _LONGEST_WORDS), host=host_of(endpoint))
            yield CodeAction(
                title=title,
                kind=CodeActionKind.QuickFix,
                diagnostics=on,
                command=Command(
                    title,
                    COMMAND,
                    arguments=[snapshot.uri, snapshot.version, place.start, place.end],
                ),
            )


def host_of(endpoint: str) -> str:
    """Return the machine of an address, which need not be a valid one.

    >>> host_of("http://user:secret@127.0.0.1:8080/v1")
    '127.0.0.1:8080'
    """
    try:
        return plain(urlsplit(endpoint).netloc.rpartition("@")[2]) or "?"
    except ValueError:
        return "?"


def chat_at(named: ProjectRewrite) -> ChatEndpoint:
    """Return the endpoint that the settings or the project's file name; refuse a wrong address."""
    chat = open_chat(
        named.endpoint or "",
        model=named.chat_model,
        key_variable=named.key_variable,
        allow_plain_http=True,
        prefix="rewrite-",
    )
    refuse_plain_http(urlsplit(chat.place), "the sentences")
    return chat


def sentence_of(checked: Checked, finding: PlacedFinding) -> Sentence:
    """Return the sentence of a finding, with the suggestions for it."""
    report = replace(checked.reading.report, findings=(finding,))
    return find_sentences(report, checked.reading.lang)[0]


def said_of(rewrite: Rewrite, lang: str) -> str:
    """Say in one message what came of a question."""
    if rewrite.text is None:
        return NOTHING[lang].format(problem=rewrite.problem)
    changes = "; ".join(rewrite.changes)
    judged = ["" if rewrite.better else NO_BETTER[lang], f"{changes}." if changes else ""]
    return plain(_said(READY[lang], rewrite, len(rewrite.text), " ".join(filter(None, judged))))


def _said(words: str, rewrite: Rewrite, longest: int, judged: str = "") -> str:
    text = shorten(rewrite.text or "", 0, longest)
    return words.format(before=rewrite.before, after=rewrite.after, text=text, judged=judged)
