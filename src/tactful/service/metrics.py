"""Metrics for Prometheus: requests, times, batches, costs and the queue; no text and no address.

Of an API key they have only the id, which is not secret.
"""

import os

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from tactful import __version__

CONTENT_TYPE = CONTENT_TYPE_LATEST
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The folder in which workers share their counts; the name is that of prometheus_client."""

_SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 30.0)
_SIZES = (1, 2, 4, 8, 16, 24, 32, 64, 128)


class Metrics:
    """The counts of one service."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.requests = Counter(
            "tactful_requests", "Requests by route and status.", ["route", "status"],
            registry=registry,
        )  # fmt: skip
        self.seconds = Histogram(
            "tactful_request_seconds", "Time from the first byte to the answer.", ["route"],
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self.batches = Histogram(
            "tactful_batch_texts", "Texts that were read in one call of a detector.", ["model"],
            buckets=_SIZES, registry=registry,
        )  # fmt: skip
        self.reading = Counter(
            "tactful_reading_seconds", "Time in which a detector was reading.", ["model"],
            registry=registry,
        )  # fmt: skip
        self.texts = Counter(
            "tactful_texts_scored", "Texts that were scored.", ["model"], registry=registry
        )
        self.tokens = Counter(
            "tactful_tokens", "Tokens that reading cost, by the id of the API key.", ["key"],
            registry=registry,
        )  # fmt: skip
        self.rejected = Counter(
            "tactful_rejected", "Requests that were turned away, by reason.", ["reason"],
            registry=registry,
        )  # fmt: skip
        self.reviews = Counter(
            "tactful_reviews", "Requests that were answered with 'needs review', by reason.",
            ["reason"], registry=registry,
        )  # fmt: skip
        self.queue = Gauge(
            "tactful_queue_texts", "Texts that wait or are being read.",
            registry=registry, multiprocess_mode="livesum",
        )  # fmt: skip
        info = Gauge(
            "tactful_info", "The version that is running.", ["version"],
            registry=registry, multiprocess_mode="livemax",
        )  # fmt: skip
        info.labels(__version__).set(1)

    def samples(self, prefix: str) -> list[Sample]:
        """Return the counts, of all workers, whose names begin like this."""
        found = text_string_to_metric_families(self.page().decode("utf-8"))
        return [
            sample
            for family in found
            for sample in family.samples
            if sample.name.startswith(prefix) and not sample.name.endswith("_created")
        ]

    def page(self) -> bytes:
        """Return all counts, of all workers, in the format of Prometheus."""
        if SHARED_FOLDER not in os.environ:
            return generate_latest(self.registry)
        from prometheus_client.multiprocess import MultiProcessCollector

        everyone = CollectorRegistry()
        MultiProcessCollector(everyone)  # type: ignore[no-untyped-call]
        return generate_latest(everyone)
