"""Scores that clients of the Perspective API suggest, as labels of our ids."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from tactful.detectors.card import Card
from tactful.service.perspective.mapping import find_attribute
from tactful.service.perspective.requests import SuggestRequest, primary

if TYPE_CHECKING:
    from tactful.service.feedback.keeping import Feedback


async def keep_suggestion(
    feedback: "Feedback",
    request: SuggestRequest,
    detected: Sequence[str],
    cards: Mapping[str, Card],
) -> None:
    """Store a suggestion: its labels by our ids, and its attributes as they were sent."""
    lang = suggested_language(request, detected, cards)
    labels = suggested_labels(request, cards[lang].ids)
    data = {"labels": labels, "attributes": dict(request.scores)}
    await feedback.add("suggested", request.text, data, lang=lang)


def suggested_language(
    request: SuggestRequest, detected: Sequence[str], served: Collection[str]
) -> str:
    """Return the language that a suggestion is about: the one it names, else the detected one."""
    wishes = [*(primary(each) for each in request.languages), *detected, *served]
    return next(each for each in wishes if each in served)


def suggested_labels(request: SuggestRequest, ids: Collection[str]) -> dict[str, float]:
    """Return the suggested scores of those attributes that a detector has an id for.

    An attribute of the client's own is stored by its name only. Scores are probabilities; others
    are cut to 0 and 1.
    """
    found: dict[str, float] = {}
    for name, value in request.scores.items():
        attribute = find_attribute(name)
        known = None if attribute is None else attribute.id_for(ids)
        if known is not None:
            found[known] = min(max(value, 0.0), 1.0)
    return found
