"""The report of a simulation: cost and quality, compared with a plain majority vote."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random
from statistics import median
from typing import Any

from tactful.annotation.protocol.records import Protocol, Question, Step
from tactful.metrics.detection import Confusion, confusion_counts
from tactful_lab.simulation.annotators import SPAM, Annotator, Answering
from tactful_lab.simulation.cases import Case, Rates, neutral, random_for
from tactful_lab.simulation.run import START, Record, Setting

CURVE = (1, 3, 5, 7)
"""Votes per item, for the curve of the plain majority."""
_BINS = 10


_DPM_TO_ANSWER = {"0": 0, "1": 0, "2": 1, "3": 2, "4": 2}
"""Labels 0 and 1 are negative, 2 is borderline (Pérez-Almendros et al. 2020, section 4.2.1)."""
FREE_TEXT = "free text has no right answer"


@dataclass(frozen=True, slots=True)
class Score:
    """The quality of one question's labels."""

    items: int
    accuracy: float | None
    """The share of items (of decisions, where several answers are possible) that are right."""
    f1: float | None
    balanced_accuracy: float | None
    reason: str | None = None
    """Why some of them are missing."""


class Scorer:
    """Compares labels of one question with the truth."""

    def __init__(self, question: Question, rates: Rates):
        self.question = question
        self.values = [option.value for option in question.options]
        self.nothing = neutral(question, rates)
        self.several = question.kind in ("choices", "spans")

    @property
    def scored(self) -> bool:
        """Whether labels can be right or wrong."""
        closed = self.question.kind in ("choice", "scale", "choices", "spans")
        return closed and bool(self.values) and self.question.per is None

    @property
    def single(self) -> bool:
        """Whether labels are one of the options."""
        return self.scored and not self.several

    def read(self, value: Any, combine: str) -> Any:
        """Return a combined label as an answer, or as a list of answers."""
        if value is None:
            return None
        if combine == "dpm_scale" and not self.several and len(self.values) == 3:
            return self.values[_DPM_TO_ANSWER[str(value)]]
        return self.flat(value)

    def flat(self, answer: Any) -> Any:
        """Return an answer as its value, or the values of its list."""
        if not self.several:
            return None if answer is None else str(answer)
        flat = [each["value"] if isinstance(each, Mapping) else each for each in answer or ()]
        return list(dict.fromkeys(flat))

    def right(self, truth: Any, label: Any) -> bool:
        """Say whether one label of a question with one answer is right."""
        return bool(truth == label or (truth is None and not self.shown(label)))

    def shown(self, answer: Any) -> bool:
        """Say whether an answer is positive."""
        return answer is not None and answer != self.nothing

    def score(self, pairs: Iterable[tuple[Any, Any]]) -> Score:
        """Score pairs of truth and label; pairs of None were not asked."""
        if not self.scored:
            return Score(0, None, None, None, FREE_TEXT)
        asked = [pair for pair in pairs if pair != (None, None)]
        decisions = [decision for pair in asked for decision in self.decisions(*pair)]
        if not decisions:
            return Score(0, None, None, None, "no item was asked this question")
        gold, said = zip(*decisions, strict=True)
        counts = confusion_counts(gold, said)
        right = counts.true_positives + counts.true_negatives
        if not self.several:
            right = sum(self.right(*pair) for pair in asked)
        return _score(len(asked), right, counts)

    def decisions(self, truth: Any, label: Any) -> list[tuple[bool, bool]]:
        """Return what is positive in the truth and in the label of one item."""
        if not self.several:
            return [(self.shown(truth), self.shown(label))]
        return [(value in (truth or ()), value in (label or ())) for value in self.values]


