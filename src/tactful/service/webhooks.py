"""Webhooks of the service: scores above thresholds, and decisions."""

from collections.abc import Mapping, Sequence
from typing import Any

from prometheus_client import Counter

from tactful.checking.findings import check_thresholds
from tactful.errors import UsageError
from tactful.service.engine.engine import Engine, Scored
from tactful.service.logs import LOGGER, NOTE
from tactful.service.settings import ServiceSettings
from tactful.webhooks import FIRST_PAUSE, Sender

_DIGITS = 6


def read_thresholds(given: Sequence[str]) -> dict[str, float]:
    """Read thresholds like ``toxicity=0.8``."""
    found = {}
    for each in given:
        name, _, value = each.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise UsageError(
                f"Found the webhook threshold '{each}'; expected an id and a probability, such as "
                "toxicity=0.8."
            ) from None
    return found


class Webhooks(Sender):
    """Sends the events of the service to one address."""

    def __init__(self, engine: Engine, settings: ServiceSettings, pause: float = FIRST_PAUSE):
        if settings.webhook is None:
            raise ValueError("there is no webhook")
        self.events = Counter(
            "tactful_webhook_events", "Events by what became of them.", ["result"],
            registry=engine.metrics.registry,
        )  # fmt: skip
        super().__init__(settings.webhook, LOGGER, self._counted, pause)
        self._thresholds = read_thresholds(settings.webhook_thresholds)
        self._cards, self._texts = engine.cards, settings.webhook_texts
        check_thresholds(self._thresholds, engine.ids)

    def _counted(self, result: str, events: int) -> None:
        self.events.labels(result).inc(events)

    def scored(self, texts: Sequence[str], answers: Sequence[Scored | Exception]) -> None:
        """Queue one event for all texts with a score above a threshold; never waits."""
        found = []
        for at, (text, answer) in enumerate(zip(texts, answers, strict=True)):
            if not isinstance(answer, Scored):
                continue
            reached = {
                name: round(value, _DIGITS)
                for name, value in answer.probabilities.items()
                if value >= self._threshold(answer.lang, name)
            }
            if reached:
                each = {"index": at, "lang": answer.lang, "model": answer.model, "scores": reached}
                found.append({**each, **({"text": text} if self._texts else {})})
        if found:
            note = NOTE.get()
            request = note.request if note is not None else None
            self.queue("score.threshold", {"request": request, "texts": found})

    def decided(self, item: str, data: Mapping[str, Any], reports: Sequence[str]) -> None:
        """Queue an event for a moderator's decision; ``reports`` are the ids of the feedback."""
        decision = {"decision": data["decision"], "labels": data.get("labels", {})}
        self.queue("review.decided", {"item": item, "feedback": list(reports), **decision})

    def _threshold(self, lang: str, name: str) -> float:
        if self._thresholds:
            return self._thresholds.get(name, 2.0)
        return self._cards[lang].report_threshold(name)
