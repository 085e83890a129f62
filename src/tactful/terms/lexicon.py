"""The terms of a language: how their forms are written, loaded, and found in a text.

In the notation of forms and replacements, ``addict~/s`` is "addict" and "addicts". Alternatives
are separated by slashes, and all words of a form change together: the second alternative of one
word goes with the second of the others, and with the second of a replacement. A tilde joins a stem
to each ending. A single hyphen is an alternative that does not exist.

======================================  ============================================
``wheelchair-bound``                    one variant
``addict~/s``                           "addict", "addicts"
``commit~/s/ted/ting suicide``          four variants
``illegal alien~/s``                    "illegal alien", "illegal aliens"
``-/illegals``                          only the second variant
======================================  ============================================

The files of Tactful are read here without the schema, which costs more than the rest of a short
check; the tests of the terms prove that they keep it.

A text is passed over once by its words, with a closer look at the few that matter. A form is looked
up by its rarest word, so that "the" in "the blind" costs nothing. The work is linear in the length
of the text: a form has few words, and a guard looks a few words far.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import is_normalized, normalize

from tactful.registry import unknown_name
from tactful.yaml_data import read_yaml

FOLDER = Path(__file__).parent
LANGUAGES = ("en", "es")
LEVELS = ("avoid", "advice")
"""``avoid``: practically every guide agrees. ``advice``: a matter of context, audience or taste."""
KINDS = (
    "disability",
    "mental_health",
    "race",
    "gender",
    "sexuality",
    "migration",
    "age",
    "addiction",
    "suicide",
    "poverty",
    "body",
    "religion",
    "violence",
    "jargon",
)
"""The kinds of terms, in the order of the taxonomy; the id is ``term.KIND``."""
ROOT = "term"
IDS = tuple(f"{ROOT}.{kind}" for kind in KINDS)
OWN_SOURCE = "the project's own terms"
"""The source of a project's term that names none."""
_CLASSES = "word_classes.yaml"
WORD = re.compile("[\\w\u0300-\u036f]+")
"""A word; underscores belong to it, so that the parts of ``an_identifier`` are none."""
PLACEHOLDER = re.compile(r"\{([1-9])\}")
"""In a replacement, a word of the text by its number in the match: "accessible {2}"."""
NEXT = "{next}"
"""In a replacement, the word behind the term, which then belongs to what is replaced."""
ABSENT = "-"
LONGEST = 10
"""The most words of a form."""
NEAR = 8
"""How many words to each side a guard looks for words nearby."""
_CHUNK = 100
"""How many characters around a match are looked at for an address or a path."""
_GAPS = frozenset(" \t\n\r\u00a0-\u2010\u2011\u2013\u00ad'\u2019")
"""What may separate the words of a form: white space, a hyphen, an apostrophe."""
_LONGEST_GAP = 4
_MARKS = _GAPS | frozenset('"\u201c\u201d\u2018«»')
"""What may come between a term and the word that a guard looks for."""
_SENTENCE_ENDS = frozenset(".!?:;\u2026\n\u2022*|\u2014")
_OPENERS = "\"'\u201c\u2018«([¿¡ \t\u00a0"
_GOES_ON = ("(", "[", "{", "<", "`", "$")
_VERBS_AND_ADVERBS = {
    "en": ("ed", "ly"),
    "es": ("mente", "ó", "aron", "ieron", "aban", "ía", "ían"),
}
_COMMON = {
    "a", "an", "the", "of", "to", "in", "on", "for", "with", "and", "or", "by", "at", "from", "is",
    "are", "was", "were", "be", "has", "have", "had", "who", "that", "as", "their", "his", "her",
    "not", "no", "people", "person",
    "el", "la", "los", "las", "un", "una", "de", "del", "al", "en", "con", "por", "para", "y", "o",
    "que", "se", "es", "son", "su", "persona", "personas",
}  # fmt: skip
"""Words that a form is not looked up by if it has others."""


