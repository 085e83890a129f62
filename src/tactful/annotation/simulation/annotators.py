"""How one simulated person answers: skill, bias, fatigue, and three ways of not reading at all.

Whoever reads has a chance of ``skill ** (difficulty * tired)`` to see the right answer of a
question. Otherwise they guess, by how common they think each answer is (the square root of its
rate: rare answers are thought to be less rare than they are), tilted by their bias.
"""

from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import exp, sqrt
from random import Random
from typing import Any, Literal

from tactful.annotation.protocol.records import Protocol, Question, Step
from tactful.annotation.simulation.cases import Case, Rates, applies, neutral, words

Kind = Literal["careful", "random", "constant", "first"]
"""``random`` picks anything, ``constant`` has one answer for all, ``first`` takes the first option;
``careful`` people read."""
SPAM: tuple[Kind, ...] = ("random", "constant", "first")
_NO_OPTIONS = ("nothing",)


@dataclass(frozen=True, slots=True)
class Annotator:
    """One person of a simulated crowd."""

    id: str
    kind: Kind = "careful"
    role: str = "annotator"
    skill: float = 0.8
    """The chance to read an item of difficulty 1 rightly."""
    skills: Mapping[str, float] | None = None
    """Skill in single questions, where it is another one."""
    bias: float = 0.0
    """Above 0 their guesses lean towards yes (or the high end of a scale), below 0 towards no."""
    fatigue: float = 0.0
    """How much harder everything becomes with each hundred items of a session: 0.1 is a tenth."""
    seconds: float = 12.5
    """For one item, in the middle of the cases."""
    leaves: float = 0.0
    """The chance to leave for good at any item."""
    favourite: int = 1
    """Of the kind ``constant``: the place of the option they always take."""

    def skill_in(self, question: str) -> float:
        """Return the skill in one question."""
        return self.skill if self.skills is None else self.skills.get(question, self.skill)

    def tired(self, answered: int) -> float:
        """Return how many times harder items are after so many of a session."""
        return 1.0 + self.fatigue * answered / 100.0


class Answering:
    """How people answer the questions of one protocol, where its answers have such rates."""

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
            if not applies(asked.question.when, answers):
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
    """One question, made ready to be answered many times."""

    def __init__(self, question: Question, rates: Rates):
        self.question = question
        self.values = tuple(option.value for option in question.options) or _NO_OPTIONS
        self.shares = [rates[question.id].get(value, 0.0) for value in self.values]
        self.weights = [sqrt(share) for share in self.shares]
        self.leans = _leans(question, rates)
        self.guesses: dict[float, list[float]] = {}

    def once_per(self, answers: Mapping[str, Any]) -> Sequence[str] | None:
        """Return the answers that it is asked for one by one; None for a question of its own."""
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
        """Return one option of somebody who did not see the right one."""
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
        """Return the options that somebody ticks."""
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
        """Return the pieces that somebody marks: some missed, some named otherwise, some added."""
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
    """Return how far each option is a yes: by its score, or else all but the neutral one."""
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
