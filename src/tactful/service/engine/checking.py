"""A check inside the service: as ``tactful check`` does it, with scores that were read in batches.

The report is put together in its own thread. All work that needs the detector goes through the
detector's lane, a few passages at a time, so that a long document never holds up the others.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from tactful.checking.checker import report_on
from tactful.checking.findings import Framing
from tactful.checking.options import CheckOptions
from tactful.checking.report import DocumentReport
from tactful.detectors.base import BaseDetector, Detector, Scores, Spans
from tactful.detectors.card import Card
from tactful.detectors.cost import rough_tokens, span_factor, tokens_of
from tactful.documents.document import Document
from tactful.errors import Problem, Severity
from tactful.service.engine.readers import PIECE_TOKENS
from tactful.service.http.errors import TimedOut

T = TypeVar("T")

MOST_MARKED = 512
"""In a passage of more tokens no words are marked; 90 words of prose have about 120."""


CALL_TOKENS = 32
"""The overhead of each call of a detector, in tokens."""


class Deadline:
    """The time at which a request is cancelled; threads that work for it check this.

    It is also over when the caller has disconnected (:meth:`give_up`).
    """

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._at = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left; none left raises."""
        left = self._at - time.monotonic()
        if left <= 0:
            raise TimedOut(self.seconds)
        return left

    def give_up(self) -> None:
        """End the work of this request at its next check."""
        self._at = 0.0

    def wait_for(self, answer: "Future[T]") -> T:
        """Return the answer of a lane; at the deadline, cancel work that has not started."""
        try:
            return answer.result(self.left())
        except TimeoutError:
            answer.cancel()
            raise TimedOut(self.seconds) from None


class Allowance:
    """How many tokens may still be read: for a request, or for the details of a report."""

    def __init__(self, tokens: float):
        self.left = tokens
        self.read = 0.0
        """The tokens that were read beside the passages."""

    def take(self, tokens: float) -> bool:
        """Spend tokens if enough are left; say whether they were spent."""
        if tokens > self.left:
            return False
        self.left -= tokens
        self.read += tokens
        return True


@dataclass(frozen=True, slots=True)
class Known:
    """What was read of a document before its report is put together."""

    scores: Mapping[str, Mapping[str, float]]
    """By the text of the passage."""
    tokens: Mapping[str, int]
    """Of the passages, and of their sentences, which may be read alone."""


class Prescored(BaseDetector):
    """A detector with known scores; it uses the real one only for spans."""

    def __init__(
        self,
        detector: Detector,
        lane: Executor,
        known: Known,
        deadline: Deadline,
        allowance: Allowance,
        *,
        marks: bool = True,
    ):
        self.card: Card = detector.card
        self._detector, self._lane, self._known = detector, lane, known
        self._deadline, self._allowance = deadline, allowance
        self._factor = span_factor(detector)
        self._marks = marks
        self._found: dict[tuple[str, tuple[str, ...]], Spans] = {}
        """The spans of passages, which may occur several times in a document."""
        self._is_marking = False
        self.unmarked = 0
        """The passages whose words were not looked for."""
        self.with_quotations = 0
        """The texts that were not read without their quotations."""

    def score(self, texts: Sequence[str]) -> Scores:
        """Return what is known; other texts are sentences, or have something left out."""
        self._deadline.left()
        known = self._known.scores
        if all(text in known for text in texts):
            return {
                name: np.array([known[text][name] for text in texts], dtype=np.float32)
                for name in self.card.ids
            }
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        # Texts with words left out are paid for by the spans.
        wanted = list(rows) if self._is_marking else self._affordable(list(rows))
        # What cannot be read excuses no finding.
        found = {name: np.ones(len(rows), dtype=np.float32) for name in self.card.ids}
        for part in self._parts(wanted):
            read = self._deadline.wait_for(self._lane.submit(self._detector.score, part))
            here = [rows[text] for text in part]
            for name in self.card.ids:
                found[name][here] = read[name]
        order = [rows[text] for text in texts]
        return {name: values[order] for name, values in found.items()}

    def _affordable(self, texts: list[str]) -> list[str]:
        """Return the texts that may be read: sentences, and others within the allowance."""
        known = self._known.tokens
        # The others are texts without their quotations.
        others = [text for text in texts if text not in known]
        sizes = dict(zip(others, tokens_of(self._detector, others), strict=True))
        may_call = bool(others) and self._allowance.take(CALL_TOKENS)
        read = [
            text
            for text in texts
            if text in known or (may_call and self._allowance.take(sizes[text]))
        ]
        self._allowance.read += sum(known.get(text, 0) for text in read)
        self.with_quotations += len(texts) - len(read)
        return read

    def _parts(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Cut texts into parts of so few tokens that other work can run between them."""
        part: list[str] = []
        tokens = 0
        for text in texts:
            more = self._tokens_of(text)
            if part and tokens + more > PIECE_TOKENS:
                yield part
                part, tokens = [], 0
            part.append(text)
            tokens += more
        if part:
            yield part

    def _tokens_of(self, text: str) -> int:
        return self._known.tokens.get(text) or rough_tokens(text)

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the words that carry each id, as the real detector finds them."""
        if not self._marks:
            return {}
        key = text, tuple(ids)
        if key not in self._found:
            tokens = self._tokens_of(text)
            cost = CALL_TOKENS + self._factor * tokens
            if tokens > MOST_MARKED or not self._allowance.take(cost):
                self.unmarked += 1
                return {}
            if isinstance(self._detector, BaseDetector):
                asked = self._lane.submit(self._detector.spans, text, ids)
                self._found[key] = self._deadline.wait_for(asked)
            else:
                self._is_marking = True
                self._found[key] = super().spans(text, ids)
                self._is_marking = False
        return self._found[key]


def report_within(
    detector: Prescored,
    document: Document,
    options: CheckOptions,
    framing: Framing | None,
) -> DocumentReport:
    """Return what was found in a document, and a note where the allowance did not suffice.

    ``framing`` says what may be implied.
    """
    report = report_on(detector, document, options, framing)
    problems = report.problems
    if detector.with_quotations:
        problems += (_not_excused(detector.with_quotations),)
    if detector.unmarked:
        problems += (_not_marked(detector.unmarked),)
    return report if problems is report.problems else replace(report, problems=problems)


def _not_excused(texts: int) -> Problem:
    return Problem(
        "text",
        None,
        "quotations-not-read",
        f"{texts:,} quotations that are treated as the writer's own words",
        "fewer quotations with findings",
        "send the document in parts to have findings in all quotations recognised as quoted",
        Severity.NOTE,
    )


def _not_marked(passages: int) -> Problem:
    return Problem(
        "text",
        None,
        "words-not-marked",
        f"{passages:,} passages with findings in which no words are marked",
        "fewer passages with findings",
        "send the document in parts to see the words in all of them",
        Severity.NOTE,
    )
