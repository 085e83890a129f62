"""Why something was found, in plain words.

:func:`explain_finding` says in at most 40 words what this text does: the words, who is spoken of
and what a reader may take from it. :func:`explain` is the long form: what a category means, how
sure Tactful is, and when it is not this.

The words are those of the taxonomies. Their files are read here without validation, which takes
longer than the rest of a short check; the tests of the taxonomies validate them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.checking.confidence import REPORTED
from tactful.checking.wording import WORDINGS, Explaining, Wording, in_or_english, wording
from tactful.errors import UsageError
from tactful.types import Frame, Span
from tactful.words import cut_words, plain
from tactful.yaml_data import read_yaml

if TYPE_CHECKING:
    from tactful.checking.cues import FoundCue
    from tactful.checking.report import DocumentReport, Kind, PlacedFinding

_TAXONOMIES = Path(__file__).parents[1] / "taxonomies"
_EXPLAINED = ("pcl", "unhealthy", "frame", "stereotype", "toxicity", "term")

MOST_QUOTES = 3
QUOTE_LENGTH = 60
"""Longer pieces are cut at a word: the report shows them whole, in their place."""

MOST_WORDS = 40
"""The maximum number of words of a short explanation; the cues' schema allows for quotations."""
QUOTED_WORDS = 8
"""How many words of the text a short explanation quotes."""
STATEMENT_WORDS = 12
STATEMENT_LENGTH = 100
_VERBS = ("are", "is", "have", "has", "can", "can't", "cannot", "do", "don't", "should", "will")
"""The first words of statements that leave out their group."""


def explain_finding(
    kinds: Mapping[str, float],
    text: str,
    words: Sequence[str],
    lang: str = "en",
    frame: Frame | None = None,
    *,
    experimental: bool = False,
) -> str:
    """Say in at most 40 words what a text does: with which words, to whom, and to what effect.

    Parameters
    ----------
    kinds
        The ids of the finding and how sure each is; see :func:`gravest_first`.
    text
        The sentence.
    words
        The marked words of the sentence, in their order; empty if no words stand out.
    lang
        The language of the explanation, ``en`` or ``es``; the sentence can be in either.
    frame
        What the sentence may imply, if known: its groups and its first statement are used.
    experimental
        Whether to add that the finding is experimental.

    Returns
    -------
    str
        One sentence, or two for an experimental finding; always the same for the same input.

    Examples
    --------
    >>> explain_finding({"pcl": 0.9}, "Even old people can learn to use it.", ["can learn to use"])
    '“can learn to use” suggests that old people could not do so before, or not without help.'

    """
    for name, probability in kinds.items():
        _check_probability(name, probability)
    said = wording(lang)
    found = _best_cue(gravest_first(kinds), text, words)
    quotes = [_quote(found.quote, text, words)] if found.quote else _marked(words)
    parts = [_subject(said, quotes), _predicate(said, found, quotes, text, frame)]
    if experimental:
        parts.append(said.explaining.tried)
    return " ".join(parts)


def explanation_of(finding: "PlacedFinding", lang: str = "en") -> str:
    """Return what is said about a finding of a check."""
    words = [span.words for span in finding.spans]
    kinds = {kind.id: kind.confidence for kind in finding.kinds}
    return explain_finding(kinds, finding.text, words, lang, finding.frame)


def _best_cue(kinds: Sequence[str], text: str, words: Sequence[str]) -> "FoundCue":
    from tactful.checking.cues import find_cues  # when something was found, which is rare

    # Where words are marked, a cue elsewhere in the sentence would not explain them.
    cues = find_cues(kinds, text, words)
    return next(each for each in cues if each.marked or not (each.quote and any(words)))


def _quote(cue: str, text: str, words: Sequence[str]) -> str:
    """Return the marked words around a cue, unless they are most of the sentence."""
    length = len(plain(text))
    for piece in map(plain, words):
        fits = len(piece.split()) <= QUOTED_WORDS and len(piece) <= 0.8 * length
        if fits and cue.lower() in piece.lower():
            return piece
    return cue


def _marked(words: Sequence[str]) -> list[str]:
    """Return the marked pieces, each once, up to the limit of an explanation."""
    pieces: list[str] = []
    left = QUOTED_WORDS
    for piece in dict.fromkeys(map(plain, words)):
        if not piece or (pieces and len(piece.split()) > left):
            continue
        pieces.append(piece)
        left -= len(piece.split())
        if left <= 0 or len(pieces) >= MOST_QUOTES:
            break
    return pieces


