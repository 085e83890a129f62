"""Load the terms of a language, and merge them with those of a project.

The files of Tactful are read here without the schema, which costs more than the rest of a short
check; the tests of the terms prove that they keep it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tactful.registry import unknown_name

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
        The words, in the notation of :mod:`tactful.terms.forms`.
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
    classes = word_classes(_read(folder / _CLASSES))
    terms = []
    for kind in KINDS:
        path = folder / f"{kind}.yaml"
        if path.exists():
            data = _read(path)
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


def _read(path: Path) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_bytes(), Loader=loader)  # noqa: S506 (a safe loader)