def _score(items: int, right: int, counts: Confusion) -> Score:
    positives = counts.true_positives + counts.false_negatives
    negatives = counts.true_negatives + counts.false_positives
    found = 2 * counts.true_positives + counts.false_positives + counts.false_negatives
    f1 = 2 * counts.true_positives / found if found else None
    if not positives or not negatives:
        reason = f"no item is {'negative' if positives else 'positive'} in truth"
        return Score(items, right / counts.items, f1, None, reason)
    balanced = counts.true_positives / positives / 2 + counts.true_negatives / negatives / 2
    return Score(items, right / counts.items, f1, balanced)


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """The quality of one question's labels, and of a plain majority."""

    question: str
    step: str
    protocol: Score
    equal_cost: Score
    """A plain majority with the same number of judgements."""
    three_votes: Score
    """A plain majority of three votes per item."""
    alpha: float | None
    """Krippendorff's alpha of the judgements that count."""
    reason: str | None = None
    """Why there is no alpha."""


@dataclass(frozen=True, slots=True)
class KindResult:
    """The results of one kind of annotator."""

    kind: str
    people: int
    removed: int
    left: int
    """People who dropped out."""
    judgements_before: float | None
    """Median number of paid judgements before removal; None if nobody was removed."""
    most_judgements_before: int | None


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of labels with similar confidence."""

    low: float
    high: float
    labels: int
    confidence: float
    right: float


@dataclass(frozen=True, slots=True)
class Point:
    """Quality at one cost, averaged over the questions."""

    votes: int
    judgements: int
    accuracy: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class Simulation:
    """The cost and quality of a simulated protocol."""

    protocol: str
    seed: int
    items: int
    tests: int
    annotators: int
    finished: bool
    unlabelled: int
    judgements: int
    """All paid judgements."""
    on_tests: int
    counted: int
    """Judgements that count towards the labels."""
    discarded: int
    """Judgements by removed people."""
    decisions: int
    reopened: int
    price: float | None
    cost: float | None
    hours: float
    """Working hours of all people together."""
    days: float
    """From the first judgement to the last."""
    questions: tuple[QuestionResult, ...]
    kinds: tuple[KindResult, ...]
    confidence: tuple[Bin, ...]
    curve: tuple[Point, ...]

    @property
    def spammers(self) -> int:
        """Number of spammers."""
        return sum(kind.people for kind in self.kinds if kind.kind in SPAM)

    @property
    def caught(self) -> int:
        """Number of removed spammers."""
        return sum(kind.removed for kind in self.kinds if kind.kind in SPAM)

    @property
    def wrongly_removed(self) -> int:
        """Number of careful people who were removed."""
        return sum(kind.removed for kind in self.kinds if kind.kind == "careful")

    def mean(self, measure: str, of: str = "protocol") -> float | None:
        """Return the mean over the questions of ``accuracy``, ``f1`` or ``balanced_accuracy``.

        Questions without it are left out; None if no question has it.
        """
        return _mean([getattr(one, of) for one in self.questions], measure)

    def as_data(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {
            **asdict(self),
            "spammers": self.spammers,
            "caught": self.caught,
            "wrongly_removed": self.wrongly_removed,
            "means": {
                of: {name: self.mean(name, of) for name in ("accuracy", "f1", "balanced_accuracy")}
                for of in ("protocol", "equal_cost", "three_votes")
            },
        }


Labels = Mapping[str, tuple[Any, float | None]]
"""Question -> label, read as an answer, and its confidence."""


def make_report(setting: Setting, record: Record) -> Simulation:
    """Compare the labels with the truth, and with a plain majority."""
    return _Report(setting, record).make()


class _Report:
    def __init__(self, setting: Setting, record: Record):
        self.setting, self.record = setting, record
        self.items = [case for case in setting.cases if case.gold is None]
        self.scorers = {
            question.id: Scorer(question, setting.rates)
            for step in setting.protocol.steps
            for question in step.questions
        }
        self.steps = _judged_steps(setting.protocol)
        self.entered = {
            step.id: [case for case in self.items if self._status(case, step) != "waiting"]
            for step in self.steps
        }
        self.labels = {case.id: self._labels(case) for case in self.items}

    def _status(self, case: Case, step: Step) -> str:
        return self.record.state.items[case.id].steps[step.id].status

    def _labels(self, case: Case) -> Labels:
        """Return the label of each question, including the decisions of referees."""
        found: dict[str, tuple[Any, float | None]] = {}
        for step in self.steps:
            if self._status(case, step) != "waiting":
                for name, label in self.record.state.labels(case.id, step.id).items():
                    if label.value is not None:
                        value = self.scorers[name].read(label.value, step.combine)
                        found[name] = (value, label.confidence)
        return found

    def make(self) -> Simulation:
        setting, record = self.setting, self.record
        questions: list[QuestionResult] = []
        plain: dict[int, list[Score]] = {votes: [] for votes in CURVE} if setting.curve else {}
        for step in self.steps:
            number = len(self.entered[step.id])
            budgets: dict[str | int, int] = {"equal": self._budget(step), "three": 3 * number}
            budgets |= {votes: votes * number for votes in plain}
            ways = {way: self._plain(step, budget) for way, budget in budgets.items()}
            said = [
                {name: label for name, (label, _) in self.labels[case.id].items()}
                for case in self.entered[step.id]
            ]
            for question in step.questions:
                scores = {way: self._score(step, question, found) for way, found in ways.items()}
                alpha, reason = self._alpha(step, question)
                own = self._score(step, question, said)
                equal, three = scores["equal"], scores["three"]
                questions.append(
                    QuestionResult(question.id, step.id, own, equal, three, alpha, reason)
                )
                for votes, found in plain.items():
                    found.append(scores[votes])
        gone = {removal.annotator for removal in record.removals}
        return Simulation(
            protocol=setting.protocol.id,
            seed=setting.seed,
            items=len(self.items),
            tests=len(setting.cases) - len(self.items),
            annotators=sum(person.role == "annotator" for person in setting.people),
            finished=record.finished,
            unlabelled=sum(not self.labels[case.id] for case in self.items),
            judgements=record.total,
            on_tests=record.tests,
            counted=record.state.judgements.total(),
            discarded=sum(record.state.people[name].answered for name in gone),
            decisions=record.decisions,
            reopened=record.reopened,
            price=setting.price,
            cost=None if setting.price is None else setting.price * record.total,
            hours=record.seconds / 3600,
            days=(record.ended - START) / 86_400,
            questions=tuple(questions),
            kinds=tuple(_kinds(setting.people, record)),
            confidence=tuple(self._bins()),
            curve=tuple(
                Point(votes, votes * len(self.items), _mean(found, "accuracy"), _mean(found, "f1"))
                for votes, found in plain.items()
            ),
        )

    def _score(self, step: Step, question: Question, said: Sequence[Mapping[str, Any]]) -> Score:
        """Score the labels of the items of a step."""
        scorer = self.scorers[question.id]
        truths = [scorer.flat(case.truth.get(question.id)) for case in self.entered[step.id]]
        return scorer.score(zip(truths, [one.get(question.id) for one in said], strict=True))

    def _budget(self, step: Step) -> int:
        """Return the number of judgements for the labels of a step, including referees."""
        names = {question.id for question in step.questions}
        return sum(
            self.record.judgements[each.id]
            for each in self.setting.protocol.steps
            if names & {question.id for question in each.questions}
        )

    def _plain(self, step: Step, budget: int) -> list[dict[str, Any]]:
        setting = self.setting
        people = [person for person in setting.people if person.role == "annotator"]
        rng = random_for(setting.seed, f"majority {step.id} {budget}")
        answering = Answering(setting.protocol, setting.rates)
        return majority_labels(step, self.entered[step.id], people, answering, budget, rng)

    def _alpha(self, step: Step, question: Question) -> tuple[float | None, str | None]:
        from tactful.agreement import krippendorff_alpha

        if not self.scorers[question.id].single:
            return None, "only questions with one answer of a list have an alpha here"
        table = [
            (case.id, answer.annotator, str(answer.answers[question.id]))
            for case in self.entered[step.id]
            for answer in self.record.state.counted(case.id, step.id)
            if question.id in answer.answers
        ]
        if not table:
            return None, "nobody was asked"
        measured = krippendorff_alpha(table)
        return measured.value, measured.reason

    def _bins(self) -> list[Bin]:
        """Return how often labels of similar confidence are right."""
        from tactful.metrics.calibration import reliability_bins

        right: list[int] = []
        sure: list[float] = []
        for name in (question.id for step in self.steps for question in step.questions):
            for case in self.items if self.scorers[name].single else ():
                label, confidence = self.labels[case.id].get(name, (None, None))
                if label is not None and confidence is not None:
                    right.append(int(self.scorers[name].right(case.truth.get(name), label)))
                    sure.append(min(max(confidence, 0.0), 1.0))
        if not right:
            return []
        return [
            Bin(one.low, one.high, one.items, one.score, one.positive)
            for one in reliability_bins(right, sure, bins=_BINS)
        ]


def _judged_steps(protocol: Protocol) -> list[Step]:
    """Return the annotators' steps that have new questions."""
    steps: list[Step] = []
    seen: set[str] = set()
    for step in protocol.steps:
        names = {question.id for question in step.questions}
        if step.role == "annotator" and not names <= seen:
            steps.append(step)
        seen |= names
    return steps