def _subject(said: Wording, quotes: Sequence[str]) -> str:
    short = [said.quote(cut_words(quote, QUOTED_WORDS, QUOTE_LENGTH)) for quote in quotes]
    if not short:
        return said.explaining.this_sentence
    if len(short) == 1:
        return short[0]
    return said.explaining.these_words.format(quotes=said.joined(short))


def _predicate(
    said: Wording, found: "FoundCue", quotes: Sequence[str], text: str, frame: Frame | None
) -> str:
    from tactful.checking.people import in_plain_words, spoken_of

    reading = in_or_english(found.cue.reading, said.lang)
    statement = _statement(frame)
    if statement:
        group = spoken_of(text, quotes, said.lang, frame)
        statement = in_plain_words(statement)
        if statement.partition(" ")[0].lower() in _VERBS and said.lang == "en":
            statement = f"{group} {statement}"
        known = all(word in statement.lower() for word in group.lower().split())
        if said.lang != "en":  # statements are in English
            statement = said.quote(statement)
        reading = said.explaining.implied if known else said.explaining.implied_about
    else:
        addressed = "{you}" in reading
        group = spoken_of(text, quotes, said.lang, frame, addressed=addressed)
    s, n = ("s", "") if len(quotes) <= 1 else ("", "n")
    ending = s if said.lang == "en" else n
    return reading.format(s=s, n=n, ending=ending, group=group, you=group, statement=statement)


def _statement(frame: Frame | None) -> str:
    if frame is None:
        return ""
    said = [each.statement or "" for each in frame.implications] + list(frame.implied_statements)
    first = next((found for each in said if (found := plain(each))), "")
    return cut_words(first, STATEMENT_WORDS, STATEMENT_LENGTH).rstrip(".")


def explain(
    name: str,
    text: str,
    probability: float,
    spans: Sequence[Span] = (),
    lang: str = "en",
    *,
    experimental: bool = False,
) -> str:
    """Return one paragraph on the finding ``name`` of a text, always the same for the same input.

    ``spans`` are the words that carry it, and ``lang`` is the language of the paragraph, ``en`` or
    ``es``. What is ``experimental`` says so at the end. An id that no taxonomy of Tactful knows (a
    custom detector may have such) is explained by its words and its probability alone.
    """
    _check_probability(name, probability)
    words = wording(lang)
    said = words.explaining
    position, entry = taxonomy_entries(name.partition(".")[0], lang).get(name, (0, {}))
    sure, carried, whole, ask, unless = _wordings(said, position)
    scale = words.sureness(probability)
    parts = [
        entry.get("definition") or said.unknown.format(name=plain(name)),
        sure.format(sure=scale, Sure=scale.capitalize(), percent=words.percent(probability)),
    ]
    quotes = [words.quote(piece) for piece in quoted(text, spans)]
    parts.append(carried.format(quotes=words.joined(quotes)) if quotes else whole)
    # Two questions are enough to stop and think; the taxonomy has all of them.
    if entry.get("ask"):
        parts.append(ask.format(questions=" ".join(entry["ask"][:2])))
    if entry.get("not_when"):
        parts.append(unless.format(clause=said.or_when.join(entry["not_when"])))
    if experimental:
        parts.append(said.experimental)
    return " ".join(parts)


def _check_probability(name: str, probability: float) -> None:
    if not (isfinite(probability) and 0 <= probability <= 1):
        raise UsageError(
            f"Found {probability} as the probability of '{name}'; expected a number from 0 to 1."
        )


def _wordings(said: Explaining, position: int) -> list[str]:
    # Findings of one text are listed below each other: each entry of a taxonomy takes the next
    # wordings. After one round through a column the next one is a step ahead, so that no row
    # comes back.
    columns = (said.sure, said.carried, said.whole, said.ask, said.unless)
    turn = position // len(said.sure)
    return [each[(position + turn * at) % len(each)] for at, each in enumerate(columns)]


def quoted(text: str, spans: Sequence[Span]) -> list[str]:
    """Return the first few pieces of the text, each once, shortened and safe to print."""
    pieces = [_short(plain(span.cut(text))) for span in _in_order(spans)]
    return list(dict.fromkeys(piece for piece in pieces if piece))[:MOST_QUOTES]


def _in_order(spans: Sequence[Span]) -> list[Span]:
    return sorted(spans, key=lambda span: (span.start, span.end))


