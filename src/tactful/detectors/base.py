"""What detectors share: a report is made of scores, thresholds, carrying words and explanations."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from tactful.detectors.card import Card
from tactful.detectors.protocol import Detector, Scores
from tactful.detectors.stereotype_labels import CATEGORIES, OTHERS, ROOT
from tactful.types import Finding, Report, Span

Spans = Mapping[str, tuple[Span, ...]]

GATES = {"pcl": "pcl.", "frame.offensive": "frame.", "stereotype": "stereotype."}
"""An id below a gate is reported only together with it: a category of PCL is PCL, a category of a
stereotype is one, and there is no group or intent without offence. The attributes of UCC stand for
themselves (Price et al. 2020, section 2)."""


class BaseDetector(ABC):
    """A detector that needs only to say its scores and, if it can, its spans."""

    card: Card

    @abstractmethod
    def score(self, texts: Sequence[str]) -> Scores:
        """Return one probability per text for each id of the card."""

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the words that carry each id: by default those whose removal lowers it most."""
        from tactful.detectors.occlusion import occlusion_spans

        return occlusion_spans(self, text, ids)

    def check(self, text: str) -> Report:
        """Return what was found in one text: what, how sure, where and why.

        This is the detector's own reading. ``tactful check`` corrects it: the mere mention of a
        group is not an offence. ``tactful.checking.second_reading.with_second_reading`` returns a
        detector that does the same.
        """
        probabilities = {name: float(found[0]) for name, found in self.score([text]).items()}
        return self.report(text, probabilities)

    def report(
        self,
        text: str,
        probabilities: Mapping[str, float],
        thresholds: Mapping[str, float] | None = None,
    ) -> Report:
        """Turn the probabilities of one text into findings; ``thresholds`` replace the card's."""
        from tactful.checking.explanation import explain
        from tactful.checking.wording.wording import spoken_or_english

        lang = spoken_or_english(self.card.lang)
        ids = found_ids(probabilities, {**self._thresholds(), **(thresholds or {})})
        spans = self.spans(text, ids) if ids else {}
        findings = tuple(
            Finding(
                name,
                probabilities[name],
                spans.get(name, ()),
                explain(
                    name,
                    text,
                    probabilities[name],
                    spans.get(name, ()),
                    lang,
                    experimental=name in self.card.experimental,
                ),
            )
            for name in ids
        )
        return Report(text, findings, model=self.card.model)

    def _thresholds(self) -> dict[str, float]:
        return {name: self.card.threshold(name) for name in self.card.ids}


def found_ids(probabilities: Mapping[str, float], thresholds: Mapping[str, float]) -> list[str]:
    """Return the ids that reach their threshold and whose gate is open, in their order.

    A stereotype of which no category is found is one of the others (DETESTS 2022, section 4.1.1).
    """
    reached = {name for name, value in probabilities.items() if value >= thresholds[name]}
    if ROOT in reached and OTHERS in probabilities and not reached.intersection(CATEGORIES):
        reached.add(OTHERS)
    closed = tuple(
        below for gate, below in GATES.items() if gate in probabilities and gate not in reached
    )
    return [name for name in probabilities if name in reached and not name.startswith(closed)]


def findings_of(
    detector: Detector,
    text: str,
    probabilities: Mapping[str, float],
    thresholds: Mapping[str, float],
) -> Sequence[Finding]:
    """Return the findings of a text whose ``probabilities`` are known already."""
    if isinstance(detector, BaseDetector):
        return detector.report(text, probabilities, thresholds).findings
    from tactful.checking.explanation import explain
    from tactful.checking.wording.wording import spoken_or_english

    lang = spoken_or_english(detector.card.lang)
    # Whatever has only the protocol reports by its own thresholds; ours may be lower.
    known = {finding.id: finding for finding in detector.check(text).findings}
    return [
        known.get(name) or Finding(name, value, (), explain(name, text, value, (), lang))
        for name, value in probabilities.items()
    ]
