"""The simulator as a whole, on the real rules of a project."""

from dataclasses import replace
from pathlib import Path

import pytest

from tactful.annotation.protocol.load import PROTOCOLS, load_protocol
from tactful.annotation.protocol.records import Option, Protocol, Quality, Question, Step
from tactful.errors import UsageError
from tactful_lab.simulation.cases import published_rates
from tactful_lab.simulation.report import share_out
from tactful_lab.simulation.simulate import (
    Crowd,
    Plan,
    prepare,
    simulate,
    simulate_with_record,
)

UNHEALTHY = load_protocol("unhealthy")
SMALL = Plan(items=250, tests=40, crowd=Crowd(annotators=30, spammers=0.2), seed=3, price=0.05)


def test_the_same_seed_gives_the_same_answer() -> None:
    assert simulate(UNHEALTHY, SMALL) == simulate(UNHEALTHY, SMALL)


def test_another_seed_gives_another_answer() -> None:
    assert (
        simulate(UNHEALTHY, SMALL).questions
        != simulate(UNHEALTHY, replace(SMALL, seed=4)).questions
    )


def test_spammers_are_caught_and_their_judgements_replaced() -> None:
    answer = simulate(UNHEALTHY, replace(SMALL, items=1000))
    assert answer.finished
    assert answer.spammers == 6
    assert answer.caught >= 5
    assert answer.wrongly_removed <= 4
    assert answer.discarded > 0
    assert answer.reopened > 0
    spam = [kind for kind in answer.kinds if kind.kind != "careful" and kind.removed]
    # Nobody is judged before five tests, one on a page of seven: 29 judgements at the earliest.
    assert all(kind.judgements_before is not None for kind in spam)
    assert all(29 <= (kind.judgements_before or 0) <= 80 for kind in spam)


def test_labels_are_better_than_a_plain_majority_of_as_many_judgements() -> None:
    answer = simulate(UNHEALTHY, replace(SMALL, items=1000))
    for measure in ("accuracy", "f1", "balanced_accuracy"):
        ours, equal = answer.mean(measure), answer.mean(measure, "equal_cost")
        assert ours is not None
        assert equal is not None
        assert ours > equal


def test_the_comparison_spends_what_the_protocol_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[int] = []

    def counted(items: int, budget: int, most: int, rng: object) -> list[int]:
        votes = share_out(items, budget, most, rng)  # type: ignore[arg-type]
        spent.append(sum(votes))
        return votes

    monkeypatch.setattr("tactful_lab.simulation.report.share_out", counted)
    answer = simulate(UNHEALTHY, SMALL)
    # Tests and the judgements of those who were removed were paid for, too.
    assert spent == [answer.judgements, 3 * answer.items]
    assert answer.judgements >= answer.counted + answer.on_tests


def test_a_perfect_crowd_gives_perfect_labels_with_the_least_judgements() -> None:
    crowd = Crowd(annotators=12, spammers=0, skill=1.0, leaves=0.0)
    answer = simulate(UNHEALTHY, Plan(items=200, tests=60, crowd=crowd))
    assert answer.counted == 3 * 200
    assert (answer.wrongly_removed, answer.reopened, answer.discarded) == (0, 0, 0)
    assert answer.mean("accuracy") == answer.mean("f1") == 1.0
    assert all(result.protocol.accuracy == 1.0 for result in answer.questions)


def test_fatigue_lowers_the_agreement_and_the_accuracy() -> None:
    plain = replace(
        UNHEALTHY,
        steps=(replace(UNHEALTHY.steps[0], most=None, confidence=None, combine="majority"),),
        quality=Quality(page=7),
    )
    fresh, tired = (
        simulate(plain, Plan(items=400, crowd=Crowd(annotators=6, spammers=0, fatigue=fatigue)))
        for fatigue in (0.0, 3.0)
    )
    assert (fresh.mean("accuracy") or 0) > (tired.mean("accuracy") or 0) + 0.01
    assert (fresh.mean("f1") or 0) > (tired.mean("f1") or 0) + 0.1


def test_confidence_tells_how_right_a_label_is() -> None:
    bins = simulate(UNHEALTHY, replace(SMALL, items=1000)).confidence
    assert bins[0].confidence < 0.7
    assert bins[-1].confidence > 0.95
    assert bins[0].right < bins[-1].right


