"""Open documents: what the editor holds, and what of it is prose."""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lsprotocol.types import TextDocumentContentChangeEvent, TextDocumentContentChangePartial

from tactful.documents.document import Document, Kind, document_of, kind_of
from tactful.service.lsp.lines import EditedText

KINDS: dict[str, Kind] = {
    **dict.fromkeys(("markdown", "mdx", "quarto", "rmd", "vimwiki"), "markdown"),
    **dict.fromkeys(("html", "xhtml", "htmldjango", "jinja-html"), "html"),
    **dict.fromkeys(("plaintext", "text", "txt"), "plain"),
    **dict.fromkeys(("restructuredtext", "rst"), "rst"),
}
"""What editors call a language -> what kind of document it is; others go by the file's ending."""
COMMITS = ("git-commit", "gitcommit")
LATEX = ("latex", "tex", "plaintex")

_DIRECTIVE = "tactful:"
_SCISSORS = re.compile(r"^# -+ >8 -+$.*", re.MULTILINE | re.DOTALL)
_GIT_COMMENT = re.compile(r"^#.*", re.MULTILINE)
_NO_PROSE = r"""cite\w*|\w*ref|label|usepackage|documentclass|input|include\w*|url|begin|end
    |bibliography\w*|newcommand|renewcommand|def|setlength|graphicspath|pagestyle"""
_PREAMBLE = re.compile(r"\A.*?(?=\\begin\{document\})", re.DOTALL)
_LATEX_COMMENT = re.compile(r"(?<!\\)%.*")
_ENVIRONMENTS = (
    "equation", "align", "gather", "verbatim", "lstlisting", "minted", "tikzpicture", "tabular",
    "array",
)  # fmt: skip
_FORMULA = re.compile(rf"\\begin\{{({'|'.join(_ENVIRONMENTS)})\*?\}}|\\\(|\\\[|(?<!\\)\$\$?")
"""Where a formula, a table or code begins."""
_FORMULA_ENDS = {
    **{name: re.compile(rf"\\end\{{{name}\*?\}}") for name in _ENVIRONMENTS},
    "\\(": re.compile(r"\\\)"), "\\[": re.compile(r"\\\]"),
    **dict.fromkeys(("$", "$$"), re.compile(r"\$\$?")),
}  # fmt: skip
"""Where it ends, by its name or by how it begins."""
# A bracket may never be closed: without a limit, each of many would be searched to the end.
_OPTIONS = r"\[[^\]]{0,500}\]"
_COMMANDS = (
    re.compile(rf"\\(?:{_NO_PROSE})\*?(?:{_OPTIONS})*(?:\{{[^{{}}]*\}})*", re.VERBOSE),
    re.compile(rf"\\[A-Za-z]+\*?(?:{_OPTIONS})?|\\[^A-Za-z]|[{{}}~]"),
)
_VISIBLE = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An open document at one moment."""

    uri: str
    language: str
    """What the editor calls its language."""
    version: int
    text: str

    @property
    def path(self) -> Path | None:
        """Its path on disk; None if it was never saved."""
        return path_of(self.uri)

    def read(self, text: str | None = None) -> Document:
        """Cut it, or another ``text`` in its place, into passages; places are those of the text."""
        source = self.text if text is None else text
        prose = prose_of(source, self.language)
        return document_of(prose, kind_for(self.language, self.path), self.path)


class OpenDocument:
    """A document while it is edited."""

    def __init__(self, uri: str, language: str, version: int, text: str, encoding: str):
        self.uri, self.language, self.version = uri, language, version
        self._text = EditedText(text, encoding)

    def change(self, changes: list[TextDocumentContentChangeEvent], version: int) -> None:
        """Apply the changes of one message, in their order."""
        for each in changes:
            if isinstance(each, TextDocumentContentChangePartial):
                self._text.change(each.range, each.text)
            else:
                self._text = EditedText(each.text, self._text.encoding)
        self.version = version

    def snapshot(self) -> Snapshot:
        """Return what it holds now."""
        return Snapshot(self.uri, self.language, self.version, str(self._text))


def path_of(uri: str) -> Path | None:
    """Return the path of a file's address; None for any other address."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return None
    path = unquote(parts.path)
    # file:///c%3A/letter.md is C:\letter.md.
    return Path(path[1:] if re.match(r"/[A-Za-z]:", path) else path)


def kind_for(language: str, path: Path | None) -> Kind:
    """Return what kind of document it is: by the editor's language, else by the file's ending."""
    by_ending = "plain" if path is None else kind_of(path)
    # Others cannot be read while they are being edited.
    return KINDS.get(language) or (by_ending if by_ending in KINDS.values() else "plain")


def prose_of(text: str, language: str) -> str:
    """Return a text of the same length with spaces where commit messages and LaTeX have no prose.

    Lines with directives to Tactful stay.
    """
    if language in COMMITS:
        return _GIT_COMMENT.sub(_blanked, _SCISSORS.sub(_blanked, text))
    if language in LATEX:
        text = _LATEX_COMMENT.sub(_blanked, _PREAMBLE.sub(_blanked, text))
        text = _without_formulas(text)
        for part in _COMMANDS:
            text = part.sub(_blanked, text)
    return text


def _without_formulas(text: str) -> str:
    """Blank formulas, tables and code of LaTeX, in linear time however many never end."""
    parts: list[str] = []
    endless: set[re.Pattern[str]] = set()
    at = 0
    while found := _FORMULA.search(text, at):
        ending = _FORMULA_ENDS[found[1] or found[0]]
        end = None if ending in endless else ending.search(text, found.end())
        if end is None:
            endless.add(ending)
            parts.append(text[at : found.end()])
            at = found.end()
        else:
            parts += text[at : found.start()], _blank(text[found.start() : end.end()])
            at = end.end()
    return "".join((*parts, text[at:]))


def _blanked(found: re.Match[str]) -> str:
    return _blank(found[0])


def _blank(piece: str) -> str:
    lines = piece.splitlines(keepends=True)
    return "".join(
        line
        if _DIRECTIVE in line and line.lstrip().startswith(("#", "%"))
        else _VISIBLE.sub(" ", line)
        for line in lines
    )
