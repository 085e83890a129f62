"""Flags of people who may not read: compared with others and with themselves."""

from random import Random

from tactful.annotation.analysis.conduct import Given, conduct_flags


def answers(said: list[str], seconds: list[float] | float = 10.0) -> list[Given]:
    times = seconds if isinstance(seconds, list) else [seconds] * len(said)
    return [
        Given(float(at), "first", time, one)
        for at, (one, time) in enumerate(zip(said, times, strict=True))
    ]


def drawn(count: int, yes: float, seed: int) -> list[str]:
    rng = Random(seed)
    return ["yes" if rng.random() < yes else "no" for _ in range(count)]


def crowd(yes: float = 0.3, count: int = 60) -> dict[str, list[Given]]:
    return {f"p{number}": answers(drawn(count, yes, number)) for number in range(6)}


def kinds(**people: list[Given]) -> dict[str, list[str]]:
    flags = conduct_flags({**crowd(), **people})
    return {who: [flag.kind for flag in each] for who, each in flags.items()}


def test_nobody_is_flagged_who_works_as_the_others() -> None:
    assert kinds() == {}
    assert conduct_flags({}) == {}


def test_too_fast_for_the_others_or_for_oneself() -> None:
    said = drawn(60, 0.3, 99)
    assert kinds(fast=answers(said, 2.0)) == {"fast": ["fast"]}
    assert kinds(slow=answers(said, 40.0)) == {}
    assert kinds(tired=answers(said, [12.0] * 40 + [4.0] * 20)) == {"tired": ["sped up"]}
    assert kinds(few=answers(said[:19], 0.5)) == {}, "too few answers to say anything"


def test_the_same_answer_to_everything() -> None:
    assert kinds(liner=answers(["no"] * 60)) == {"liner": ["same answers"]}
    (flag,) = conduct_flags({**crowd(), "liner": answers(["no"] * 60)})["liner"]
    assert flag.why.startswith("the same for 100% of the items, others 7")


def test_no_to_everything_is_no_sign_where_others_say_no_too() -> None:
    rare = {**crowd(yes=0.03), "calm": answers(["no"] * 60)}
    assert conduct_flags(rare) == {}


def test_alternating_answers() -> None:
    assert kinds(zebra=answers(["yes", "no"] * 30)) == {"zebra": ["alternating"]}
    three = conduct_flags({**crowd(), "three": answers(["a", "b", "c"] * 20)})["three"]
    assert "every 3 items" in three[0].why


def test_alone_nobody_is_compared() -> None:
    assert conduct_flags({"liner": answers(["no"] * 60, 0.1)}) == {}
