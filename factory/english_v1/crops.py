"""Sentences of the DPM paragraphs as texts of their own, with what the gold spans say of them.

A paragraph's label says that there is condescension somewhere; its spans say where. A sentence
with a span has it, the others of that paragraph hardly. That teaches to tell them apart, and to
read texts shorter than a paragraph, as ``tactful check`` does.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from factory.records import Record
from tactful.documents.segments import sentences
from tactful.training.task_data import PCL_IDS
from tactful.types import Span

CROP = "crop"
BESIDE = 0.1
"""The target of a passage of a paragraph with PCL that has no span: annotators miss some."""
LEAST_WORDS = 5


def crops(records: Sequence[Record], seed: int = 1) -> list[Record]:
    """Cut the training paragraphs into passages of one or two sentences.

    Of a paragraph with PCL come all sentences and all pairs of neighbours, of others one passage.
    """
    rng = np.random.default_rng([seed, 13])
    return [
        crop
        for record in records
        if record.corpus == "dpm" and record.part == "train"
        for crop in _crops_of(record, rng)
    ]


def _crops_of(record: Record, rng: np.random.Generator) -> Iterator[Record]:
    places = sentences(record.text)
    pairs = [(left[0], right[1]) for left, right in pairwise(places)]
    passages = [
        (start, end)
        for start, end in places + (pairs if len(places) > 2 else [])
        if len(places) > 1 and len(record.text[start:end].split()) >= LEAST_WORDS
    ]
    if not record.gold["pcl"] and passages:
        passages = [passages[int(rng.integers(len(passages)))]]
    elif not record.spans:
        return
    for number, (start, end) in enumerate(passages, 1):
        spans = tuple(_inside(record.spans or (), start, end))
        yield Record(
            f"{record.id}-crop{number}",
            record.text[start:end],
            CROP,
            "train",
            _targets(record, spans),
            spans=spans,
        )


def _inside(spans: Sequence[Span], start: int, end: int) -> Iterator[Span]:
    """Yield the spans of which at least half lies in the passage, moved to its offsets."""
    for span in spans:
        left, right = max(span.start, start), min(span.end, end)
        if right - left >= (span.end - span.start) / 2:
            yield Span(left - start, right - start, span.id, annotators=span.annotators)


def _targets(record: Record, spans: Sequence[Span]) -> dict[str, float]:
    found = {span.id for span in spans}
    targets = {name: record.targets[name] if name in found else 0.0 for name in PCL_IDS[1:]}
    whole = record.targets["pcl"]
    return {"pcl": whole if found else min(whole, BESIDE)} | targets
