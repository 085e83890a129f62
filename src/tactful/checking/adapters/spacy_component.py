"""The spaCy component ``tactful`` (extra ``spacy``).

spaCy loads this module through the entry point of the package whenever a pipeline is made, also
for people who do not use the component: nothing but the standard library is imported with it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from tactful.errors import MissingExtraError

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from tactful.checking.adapters.reader import Reading
    from tactful.checking.models import Model
    from tactful.types import Finding, Report

FACTORY = "tactful"
"""The name of the factory, of the span group, and of the extension attribute."""
BATCH = 128

ErrorHandler = Callable[[str, Any, list[Any], Exception], Any]


class TactfulComponent:
    """Writes what a detector finds into a spaCy Doc.

    ``doc.cats`` gets the probability of every id, ``doc.spans["tactful"]`` the words that carry
    each kind of finding (label = id; the confidences are in ``attrs["scores"]``), and
    ``doc._.tactful`` is the whole report: one finding a place, with its kinds. Spans are widened to
    whole tokens; the report keeps the exact offsets.
    """

    def __init__(
        self,
        model: "Model" = "default",
        only: Iterable[str] = (),
        thresholds: Mapping[str, float] | None = None,
        name: str = FACTORY,
    ):
        from tactful.checking.adapters.reader import Reader

        register()
        self.name = name
        self._reader = Reader(model, tuple(only), thresholds)
        self._on_error: ErrorHandler = _raise

    @property
    def labels(self) -> tuple[str, ...]:
        """The ids that the component writes."""
        return self._reader.ids

    def __call__(self, doc: "Doc") -> "Doc":
        """Read one Doc."""
        self._read([doc])
        return doc

    def pipe(self, stream: Iterable["Doc"], *, batch_size: int = BATCH) -> Iterator["Doc"]:
        """Read a stream of Docs, a batch in one call of the detector."""
        docs = iter(stream)
        while batch := list(islice(docs, batch_size)):
            try:
                self._read(batch)
            except Exception as error:
                # A text without a score must not pass for a harmless one: it is left out.
                self._on_error(self.name, self, batch, error)
            else:
                yield from batch

    def set_error_handler(self, error_handler: ErrorHandler) -> None:
        """Let spaCy's own handler decide what happens to a batch that fails."""
        self._on_error = error_handler

    def get_error_handler(self) -> ErrorHandler:
        """Return the handler of batches that fail."""
        return self._on_error

    def _read(self, docs: list["Doc"]) -> None:
        for doc, reading in zip(docs, self._reader.read([doc.text for doc in docs]), strict=True):
            _annotate(doc, reading)


def make_component(
    nlp: Any,
    name: str,
    model: str,
    only: list[str],
    thresholds: dict[str, float],
) -> TactfulComponent:
    """Make the component from its configuration; spaCy calls this, and checks the types first."""
    return TactfulComponent(model, only, thresholds, name)


def register() -> None:
    """Tell spaCy about the component, as the entry point of the installed package does."""
    try:
        from spacy.language import Language
        from spacy.tokens import Doc
    except ImportError:
        raise MissingExtraError("spacy", "The spaCy component") from None
    Language.factory(
        FACTORY,
        default_config={"model": "default", "only": [], "thresholds": {}},
        assigns=["doc.spans", "doc.cats", "doc._.tactful"],
        func=make_component,
    )
    # A getter, because the values of plain extensions must survive msgpack (Doc.to_bytes, worker
    # processes), and a Report would not.
    Doc.set_extension(FACTORY, getter=read_report, force=True)


def read_report(doc: "Doc") -> "Report | None":
    """Return the report that the component stored with a Doc; None where it has not read it."""
    from tactful.types import Report

    stored = doc.user_data.get(FACTORY)
    if stored is None:
        return None
    return Report(doc.text, tuple(map(_restored, stored["findings"])), stored["model"])


def _restored(stored: Mapping[str, Any]) -> "Finding":
    from tactful.types import Finding, Span

    return Finding(
        stored["id"],
        stored["probability"],
        tuple(Span(start, end, stored["id"]) for start, end in stored["spans"]),
        stored["explanation"],
        stored["confidence"],
        tuple(map(_restored, stored["kinds"])),
    )


def _stored(finding: "Finding") -> dict[str, Any]:
    return {
        "id": finding.id,
        "probability": finding.probability,
        "spans": [[span.start, span.end] for span in finding.spans],
        "explanation": finding.explanation,
        "confidence": finding.confidence,
        "kinds": [_stored(kind) for kind in finding.kinds],
    }


def _annotate(doc: "Doc", reading: "Reading") -> None:
    import numpy as np
    from spacy.tokens import SpanGroup

    found = {}
    for kind in (kind for finding in reading.report.findings for kind in finding.kinds):
        for span in kind.spans:
            tokens = doc.char_span(span.start, span.end, label=kind.id, alignment_mode="expand")
            if tokens is not None:
                # Two spans can become one when they are widened to whole tokens.
                found[tokens.start, tokens.end, kind.id] = (tokens, kind.confidence)
    spans = [tokens for tokens, _ in found.values()]
    # The same place and form in which spaCy's own span categoriser keeps its scores.
    scores = np.array([confidence for _, confidence in found.values()], dtype="float32")
    doc.spans[FACTORY] = SpanGroup(doc, name=FACTORY, spans=spans, attrs={"scores": scores})
    doc.cats = {**doc.cats, **reading.probabilities}
    doc.user_data[FACTORY] = {
        "model": reading.report.model,
        "findings": [_stored(finding) for finding in reading.report.findings],
    }


def _raise(name: str, component: Any, docs: list[Any], error: Exception) -> None:
    raise error


def __getattr__(name: str) -> Any:
    # The entry point asks for this name; spaCy needs the factory to be registered by then.
    if name == "spacy_factory":
        register()
        return make_component
    raise AttributeError(f"module '{__name__}' has no attribute {name!r}")
