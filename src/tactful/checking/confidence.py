"""How sure a check is: a probability relative to the threshold at which its id is reported.

Probabilities of different ids cannot be compared: rare ids are reported from 0.2 on, common ones
from 0.9. Confidence can: it is 0.5 exactly where a check reports by default, for every id.
"""

from collections.abc import Mapping
from math import exp, log, nextafter

from tactful.detectors.card import Card

REPORTED = 0.5
"""The confidence of a probability that equals its threshold."""
LEAST_THRESHOLD = 0.2
"""A check takes no lower threshold from a card: most findings would be wrong there."""
_EDGE = 1e-6


def confidence(probability: float, threshold: float) -> float:
    """Return how sure a check is: sigmoid(logit(probability) - logit(threshold)).

    Parameters
    ----------
    probability
        The calibrated probability of an id.
    threshold
        The probability from which the id is reported.

    Returns
    -------
    float
        At least 0.5 if and only if the probability reaches the threshold.

    Examples
    --------
    >>> confidence(0.3, 0.3), round(confidence(0.97, 0.76), 2)
    (0.5, 0.91)

    """
    found = _sigmoid(_log_odds(probability) - _log_odds(threshold))
    # Rounding, and values beside 0 and 1, must not move a finding over its threshold.
    if probability >= threshold:
        return max(found, REPORTED)
    return min(found, nextafter(REPORTED, 0.0))


def probability_at(least: float, threshold: float) -> float:
    """Return the probability from which an id has at least the confidence ``least``.

    >>> probability_at(0.5, 0.3), round(probability_at(0.91, 0.76), 2)
    (0.3, 0.97)
    """
    if least == REPORTED:
        return threshold
    if least in (0.0, 1.0):
        return least
    return _sigmoid(_log_odds(least) + _log_odds(threshold))


def thresholds_in_force(card: Card, own: Mapping[str, float]) -> dict[str, float]:
    """Return the probability from which a check reports each id by default.

    Parameters
    ----------
    card
        The card of the detector.
    own
        Thresholds of the user, which replace those of the card.

    """
    return {
        name: own.get(name, max(card.report_threshold(name), LEAST_THRESHOLD)) for name in card.ids
    }


def _log_odds(probability: float) -> float:
    inside = min(max(probability, _EDGE), 1 - _EDGE)
    return log(inside / (1 - inside))


def _sigmoid(value: float) -> float:
    small = exp(-abs(value))
    return (1.0 if value >= 0 else small) / (1 + small)