def _short(piece: str) -> str:
    if len(piece) <= QUOTE_LENGTH:
        return piece
    head = piece[:QUOTE_LENGTH]
    # Without a space near the end (a long link, Chinese), cutting inside is the only way.
    cut = head.rfind(" ")
    return (head[:cut] if cut > QUOTE_LENGTH // 2 else head) + " …"


@cache
def taxonomy_entries(
    taxonomy: str, lang: str = "en"
) -> Mapping[str, tuple[int, Mapping[str, Any]]]:
    """Return the place and the fields of each entry of a taxonomy; nothing for an unknown one.

    Names, definitions and questions are in ``lang``.
    """
    if taxonomy not in _EXPLAINED:
        return {}
    entries = _read_entries(f"{taxonomy}.yaml")
    said = {} if lang == "en" else {e["id"]: e for e in _read_entries(f"{lang}/{taxonomy}.yaml")}
    return {
        entry["id"]: (position, {**entry, **said.get(entry["id"], {})})
        for position, entry in enumerate(entries)
    }


@cache  # a default that is named and one that is not are two keys of the cache above
def _read_entries(file: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = read_yaml(_TAXONOMIES / file)["entries"]
    return entries


def entry_of(name: str, lang: str = "en") -> Mapping[str, Any]:
    """Return the fields of an id in its taxonomy; none for an id that no taxonomy has."""
    return taxonomy_entries(name.partition(".")[0], lang).get(name, (0, {}))[1]


def gravest_first(sure: Mapping[str, float]) -> list[str]:
    """Return the ids of a finding in the order in which they are reported.

    Of those that are sure enough to be reported by default, the gravest comes first; the others
    come by how sure they are. What implies its parent, as severe toxicity does, is a degree of it:
    it is as grave as its taxonomy says only where it is at least as sure as its parent and all
    other kinds of it, so that a plain insult is called an insult.

    >>> gravest_first({"toxicity.insult": 0.9, "toxicity.threat": 0.6})
    ['toxicity.threat', 'toxicity.insult']
    >>> gravest_first({"toxicity.insult": 0.9, "toxicity.threat": 0.4})
    ['toxicity.insult', 'toxicity.threat']
    """
    return sorted(sure, key=lambda name: (-_severity(name, sure), -sure[name]))


def _severity(name: str, sure: Mapping[str, float]) -> int:
    entry = entry_of(name)
    parent = entry.get("parent", "") if entry.get("implies_parent", True) else ""
    family = [
        value for each, value in sure.items() if parent and parent in (each, _parent_of(each))
    ]
    return int(entry.get("severity", 0)) if sure[name] >= max([REPORTED, *family]) else 0


def _parent_of(name: str) -> str:
    return str(entry_of(name).get("parent", ""))


def name_in(name: str, lang: str = "en") -> str:
    """Return what people call an id; a custom detector may have ids that no taxonomy has."""
    return str(entry_of(name, lang).get("name", name))


def in_language(report: "DocumentReport", lang: str) -> "DocumentReport":
    """Return the report with names and explanations in ``lang``.

    The wording of a custom detector stays as it is.
    """
    return replace(
        report,
        findings=tuple(
            replace(
                each,
                kinds=tuple(_in(kind, each.passage.text, lang) for kind in each.kinds),
                explanation=_said(each.explanation, lang, partial(explanation_of, each)),
            )
            for each in report.findings
        ),
    )


def _in(kind: "Kind", passage: str, lang: str) -> "Kind":
    spans = [Span(span.start, span.end) for span in kind.spans]

    def explained(language: str, experimental: bool) -> str:
        return explain(
            kind.id, passage, kind.confidence, spans, language, experimental=experimental
        )

    name = _said(kind.name, lang, lambda language: name_in(kind.id, language))
    explanation = kind.explanation
    # A kind does not say whether it is experimental; its explanation does.
    for experimental in (False, True) if explanation else ():
        explanation = _said(explanation, lang, partial(explained, experimental=experimental))
    return replace(kind, name=name, explanation=explanation)


def _said(given: str, lang: str, ours: Callable[[str], str]) -> str:
    """Return what we say in ``lang``, if what is given is ours in any language.

    Our explanation of a finding is always the same, so we recognise it and keep others'.
    """
    wanted = ours(lang)
    # Most reports are in the language of their findings: the other files need not be opened.
    known = given == wanted or any(given == ours(each) for each in WORDINGS if each != lang)
    return wanted if known else given
