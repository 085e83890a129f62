"""A callable shaped like the pipelines of ``transformers``, without that library.

Code that was written for ``pipeline("text-classification", top_k=None)`` or for
``pipeline("token-classification", aggregation_strategy="simple")`` finds the same dictionaries.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

from tactful.checking.adapters.reader import Reader, require_texts
from tactful.checking.models import Model
from tactful.errors import UsageError
from tactful.types import Finding, Report

Answer = list[dict[str, Any]]
Threshold = float | Mapping[str, float] | None

BATCH = 64
AGGREGATIONS = (None, "spans")


def pipeline(
    model: Model = "default",
    top_k: int | None = None,
    threshold: Threshold = None,
    *,
    only: Sequence[str] = (),
    aggregation: str | None = None,
    batch_size: int = BATCH,
) -> "TextPipeline":
    """Return a callable that classifies texts, or with ``aggregation="spans"`` marks them.

    Classifying: each text gets ``[{"label": id, "score": probability}, …]``, highest first; the
    ``top_k`` first, or all; with ``threshold`` only those that reach it (a number for all ids, or
    one for each). Marking: each text gets ``[{"entity_group": id, "score": its probability,
    "word": words, "start": offset, "end": offset}, …]`` in the order of the text, for each kind of
    finding of a check that reaches ``threshold`` or, without it, the detector's own.
    """
    if aggregation not in AGGREGATIONS:
        raise UsageError(f"Found aggregation '{aggregation}'; expected None or 'spans'.")
    _require_positive("batch_size", batch_size)
    if top_k is not None:
        _require_positive("top_k", top_k)
    spread = _spread(threshold, Reader(model, only).ids)
    return TextPipeline(Reader(model, only, spread), top_k, spread, aggregation, batch_size)


class TextPipeline:
    """Made by :func:`pipeline`: a text, a list, or any iterable of texts gives its answers."""

    def __init__(
        self,
        reader: Reader,
        top_k: int | None,
        thresholds: Mapping[str, float],
        aggregation: str | None,
        batch_size: int,
    ):
        self._reader, self._top_k, self._thresholds = reader, top_k, thresholds
        self._aggregation, self._batch_size = aggregation, batch_size

    @property
    def task(self) -> str:
        """``text-classification`` or ``token-classification``."""
        return "token-classification" if self._aggregation else "text-classification"

    def __call__(self, inputs: Any, *, batch_size: int | None = None) -> Any:
        """Return one answer for a text, a list for a list, and an iterator for anything else.

        An item may be ``{"text": …}`` in place of a text. The iterator reads ``batch_size`` items
        at a time, so that a stream of any length fits in memory.
        """
        size = self._batch_size if batch_size is None else batch_size
        _require_positive("batch_size", size)
        if isinstance(inputs, str | Mapping):
            return next(self._answers([inputs], size))
        if isinstance(inputs, list | tuple):
            return list(self._answers(inputs, size))
        if not isinstance(inputs, Iterable) and not hasattr(inputs, "__getitem__"):
            raise UsageError(
                f"Found a value of type {type(inputs).__name__}; expected a text, a list of texts "
                "or an iterable of texts."
            )
        return self._answers(inputs, size)

    def _answers(self, inputs: Iterable[Any], size: int) -> Iterator[Answer]:
        answer: Callable[[list[str]], list[Answer]]
        answer = self._mark if self._aggregation else self._classify
        # A dataset of torch has only __getitem__, which iter() accepts as well.
        items, read = iter(inputs), 0
        while batch := [_text_of(item) for item in islice(items, size)]:
            yield from answer(require_texts(batch, first=read))
            read += len(batch)

    def _classify(self, texts: list[str]) -> list[Answer]:
        scores = self._reader.score(texts)
        answers = []
        for row in range(len(texts)):
            found: Answer = [
                {"label": name, "score": value}
                for name, column in scores.items()
                if (value := float(column[row])) >= self._thresholds.get(name, 0.0)
            ]
            found.sort(key=itemgetter("score"), reverse=True)
            answers.append(found[: self._top_k])
        return answers

    def _mark(self, texts: list[str]) -> list[Answer]:
        return [_marks(reading.report)[: self._top_k] for reading in self._reader.read(texts)]


def _marks(report: Report) -> Answer:
    pieces = sorted(
        (
            (span.start, span.end, kind)
            for finding in report.findings
            for kind in finding.kinds
            for span in kind.spans
        ),
        key=lambda piece: piece[:2],
    )
    return [_mark(report.text, start, end, kind) for start, end, kind in pieces]


def _mark(text: str, start: int, end: int, kind: Finding) -> dict[str, Any]:
    return {
        "entity_group": kind.id,
        "score": kind.probability,
        "word": text[start:end],
        "start": start,
        "end": end,
    }


def _text_of(item: Any) -> Any:
    if not isinstance(item, Mapping):
        return item
    if set(item) != {"text"}:
        raise UsageError(
            f"Found an item with the keys {sorted(map(str, item))}; expected 'text' alone."
        )
    return item["text"]


def _spread(threshold: Threshold, ids: Sequence[str]) -> dict[str, float]:
    if threshold is None:
        return {}
    if isinstance(threshold, Mapping):
        return dict(threshold)
    return dict.fromkeys(ids, threshold)


def _require_positive(name: str, value: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"Found {name} {value!r}; expected a whole number above 0.")
