"""Generated text against references: BLEU (Papineni et al. 2002), ROUGE-L (Lin 2004), exact match.

All measures take ``references`` (a list of texts for each item) and ``hypotheses`` (one text for
each item), in this order. What has nothing to compare is decided the same way everywhere:

- an item without references is left out, and the answer says how many were;
- an empty hypothesis scores 1 against an empty reference (they are equal), and 0 otherwise.

A text is empty if it has no token.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Literal

from tactful.errors import InputError
from tactful.metrics.result import Measure, measure

Tokeniser = Callable[[str], list[str]]
Smoothing = Literal["none", "epsilon", "add-one"]

SMOOTHINGS: tuple[Smoothing, ...] = ("none", "epsilon", "add-one")
EPSILON = 0.1
"""What a count of 0 becomes under ``epsilon`` smoothing (Chen and Cherry 2014, technique 1)."""

_TOKEN = re.compile(r"\w+|[^\w\s]")


def tokenise(text: str) -> list[str]:
    """Split a text into lower-case tokens: runs of letters, digits and _, and single other marks.

    >>> tokenise("They can't, can they?")
    ['they', 'can', "'", 't', ',', 'can', 'they', '?']
    """
    return _TOKEN.findall(text.lower())


@dataclass(frozen=True, slots=True)
class BleuCounts:
    """What BLEU counts in one item; the counts of a corpus are the sums."""

    matches: tuple[int, ...]
    """For each order, the n-grams of the hypothesis that a reference has, clipped."""
    totals: tuple[int, ...]
    """For each order, the n-grams of the hypothesis."""
    length: int
    reference_length: int
    """The length of the reference that is closest in length; of two, the shorter."""


@measure("references_texts", low=0, high=1, perfect=1)
def bleu_score(
    references: Sequence[Sequence[str]],
    hypotheses: Sequence[str],
    *,
    order: int = 2,
    smoothing: Smoothing = "none",
    tokeniser: Tokeniser = tokenise,
) -> Measure:
    """Return corpus-level BLEU: counts are added over all items before precisions are formed.

    Range 0 to 1, higher is better. Orders for which no hypothesis is long enough are left out of
    the geometric mean, so that one-word answers can be perfect; ``smoothing`` says what a
    precision of 0 becomes: it stays 0 (``none``), its count becomes 0.1 (``epsilon``), or 1 is
    added to the counts of every order above one (``add-one``, Lin and Och 2004).

    Undefined when no item has a reference. Where every hypothesis is empty the score is 0, unless
    every item has an empty reference too, which is 1.

    >>> print(bleu_score([["the cat sat down"]], ["the cat sat"]))
    BLEU-2: 0.7165
    """
    tokens, left_out = _tokenised(references, hypotheses, tokeniser)
    counted = [count_bleu(refs, hypothesis, order) for refs, hypothesis in tokens]
    if not counted:
        return _no_references(f"BLEU-{order}")
    total = BleuCounts(
        tuple(map(sum, zip(*(counts.matches for counts in counted), strict=True))),
        tuple(map(sum, zip(*(counts.totals for counts in counted), strict=True))),
        sum(counts.length for counts in counted),
        sum(counts.reference_length for counts in counted),
    )
    value = bleu_of_counts(total, smoothing)
    precisions = {
        f"precision {n}": _precision(n, total.matches[n - 1], total.totals[n - 1], len(counted))
        for n in range(1, order + 1)
    }
    penalty = Measure("brevity penalty", _brevity(total), items=len(counted))
    parts = {**precisions, "brevity penalty": penalty}
    return Measure(f"BLEU-{order}", value, left_out, parts, len(counted))


@measure("references_texts", low=0, high=1, perfect=1)
def mean_sentence_bleu_score(
    references: Sequence[Sequence[str]],
    hypotheses: Sequence[str],
    *,
    order: int = 2,
    smoothing: Smoothing = "epsilon",
    tokeniser: Tokeniser = tokenise,
) -> Measure:
    """Return the mean, over the items, of the BLEU of each.

    Range 0 to 1, higher is better; parameters and policies are those of :func:`bleu_score`. A
    single sentence often shares no pair of words with its references, hence another smoothing;
    a hypothesis that shares no word at all scores 0 under every one.

    >>> float(mean_sentence_bleu_score([["women"], ["old people"]], ["women", "cars"]))
    0.5
    """
    tokens, left_out = _tokenised(references, hypotheses, tokeniser)
    scores = [
        bleu_of_counts(count_bleu(refs, hypothesis, order), smoothing)
        for refs, hypothesis in tokens
    ]
    return _mean(f"mean sentence BLEU-{order}", scores, left_out)


@measure("references_texts", low=0, high=1, perfect=1)
def rouge_l_score(
    references: Sequence[Sequence[str]],
    hypotheses: Sequence[str],
    *,
    tokeniser: Tokeniser = tokenise,
) -> Measure:
    """Return the mean ROUGE-L F1: the longest common subsequence with the best reference.

    Range 0 to 1, higher is better. Recall is the subsequence's share of the reference, precision
    its share of the hypothesis, and both weigh the same (Lin 2004 with beta 1); of several
    references the one with the highest F1 counts. Undefined when no item has a reference.

    >>> float(rouge_l_score([["police killed the gunman"]], ["police kill the gunman"]))
    0.75
    """
    tokens, left_out = _tokenised(references, hypotheses, tokeniser)
    scores = [max(_rouge_l(ref, hypothesis) for ref in refs) for refs, hypothesis in tokens]
    return _mean("ROUGE-L", scores, left_out)


@measure("references_texts", low=0, high=1, perfect=1)
def exact_match_score(
    references: Sequence[Sequence[str]],
    hypotheses: Sequence[str],
    *,
    tokeniser: Tokeniser = tokenise,
) -> Measure:
    """Return the share of hypotheses with the same tokens as one of their references.

    Range 0 to 1, higher is better; case and spacing do not count. Undefined when no item has a
    reference.

    >>> float(exact_match_score([["Old people", "the old"]], ["the  old"]))
    1.0
    """
    tokens, left_out = _tokenised(references, hypotheses, tokeniser)
    return _mean("exact match", [float(hyp in refs) for refs, hyp in tokens], left_out)


def count_bleu(
    references: Sequence[Sequence[str]], hypothesis: Sequence[str], order: int = 2
) -> BleuCounts:
    """Count what BLEU needs in one item, given as tokens; there must be a reference."""
    if order < 1:
        raise InputError(f"Found order {order}; expected the longest n-gram, 1 or more.")
    matches, totals = [], []
    for n in range(1, order + 1):
        grams = _grams(hypothesis, n)
        most: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            most |= _grams(reference, n)
        # An n-gram counts as often as in the reference that has it most often, and no oftener.
        matches.append((grams & most).total())
        totals.append(grams.total())
    length = len(hypothesis)
    closest = min((len(ref) for ref in references), key=lambda size: (abs(size - length), size))
    return BleuCounts(tuple(matches), tuple(totals), length, closest)


def bleu_of_counts(counts: BleuCounts, smoothing: Smoothing = "none") -> float:
    """Turn counts, of one item or added over many, into BLEU."""
    if smoothing not in SMOOTHINGS:
        raise InputError(f"Found smoothing '{smoothing}'; expected {', '.join(SMOOTHINGS)}.")
    if not counts.length:
        return float(counts.reference_length == 0)
    if not counts.matches[0]:
        return 0.0
    logs = []
    for at, (found, possible) in enumerate(zip(counts.matches, counts.totals, strict=True)):
        if not possible:
            continue
        added = 1 if smoothing == "add-one" and at else 0
        numerator = EPSILON if not found and smoothing == "epsilon" else found + added
        if not numerator:
            return 0.0
        logs.append(log(numerator / (possible + added)))
    return _brevity(counts) * exp(sum(logs) / len(logs))


def longest_common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, by bits (Hyyrö 2004).

    >>> longest_common_subsequence(["a", "b", "c", "d"], ["b", "d", "a"])
    2
    """
    places: dict[str, int] = {}
    for at, token in enumerate(first):
        places[token] = places.get(token, 0) | 1 << at
    every = (1 << len(first)) - 1
    row = every
    for token in second:
        hits = row & places.get(token, 0)
        row = ((row + hits) | (row - hits)) & every
    return len(first) - row.bit_count()


