"""Bodies that are made to cost much: fragments that parsers and tokenizers find hard, put together.

Both the slow search for the worst one and the benchmark use them.
"""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

CUE = "00:00:01,000 --> 00:00:02,000\n"
FRAGMENTS = (
    # Marks of Markdown, alone, in pairs and unfinished.
    "`", "e`", "``` ", "~~~\n", "*", "*a", "**a", "a*", "_a ", "a_a", "~~", "[", "]", "[a", "[](",
    "[a](b", "[a][b] ", "![", "[a]: b\n", "> ", "\n> a\n", "- ", "* a\n", "+ a\n ", "1. ", "# a\n",
    "a\n===\n", "|a", "|a|b|\n|-|-|\n", "---\n", "---\na: b\n", "a  \n", "a\\\n", "\\`",
    # Tags and entities of HTML.
    "<", "<a", "<a ", "<a b='", '<a b="', "</a", "<b>", "<div>", "<p>", "<br>", "<li>", "<script>",
    "</script>", "<!--", "-->", "<!A", "<?", "<table><tr><td>", "<p style='display:", "<a hidden ",
    "&", "&a", "&amp;", "&#1", "&#x1;",
    # Blocks of reStructuredText, and cues and tags of subtitles.
    ".. ", ".. a::\n", ".. |a| ", ".. [1] ", "..\n\n", "a::\n\n  ", "`a`_ ", "``a", ":a:`", "a_ ",
    "+ ab\n- ab\n", ":a: b\n", "  a\n", "=== ===\n", "+--+\n|  |\n", "a\n  b\n", "\n\n1\n",
    f"\n\n{CUE}", f"\n\n{CUE}Idiot. ", "NOTE\n", "<v A>", "{\\an8}", "<00:01.000>",
    # What writers wave through.
    "tactful: ignore\n", "tactful: ignore-start\n\n", "tactful: ignore-end\n\n",
    "tactful: ignore a,b,c\n", "# tactful: ignore a.", "<!-- tactful: ignore -->",
    "<!-- tactful: ignore-start -->\n\na\n\n", "<!-- tactful: ignore xx -->a\n\n",
    # Characters: marks over letters, unseen ones, other alphabets, emoji.
    "\u0301", "a\u0301", "\u200b", "a\u200bb", "\u202e", "\u05d0 ", "\u0430a", "\ufb01", "\u2160",
    "\U0001d41a", "\u5b57", "\u3002", "\U0001f469\u200d\U0001f467 ", "\U0001f1ea\U0001f1f8",
    "\ufe0f", "\xad", "\u1d00a ",
    # Words, sentences and lines: very long, very many.
    "a", "0", "x" * 90 + " ", "a ", "a. ", "A. ", "Mr. ", "? ", "...", "a\n", "a\n\n", "a\r\n\r\n",
    "http://a", "www.", "@a ", "a'a", "1 ", "q7z ",
    # Sentences of one word, in one passage and in many, which are also read alone.
    "No. ", "A! ", "Idiot. ", "You idiot.\n\n", "You idiot.\n",
    # Quotations and brackets: closed, nested, and never closed.
    '"', "\u201c", "\u201d", "\u201ca ", "\u201ca\u201d ", "\xaba \u201eb", " 'a b",
    " \u2018a\u2019b", "'a", "(", ")", "([{<", "\u201cIdiot!\u201d ",
    'He said "you idiot" to them.\n\n',
    # Terms, alone and quoted.
    "wheelchair-bound ", "The crippled. ", '"the blind" ', 'chairman "a" ',
    # What is found, so that words are marked and statements are written.
    "You people are too stupid to learn anything, so shut up. ",
    "Women like you should stay at home.\n\n",
    "Los inmigrantes no se integran y nos quitan las ayudas. ",
)  # fmt: skip
"""The seeds."""


@dataclass(frozen=True)
class Recipe:
    """How a body is put together: fragments, how often each is repeated, and what grows."""

    fragments: tuple[str, ...]
    runs: tuple[int, ...]
    growing: bool = False
    """Whether each round repeats its fragments once more than the last one did."""
    numbered: bool = False
    """Whether rounds are numbered, so that nothing is read only once."""

    def body(self, length: int) -> str:
        """Return the text, cut to a number of bytes of UTF-8."""
        parts: list[str] = []
        size = turn = 0
        while size < length:
            turn += 1
            for fragment, run in zip(self.fragments, self.runs, strict=True):
                # At least once: a body of nothing would never be long enough.
                parts.append(fragment * max(run + turn * self.growing, 1))
                size += len(parts[-1])
            if self.numbered:
                parts.append(f"{turn} ")
                size += len(parts[-1])
        return "".join(parts).encode("utf-8")[:length].decode("utf-8", "ignore")


def seeds() -> list[Recipe]:
    """Return one recipe for each fragment, and the ones that were found to cost much before."""
    alone = [Recipe((fragment,), (1,)) for fragment in FRAGMENTS]
    return [
        Recipe(("e", "`"), (1, 0), growing=True),
        Recipe(("[", "]"), (39, 39)),
        Recipe(("[", "a", "](b)"), (39, 1, 39)),
        Recipe(("tactful: ignore-start\n\n", "a\n\n"), (40, 90)),
        Recipe(("q7z ",), (1,), numbered=True),
        Recipe((FRAGMENTS[-3],), (2,), numbered=True),
        Recipe((FRAGMENTS[-1],), (2,), numbered=True),
        *alone,
    ]