def test_the_crowd_agrees_about_as_far_as_that_of_the_paper() -> None:
    # Price et al. 2020, table 2: alpha from 0.26 to 0.39 over the attributes.
    answer = simulate(UNHEALTHY, replace(SMALL, items=2000, crowd=Crowd(annotators=40)))
    known = [result.alpha for result in answer.questions if result.alpha is not None]
    assert 0.26 <= sum(known) / len(known) <= 0.39


def test_the_published_rates_are_those_of_the_tables() -> None:
    rates = published_rates(UNHEALTHY)
    # Price et al. 2020, table 1, in per cent.
    table = {
        "unhealthy.antagonistic": 4.7,
        "unhealthy.condescending": 5.5,
        "unhealthy.dismissive": 3.1,
        "unhealthy.hostile": 2.5,
        "unhealthy.sarcastic": 4.3,
        "unhealthy": 7.5,
    }
    assert {name: round(100 * rates[name]["yes"], 6) for name in table} == table
    unfair = (
        rates["unhealthy.generalisation"]["yes"] * rates["unhealthy.generalisation_unfair"]["yes"]
    )
    assert unfair == pytest.approx(0.02, abs=0.0005)
    # Pérez-Almendros et al. 2020, section 4.2.1 and table 2.
    pcl = published_rates(load_protocol("pcl"))
    assert pcl["pcl"]["1"] + pcl["pcl"]["2"] == pytest.approx(995 / 10_637, abs=0.0005)
    assert sum(pcl["spans"].values()) == pytest.approx(3554 / 995, abs=0.005)
    assert sum(pcl["pcl"].values()) == pytest.approx(1)


@pytest.mark.parametrize("name", PROTOCOLS.built_in)
def test_every_protocol_of_the_papers_comes_to_its_end(name: str) -> None:
    crowd = Crowd(annotators=8, spammers=0.0, leaves=0.0)
    answer = simulate(load_protocol(name), Plan(items=60, crowd=crowd, seed=1))
    assert answer.finished
    assert answer.unlabelled == 0
    assert (answer.mean("accuracy") or 0) > 0.85


def test_where_all_have_gone_it_ends_unfinished() -> None:
    crowd = Crowd(annotators=5, spammers=0.0, leaves=0.5)
    answer, _, record = simulate_with_record(UNHEALTHY, Plan(items=50, tests=10, crowd=crowd))
    assert not answer.finished
    assert len(record.left) == 5
    assert answer.unlabelled > 0


def test_a_crowd_of_spammers_leaves_nobody_and_does_not_run_for_ever() -> None:
    crowd = Crowd(annotators=10, spammers=1.0, leaves=0.0)
    answer = simulate(UNHEALTHY, Plan(items=300, tests=40, crowd=crowd))
    assert answer.caught >= 9
    assert not answer.finished


def test_ground_truth_may_be_a_file(tmp_path: Path) -> None:
    rows = "".join(f"{number},{'yes' if number % 2 else 'no'}\n" for number in range(40))
    ground = tmp_path / "truth.csv"
    ground.write_text("id,rude\n" + rows, encoding="utf-8")
    options = (Option("yes", "Yes"), Option("no", "No"))
    step = Step("s", "S", (Question("rude", "choice", "Is it rude?", options=options),))
    protocol = Protocol("ours", "Ours", "1", "en", "", "us", (step,))
    answer = simulate(protocol, Plan(ground=ground, crowd=Crowd(annotators=5, spammers=0)))
    assert answer.items == 40
    rates = tmp_path / "rates.yaml"
    rates.write_text('rude: {"yes": 1.0}\n', encoding="utf-8")
    setting = prepare(protocol, Plan(items=30, ground=rates))
    assert {case.truth["rude"] for case in setting.cases} == {"yes"}


@pytest.mark.parametrize(
    ("name", "plan", "sentence"),
    [
        ("unhealthy", Plan(items=0), "Found 0 items; expected at least one."),
        ("unhealthy", Plan(price=-1.0), "Found the price -1; expected 0 or more."),
        ("unhealthy", Plan(tests=-1), "Found -1 tests; expected 0 or more."),
        ("unhealthy", Plan(tests=2), "Found 2 tests; expected at least 5: with fewer"),
        ("pcl", Plan(tests=5), "the protocol 'pcl' has no hidden tests; remove --tests"),
        (
            "unhealthy",
            Plan(crowd=Crowd(annotators=4)),
            "Found 4 annotators; expected at least 5, the maximum for one item.",
        ),
    ],
)
def test_plans_that_cannot_be_are_refused(name: str, plan: Plan, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        simulate(load_protocol(name), plan)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
