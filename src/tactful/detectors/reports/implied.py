"""What a frame says, in sentences: always as what a text may imply, never as what anyone thinks."""

from collections.abc import Sequence

from tactful.types import Frame, Implication

CAVEAT = "What readers may take from the words; not what the author believes, and not what is true."
IN_GROUP = "frame.in_group"
_QUOTED = 3


def implied_sentences(frame: Frame) -> list[str]:
    """Return a sentence for each group that a text may be about.

    >>> implied_sentences(Frame(implications=(Implication("women", "women are weak", 0.62),)))
    ['May imply, about women: “women are weak” (0.62).']
    """
    return [_sentence(each) for each in frame.implications]


def in_group_sentence(frame: Frame) -> str | None:
    """Say that the author may belong to the group, where the frame claims it: as a guess."""
    if frame.answers.get(IN_GROUP, "no") == "no":
        return None
    chance = frame.probabilities.get(IN_GROUP)
    sure = "" if chance is None else f" ({chance:.2f})"
    return (
        f"The author may speak as one of the group{sure}; that is a guess on which people, too, "
        "rarely agree, and it can change what the words mean."
    )


def evidence_sentence(evidence: Sequence[str]) -> str | None:
    """Name what speaks for a group."""
    quotes = ", ".join(f"“{each}”" for each in list(dict.fromkeys(evidence))[:_QUOTED])
    return f"Read from {quotes}." if quotes else None


def _sentence(each: Implication) -> str:
    sure = "" if each.probability is None else f" ({each.probability:.2f})"
    if each.statement is None:
        return f"May be about {each.group}{sure}."
    return f"May imply, about {each.group}: “{each.statement}”{sure}."
