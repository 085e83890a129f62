"""Choosing the text that agrees most with all others (minimum Bayes risk; Kumar and Byrne 2004).

Every text is compared with every other as if that were the reference; what is expected to agree
best, given how likely each of the others is, is taken.
"""

from collections.abc import Sequence

from tactful.metrics.generation import (
    bleu_of_counts,
    count_bleu,
    longest_common_subsequence,
    tokenise,
)


def most_agreed(texts: Sequence[str], weights: Sequence[float]) -> int:
    """Return the place of the text with the highest expected agreement; of equals, the first."""
    tokens = [tokenise(text) for text in texts]
    expected = [
        sum(weight * agreement(other, own) for other, weight in zip(tokens, weights, strict=True))
        for own in tokens
    ]
    return max(range(len(texts)), key=lambda at: (expected[at], -at))


def agreement(reference: Sequence[str], tokens: Sequence[str]) -> float:
    """Return the mean of ROUGE-L and BLEU-2 of two texts, given as tokens."""
    both = len(reference) + len(tokens)
    if not both:
        return 1.0
    rouge = 2 * longest_common_subsequence(reference, tokens) / both
    return (rouge + bleu_of_counts(count_bleu([reference], tokens), "epsilon")) / 2