def _kinds(people: Sequence[Annotator], record: Record) -> list[KindResult]:
    removed = {removal.annotator: removal for removal in record.removals}
    results = []
    for kind in ("careful", *SPAM):
        group = [person.id for person in people if person.kind == kind and person.role != "referee"]
        before = [removed[name].judgements for name in group if name in removed]
        left = sum(name in record.left for name in group)
        usual = float(median(before)) if before else None
        most = max(before, default=None)
        results.append(KindResult(kind, len(group), len(before), left, usual, most))
    return results


def _mean(scores: Sequence[Score], measure: str) -> float | None:
    known = [value for one in scores if (value := getattr(one, measure)) is not None]
    return sum(known) / len(known) if known else None


_SESSION = 2700.0
"""Seconds; judgements are given anywhere in a session, tired or not."""


def share_out(items: int, budget: int, most: int, rng: Random) -> list[int]:
    """Return the number of votes of each item, so that the whole budget is spent.

    Each item gets one vote, then pairs of votes are spread evenly; an odd rest goes to one item.
    Nobody votes twice on an item, so ``most`` is the number of people.
    """
    budget = min(budget, items * most)
    if budget <= items:
        votes = [1] * budget + [0] * (items - budget)
    else:
        pairs = (budget - items) // 2
        votes = [1 + 2 * (pairs // items)] * items
        for place in range(pairs % items):
            votes[place] += 2
        surplus = sum(max(0, each - most) for each in votes)
        votes = [min(each, most) for each in votes]
        rest = surplus + (budget - items) % 2
        for place, each in enumerate(votes):
            more = min(most - each, rest)
            votes[place] += more
            rest -= more
    rng.shuffle(votes)
    return votes


def majority_labels(
    step: Step,
    cases: Sequence[Case],
    people: Sequence[Annotator],
    answering: Answering,
    budget: int,
    rng: Random,
) -> list[dict[str, Any]]:
    """Return the labels of each item: question -> answer, or the list of those that are there."""
    labels = []
    for case, votes in zip(cases, share_out(len(cases), budget, len(people), rng), strict=True):
        ballots = [
            answering.answer(person, step, case, _tired(person, rng), rng)
            for person in rng.sample(people, votes)
        ]
        labels.append(
            {question.id: _winner(question, ballots) for question in step.questions}
            if ballots
            else {}
        )
    return labels


def _tired(person: Annotator, rng: Random) -> float:
    return person.tired(int(rng.random() * _SESSION / person.seconds))


def _winner(question: Question, ballots: Sequence[dict[str, Any]]) -> Any:
    """Return the majority answer; of ties, the first given."""
    if question.per is not None or question.kind in ("text", "texts"):
        return None
    given = [ballot.get(question.id) for ballot in ballots]
    if question.kind in ("choice", "scale"):
        return Counter(given).most_common(1)[0][0]
    counts = Counter(
        value
        for answer in given
        for value in {each["value"] if isinstance(each, dict) else each for each in answer or ()}
    )
    if all(answer is None for answer in given):
        return None
    return [option.value for option in question.options if 2 * counts[option.value] > len(given)]
