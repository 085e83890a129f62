"""How varied generated statements are: a model may write the same one for all posts.

The references are not used.

- ``distinct``: the share of statements that are different from each other;
- ``distinct_1``, ``distinct_2``: the share of different words, and of different pairs of words in a
  row (Li et al. 2016, distinct-n);
- ``specificity``: the share of statements with a content word that none of the ten most frequent
  statements has. The words of groups' names, and words such as "are", are no content words.

The first two fall with the number of statements, so compare figures on equally many posts only.
"""

from collections import Counter
from collections.abc import Sequence

from tactful.frames.groups import load_groups
from tactful.metrics import Measure
from tactful.metrics.generation import tokenise

MOST_FREQUENT = 10
NO_STATEMENTS = "no statement was predicted"
_FUNCTION = frozenset(
    """
    a an the and or but not no of to in on at by for from with as than that this these those all
    any some most many more less only just very too so such be is are am was were been being do
    does did have has had can can't cannot could should shouldn't will won't would must may
    might don't doesn't aren't isn't they them their it its he she his her we us our you your
    who which what there if like folks people person women men
    """.split()  # noqa: SIM905
)


def distinct_share(statements: Sequence[str]) -> Measure:
    """Return the share of statements that are different from each other.

    >>> float(distinct_share(["cooks shout", "cooks shout", "cooks sing", "old cooks sing"]))
    0.75
    """
    said = [" ".join(tokenise(each)) for each in statements if each.strip()]
    if not said:
        return Measure("distinct", None, NO_STATEMENTS, items=0)
    return Measure("distinct", len(set(said)) / len(said), items=len(said))


def distinct_ngrams(statements: Sequence[str], order: int) -> Measure:
    """Return the share of different n-grams among all n-grams of the statements.

    >>> float(distinct_ngrams(["cooks shout", "cooks sing"], 1))
    0.75
    """
    name = f"distinct-{order}"
    grams: Counter[tuple[str, ...]] = Counter()
    for each in statements:
        words = tokenise(each)
        grams.update(tuple(words[at : at + order]) for at in range(len(words) - order + 1))
    if not grams:
        return Measure(name, None, NO_STATEMENTS, items=0)
    return Measure(name, len(grams) / grams.total(), items=len(statements))


def specificity(statements: Sequence[str]) -> Measure:
    """Return the share of statements that say what the ten most frequent ones do not.

    >>> float(specificity(["cooks shout"] * 9 + [f"cooks number{n}" for n in range(10)]))
    0.05263157894736842
    """
    said = [" ".join(tokenise(each)) for each in statements if each.strip()]
    if not said:
        return Measure("specificity", None, NO_STATEMENTS, items=0)
    # Of equally frequent ones, the first by letters: the figure must not depend on the order.
    ranked = sorted(Counter(said).items(), key=lambda each: (-each[1], each[0]))
    usual = {word for text, _ in ranked[:MOST_FREQUENT] for word in text.split()}
    ignored = usual | _FUNCTION | _names()
    specific = sum(bool(set(text.split()) - ignored) for text in said)
    return Measure("specificity", specific / len(said), items=len(said))


def _names() -> set[str]:
    return {word for group in load_groups() for word in tokenise(group.name)}
