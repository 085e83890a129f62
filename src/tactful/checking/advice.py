"""What a writer can do about a finding: one short question or suggestion."""

from collections.abc import Sequence

from tactful.checking.explanation import taxonomy_entries


def advise(kinds: Sequence[str], text: str, words: Sequence[str], lang: str = "en") -> str:
    """Return one short question or suggestion on a finding.

    Parameters
    ----------
    kinds
        The ids of its kinds, the surest first.
    text
        The sentence.
    words
        The marked words.
    lang
        The language of the advice.

    Returns
    -------
    str
        The first question of the surest kind that has one; empty where no taxonomy knows the ids.

    """
    for name in kinds:
        _, entry = taxonomy_entries(name.partition(".")[0], lang).get(name, (0, {}))
        if questions := entry.get("ask"):
            return str(questions[0])
    return ""
