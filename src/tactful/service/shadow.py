"""Shadow mode: a second model reads a sample of the same texts, and only differences are counted.

No answer waits for it. It reads in a thread of low priority, a few texts at a time; what comes
while the service or the shadow is busy is left out and counted. No text is kept.
"""

import asyncio
import contextlib
import os
import random
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from prometheus_client import Counter

from tactful.detectors.base import Detector
from tactful.detectors.card import Card, read_card
from tactful.service.engine.engine import Engine, Scored
from tactful.service.engine.loading import forget_words, open_detector, shadow_folders
from tactful.service.logs import log_failure
from tactful.service.settings import ServiceSettings

SCHEMA = "tactful/shadow/1"
_MOST_WAITING = 64
_MOST_AT_ONCE = 8
_NICE = 15
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class _Offer:
    text: str
    lang: str
    probabilities: Mapping[str, float]


class Shadow:
    """Compares a second model with the one that answers."""

    def __init__(self, engine: Engine, settings: ServiceSettings):
        if settings.shadow is None:
            raise ValueError("there is no shadow model")
        self._engine, self._share = engine, settings.shadow_share
        self._folders = shadow_folders(settings)
        self.cards: dict[str, Card] = {
            lang: read_card(folder) for lang, folder in self._folders.items()
        }
        self._busy = max(1, settings.max_batch // 4)
        self._detectors: dict[str, Detector] = {}
        self._waiting: asyncio.Queue[_Offer] = asyncio.Queue(_MOST_WAITING)
        self._lane = ThreadPoolExecutor(1, "tactful-shadow", initializer=_step_back)
        self._task: asyncio.Task[None] | None = None
        self._random = random.Random()  # noqa: S311 (a sample, no secret)
        registry = engine.metrics.registry
        self.texts = Counter(
            "tactful_shadow_texts", "Texts that both models read.", ["id"], registry=registry
        )
        self.dropped = Counter(
            "tactful_shadow_dropped", "Sampled texts that were left out.", ["reason"],
            registry=registry,
        )  # fmt: skip
        self.flips = Counter(
            "tactful_shadow_flips", "Texts that only one model reports.", ["id", "only_in"],
            registry=registry,
        )  # fmt: skip
        self.gap = Counter(
            "tactful_shadow_gap", "Sum of differences of probabilities.", ["id", "higher_in"],
            registry=registry,
        )  # fmt: skip

    async def start(self) -> None:
        """Open the second model in the background."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """End the comparison; what waits is left out."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        await asyncio.to_thread(self._lane.shutdown, cancel_futures=True)

    def scored(self, texts: Sequence[str], answers: Sequence[Scored | Exception]) -> None:
        """Take a sample of what was scored; never waits."""
        for text, answer in zip(texts, answers, strict=True):
            if not isinstance(answer, Scored) or answer.lang not in self.cards:
                continue
            if not answer.is_whole or self._random.random() >= self._share:
                continue
            if self._engine.waiting > self._busy:
                self.dropped.labels("busy").inc()
                continue
            try:
                self._waiting.put_nowait(_Offer(text, answer.lang, answer.probabilities))
            except asyncio.QueueFull:
                self.dropped.labels("queue_full").inc()

    def report(self) -> dict[str, Any]:
        """Return the differences so far, of all workers."""
        counts: dict[str, dict[tuple[str, str], float]] = {}
        for sample in self._engine.metrics.samples("tactful_shadow_"):
            labels = sample.labels
            direction = labels.get("only_in") or labels.get("higher_in") or ""
            place = labels.get("id") or labels.get("reason") or "", direction
            counts.setdefault(sample.name, {})[place] = sample.value
        texts = counts.get("tactful_shadow_texts_total", {})
        flips = counts.get("tactful_shadow_flips_total", {})
        gaps = counts.get("tactful_shadow_gap_total", {})
        ids = {}
        for (name, _), number in sorted(texts.items()):
            up, down = (gaps.get((name, side), 0.0) for side in ("shadow", "main"))
            ids[name] = {
                "texts": int(number),
                "only_main": int(flips.get((name, "main"), 0)),
                "only_shadow": int(flips.get((name, "shadow"), 0)),
                "mean_difference": round((up - down) / number, _DIGITS),
                "mean_absolute_difference": round((up + down) / number, _DIGITS),
            }
        dropped = counts.get("tactful_shadow_dropped_total", {})
        return {
            "schema": SCHEMA,
            "share": self._share,
            "models": {
                lang: {"main": self._engine.cards[lang].model, "shadow": card.model}
                for lang, card in self.cards.items()
            },
            "dropped": {reason: int(number) for (reason, _), number in dropped.items()},
            "ids": ids,
        }

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            for lang in self.cards:
                self._detectors[lang] = await loop.run_in_executor(
                    self._lane, partial(open_detector, self._folders[lang], 1)
                )
        except Exception as error:
            log_failure("The shadow model cannot be opened", error)
            return
        while True:
            batch = [await self._waiting.get()]
            while len(batch) < _MOST_AT_ONCE and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            for lang in dict.fromkeys(each.lang for each in batch):
                part = [each for each in batch if each.lang == lang]
                try:
                    await loop.run_in_executor(self._lane, partial(self._compare, lang, part))
                except Exception as error:
                    log_failure("The shadow model failed", error)
                    self.dropped.labels("failed").inc(len(part))

    def _compare(self, lang: str, batch: Sequence[_Offer]) -> None:
        """Count the differences; to be called in the lane of the shadow."""
        detector = self._detectors[lang]
        main, own = self._engine.cards[lang], detector.card
        scores = detector.score([each.text for each in batch])
        for at, each in enumerate(batch):
            for name in [name for name in main.ids if name in scores]:
                old, new = each.probabilities.get(name), float(scores[name][at])
                if old is None:
                    continue
                self.texts.labels(name).inc()
                higher = "shadow" if new > old else "main"
                self.gap.labels(name, higher).inc(abs(new - old))
                reported = old >= main.report_threshold(name), new >= own.report_threshold(name)
                if reported[0] != reported[1]:
                    self.flips.labels(name, "main" if reported[0] else "shadow").inc()
        forget_words(detector)


def _step_back() -> None:
    """Let all other threads of the service go first, where the system can do that."""
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