def variants(pattern: str) -> list[str | None]:
    """Return every variant of a form or a replacement; None for one that does not exist.

    Raises ``ValueError`` with what was expected where the notation is wrong.

    >>> variants("person/people who use~s/ drugs")
    ['person who uses drugs', 'people who use drugs']
    """
    parts = [_alternatives(part) for part in pattern.split()]
    numbers = {len(part) for part in parts if len(part) > 1}
    if not parts:
        raise ValueError("at least one word")
    if len(numbers) > 1:
        raise ValueError("the same number of alternatives in every word with slashes")
    number = numbers.pop() if numbers else 1
    rows = [[part[at] if len(part) > 1 else part[0] for part in parts] for at in range(number)]
    return [None if ABSENT in row else " ".join(row) for row in rows]


def _alternatives(part: str) -> list[str]:
    stem, tilde, endings = part.partition("~")
    if not tilde:
        found = part.split("/")
    elif "/" in stem:
        raise ValueError("one stem before '~', such as 'addict~/s'")
    else:
        found = [stem + ending for ending in endings.split("/")]
    if "" in found:
        raise ValueError("a word on both sides of a slash, or a stem and '~'")
    return found


@dataclass(frozen=True, slots=True)
class Guard:
    """What must be around a term so that it counts.

    Parameters
    ----------
    after, before
        One of these words must come directly before, or directly behind the term.
    not_after, not_before
        None of these words may come directly before, or directly behind it.
    near, not_near
        One of these words, or none of them, must be within eight words of it.
    noun
        The term must end its phrase: "the blind are", but not "the blind spot".
    lower
        The term must not be part of a name: a capital counts only where a sentence begins.

    """

    after: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    not_after: frozenset[str] = frozenset()
    not_before: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()
    not_near: frozenset[str] = frozenset()
    noun: bool = False
    lower: bool = False