def _rouge_l(reference: Sequence[str], hypothesis: Sequence[str]) -> float:
    both = len(reference) + len(hypothesis)
    if not both:
        return 1.0
    # The harmonic mean of LCS/reference and LCS/hypothesis.
    return 2 * longest_common_subsequence(reference, hypothesis) / both


def _grams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[at : at + n]) for at in range(len(tokens) - n + 1))


def _brevity(counts: BleuCounts) -> float:
    if counts.length >= counts.reference_length:
        return 1.0
    return exp(1 - counts.reference_length / counts.length) if counts.length else 0.0


def _precision(n: int, found: int, possible: int, items: int) -> Measure:
    name = f"precision {n}"
    if not possible:
        return Measure(name, None, f"no hypothesis has {n} tokens in a row", items=items)
    return Measure(name, found / possible, items=items)


def _tokenised(
    references: Sequence[Sequence[str]], hypotheses: Sequence[str], tokeniser: Tokeniser
) -> tuple[list[tuple[list[list[str]], list[str]]], str | None]:
    """Return the tokens of items that have references, and a sentence on those left out."""
    if len(references) != len(hypotheses):
        raise InputError(
            f"Found references of {len(references):,} items and {len(hypotheses):,} hypotheses; "
            "expected one hypothesis for each item."
        )
    if isinstance(hypotheses, str) or any(isinstance(texts, str) for texts in references):
        raise InputError(
            "Found a text where a list of texts belongs; expected a list of references for each "
            "item, and a list of hypotheses."
        )
    tokens = [
        ([tokeniser(text) for text in texts], tokeniser(hypothesis))
        for texts, hypothesis in zip(references, hypotheses, strict=True)
        if texts
    ]
    missing = len(references) - len(tokens)
    noun = "item without references was" if missing == 1 else "items without references were"
    return tokens, f"{missing:,} {noun} left out" if missing else None


def _mean(name: str, scores: list[float], left_out: str | None) -> Measure:
    if not scores:
        return _no_references(name)
    return Measure(name, sum(scores) / len(scores), left_out, items=len(scores))


def _no_references(name: str) -> Measure:
    return Measure(name, None, "no item has a reference to compare with", items=0)
