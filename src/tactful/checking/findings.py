"""From the scores of one text to findings: the words that carry each id, and the explanation."""

from collections.abc import Mapping

from tactful.checking.explanation import explain
from tactful.checking.wording.wording import spoken_or_english
from tactful.detectors.base import BaseDetector
from tactful.detectors.protocol import Detector
from tactful.types import Finding


def findings_of(detector: Detector, text: str, probabilities: Mapping[str, float]) -> list[Finding]:
    """Return a finding for each id of ``probabilities``, all of which reach their threshold."""
    if not probabilities:
        return []
    lang, experimental = spoken_or_english(detector.card.lang), detector.card.experimental
    if not isinstance(detector, BaseDetector):
        # A detector that has only the protocol reports by its own thresholds; ours may be lower.
        known = {finding.id: finding for finding in detector.check(text).findings}
        return [
            known.get(name) or Finding(name, value, (), explain(name, text, value, (), lang))
            for name, value in probabilities.items()
        ]
    spans = detector.spans(text, list(probabilities))
    return [
        Finding(
            name,
            value,
            carrying := spans.get(name, ()),
            explain(name, text, value, carrying, lang, experimental=name in experimental),
        )
        for name, value in probabilities.items()
    ]