GUARDS = tuple(Guard.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Term:
    """Words that guides advise against.

    Parameters
    ----------
    id
        What kind of term it is, such as ``term.disability``.
    forms
        The words, in the notation that the head of this module describes.
    replacements
        What to write instead, the best one first, in the same notation.
    reason
        Why, in one sentence.
    source
        The style guide.
    level
        ``avoid`` or ``advice``.
    guard
        What must be around it; None where it always counts.
    match, no_match
        Sentences in which it must, and must not, be found.

    """

    id: str
    forms: tuple[str, ...]
    replacements: tuple[str, ...]
    reason: str
    source: str
    level: str = LEVELS[0]
    guard: Guard | None = None
    match: tuple[str, ...] = ()
    no_match: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """The terms of one language, and what a project allows.

    Parameters
    ----------
    lang
        The language of the texts.
    terms
        The terms; where two have the same form, the later one counts.
    allow
        Words that are never reported: a form of a term, which allows its inflections as well, or
        a longer phrase or name that contains one.
    classes
        Lists of words that guards name, such as ``@person``.

    """

    lang: str
    terms: tuple[Term, ...]
    allow: tuple[str, ...] = ()
    classes: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def with_project(
        self, add: Sequence[Mapping[str, Any]] = (), allow: Sequence[str] = ()
    ) -> "Lexicon":
        """Return the lexicon with a project's own terms and the words that it allows.

        Parameters
        ----------
        add
            Tables with ``forms``, ``kind``, ``replacements`` and ``reason``, and optionally
            ``source``, ``level``, ``lang``, guards, ``match`` and ``no_match``. They must keep the
            schema (:func:`tactful.terms.schema.term_problems`). A table with a ``lang`` counts in
            that language only.
        allow
            Words that are never reported.

        """
        own = (each for each in add if each.get("lang", self.lang) == self.lang)
        terms = tuple(term_of({"source": OWN_SOURCE, **each}, self.classes) for each in own)
        return Lexicon(self.lang, self.terms + terms, (*self.allow, *allow), self.classes)


def load_terms(lang: str = "en") -> Lexicon:
    """Load the terms of a language.

    Parameters
    ----------
    lang
        ``en`` or ``es``.

    Returns
    -------
    Lexicon
        Its ``terms`` have ``id``, ``forms``, ``replacements``, ``reason``, ``source`` and
        ``level``.

    Examples
    --------
    >>> {term.level for term in load_terms("en").terms} == {"avoid", "advice"}
    True

    """
    if lang not in LANGUAGES:
        raise unknown_name("language of the terms", lang, list(LANGUAGES))
    return _built_in(lang)


@cache
def _built_in(lang: str) -> Lexicon:
    folder = FOLDER / lang
    classes = word_classes(read_yaml(folder / _CLASSES))
    terms = []
    for kind in KINDS:
        path = folder / f"{kind}.yaml"
        if path.exists():
            data = read_yaml(path)
            shared = {"kind": kind, "reasons": data.get("reasons"), "sources": data["sources"]}
            terms += [term_of({**shared, **entry}, classes) for entry in data["terms"]]
    return Lexicon(lang, tuple(terms), classes=classes)


def word_classes(data: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return the classes of words by name; a class may name others."""
    classes: dict[str, frozenset[str]] = {}
    for name, words in data.items():
        classes[name] = _expanded(words.split(), classes)
    return classes


def term_of(entry: Mapping[str, Any], classes: Mapping[str, frozenset[str]]) -> Term:
    """Return the term that an entry of a file, or a table of a project, describes."""
    given: dict[str, Any] = {
        name: entry[name] if isinstance(entry[name], bool) else _expanded(entry[name], classes)
        for name in GUARDS
        if name in entry
    }
    reason, source = entry["reason"], entry["source"]
    return Term(
        f"{ROOT}.{entry['kind']}",
        tuple(entry["forms"]),
        tuple(entry["replacements"]),
        (entry.get("reasons") or {}).get(reason, reason),
        (entry.get("sources") or {}).get(source, source),
        entry.get("level", LEVELS[0]),
        Guard(**given) if given else None,
        tuple(entry.get("match", ())),
        tuple(entry.get("no_match", ())),
    )


def _expanded(words: Sequence[str], classes: Mapping[str, frozenset[str]]) -> frozenset[str]:
    found: set[str] = set()
    for word in words:
        found |= classes[word[1:]] if word.startswith("@") else {word.casefold()}
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class TermMatch:
    """A term in a text.

    Parameters
    ----------
    id
        What kind of term it is, such as ``term.disability``.
    start, end
        Half-open offsets in code points.
    words
        The words of the text, ``text[start:end]``.
    replacements
        What to write instead, the best one first: inflected, and with capitals, as in the text. An
        article that has to change belongs to the words and to the replacements.
    reason
        Why, in one sentence.
    source
        The style guide.
    level
        ``avoid`` or ``advice``.

    """

    id: str
    start: int
    end: int
    words: str
    replacements: tuple[str, ...]
    reason: str
    source: str
    level: str


def find_terms(
    text: str, lang: str = "en", terms: Lexicon | None = None, *, level: str = "advice"
) -> list[TermMatch]:
    """Find the terms in a text.

    Where terms overlap, the leftmost and then the longest one counts.

    Parameters
    ----------
    text
        The text.
    lang
        Its language, ``en`` or ``es``; not used with ``terms``.
    terms
        The terms to look for; None for those of Tactful.
    level
        ``advice`` for all terms, ``avoid`` for those that practically every guide agrees on.

    Returns
    -------
    list of TermMatch
        The matches in the order of the text.

    Examples
    --------
    >>> [match.words for match in find_terms("She is wheelchair-bound.")]
    ['wheelchair-bound']

    """
    return _matcher(terms or load_terms(lang), level).find(text)


class _Form(NamedTuple):
    """One variant of one form, ready to be compared with the words of a text."""

    words: tuple[str, ...]
    anchor: int
    """Which of the words it is looked up by."""
    term: Term | None
    """None for words that a project allows."""
    variant: int
    order: int
    """Where two forms cover the same words, the later one counts."""


class _Text(NamedTuple):
    """A text with the places and the folded form of its words."""

    text: str
    spans: list[tuple[int, int]]
    words: list[str]

    def gap(self, at: int) -> str:
        """Return what is between a word and the next one, of bounded length."""
        start = self.spans[at][1]
        return self.text[start : min(self.spans[at + 1][0], start + _LONGEST_GAP + 1)]

    def joined(self, first: int, end: int) -> bool:
        """Return whether the words from ``first`` to before ``end`` are one phrase."""
        return all(
            _GAPS.issuperset(gap := self.gap(at)) and len(gap) <= _LONGEST_GAP
            for at in range(first, end - 1)
        )

    def before(self, first: int) -> str | None:
        """Return the word directly before a match; None where there is none in its phrase."""
        return self.words[first - 1] if first and self._adjacent(first - 1) else None

    def behind(self, end: int) -> str | None:
        """Return the word directly behind a match; None where there is none in its phrase."""
        return self.words[end] if end < len(self.words) and self._adjacent(end - 1) else None

    def _adjacent(self, at: int) -> bool:
        gap = self.gap(at)
        return _MARKS.issuperset(gap) and len(gap) <= _LONGEST_GAP


class _Matcher:
    """The forms of a lexicon, by the word that they are looked up by."""

    def __init__(self, lexicon: Lexicon, level: str):
        self._lang = lexicon.lang
        self._follow = lexicon.classes.get("after_noun", frozenset())
        self._by_word: dict[str, list[_Form]] = {}
        for form in _forms(lexicon):
            if form.term is None or level in ("advice", form.term.level):
                self._by_word.setdefault(form.words[form.anchor], []).append(form)

    def find(self, text: str) -> list[TermMatch]:
        """Return the matches in a text, in its order."""
        folded = _folded(text)
        words = WORD.findall(folded)
        if self._by_word.keys().isdisjoint(words):
            return []
        spans = [found.span() for found in WORD.finditer(text)]
        if len(words) != len(spans) or len(folded) != len(text):  # such as ß, or two code points
            words = [_folded(text[start:end]) for start, end in spans]
        read = _Text(text, spans, words)
        # A project's own term comes after those of Tactful, and what it allows after all terms.
        found = sorted(self._candidates(read), key=lambda each: (each[0], -each[1], -each[2].order))
        matches: list[TermMatch] = []
        free = 0
        for first, end, form in found:
            if first >= free:
                free = end
                if form.term is not None:
                    matches.append(self._match(read, first, end, form, form.term))
                    free += read.spans[end - 1][1] < matches[-1].end
        return matches

    def _candidates(self, read: _Text) -> Iterable[tuple[int, int, _Form]]:
        words, by_word = read.words, self._by_word
        for at in [at for at, word in enumerate(words) if word in by_word]:
            for form in by_word[words[at]]:
                first = at - form.anchor
                end = first + len(form.words)
                if (
                    first >= 0
                    and tuple(words[first:end]) == form.words
                    and read.joined(first, end)
                    and not _in_address(read, first, end)
                    and (form.term is None or self._passes(form.term.guard, read, first, end))
                ):
                    yield first, end, form

    def _passes(self, guard: Guard | None, read: _Text, first: int, end: int) -> bool:
        if guard is None:
            return True
        before, behind = read.before(first), read.behind(end)
        if (
            (guard.after and before not in guard.after)
            or (guard.before and behind not in guard.before)
            or before in guard.not_after
            or behind in guard.not_before
            or (guard.noun and not self._ends_phrase(read, end, behind))
            or (guard.lower and _in_name(read, first, end))
        ):
            return False
        if guard.near or guard.not_near:
            around = {*read.words[max(0, first - NEAR) : first], *read.words[end : end + NEAR]}
            if guard.near and guard.near.isdisjoint(around):
                return False
            return guard.not_near.isdisjoint(around)
        return True

    def _ends_phrase(self, read: _Text, end: int, behind: str | None) -> bool:
        if behind is None:  # a bracket or a piece of code goes on with the phrase
            stop = read.spans[end - 1][1]
            return read.text[stop : stop + 2].strip()[:1] not in _GOES_ON
        # A verb in the past follows a noun, and so do adverbs: the elderly asked, mostly.
        return behind in self._follow or behind.endswith(_VERBS_AND_ADVERBS[self._lang])

    def _match(self, read: _Text, first: int, end: int, form: _Form, term: Term) -> TermMatch:
        own = [read.text[slice(*span)] for span in read.spans[first:end]]
        behind = ""
        if any(NEXT in each for each in term.replacements) and read.behind(end) is not None:
            behind = read.text[slice(*read.spans[end])]
            end += 1
        plain = [
            PLACEHOLDER.sub(lambda found: own[int(found[1]) - 1], _variant(each, form.variant))
            for each in term.replacements
        ]
        start, stop = read.spans[first][0], read.spans[end - 1][1]
        before = read.spans[first - 1][0] if read.before(first) else start
        from tactful.terms.agreement import fitted  # most texts have no term

        start, replacements = fitted(
            read.text,
            self._lang,
            (before, start, stop),
            [each.replace(NEXT, behind).strip() for each in plain],
        )
        return TermMatch(
            term.id,
            start,
            stop,
            read.text[start:stop],
            replacements,
            term.reason,
            term.source,
            term.level,
        )


@lru_cache(maxsize=16)
def _matcher(lexicon: Lexicon, level: str) -> _Matcher:
    return _Matcher(lexicon, level)


def _forms(lexicon: Lexicon) -> Iterable[_Form]:
    """Yield the forms of all terms, and then what is allowed."""
    allowed = [_words(each) for each in lexicon.allow]
    order = 0
    for term in lexicon.terms:
        for pattern in term.forms:
            every = [None if each is None else _words(each) for each in variants(pattern)]
            permitted = any(words in allowed for words in every)
            for variant, words in enumerate(every):
                if words:
                    for spelled in _spellings(words):
                        order += 1
                        owner = None if permitted else term
                        yield _Form(spelled, _anchor(spelled), owner, variant, order)
    for words in allowed:
        if words:
            yield _Form(words, _anchor(words), None, 0, order + 1)


def _words(phrase: str) -> tuple[str, ...]:
    return tuple(WORD.findall(_folded(phrase)))


def _spellings(words: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """Yield the words, and the same without accents, as many people type them."""
    yield words
    plain = tuple(word.translate(_ACCENTS) for word in words)
    if plain != words:
        yield plain


_ACCENTS = str.maketrans("áéíóúü", "aeiouu")


def _anchor(words: tuple[str, ...]) -> int:
    """Return which word a form is looked up by: the longest that is not a common one."""
    return max(range(len(words)), key=lambda at: (words[at] not in _COMMON, len(words[at]), -at))


def _variant(replacement: str, number: int) -> str:
    found = variants(replacement)
    return (found[number] if len(found) > 1 else found[0]) or ""


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    folded = text.casefold()
    return folded if is_normalized("NFC", folded) else normalize("NFC", folded)


def _in_address(read: _Text, first: int, end: int) -> bool:
    """Return whether a match is part of an address, a path, a handle or a tag."""
    text, start, stop = read.text, read.spans[first][0], read.spans[end - 1][1]
    if text[start - 1 : start] in ("@", "#", "/", "\\", "$", "~", "=", ".") and start:
        return True
    behind = text[stop : stop + 2]
    if behind[:1] in ("@", "/", "\\", "=") or (behind[:1] == "." and behind[1:2].isalnum()):
        return bool(behind)
    left = text[max(0, start - _CHUNK) : start].split(" ")[-1]
    right = text[stop : stop + _CHUNK].split(" ")[0]
    return any(mark in left or mark in right for mark in ("://", "www.", "@", "\\"))


def _in_name(read: _Text, first: int, end: int) -> bool:
    """Return whether a match looks like a part of a name: it has a capital without a reason."""
    text, start = read.text, read.spans[first][0]
    if any(text[at].isupper() for at, _ in read.spans[first + 1 : end]):
        return not text[start : read.spans[end - 1][1]].isupper()
    if not text[start].isupper():
        return False
    following = read.spans[end][0] if read.behind(end) is not None else None
    if following is not None and text[following].isupper():
        return True
    before = text[max(0, start - NEAR) : start].rstrip(_OPENERS)
    return bool(before) and before[-1] not in _SENTENCE_ENDS
