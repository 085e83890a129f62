"""Suggestions for each sentence with a finding, and rewrites by the user's own chat endpoint.

A rewrite is read by the same check as the sentence, compared with it, and only shown: it is never
put into a document.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from tactful.checking.advice import suggestions_for
from tactful.checking.chat import ChatEndpoint
from tactful.checking.checker import Checker
from tactful.checking.explanation import name_in
from tactful.checking.options import AUTO, DEFAULT_MODEL, CheckOptions
from tactful.checking.report import DocumentReport, Passage, Place, PlacedFinding
from tactful.checking.wording import Wording, spoken_or_english, wording
from tactful.detectors.load import DETECTORS
from tactful.documents.language import guess_language
from tactful.terms.lexicon import ROOT as TERM
from tactful.words import plain
from tactful.yaml_data import read_yaml

PROMPT_FILE = Path(__file__).with_name("rewrite_prompt.yaml")
LONGEST_SENTENCE = 2_000
"""Characters; a longer sentence is not sent."""
LEAST_GAIN = 0.1
"""How much lower the score of a rewrite must be for it to count as better."""
MOST_MOVES = 2
MOST_CHANGES = 5
"""How many changed names and numbers are listed."""
_MOST_GROWTH = 3
"""An answer longer than this many times its sentence is not a rewrite."""
_SHORTEST_LIMIT = 300
_READ_FOR_LANGUAGE = 20_000
_NUMBER = re.compile(r"\d(?:[\d.,:]{0,20}\d)?")
_WORD = re.compile(r"[^\W\d_][\w'\u2019-]{1,40}")
_BEFORE_WORD = " “‘«\"'(["  # noqa: RUF001
_ENDS = ".!?:…"
_QUOTES = {"“": "”", '"': '"', "«": "»", "'": "'", "‘": "’"}  # noqa: RUF001

Check = Callable[[str], DocumentReport]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence in which something was found, with what to write instead.

    Parameters
    ----------
    text
        The sentence as a reader sees it, on one line.
    kinds
        The ids that were found, with their probabilities, the highest first.
    words
        The marked words.
    suggestions
        Replacements for terms, then moves; the best first.
    passage
        The passage that it is a part of.
    place
        Where a check reports it: its first finding.
    findings
        What was found in it.
    lang
        The language of the suggestions.

    """

    text: str
    kinds: Mapping[str, float]
    words: tuple[str, ...]
    suggestions: tuple[str, ...]
    passage: Passage
    place: Place
    findings: tuple[PlacedFinding, ...]
    lang: str = "en"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What a chat endpoint wrote instead of a sentence, and how it compares.

    Parameters
    ----------
    text
        The rewrite; None where there is none that can be used.
    before, after
        The highest probability of what was found, in the sentence and in the rewrite.
    better
        Whether the rewrite has a clearly lower score and nothing new is found in it.
    found
        What the check finds in the rewrite, with probabilities.
    changes
        Names and numbers that differ, in words.
    problem
        Why there is no rewrite.

    """

    text: str | None = None
    before: float | None = None
    after: float | None = None
    better: bool = False
    found: Mapping[str, float] = field(default_factory=dict)
    changes: tuple[str, ...] = ()
    problem: str | None = None


def find_sentences(report: DocumentReport, report_lang: str = AUTO) -> list[Sentence]:
    """Return the sentences of a report in which something was found, with suggestions.

    Parameters
    ----------
    report
        The report of a check.
    report_lang
        The language of the suggestions; ``auto`` is that of the document.

    Returns
    -------
    list of Sentence
        The sentences in the order of the document.

    """
    lang = language_of(report) if report_lang == AUTO else report_lang
    said = wording(lang)
    return [
        _sentence(passage, piece, part, said)
        for passage, findings in report.by_passage()
        if findings
        for piece, part in _by_sentence(findings)
    ]


def language_of(report: DocumentReport) -> str:
    """Return the language of a document for which there is a wording; English if in doubt."""
    return spoken_or_english(guess_language(report.source[:_READ_FOR_LANGUAGE]) or "en")


def _by_sentence(
    findings: Sequence[PlacedFinding],
) -> Iterator[tuple[tuple[int, int], list[PlacedFinding]]]:
    """Yield the sentences of a passage with their findings; overlapping ones are joined."""
    found: dict[tuple[int, int], list[PlacedFinding]] = {}
    for finding in findings:
        found.setdefault(finding.within, []).append(finding)
    # What lies in a longer stretch is reported with it, so that no sentence comes twice.
    merged: dict[tuple[int, int], list[PlacedFinding]] = {}
    for piece in sorted(found, key=lambda each: (each[0], -each[1])):
        last = next(reversed(merged), None)
        if last is not None and piece[0] < last[1]:
            both = merged.pop(last) + found[piece]
            merged[last[0], max(last[1], piece[1])] = both
        else:
            merged[piece] = list(found[piece])
    yield from merged.items()


def _sentence(
    passage: Passage, piece: tuple[int, int], findings: Sequence[PlacedFinding], said: Wording
) -> Sentence:
    kinds = dict(sorted(_kinds(findings).items(), key=lambda each: -each[1]))
    spans = sorted(
        {(s.start, s.end): s for each in findings for s in each.spans}.values(),
        key=lambda each: each.start,
    )
    words = tuple(dict.fromkeys(plain(each.words) for each in spans))
    text = plain(passage.text[piece[0] : piece[1]])
    replacements = [
        said.reporting.instead_of.format(
            words=said.quoted(plain(span.words) for span in each.spans),
            quotes=said.quoted(each.suggestions),
        )
        for each in findings
        if each.suggestions
    ]
    others = [kind for kind in kinds if kind.partition(".")[0] != TERM]
    moves = suggestions_for(others, text, words, said.lang, most=MOST_MOVES) if others else ()
    return Sentence(
        text,
        kinds,
        words,
        tuple(dict.fromkeys([*replacements, *moves])),
        passage,
        findings[0].place,
        tuple(findings),
        said.lang,
    )


def _kinds(findings: Sequence[PlacedFinding]) -> dict[str, float]:
    kinds: dict[str, float] = {}
    for each in (kind for finding in findings for kind in finding.kinds):
        kinds[each.id] = max(each.probability, kinds.get(each.id, 0.0))
    return kinds


def sentence_check(options: CheckOptions, lang: str) -> Check:
    """Return the check that reads a sentence and its rewrite with the options of a document.

    Parameters
    ----------
    options
        The options with which the document was checked.
    lang
        The language of the document: a single sentence is too short to tell.

    """
    checker = Checker(sentence_options(options, lang))
    return checker.check


def sentence_options(options: CheckOptions, lang: str) -> CheckOptions:
    """Return the options of a check for one of its sentences."""
    options = replace(options, all_scores=True, explanations=False, frames="off")
    if options.lang != AUTO or options.model not in DETECTORS:
        return options
    # As in a check: a model that does not read a language leaves it to the default.
    return replace(options, lang=lang, model=options.model if lang == "en" else DEFAULT_MODEL)


def ask_for_rewrite(chat: ChatEndpoint, sentence: Sentence) -> Rewrite:
    """Ask for a rewrite of a sentence.

    Parameters
    ----------
    chat
        The endpoint, which gets the sentence, what was found in it and the suggestions.
    sentence
        The sentence.

    Returns
    -------
    Rewrite
        The answer on one line, not compared yet; or the problem.

    """
    if len(sentence.text) > LONGEST_SENTENCE:
        return Rewrite(
            problem=f"The sentence has {len(sentence.text):,} characters; only up to "
            f"{LONGEST_SENTENCE:,} are sent."
        )
    prompt = _prompt()
    filled = Template(prompt["user"]).substitute(
        sentence=sentence.text,
        kinds=", ".join(map(name_in, sentence.kinds)),
        advice=" ".join(sentence.suggestions),
    )
    messages = [
        {"role": "system", "content": prompt["system"]},
        {"role": "user", "content": filled},
    ]
    answer = _unquoted(plain(chat.complete(messages, prompt["max_tokens"])))
    if not any(char.isalnum() for char in answer):
        return Rewrite(problem="The endpoint returned an empty answer.")
    if answer.casefold() == sentence.text.casefold():
        return Rewrite(problem="The endpoint returned the sentence unchanged.")
    if sentence.text.casefold().rstrip(".!?") in answer.casefold():
        return Rewrite(problem="The endpoint repeated the sentence among other words.")
    limit = max(_MOST_GROWTH * len(sentence.text), _SHORTEST_LIMIT)
    if len(answer) > limit:
        return Rewrite(
            problem=f"The endpoint returned {len(answer):,} characters, too many for a rewrite of "
            f"{len(sentence.text):,}."
        )
    return Rewrite(answer)


def compared(
    sentence: Sentence, rewrite: Rewrite, before: DocumentReport, after: DocumentReport
) -> Rewrite:
    """Return a rewrite with what the same check says of it and of the sentence.

    Parameters
    ----------
    sentence, rewrite
        The sentence, and the answer of the endpoint.
    before, after
        The check of each by itself, with all scores.

    """
    if rewrite.text is None:
        return rewrite
    then, now = _kinds(before.findings), _kinds(after.findings)
    ids = {*sentence.kinds, *then, *now}
    old, new = _highest(before, ids), _highest(after, ids)
    nothing_new = set(now) <= {*sentence.kinds, *then}
    return replace(
        rewrite,
        before=round(old, 4),
        after=round(new, 4),
        better=nothing_new and new <= old - LEAST_GAIN,
        found=dict(sorted(now.items(), key=lambda each: -each[1])),
        changes=tuple(changed_facts(sentence.text, rewrite.text)),
    )


def rewrite_sentence(chat: ChatEndpoint, sentence: Sentence, check: Check) -> Rewrite:
    """Ask for a rewrite of a sentence and compare it by the same check.

    Parameters
    ----------
    chat
        The endpoint.
    sentence
        The sentence.
    check
        Reads both; see :func:`sentence_check`.

    Returns
    -------
    Rewrite
        The rewrite with both scores, or the problem. It is never applied.

    """
    rewrite = ask_for_rewrite(chat, sentence)
    if rewrite.text is None:
        return rewrite
    return compared(sentence, rewrite, check(sentence.text), check(rewrite.text))


def changed_facts(before: str, after: str) -> list[str]:
    """Name the numbers and names that differ between a sentence and its rewrite.

    >>> changed_facts("In May, Ana fed 30 cats.", "In May she fed 31 cats.")
    ["'30' is missing", "'31' is new", "'Ana' is missing"]
    """
    old, new = Counter(_NUMBER.findall(before)), Counter(_NUMBER.findall(after))
    found = [f"'{each}' is missing" for each in old - new]
    found += [f"'{each}' is new" for each in new - old]
    found += [f"'{each}' is missing" for each in _names(before) if each not in _words(after)]
    found += [f"'{each}' is new" for each in _names(after) if each not in _words(before)]
    return found[:MOST_CHANGES]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text))


def _names(text: str) -> Iterator[str]:
    """Yield each word with a capital that does not begin a sentence, once."""
    seen: set[str] = set()
    for found in _WORD.finditer(text):
        start = text[max(found.start() - 9, 0) : found.start()].rstrip(_BEFORE_WORD)[-1:]
        if found[0][0].isupper() and start and start not in _ENDS and found[0] not in seen:
            seen.add(found[0])
            yield found[0]


def rewrite_as_json(rewrite: Rewrite | None) -> dict[str, Any] | None:
    """Return a rewrite as plain data; None where none was asked for."""
    if rewrite is None:
        return None
    return {
        "text": rewrite.text,
        "score_before": rewrite.before,
        "score_after": rewrite.after,
        "better": rewrite.better,
        "found": {name: round(value, 4) for name, value in rewrite.found.items()},
        "changes": list(rewrite.changes),
        "problem": rewrite.problem,
    }


def sentence_as_json(sentence: Sentence, rewrite: Rewrite | None) -> dict[str, Any]:
    """Return a sentence and its rewrite as plain data."""
    place = sentence.place
    return {
        "line": place.line,
        "column": place.column,
        "text": sentence.text,
        "kinds": {name: round(value, 4) for name, value in sentence.kinds.items()},
        "words": list(sentence.words),
        "suggestions": list(sentence.suggestions),
        "rewrite": rewrite_as_json(rewrite),
    }


def _highest(report: DocumentReport, ids: set[str]) -> float:
    scores = [
        value
        for passage in report.passages
        for name, value in (passage.probabilities or {}).items()
        if name in ids
    ]
    return max([*scores, *_kinds(report.findings).values()], default=0.0)


def _unquoted(answer: str) -> str:
    """Return an answer without the quotation marks that some models put around it."""
    if len(answer) > 1 and _QUOTES.get(answer[0]) == answer[-1]:
        return answer[1:-1].strip()
    return answer


@cache
def _prompt() -> Mapping[str, Any]:
    found: Mapping[str, Any] = read_yaml(PROMPT_FILE)
    return found
