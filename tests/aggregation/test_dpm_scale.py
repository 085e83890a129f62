"""The 5-point scale of Pérez-Almendros et al. 2020, section 4.2.1."""

import pytest

from tactful.aggregation import dpm_five_point
from tactful.errors import InputError, UnknownNameError


def rows(item: str, *answers: object) -> list[tuple[str, str, str]]:
    return [(item, f"ann{at}", str(label)) for at, label in enumerate(answers, 1)]


@pytest.mark.parametrize(
    ("first", "second", "label"),
    [(0, 0, "0"), (0, 1, "1"), (1, 0, "1"), (1, 1, "2"), (2, 1, "3"), (1, 2, "3"), (2, 2, "4")],
)
def test_two_answers_add_up(first: int, second: int, label: str) -> None:
    result = dpm_five_point(rows("p", first, second))
    assert result.labels == (label,)
    assert result.needs_referee == ()
    assert result.problems == ()
    assert result.why[0].rule == "the two answers add up"


@pytest.mark.parametrize(("verdict", "label"), [(0, "1"), (1, "2"), (2, "3")])
@pytest.mark.parametrize("answers", [(0, 2), (2, 0)])
def test_the_referee_decides_between_0_and_2(
    answers: tuple[int, int], verdict: int, label: str
) -> None:
    result = dpm_five_point(rows("p", *answers, verdict), referee="ann3")
    assert result.labels == (label,)
    assert result.needs_referee == ("p",)
    assert result.waiting == ()
    assert result.problems == ()
    assert "the referee decided" in result.why[0].text


def test_without_a_referee_the_items_that_need_one_are_listed() -> None:
    result = dpm_five_point([*rows("p", 0, 2), *rows("q", 1, 1), *rows("r", 2, 0)])
    assert result.labels == (None, "2", None)
    assert result.needs_referee == result.waiting == ("p", "r")
    assert result.notes == ("2 items wait for the referee ('p', 'r').",)
    assert result.problems[0] == ("p", "0 against 2: the referee has to decide")


def test_a_referee_who_was_not_needed_changes_nothing_and_is_a_problem() -> None:
    result = dpm_five_point(rows("p", 1, 1, 2), referee="ann3")
    assert result.labels == ("2",)
    assert "not needed and was not used" in result.problems[0][1]


def test_a_third_annotator_who_is_no_referee_leaves_no_label() -> None:
    result = dpm_five_point([*rows("p", 1, 1, 2), *rows("q", 2, 2)])
    assert result.labels == (None, "4")
    assert "name the referee" in result.problems[0][1]


def test_one_annotator_is_too_few() -> None:
    result = dpm_five_point([*rows("p", 2), ("q", "ann1", "0"), ("q", "ann2", "2"),
                             ("q", "ann3", "1")], referee="ann3")  # fmt: skip
    assert result.labels == (None, "2")
    assert result.problems == (("p", "fewer than two annotators judged it"),)


@pytest.mark.parametrize("wrong", ["3", "-1", "0.5", "yes"])
def test_other_answers_are_refused(wrong: str) -> None:
    with pytest.raises(InputError, match=f"Found the answers '{wrong}'"):
        dpm_five_point([("p", "a", wrong), ("p", "b", "1")])


def test_numbers_may_be_written_with_a_point() -> None:
    assert dpm_five_point([("p", "a", "2.0"), ("p", "b", "1")]).labels == ("3",)


def test_an_unknown_referee_answers_with_the_list() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'ann2'"):
        dpm_five_point(rows("p", 0, 2), referee="an2")
