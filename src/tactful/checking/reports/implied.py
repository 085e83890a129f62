"""What a frame says, in sentences: always as what a text may imply, never as what anyone thinks."""

from collections.abc import Sequence

from tactful.checking.wording.english import ENGLISH
from tactful.checking.wording.wording import Wording, wording
from tactful.types import Frame, Implication

CAVEAT = ENGLISH.reporting.caveat
IN_GROUP = "frame.in_group"
_QUOTED = 3


def implied_sentences(frame: Frame, lang: str = "en") -> list[str]:
    """Return a sentence for each group that a text may be about.

    >>> implied_sentences(Frame(implications=(Implication("women", "women are weak", 0.62),)))
    ['May imply, about women: “women are weak” (0.62).']
    """
    words = wording(lang)
    return [_sentence(each, words) for each in frame.implications]


def in_group_sentence(frame: Frame, lang: str = "en") -> str | None:
    """Say that the author may belong to the group, where the frame claims it: as a guess."""
    if frame.answers.get(IN_GROUP, "no") == "no":
        return None
    words = wording(lang)
    return words.reporting.in_group.format(sure=_sure(frame.probabilities.get(IN_GROUP), words))


def evidence_sentence(evidence: Sequence[str], lang: str = "en") -> str | None:
    """Name what speaks for a group."""
    words = wording(lang)
    quotes = words.quoted(list(dict.fromkeys(evidence))[:_QUOTED])
    return words.reporting.evidence.format(quotes=quotes) if quotes else None


def _sentence(each: Implication, words: Wording) -> str:
    said, sure = words.reporting, _sure(each.probability, words)
    if each.statement is None:
        return said.about.format(group=each.group, sure=sure)
    return said.implies.format(group=each.group, statement=words.quote(each.statement), sure=sure)


def _sure(probability: float | None, words: Wording) -> str:
    return "" if probability is None else f" ({words.likely(probability)})"
