"""How right labels are, on numbers worked out by hand."""

import pytest

from tactful.annotation.protocol.records import Option, Question
from tactful_lab.simulation.report import FREE_TEXT, Score, Scorer

YES_NO = (Option("yes", "Yes"), Option("no", "No"))
RUDE = Question("rude", "choice", "?", options=YES_NO)
RATES = {"rude": {"yes": 0.1, "no": 0.9}}
SCALE = Question("pcl", "scale", "?", options=tuple(Option(str(n), "", score=n) for n in range(3)))


def test_a_yes_or_no_question() -> None:
    pairs = [("yes", "yes"), ("yes", "no"), ("no", "no"), ("no", "yes"), ("no", "no")]
    found = Scorer(RUDE, RATES).score(pairs)
    assert (found.items, found.accuracy, found.f1) == (5, 0.6, 0.5)
    assert found.balanced_accuracy == pytest.approx(1 / 4 + 1 / 3)


def test_a_missing_label_is_wrong_and_what_was_not_asked_is_left_out() -> None:
    scorer = Scorer(RUDE, RATES)
    assert scorer.score([("no", None), ("no", "no"), (None, None)]).accuracy == 0.5
    # It does not apply in truth: to say "no" is no mistake, to say "yes" is one.
    assert scorer.score([(None, "no"), (None, "yes")]).accuracy == 0.5


def test_without_any_positive_the_balance_is_undefined_with_its_reason() -> None:
    found = Scorer(RUDE, RATES).score([("no", "no")])
    assert (found.accuracy, found.f1, found.balanced_accuracy) == (1.0, None, None)
    assert found.reason == "no item is positive in truth"
    assert Scorer(RUDE, RATES).score([]).reason == "no item was asked this question"


@pytest.mark.parametrize(
    ("label", "answer"), [("0", "0"), ("1", "0"), ("2", "1"), ("3", "2"), ("4", "2")]
)
def test_the_five_points_are_read_as_the_paper_reads_them(label: str, answer: str) -> None:
    # Pérez-Almendros et al. 2020, section 4.2.1: 0 and 1 are negative, 2 to 4 are positive.
    scorer = Scorer(SCALE, {"pcl": {"0": 0.9, "1": 0.02, "2": 0.08}})
    assert scorer.read(label, "dpm_scale") == answer
    assert scorer.shown(answer) == (int(label) >= 2)


def test_spans_are_scored_by_the_categories_that_are_there() -> None:
    question = Question("where", "spans", "?", options=(Option("a", ""), Option("b", "")))
    scorer = Scorer(question, {"where": {"a": 1.0, "b": 0.5}})
    truth = scorer.flat(
        [{"start": 0, "end": 4, "value": "a"}, {"start": 5, "end": 9, "value": "a"}]
    )
    label = scorer.read(({"start": 0, "end": 2, "value": "a"}, {"value": "b"}), "union")
    assert (truth, label) == (["a"], ["a", "b"])
    assert scorer.score([(truth, label)]) == Score(1, 0.5, 2 / 3, 0.5)


def test_free_text_has_no_score() -> None:
    found = Scorer(Question("said", "text", "?"), {"said": {}}).score([("a", "a")])
    assert found == Score(0, None, None, None, FREE_TEXT)
