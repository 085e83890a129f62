"""Past decisions on similar texts, by the words that two texts share.

Rare words count more than frequent ones. No model is read for it, so that a page is shown at once,
and one can see why two texts are similar.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tactful.service.feedback.records import Record

MOST_COMPARED = 5_000
"""The newest decisions are compared."""
_MOST_WORDS = 400
"""Of a text; longer texts are compared by their beginning."""
_MOST, _LEAST = 5, 0.2
"""How many decisions are returned, and how similar each is at least."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Similar:
    """A past decision, and how similar its text is, from 0 to 1."""

    record: Record
    similarity: float


def words_of(text: str) -> frozenset[str]:
    """Return the different words of a text, at most 400."""
    found: dict[str, None] = {}
    for match in _WORD.finditer(text[: 20 * _MOST_WORDS]):
        found[match[0].casefold()] = None
        if len(found) >= _MOST_WORDS:
            break
    return frozenset(found)


def similar_decisions(text: str, decided: Sequence[Record]) -> list[Similar]:
    """Return the decisions on the most similar texts, the most similar first.

    The similarity is the cosine of the texts' words, each weighted by how rare it is among the
    decisions. Of several decisions on one text, the last one counts.

    Parameters
    ----------
    text
        The text that is to be decided.
    decided
        Past decisions in the order of time.
    """
    latest = {each.item: each for each in decided if each.text is not None}
    words = {item: words_of(each.text or "") for item, each in latest.items()}
    wanted = words_of(text)
    seen = Counter(word for each in words.values() for word in each)
    total = len(words) + 1

    def weight(word: str) -> float:
        return math.log(1 + total / (1 + seen[word])) ** 2

    own = sum(map(weight, wanted))
    found = []
    for item, other in words.items():
        shared = sum(map(weight, wanted & other))
        if shared:
            similarity = shared / math.sqrt(own * sum(map(weight, other)))
            if similarity >= _LEAST:
                found.append(Similar(latest[item], similarity))
    found.sort(key=lambda each: (-each.similarity, each.record.item))
    return found[:_MOST]