def changed(recipe: Recipe, chance: random.Random) -> Recipe:
    """Return a recipe that differs a little."""
    fragments, runs = list(recipe.fragments), list(recipe.runs)
    match chance.randrange(5):
        case 0 if len(fragments) < 4:
            at = chance.randrange(len(fragments) + 1)
            fragments.insert(at, chance.choice(FRAGMENTS))
            runs.insert(at, chance.choice((1, 1, 2, 5, 30)))
        case 1 if len(fragments) > 1:
            at = chance.randrange(len(fragments))
            del fragments[at], runs[at]
        case 2:
            fragments[chance.randrange(len(fragments))] = chance.choice(FRAGMENTS)
        case 3:
            runs[chance.randrange(len(runs))] = chance.choice((1, 2, 5, 30, 200))
        case _:
            return replace(recipe, growing=chance.random() < 0.3, numbered=chance.random() < 0.5)
    return replace(recipe, fragments=tuple(fragments), runs=tuple(runs))


@dataclass(frozen=True)
class Route:
    """A path, how a text is sent to it, and what a request to it may cost."""

    name: str
    path: str
    length: int
    """The longest text, in bytes."""
    most_seconds: float
    """CPU seconds that a request may take."""
    request: Callable[[str], dict[str, Any]]


def _comment(text: str, **fields: Any) -> dict[str, Any]:
    return {
        "comment": {"text": text or "a"},
        "requestedAttributes": {"TOXICITY": {}, "STEREOTYPE": {}, "PATRONIZING": {}},
        "dropUnsupportedAttributes": True,
        **fields,
    }


def _documents(kind: str, lang: str = "en", **fields: Any) -> Callable[[str], dict[str, Any]]:
    return lambda text: {"text": text or "a", "kind": kind, "lang": lang, **fields}


def _notebook(text: str) -> dict[str, Any]:
    """Return a notebook of one cell."""
    cell = {"cell_type": "markdown", "metadata": {}, "source": [text]}
    data = json.dumps({"cells": [cell], "nbformat": 4}, ensure_ascii=False)
    return {"text": data, "kind": "notebook", "lang": "en"}


_EVERYTHING: dict[str, Any] = {"least": 0.0, "terms": "all", "quotes": "label"}
"""Everything is reported, with its words and its explanation."""


COMMENT_SECONDS, DOCUMENT_SECONDS = 0.3, 2.0
ANALYZE, CHECK = "/v1alpha1/comments:analyze", "/v1/check"
ROUTES = (
    Route("comment", ANALYZE, 20_480, COMMENT_SECONDS, lambda t: _comment(t, languages=["en"])),
    Route(
        "comment with spans, both languages", ANALYZE, 20_480, COMMENT_SECONDS,
        lambda t: _comment(t, spanAnnotations=True),
    ),
    Route("comment in Spanish", ANALYZE, 20_480, COMMENT_SECONDS,
          lambda t: _comment(t, languages=["es"])),
    Route("plain document", CHECK, 50_000, DOCUMENT_SECONDS, _documents("plain")),
    Route("Markdown document", CHECK, 50_000, DOCUMENT_SECONDS, _documents("markdown")),
    Route("HTML document", CHECK, 50_000, DOCUMENT_SECONDS, _documents("html")),
    Route("reStructuredText", CHECK, 50_000, DOCUMENT_SECONDS, _documents("rst")),
    Route("subtitles", CHECK, 49_900, DOCUMENT_SECONDS,
          lambda t: _documents("subtitles")(f"1\n{CUE}{t}")),
    Route("notebook", CHECK, 24_000, DOCUMENT_SECONDS, _notebook),
    Route("short plain document", CHECK, 8_000, DOCUMENT_SECONDS, _documents("plain")),
    Route("Spanish document", CHECK, 12_000, DOCUMENT_SECONDS, _documents("plain", "es")),
    Route("document with all that may be found", CHECK, 12_000, DOCUMENT_SECONDS,
          _documents("plain", **_EVERYTHING)),
    Route("Spanish document with all that may be found", CHECK, 12_000, DOCUMENT_SECONDS,
          _documents("plain", "es", **_EVERYTHING)),
    Route("report", "/v1/report", 12_000, DOCUMENT_SECONDS, _documents("markdown")),
    Route("one text", "/v1/score", 50_000, COMMENT_SECONDS * 2,
          lambda t: {"texts": [t], "lang": "en"}),
    Route("many texts", "/v1/score", 60_000, DOCUMENT_SECONDS,
          lambda t: {"texts": [t[at : at + 400] for at in range(0, len(t), 400)], "lang": "en"}),
    Route("frames", "/v1/frame", 12_000, DOCUMENT_SECONDS,
          lambda t: {"texts": [t[at : at + 240] for at in range(0, len(t), 240)], "lang": "en"}),
    Route("rewrite", "/v1/rewrite", 12_000, DOCUMENT_SECONDS,
          lambda t: {"text": t or "a", "lang": "en", "least": 0.0}),
    Route("moderation", "/v1/moderations", 50_000, COMMENT_SECONDS * 2, lambda t: {"input": t}),
)  # fmt: skip
"""The routes that read texts; imports of annotations are no part of the service."""
