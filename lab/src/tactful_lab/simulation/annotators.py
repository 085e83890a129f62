"""Simulated annotators: skill, bias, fatigue, and three kinds of spammers.

People who read see the right answer of a question with probability ``skill ** (difficulty *
tired)``. Otherwise they guess by how common they think each answer is (the square root of its
rate: people overestimate rare answers), shifted by their bias.
"""

from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from itertools import accumulate
from math import exp, sqrt
from random import Random
from typing import Any, Literal

import yaml

from tactful.annotation.protocol.records import Protocol, Question, Step
from tactful.annotation.state.votes import applies
from tactful.errors import UsageError
from tactful_lab.simulation.cases import Case, Rates, neutral, words

Kind = Literal["careful", "random", "constant", "first"]
"""``careful`` people read; ``random`` ones answer at random, ``constant`` ones always give the same
answer, ``first`` ones take the first option."""
SPAM: tuple[Kind, ...] = ("random", "constant", "first")
_NO_OPTIONS = ("nothing",)


@dataclass(frozen=True, slots=True)
class Annotator:
    """One person of a simulated crowd."""

    id: str
    kind: Kind = "careful"
    role: str = "annotator"
    skill: float = 0.8
    """The probability of reading an item of difficulty 1 correctly."""
    skills: Mapping[str, float] | None = None
    """Skill in single questions, where it differs."""
    bias: float = 0.0
    """Positive: guesses lean towards yes (or the high end of a scale); negative: towards no."""
    fatigue: float = 0.0
    """Relative increase in difficulty per hundred items of a session."""
    seconds: float = 12.5
    """Median time for one item."""
    leaves: float = 0.0
    """The probability of leaving for good at each item."""
    favourite: int = 1
    """For ``constant``: the index of the option they always take."""

    def skill_in(self, question: str) -> float:
        """Return the skill in one question."""
        return self.skill if self.skills is None else self.skills.get(question, self.skill)

    def tired(self, answered: int) -> float:
        """Return the factor of difficulty after a number of items of a session."""
        return 1.0 + self.fatigue * answered / 100.0


class Answering:
    """Answers the questions of one protocol, with the given rates of answers."""

    def __init__(self, protocol: Protocol, rates: Rates):
        self._steps = {
            step.id: [_Asked(question, rates) for question in step.questions]
            for step in protocol.steps
        }

    def answer(
        self, who: Annotator, step: Step, case: Case, tired: float, rng: Random
    ) -> dict[str, Any]:
        """Return what somebody answers about one item."""
        answers: dict[str, Any] = {}
        hardness = case.difficulty * tired
        for asked in self._steps[step.id]:
            if not applies(asked.question, answers):
                continue
            given = asked.once_per(answers)
            if given is None:
                answers[asked.question.id] = asked.answer(
                    who, case, case.truth.get(asked.question.id), hardness, rng
                )
            elif given:
                truth = case.truth.get(asked.question.id, {})
                answers[asked.question.id] = {
                    each: asked.answer(who, case, truth.get(each), hardness, rng) for each in given
                }
        return answers


