"""The people of a simulation: how many, how able, how many of them do not read."""

from dataclasses import dataclass
from random import Random

from tactful.annotation.protocol.records import Protocol
from tactful.annotation.simulation.annotators import SPAM, Annotator
from tactful.errors import UsageError

SECONDS = 12.5
"""For one item: "between 12 and 13 seconds per comment" (Price et al. 2020, footnote 2)."""
_SPAM_SPEED = 0.4
"""Who does not read is faster."""
_SPEED_SPREAD = 0.3
_LEAST_SKILL, _MOST_SKILL = 0.05, 0.99


@dataclass(frozen=True, slots=True)
class Crowd:
    """What a crowd is drawn from; people differ around the means."""

    annotators: int = 30
    spammers: float = 0.15
    """This share of them does not read: a third each picks anything, has one answer for all, or
    takes the first option."""
    skill: float = 0.75
    skill_spread: float = 0.05
    """How far people differ from each other, and each from question to question."""
    bias: float = 0.0
    bias_spread: float = 0.3
    fatigue: float = 0.1
    seconds: float = SECONDS
    leaves: float = 0.0002
    """The chance of leaving for good at each item."""
    referees: int = 1
    """They decide where the judgements of others make no label."""
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


def draw_crowd(protocol: Protocol, crowd: Crowd, rng: Random) -> list[Annotator]:
    """Return the people, those who spam scattered among the others; referees come last."""
    spam = round(crowd.annotators * crowd.spammers)
    kinds = [SPAM[place % len(SPAM)] for place in range(spam)]
    people: list[Annotator] = []
    places = set(rng.sample(range(crowd.annotators), spam))
    for number in range(crowd.annotators):
        name = f"annotator-{number + 1:04d}"
        seconds = crowd.seconds * rng.lognormvariate(0, _SPEED_SPREAD)
        if number in places:
            favourite = rng.randrange(1, 10)
            people.append(
                Annotator(
                    name,
                    kinds.pop(),
                    seconds=seconds * _SPAM_SPEED,
                    leaves=crowd.leaves,
                    favourite=favourite,
                )
            )
        else:
            people.append(_reader(protocol, name, crowd, seconds, rng))
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
    return Annotator(
        name,
        skill=skill,
        skills={
            question.id: _within(rng.gauss(skill, crowd.skill_spread), crowd.skill)
            for step in protocol.steps
            for question in step.questions
        },
        bias=rng.gauss(crowd.bias, crowd.bias_spread),
        fatigue=max(0.0, rng.gauss(crowd.fatigue, crowd.fatigue / 3)),
        seconds=seconds,
        leaves=crowd.leaves,
    )


def _within(skill: float, mean: float) -> float:
    """Keep a drawn skill possible; a crowd that is perfect on the whole is so in each person."""
    return mean if mean in (0.0, 1.0) else min(max(skill, _LEAST_SKILL), _MOST_SKILL)
