"""Measures of predicted frames, counted by hand (Sap et al. 2020, sections 4.1 and 4.2)."""

from math import sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.errors import InputError
from tactful.frames.schema import make_frame
from tactful.metrics import mean_sentence_bleu_score
from tactful.metrics.word_vectors import WordVectors
from tactful.types import Frame
from tactful_lab.evaluation.frame_measures import (
    QUESTIONS,
    best_reference_bleu_score,
    evaluate_frames,
    frame_measures,
    measure_name,
)

HARMLESS = make_frame({"offensive": "no", "intent": "no", "lewd": "no"})
INSULT = make_frame({"offensive": "yes", "intent": "yes", "lewd": "no", "group": "no"})


def about(group: str, *statements: str, in_group: str = "no") -> Frame:
    answers: dict[str, str | float | bool] = {
        "offensive": "yes", "intent": "yes", "lewd": "no", "group": "yes", "in_group": in_group,
    }  # fmt: skip
    return make_frame(answers, [group], statements)


COOKS = about("cooks", "cooks shout")
GOLD = [COOKS, HARMLESS, INSULT, about("old sailors", "sailors drink", "old sailors tell lies")]


def value(gold: list[Frame], predicted: list[Frame], name: str) -> float | None:
    return evaluate_frames(gold, predicted)[name].value


def test_gold_itself_is_perfect() -> None:
    vectors = WordVectors.of({"cooks": [1.0, 0.0], "shout": [0.0, 1.0]})
    for name, measure in evaluate_frames(GOLD, GOLD, vectors).items():
        short = name.rpartition(".")[2]
        if "lewd" in name or name.startswith("in_group"):
            assert measure.value is None  # no post is
            assert measure.reason
        elif short in ("word_movers", "broken_constraints", "specificity"):
            assert measure.value == 0
        elif short == "blank":
            assert measure.value == (0.5 if ".all." in name else 0)
        else:
            assert measure.value == 1, name


def test_answers_are_counted_where_the_question_was_asked() -> None:
    """The share of 66.6 % in table 4 is of the posts about which annotators were asked."""
    predicted = [HARMLESS, COOKS, COOKS, COOKS]
    found = evaluate_frames(GOLD, predicted)
    assert found["offensive.precision"].value == pytest.approx(2 / 3)
    assert found["offensive.recall"].value == pytest.approx(2 / 3)
    assert found["offensive.precision"].items == 4
    # Asked about the cooks, the insult and the sailors: 1 of 2 found, 1 of 2 right.
    assert found["group.f1"].items == 3
    assert found["group.precision"].value == 0.5
    assert found["group.recall"].value == 0.5
    # Of all posts the harmless one counts as a no: 1 of 3 right.
    assert found["group.all.f1"].items == 4
    assert found["group.all.precision"].value == pytest.approx(1 / 3)
    assert found["group.all.recall"].value == 0.5
    assert found["in_group.f1"].items == 2
    assert found["in_group.all.f1"].items == 4


def test_maybe_is_a_yes_on_both_sides() -> None:
    gold = [make_frame({"offensive": "maybe", "intent": "probably", "lewd": "no"})]
    predicted = [make_frame({"offensive": "yes", "intent": "probably_not", "lewd": "no"})]
    assert value(gold, predicted, "offensive.f1") == 1
    assert value(gold, predicted, "intent.f1") == 0


def test_an_answer_that_is_absent_is_no_quiet_no() -> None:
    """But for group and in-group, which the constraints leave out: there it is a no."""
    found = evaluate_frames([COOKS, COOKS], [Frame(answers={"frame.offensive": "no"}), COOKS])
    assert found["lewd.recall"].value is None
    assert found["intent.f1"].reason == "1 of 2 predicted frames do not answer this question"
    assert found["group.recall"].value == 0.5


def test_blanks_score_nothing_where_there_is_something_to_find() -> None:
    found = evaluate_frames(GOLD, [HARMLESS] * 4)
    for short in ("bleu_2", "mean_sentence_bleu_2", "best_reference_bleu_2", "rouge_l",
                  "exact_match"):  # fmt: skip
        assert found[f"target_group.{short}"].value == 0
        assert found[f"implied_statement.{short}"].items == 2
    assert found["target_group.blank"].value == 1
    # Of all four posts two are blank in gold, too: nothing is compared there, nothing is earned.
    assert found["target_group.all.rouge_l"].value == 0
    assert found["target_group.all.rouge_l"].items == 2
    assert found["implied_statement.all.exact_match"].value == 0
    assert found["implied_statement.all.best_reference_bleu_2"].value == 0
    assert found["target_group.all.blank"].value == 1
    assert found["target_group.all.blank"].parts["gold"].value == 0.5


def test_a_text_where_gold_is_blank_scores_nothing() -> None:
    found = evaluate_frames([HARMLESS, COOKS], [COOKS, COOKS])
    assert found["target_group.exact_match"].value == 1
    assert found["target_group.all.exact_match"].value == 0.5


def test_a_model_that_says_nothing_has_no_distance_of_words() -> None:
    """Table 5 has lower distances as better: nothing said must not be the best of all."""
    vectors = WordVectors.of({"cooks": [1.0, 0.0], "shout": [0.0, 1.0], "sailors": [1.0, 1.0]})
    found = evaluate_frames(GOLD, [HARMLESS] * 4, vectors)
    assert not [name for name in found if name.endswith("all.word_movers")]
    for variable in ("target_group", "implied_statement"):
        distance = found[f"{variable}.word_movers"]
        assert distance.value is None
        assert distance.reason == "no hypothesis and reference both have a word with a vector"
    nothing = evaluate_frames([HARMLESS], [INSULT])["target_group.all.rouge_l"]
    assert nothing.value is None
    assert nothing.reason == "no post has a text on either side"