class _Asked:
    """One question, prepared to be answered many times."""

    def __init__(self, question: Question, rates: Rates):
        self.question = question
        self.values = tuple(option.value for option in question.options) or _NO_OPTIONS
        self.shares = [rates[question.id].get(value, 0.0) for value in self.values]
        self.weights = [sqrt(share) for share in self.shares]
        self.leans = _leans(question, rates)
        self.guesses: dict[float, list[float]] = {}

    def once_per(self, answers: Mapping[str, Any]) -> Sequence[str] | None:
        """Return the answers of the ``per`` question; None without one."""
        if self.question.per is None:
            return None
        given = answers.get(self.question.per)
        return given if isinstance(given, list) else [given] if given else []

    def answer(self, who: Annotator, case: Case, truth: Any, hardness: float, rng: Random) -> Any:
        sure = who.skill_in(self.question.id) ** hardness if who.kind == "careful" else 0.0
        kind = self.question.kind
        if kind in ("choice", "scale"):
            if sure and truth is not None and rng.random() < sure:
                return truth
            return self.guess(who, rng)
        if kind == "choices" and self.question.options:
            return self.several(who, truth or [], sure, rng)
        if kind == "spans":
            return self.spans(who, case, truth or [], sure, rng)
        if kind == "text":
            return truth if truth and rng.random() < sure else _own_words(rng)
        return self.texts(truth or [], sure, rng)

    def guess(self, who: Annotator, rng: Random) -> str:
        """Return the guess of somebody who did not see the right option."""
        if who.kind == "random":
            return rng.choice(self.values)
        if who.kind != "careful":
            return self.values[who.favourite % len(self.values) if who.kind == "constant" else 0]
        ladder = self.guesses.get(who.bias)
        if ladder is None:
            tilted = [
                weight * exp(who.bias * lean)
                for weight, lean in zip(self.weights, self.leans, strict=True)
            ]
            ladder = self.guesses[who.bias] = list(accumulate(tilted))
        return self.values[min(bisect(ladder, rng.random() * ladder[-1]), len(self.values) - 1)]

    def several(self, who: Annotator, truth: list[str], sure: float, rng: Random) -> list[str]:
        """Return the options that somebody chooses."""
        if who.kind != "careful":
            chosen = [self.guess(who, rng)]
        else:
            chosen = [
                value
                for value, share in zip(self.values, self.shares, strict=True)
                if (value in truth if rng.random() < sure else self.ticks(who, share, rng))
            ]
        left = [value for value in self.values if value not in chosen]
        while len(chosen) < min(self.least(), len(self.values)):
            chosen.append(left.pop(rng.randrange(len(left))))
        most = self.question.most or len(chosen)
        return [value for value in self.values if value in chosen][:most]

    def ticks(self, who: Annotator, share: float, rng: Random) -> bool:
        """Guess whether one option holds."""
        yes = sqrt(share) * exp(who.bias)
        return rng.random() * (yes + sqrt(max(1.0 - share, 0.0))) < yes

    def spans(
        self, who: Annotator, case: Case, truth: list[dict[str, Any]], sure: float, rng: Random
    ) -> list[dict[str, Any]]:
        """Return the spans that somebody marks: some missed, some mislabelled, some added."""
        marked = []
        for span in truth:
            if rng.random() < sure:
                right = rng.random() < sure
                marked.append(span if right else {**span, "value": self.guess(who, rng)})
        if rng.random() >= sure or len(marked) < self.least():
            start, end = rng.choice(words(case.text))
            marked.append({"start": start, "end": end, "value": self.guess(who, rng)})
        unlike = {(span["start"], span["end"], span["value"]): span for span in marked}
        return [unlike[key] for key in sorted(unlike)][: self.question.most]

    def texts(self, truth: list[str], sure: float, rng: Random) -> list[str]:
        """Return what somebody writes, in the right words or in their own."""
        written = [text if rng.random() < sure else _own_words(rng) for text in truth]
        while len(written) < self.least():
            written.append(_own_words(rng))
        return list(dict.fromkeys(written))[: self.question.most]

    def least(self) -> int:
        """Return how many answers there must be."""
        return max(self.question.least, int(self.question.required))


def _leans(question: Question, rates: Rates) -> list[float]:
    """Return how much each option is a yes: by its score, or all but the neutral one."""
    if not question.options:
        return [0.0]
    scores = [option.score for option in question.options]
    known = [score for score in scores if score is not None]
    if len(known) == len(scores) and max(known) > min(known):
        return [(score - min(known)) / (max(known) - min(known)) for score in known]
    nothing = neutral(question, rates)
    return [float(option.value != nothing) for option in question.options]


def _own_words(rng: Random) -> str:
    return f"own words {rng.randrange(1_000_000)}"


SECONDS = 12.5
"""Seconds per item: "between 12 and 13 seconds per comment" (Price et al. 2020, footnote 2)."""
_READING = 6.5
_ANSWERING = {
    "choice": 6 / 7, "scale": 1.5, "choices": 4.0, "spans": 8.0, "text": 10.0, "texts": 15.0,
}  # fmt: skip
"""Seconds to read a text, and to answer a question of a kind. Seven choices add up to the paper's
time for a comment; the other kinds are assumptions."""
_SPAM_SPEED = 0.4
"""People who do not read are faster."""
_SPEED_SPREAD = 0.3
_LEAST_SKILL, _MOST_SKILL = 0.05, 0.99


