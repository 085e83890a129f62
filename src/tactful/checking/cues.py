"""Finds the cues of a sentence: words that show what it does, and so how to explain it.

The cues are data, in ``taxonomies/cues``. They are read here when the first finding needs them,
and without the schema, which costs more than all the rest; the tests prove that they keep it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from tactful.words import plain
from tactful.yaml_data import read_yaml

FOLDER = Path(__file__).parents[1] / "taxonomies" / "cues"
FILES = ("pcl", "unhealthy", "toxicity", "frame", "stereotype", "term", "other")
OTHER = "other"
"""The kind of a finding whose id has no cue of its own, nor has any id above it."""
LONGEST_TEXT = 4_000
"""Characters of a sentence in which cues are looked for; the marked words are always read."""
MOST_MATCHES = 20
"""How many places of one pattern are compared with the marked words."""

_NAMED = re.compile(r"<(\w+)>")
_SPACES = re.compile(r"\s")
_APOSTROPHES = str.maketrans("\u2018\u2019\u02bc", "'''")
_JOINING = re.compile(
    "a|an|and|are|as|at|be|by|for|from|he|how|in|is|of|on|or|our|she|so|than|that|the|their|"
    "these|they|those|to|was|we|were|where|who|with|your|al|como|con|cuando|de|del|donde|e|el|en|es|está|la|las|le|"
    "les|lo|los|me|mi|muy|más|ni|no|nos|o|os|para|pero|por|porque|que|se|si|son|su|sus|te|tu|un|una|unas|unos|y",
    re.IGNORECASE,
)
"""Words with which no quotation ends."""


@dataclass(frozen=True)
class Cue:
    """Words of a sentence, what a reader may take from them, and what to write instead.

    Parameters
    ----------
    id
        Its name.
    kinds
        The ids of findings that it can explain.
    sources
        Regular expressions; without any, the cue is the fallback of its only kind.
    move, reading
        What to write instead and what a reader may take, by language.

    """

    id: str
    kinds: tuple[str, ...]
    sources: tuple[str, ...]
    move: Mapping[str, str]
    reading: Mapping[str, str]

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """The compiled regular expressions."""
        return tuple(re.compile(source, re.IGNORECASE) for source in self.sources)


@dataclass(frozen=True, slots=True)
class FoundCue:
    """A cue and the words of the sentence that match it."""

    cue: Cue
    quote: str = ""
    """The words; empty for a fallback."""
    who: str = ""
    """The people that the words name, for patterns that capture them."""
    marked: bool = False
    """Whether the words overlap with those that the detector marked."""


def find_cues(kinds: Sequence[str], text: str, words: Sequence[str]) -> Iterator[FoundCue]:
    """Yield the cues of a finding: in the marked words, then in the sentence, then the fallbacks.

    ``kinds`` are the ids of the finding, the strongest first. A category comes before the root of
    its family, because it says more.
    """
    wanted = _by_detail(kinds)
    text, pieces = plain(text)[:LONGEST_TEXT], [plain(each)[:LONGEST_TEXT] for each in words]
    found: list[tuple[bool, int, bool, int, FoundCue]] = []
    for at, cue in enumerate(load_cues()):
        ranks = [rank for rank, kind in enumerate(wanted) if kind in cue.kinds]
        if ranks and cue.sources and (match := _match(cue, text, pieces)) is not None:
            # The first kind of a cue is the one that it was written for.
            is_second = wanted[ranks[0]] != cue.kinds[0]
            found.append((not match.marked, ranks[0], is_second, at, match))
    yield from (match for *_, match in sorted(found, key=lambda each: each[:4]))
    fallbacks = _fallbacks()
    known = dict.fromkeys(_nearest(kind, fallbacks) for kind in wanted or [OTHER])
    yield from (FoundCue(fallbacks[kind]) for kind in known)


def _by_detail(kinds: Sequence[str]) -> list[str]:
    kinds = list(dict.fromkeys(kinds))
    roots = {kind.partition(".")[0] for kind in kinds if "." in kind}
    return [k for k in kinds if k not in roots] + [k for k in kinds if k in roots]


def _nearest(kind: str, known: Mapping[str, Cue]) -> str:
    root = kind.partition(".")[0]
    return next((each for each in (kind, root) if each in known), OTHER)


def _match(cue: Cue, text: str, pieces: Sequence[str]) -> FoundCue | None:
    searched = text.translate(_APOSTROPHES)
    places = [(start, start + len(piece)) for piece in pieces if (start := text.find(piece)) >= 0]
    elsewhere: FoundCue | None = None
    for pattern in cue.patterns:
        for count, match in enumerate(pattern.finditer(searched)):
            if count >= MOST_MATCHES:
                break
            start, end = match.span()
            who = match["who"] if "who" in pattern.groupindex else ""
            marked = any(start < stop and begin < end for begin, stop in places)
            found = FoundCue(cue, _complete(text[start:end]), who, marked)
            if marked:
                return found
            elsewhere = elsewhere or found
    return elsewhere


def _complete(quote: str) -> str:
    """Return a quotation without the words at its end that only join it to the next ones."""
    words = quote.split()
    while len(words) > 1 and _JOINING.fullmatch(words[-1]):
        words.pop()
    return " ".join(words)


@cache
def load_cues() -> tuple[Cue, ...]:
    """Read all cues that come with the package."""
    return tuple(cue for name in FILES for cue in cues_of(read_yaml(FOLDER / f"{name}.yaml")))


def cues_of(data: Mapping[str, Any]) -> Iterator[Cue]:
    """Yield the cues of a file, with the lists of words filled into their patterns."""
    words = {name: _SPACES.sub("", listed) for name, listed in data["words"].items()}
    for entry in data["cues"]:
        sources = (_NAMED.sub(_filled(words), each) for each in entry.get("patterns", ()))
        kinds = tuple(entry["kinds"])
        yield Cue(entry["id"], kinds, tuple(sources), entry["move"], entry["reading"])


@cache
def _fallbacks() -> Mapping[str, Cue]:
    return {cue.kinds[0]: cue for cue in load_cues() if not cue.sources}


def _filled(words: Mapping[str, str]) -> Any:
    # "(?P<who>" is the name of a group, not of a list.
    return lambda found: words.get(found[1], found[0])
