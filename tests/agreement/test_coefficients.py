"""What is peculiar to one coefficient: options, reasons and notes."""

from typing import Any

import pytest

from tactful.agreement import (
    Agreement,
    cohen_kappa,
    cohen_pairs,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    measure_agreement,
    percent_agreement,
)
from tactful.errors import InputError, UnknownNameError, UsageError
from tactful.ratings import read_ratings

ROWS = [(i, a, (i + (a == 2 and i % 2)) % 3) for i in range(8) for a in range(3)]


def test_a_table_or_what_was_read_from_it() -> None:
    assert krippendorff_alpha(ROWS) == krippendorff_alpha(read_ratings(ROWS))


def test_an_undefined_answer_is_no_number() -> None:
    found = krippendorff_alpha([(1, 1, "a"), (1, 2, "a")])
    assert found.value is None
    assert str(found).startswith("Krippendorff's alpha (nominal): undefined (every judgement")
    with pytest.raises(InputError, match=r"alpha .* is undefined: every judgement in a pair"):
        float(found)


def test_an_answer_prints_itself_and_is_plain_data() -> None:
    found = krippendorff_alpha(ROWS, bootstrap=20)
    assert f"{float(found):.3f} [" in str(found)
    assert found.as_dict()["value"] == found.value
    with pytest.raises(AttributeError):
        found.value = 1.0  # type: ignore[misc]


def test_counts_are_of_what_can_be_compared() -> None:
    found = krippendorff_alpha([(1, "a", 0), (1, "b", 1), (2, "a", 0), (3, "c", 1)])
    assert (found.items, found.annotators, found.judgements, found.single_items) == (1, 2, 2, 2)


@pytest.mark.parametrize("level", ["interval", "ratio"])
def test_numbers_are_wanted(level: Any) -> None:
    found = krippendorff_alpha([(1, 1, "3"), (1, 2, "three")], level)
    assert found.reason == f"{level} labels must be numbers, and 'three' is none"


def test_ratios_need_a_zero() -> None:
    found = krippendorff_alpha([(1, 1, -1), (1, 2, 2)], "ratio")
    assert found.reason == "ratio labels must be 0 or more, and -1 is less"
    zeros = [(i, a, 0 if i else a) for i in (0, 1) for a in (0, 1)]
    assert krippendorff_alpha(zeros, "ratio").value is not None


def test_listed_labels_give_an_order_and_must_be_complete() -> None:
    words = ["low", "high", "middle"]
    rows = [(i, a, words[label]) for i, a, label in ROWS]
    in_order = krippendorff_alpha(rows, "ordinal", labels=["low", "high", "middle"])
    assert in_order.value == pytest.approx(krippendorff_alpha(ROWS, "ordinal").value)
    with pytest.raises(InputError, match="Found the label 'middle'; expected one of low, high"):
        krippendorff_alpha(rows, "ordinal", labels=["low", "high"])
    with pytest.raises(UsageError, match="name one twice"):
        krippendorff_alpha(rows, "ordinal", labels=["low", "low"])


def test_labels_that_nobody_gave_count_in_ac1_only() -> None:
    plain, listed = gwet_ac1(ROWS), gwet_ac1(ROWS, labels=[0, 1.0, "2", 3])
    assert plain.value is not None
    assert listed.value is not None
    assert listed.value > plain.value
    assert fleiss_kappa(ROWS, labels=[0, 1, 2, 3]).value == fleiss_kappa(ROWS).value
    same = [(i, a, 1) for i in range(3) for a in range(2)]
    assert gwet_ac1(same).value is None
    assert gwet_ac1(same, labels=[0, 1]).value == 1


def test_rare_labels_the_paradox_that_ac1_answers() -> None:
    # Feinstein and Cicchetti (1990): 85 % agreement both times, kappa 0.70 and 0.32.
    def rows(counts: dict[tuple[int, int], int]) -> list[tuple[int, str, int]]:
        pairs = [pair for pair, count in counts.items() for _ in range(count)]
        return [(at, who, pair["ab".index(who)]) for at, pair in enumerate(pairs) for who in "ab"]

    even = rows({(1, 1): 40, (1, 2): 9, (2, 1): 6, (2, 2): 45})
    rare = rows({(1, 1): 80, (1, 2): 10, (2, 1): 5, (2, 2): 5})
    assert percent_agreement(even).value == percent_agreement(rare).value == pytest.approx(0.85)
    assert cohen_kappa(even).value == pytest.approx(0.70, abs=5e-3)
    assert cohen_kappa(rare).value == pytest.approx(0.32, abs=5e-3)
    assert float(gwet_ac1(rare)) > float(gwet_ac1(even)) > 0.69


def test_overlap_is_explained() -> None:
    rows = [(1, "a", 0), (1, "b", 1), (2, "a", 1), (2, "c", 1), (3, "b", 0)]
    found = cohen_kappa(rows)
    assert found.reason == "no two annotators share 2 items; the most that any two share is 1"
    assert [pair.reason for pair in cohen_pairs(rows)] == [
        "they share 1 item; at least 2 are wanted"
    ] * 2
    with pytest.raises(UsageError, match="expected 1 item or more"):
        cohen_kappa(rows, overlap=0)


def test_pairs_that_do_not_count_are_counted() -> None:
    rows = [(i, who, i % 2) for i in range(12) for who in "ab"]
    rows += [(i, "c", 0) for i in range(0, 12, 2)] + [(0, "d", 1)]
    found = cohen_kappa(rows)
    assert found.value == 1
    assert found.notes[:3] == (
        "the mean over 1 of 6 pairs of annotators",
        "left out: 3 pairs that share less than 2 items",
        "left out: 2 pairs that gave one label throughout",
    )
    assert cohen_kappa([(i, a, 1) for i in range(5) for a in range(2)]).reason is not None


def test_pairs_of_words_have_no_weights() -> None:
    pairs = cohen_pairs([(1, 1, "a"), (1, 2, "b")], "linear")
    assert pairs[0].reason is not None
    assert "not numbers" in pairs[0].reason
    assert cohen_pairs([]) == ()


@pytest.mark.parametrize(
    "call",
    [
        lambda: krippendorff_alpha(ROWS, "nominla"),  # type: ignore[arg-type]
        lambda: cohen_kappa(ROWS, "squared"),  # type: ignore[arg-type]
        lambda: gwet_ac2(ROWS, "cubic"),  # type: ignore[arg-type]
        lambda: percent_agreement(ROWS, over="people"),  # type: ignore[arg-type]
        lambda: measure_agreement(ROWS, "kripendorff"),
    ],
)
def test_unknown_names_are_answered_with_the_list(call: Any) -> None:
    with pytest.raises(UsageError, match="Known: "):
        call()


def test_the_nearest_measure_is_named() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'krippendorff'"):
        measure_agreement(ROWS, "kripendorff")


def test_answers_are_answers() -> None:
    assert isinstance(measure_agreement(ROWS, "ac2", "interval"), Agreement)
    assert measure_agreement(ROWS, "cohen", overlap=99).value is None