@dataclass(frozen=True, slots=True)
class Crowd:
    """The distribution of a crowd; people vary around the means."""

    annotators: int = 30
    spammers: float = 0.15
    """Share of people who do not read, divided equally among the three kinds."""
    skill: float = 0.75
    skills: Mapping[str, float] | None = None
    """Mean skill in single questions, where it is not ``skill``."""
    skill_spread: float = 0.05
    """Standard deviation between people, and between the questions of one person."""
    bias: float = 0.0
    bias_spread: float = 0.3
    fatigue: float = 0.1
    seconds: float = SECONDS
    by_kind: bool = False
    """Whether an item takes longer with more and harder questions (:func:`pace`)."""
    leaves: float = 0.0002
    """The probability of leaving for good at each item."""
    referees: int = 1
    """People who decide disputed items."""
    referee_skill: float = 0.95

    def __post_init__(self) -> None:
        for name in ("spammers", "skill", "leaves", "referee_skill"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise UsageError(f"Found {value:g} for '{name}'; expected a share between 0 and 1.")
        for name in ("skill_spread", "bias_spread", "fatigue"):
            if getattr(self, name) < 0:
                raise UsageError(f"Found {getattr(self, name):g} for '{name}'; expected 0 or more.")
        if self.annotators < 1:
            raise UsageError(f"Found {self.annotators} annotators; expected at least one.")
        if self.seconds <= 0:
            raise UsageError(f"Found {self.seconds:g} seconds for an item; expected more than 0.")


def pace(step: Step, answers: Mapping[str, Any]) -> float:
    """Return how long an item takes with these answers, as a share of the time for a comment."""
    asked = [_ANSWERING[each.kind] for each in step.questions if each.id in answers]
    return (_READING + sum(asked)) / SECONDS


def fitted(protocol: Protocol, crowd: Crowd) -> Crowd:
    """Return people who agree as those of the protocol's paper did (``fits.yaml``).

    Where no hidden tests remove people who do not read there are none: those papers chose and
    trained their people.
    """
    known = published_agreement()
    if protocol.id not in known:
        raise UsageError(
            f"Found no agreement of people for the protocol '{protocol.id}'; expected one of "
            f"{', '.join(known)}; leave out --fitted."
        )
    skills = {question: fit["skill"] for question, fit in known[protocol.id].items()}
    spammers = crowd.spammers if protocol.quality.tests else 0.0
    return replace(crowd, skills=skills, spammers=spammers, by_kind=True)


def published_agreement() -> dict[str, dict[str, dict[str, float]]]:
    """Return the papers' agreement, and the skill that leads to it: protocol -> question."""
    text = (resources.files(__package__) / "fits.yaml").read_text(encoding="utf-8")
    known: dict[str, dict[str, dict[str, float]]] = yaml.safe_load(text)
    return known


def draw_crowd(protocol: Protocol, crowd: Crowd, rng: Random) -> list[Annotator]:
    """Return the people, with spammers at random places; referees come last."""
    spam = round(crowd.annotators * crowd.spammers)
    kinds = [SPAM[place % len(SPAM)] for place in range(spam)]
    people: list[Annotator] = []
    places = set(rng.sample(range(crowd.annotators), spam))
    for number in range(crowd.annotators):
        name = f"annotator-{number + 1:04d}"
        seconds = crowd.seconds * rng.lognormvariate(0, _SPEED_SPREAD)
        if number in places:
            favourite = rng.randrange(1, 10)
            seconds *= _SPAM_SPEED
            person = Annotator(name, kinds.pop(), seconds=seconds, favourite=favourite)
        else:
            person = _reader(protocol, name, crowd, seconds, rng)
        people.append(replace(person, leaves=crowd.leaves))
    people += [
        Annotator(
            f"referee-{number + 1:02d}",
            role="referee",
            skill=crowd.referee_skill,
            seconds=crowd.seconds,
        )
        for number in range(crowd.referees)
    ]
    return people


def _reader(protocol: Protocol, name: str, crowd: Crowd, seconds: float, rng: Random) -> Annotator:
    skill = _within(rng.gauss(crowd.skill, crowd.skill_spread), crowd.skill)
    given = crowd.skills or {}

    def skill_in(question: str) -> float:
        mean = given.get(question, crowd.skill)
        # Who sees more than others does so in every question.
        return _within(rng.gauss(skill + mean - crowd.skill, crowd.skill_spread), mean)

    return Annotator(
        name,
        skill=skill,
        skills={
            question.id: skill_in(question.id)
            for step in protocol.steps
            for question in step.questions
        },
        bias=rng.gauss(crowd.bias, crowd.bias_spread),
        fatigue=max(0.0, rng.gauss(crowd.fatigue, crowd.fatigue / 3)),
        seconds=seconds,
    )


def _within(skill: float, mean: float) -> float:
    """Keep a drawn skill in range; a perfect crowd has perfect people."""
    return mean if mean in (0.0, 1.0) else min(max(skill, _LEAST_SKILL), _MOST_SKILL)
