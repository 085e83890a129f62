"""Words for a coefficient, and what they do not say."""

from tactful.agreement.answer import Agreement

_WORDS = (
    (0.0, "poor"),
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)

CAVEAT = (
    "The words are those of Landis and Koch (1977), who called them arbitrary themselves. Where a "
    "label is a matter of opinion, disagreement is information about the text and the readers, and "
    "not only noise: read the coefficient with the judgements beside it."
)


def landis_koch(value: float | Agreement) -> str | None:
    """Return the word of Landis and Koch (1977, table 2) for a κ; None where it is undefined.

    Below 0 is poor; up to 0.20 slight, 0.40 fair, 0.60 moderate, 0.80 substantial, 1 almost
    perfect. They were proposed for κ and are not meant for what is not corrected for chance: the
    percentage agreement and the F1 of spans.
    """
    if isinstance(value, Agreement):
        if value.value is None or value.measure.startswith(("percent", "span_f1")):
            return None
        value = value.value
    if value < 0:
        return _WORDS[0][1]
    # The table has two places, so 0.2049 is still 0.20.
    return next((word for top, word in _WORDS[1:] if round(value, 2) <= top), _WORDS[-1][1])