def test_a_question_that_gold_never_answers_is_not_in_the_gold() -> None:
    """An aggregated file has no in-group answers: a prediction is neither right nor wrong."""
    gold = [Frame(answers={k: v for k, v in f.answers.items() if k != "frame.in_group"},
                  target_groups=f.target_groups) for f in GOLD]  # fmt: skip
    found = evaluate_frames(gold, [about("cooks", in_group="yes")] * 4)
    for name in ("precision", "recall", "f1", "all.precision", "all.recall", "all.f1"):
        measure = found[f"in_group.{name}"]
        assert measure.value is None
        assert measure.reason == "not in the gold: none of its posts answers this question"
    assert found["group.all.precision"].value == 0.5


def test_the_best_of_all_references_counts_and_case_does_not() -> None:
    """Section 4.2: hypotheses are compared to all groups and statements."""
    gold = [about("Old Sailors", "sailors drink", "old sailors tell lies")]
    found = evaluate_frames(gold, [about("old sailors", "Old sailors tell tales")])
    assert found["target_group.exact_match"].value == 1
    assert found["implied_statement.exact_match"].value == 0
    assert found["implied_statement.rouge_l"].value == 0.75
    # Three of four words and two of three pairs of the second reference.
    expected = sqrt(3 / 4 * 2 / 3)
    for short in ("bleu_2", "mean_sentence_bleu_2", "best_reference_bleu_2"):
        assert found[f"implied_statement.{short}"].value == pytest.approx(expected), short


def test_only_the_first_text_of_a_frame_is_compared() -> None:
    answers: dict[str, str | float | bool] = {
        "offensive": "yes", "intent": "no", "lewd": "no", "group": "yes",
    }  # fmt: skip
    both = make_frame(answers, ["bakers", "cooks"], ["bakers rise early", "cooks shout"])
    assert value([COOKS], [both], "target_group.exact_match") == 0
    assert value([both], [COOKS], "target_group.exact_match") == 1


def test_the_best_reference_takes_no_words_from_two() -> None:
    references = [["cooks shout loudly", "bakers rise early"]]
    mixed = ["cooks shout early"]
    together = float(mean_sentence_bleu_score(references, mixed))
    alone = best_reference_bleu_score(references, mixed)
    assert alone.value == pytest.approx(sqrt(2 / 3 * 1 / 2))
    assert together > float(alone)
    assert alone.parts["smoothed"].value == alone.value


def test_without_two_words_in_a_row_only_smoothing_scores() -> None:
    found = best_reference_bleu_score([["old sailors drink"]], ["sailors old"])
    assert found.value == 0
    assert found.parts["smoothed"].value == pytest.approx(sqrt(2 / 2 * 0.1 / 1) * 2.718281828**-0.5)
    assert best_reference_bleu_score([["cooks"]], ["cooks"]).value == 1
    assert best_reference_bleu_score([[]], ["cooks"]).value is None


def test_words_are_moved_only_with_vectors() -> None:
    vectors = WordVectors.of({"cooks": [0.0, 0.0], "bakers": [3.0, 4.0]})
    assert evaluate_frames([COOKS], [about("bakers")], vectors)[
        "target_group.word_movers"
    ].value == pytest.approx(5)
    without = evaluate_frames([COOKS], [COOKS])["target_group.word_movers"]
    assert without.value is None
    assert without.reason == "there are no word vectors to measure with"
    blank = evaluate_frames([COOKS], [HARMLESS], vectors)["target_group.word_movers"]
    assert blank.value is None


def test_frames_that_break_a_constraint_are_counted() -> None:
    broken = Frame(answers={**HARMLESS.answers, "frame.group": "yes"})
    assert value([HARMLESS] * 4, [HARMLESS, broken, COOKS, INSULT], "broken_constraints") == 0.25


def test_nothing_at_all_is_undefined_not_zero() -> None:
    for measure in evaluate_frames([], []).values():
        assert measure.value is None
        assert measure.reason


def test_each_post_needs_a_prediction() -> None:
    with pytest.raises(InputError, match="2 gold frames and 1 predicted"):
        evaluate_frames([COOKS, COOKS], [COOKS])


def test_names_say_the_variable_the_posts_and_the_measure() -> None:
    names = list(frame_measures())
    assert names[0] == measure_name(QUESTIONS[0], "precision") == "offensive.precision"
    assert "target_group.all.rouge_l" in names
    assert "target_group.all.bleu_2" not in names
    assert "offensive.all.f1" not in names
    assert len(names) == len(set(names)) == 3 * (5 + 2) + 2 * (7 + 5) + 4 + 1


FRAMES = st.lists(
    st.tuples(*[st.sampled_from([HARMLESS, INSULT, *GOLD, about("old cooks", "cooks shout")])] * 2),
    min_size=1,
    max_size=8,
)


@settings(max_examples=30)
@given(FRAMES, st.randoms())
def test_the_order_of_posts_does_not_matter(pairs: list[tuple[Frame, ...]], random: Random) -> None:
    shuffled = sorted(pairs, key=lambda _: random.random())
    first, second = (
        evaluate_frames([one for one, _ in each], [other for _, other in each])
        for each in (pairs, shuffled)
    )
    for name, measure in first.items():
        other = second[name].value
        assert (measure.value is None) == (other is None)
        if measure.value is not None:
            assert measure.value == pytest.approx(other)
            assert 0 <= measure.value <= 1
