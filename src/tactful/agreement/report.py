"""All that is measured about a question: what to compute, and the answers."""

from dataclasses import asdict, dataclass, field
from typing import Any

from tactful.agreement.answer import Agreement, Level
from tactful.agreement.cohen import PairAgreement, cohen_pairs
from tactful.agreement.curve import Curve, leave_out, trust_curve
from tactful.agreement.measure import measure_agreement, measure_per_label
from tactful.agreement.reading import landis_koch
from tactful.agreement.weights import WEIGHTS_OF_LEVEL
from tactful.ratings import Ratings

_ALL = "all judgements"


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be computed for every question."""

    measures: tuple[str, ...] = ()
    level: Level = "nominal"
    labels: tuple[str, ...] = ()
    per_label: bool = False
    leave_out: tuple[str, ...] = ()
    trust_curve: bool = False
    overlap: int = 2
    bootstrap: int = 0
    confidence: float = 0.95
    seed: int = 0
    pairs: bool = False


@dataclass
class Block:
    """All answers about one question, or why it has none."""

    question: str | None
    problem: str | None = None
    judgements: int = 0
    items: int = 0
    annotators: int = 0
    labels: tuple[str, ...] = ()
    missing: int = 0
    measures: list[Agreement] = field(default_factory=list)
    per_label: list[Agreement] = field(default_factory=list)
    left_out: int = 0
    without: list[Agreement] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    pairs: list[PairAgreement] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The question, or a general name if the table has none."""
        return _ALL if self.question is None else self.question

    def as_dict(self, request: Request) -> dict[str, Any]:
        """Return the block as plain data, for JSON."""
        data: dict[str, Any] = {
            "question": self.question,
            "problem": self.problem,
            "judgements": self.judgements,
            "items": self.items,
            "annotators": self.annotators,
            "labels": list(self.labels),
            "rows_without_label": self.missing,
            "measures": [answer_as_dict(answer) for answer in self.measures],
        }
        if request.per_label:
            data["per_label"] = [answer_as_dict(answer) for answer in self.per_label]
        if request.leave_out:
            data["without"] = {
                "labels": list(request.leave_out),
                "items_left_out": self.left_out,
                "measures": [answer_as_dict(answer) for answer in self.without],
            }
        if request.pairs:
            data["pairs"] = [asdict(pair) for pair in self.pairs]
        if request.trust_curve:
            data["trust_curves"] = [
                {"measure": curve.measure, "points": curve.frame().to_dicts()}
                for curve in self.curves
            ]
        return data


def measure_block(question: str | None, ratings: Ratings, request: Request) -> Block:
    """Compute all that was asked for about one question."""
    block = Block(
        question,
        judgements=len(ratings),
        items=len(set(ratings.item.tolist())),
        annotators=len(set(ratings.annotator.tolist())),
        labels=ratings.labels,
        missing=ratings.missing,
        measures=_answers(ratings, request),
    )
    if request.per_label:
        block.per_label = _label_answers(ratings, request)
    if request.leave_out:
        # A label that this question does not have leaves out nothing.
        known = [name for name in request.leave_out if name in ratings.labels]
        remaining = leave_out(ratings, known)
        block.left_out = block.items - len(set(remaining.item.tolist()))
        block.without = _answers(remaining, request)
    if request.pairs:
        block.pairs = list(
            cohen_pairs(
                ratings,
                WEIGHTS_OF_LEVEL.get(request.level),
                labels=request.labels or None,
                overlap=request.overlap,
            )
        )
    if request.trust_curve:
        block.curves = [
            trust_curve(ratings, name, _level(name, request), **_options(name, request))
            for name in request.measures
        ]
    return block


def _level(name: str, request: Request) -> Any:
    # The percentage of equal pairs is the same whatever the labels are.
    return "nominal" if name == "percent" else request.level


def _options(name: str, request: Request, per_label: bool = False) -> dict[str, Any]:
    options: dict[str, Any] = {
        "bootstrap": request.bootstrap,
        "confidence": request.confidence,
        "seed": request.seed,
    }
    if name == "cohen":
        options["overlap"] = request.overlap
    if request.labels and not per_label:
        options["labels"] = request.labels
    return options


def _answers(ratings: Ratings, request: Request) -> list[Agreement]:
    return [
        measure_agreement(ratings, name, _level(name, request), **_options(name, request))
        for name in request.measures
    ]


def _label_answers(ratings: Ratings, request: Request) -> list[Agreement]:
    # One label against the rest has no order: AC2 is then AC1, and need not be said twice.
    names = dict.fromkeys("ac1" if name == "ac2" else name for name in request.measures)
    return [
        answer
        for name in names
        for answer in measure_per_label(ratings, name, **_options(name, request, True)).values()
    ]


def answer_as_dict(answer: Agreement) -> dict[str, Any]:
    """Return an answer as plain data, with the words for its value."""
    return {**answer.as_dict(), "reading": landis_koch(answer)}
