from typing import Any

import pytest

from tactful.annotation.protocol.changes import changed, check_settings
from tactful.annotation.protocol.load import load_protocol
from tactful.errors import TactfulError


def test_settings_become_the_rules() -> None:
    used = load_protocol("unhealthy")
    settings = {
        "judgements": 4,
        "most": 6,
        "confidence": 0.8,
        "least_trust": 0.7,
        "most_per_day": 50,
        "help": "Ask us.",
        "workload": "balanced",
        "lease_minutes": 12,
    }
    check_settings(used, settings)
    now = changed(used, settings)
    assert (now.steps[0].judgements, now.steps[0].most, now.steps[0].confidence) == (4, 6, 0.8)
    assert now.quality.least_trust == 0.7
    assert now.quality.tests == used.quality.tests
    assert (now.wellbeing.most_per_day, now.wellbeing.help) == (50, "Ask us.")
    assert now.lease_minutes == 12


def test_a_setting_can_be_of_one_step() -> None:
    used = load_protocol("stereotypes")
    first, second = used.steps[:2]
    now = changed(used, {f"{second.id}.judgements": 5})
    assert (now.steps[0].judgements, now.steps[1].judgements) == (first.judgements, 5)


def test_the_scale_of_two_stays_of_two() -> None:
    used = load_protocol("pcl")
    now = changed(used, {"judgements": 3})
    assert (now.step("paragraph").judgements, now.step("spans").judgements) == (2, 3)
    with pytest.raises(TactfulError, match="expected 2"):
        check_settings(used, {"paragraph.judgements": 3})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"judgments": 3}, "Did you mean 'judgements'"),
        ({"judgements": 0}, "expected a whole number of 1 or more"),
        ({"judgements": True}, "expected a whole number"),
        ({"judgements": "3"}, "expected a whole number"),
        ({"confidence": 75}, "expected a number from 0 to 1"),
        ({"least_trust": float("nan")}, "expected a number from 0 to 1"),
        ({"help": None}, "expected a text"),
        ({"workload": "fair"}, "expected shared or balanced"),
        ({"lease_minutes": float("inf")}, "expected a number of minutes"),
        ({"judgements": 9}, "expected 'most' not to be below 'judgements'"),
    ],
)
def test_what_cannot_be_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(TactfulError, match=message):
        check_settings(load_protocol("unhealthy"), settings)
