"""A small protocol with hidden tests, made of two questions and one that depends on another."""

from dataclasses import replace

import pytest

from tactful.annotation.protocol.records import Condition, Option, Protocol, Quality, Question, Step

YES_NO = (Option("yes", "Yes"), Option("no", "No"))


@pytest.fixture
def crowd_protocol() -> Protocol:
    """Return a protocol like that of Price et al. 2020, with three questions."""
    step = Step(
        "judge",
        "Judge",
        (
            Question("rude", "choice", "Is it rude?", options=YES_NO),
            Question("odd", "choice", "Is it odd?", options=YES_NO),
            Question("why", "choice", "Why?", options=YES_NO, when=(Condition("odd", ("yes",)),)),
        ),
        judgements=3,
        most=5,
        confidence=0.75,
        combine="trust_weighted",
    )
    quality = Quality(page=7, tests=1, least_trust=0.78, least_tests=5)
    return Protocol("ours", "Ours", "1.0", "en", "A test.", "us", (step,), quality=quality)


@pytest.fixture
def plain_protocol(crowd_protocol: Protocol) -> Protocol:
    """Return the same questions without hidden tests, three judgements each."""
    step = replace(crowd_protocol.steps[0], most=None, confidence=None, combine="majority")
    return replace(crowd_protocol, steps=(step,), quality=Quality(page=5))
