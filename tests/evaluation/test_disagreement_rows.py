"""Rows that learn from the single judgements: shares, and each annotator."""

from typing import Any

import numpy as np
import pytest

from tactful.corpora import load_corpus
from tactful.errors import UsageError
from tactful.metrics.soft import cross_entropy_loss
from tactful.types import Example, Judgement
from tactful_lab.evaluation.reproduce.disagreement_rows import DisagreementModel, answers_of
from tactful_lab.evaluation.reproduce.papers import reproduce
from tactful_lab.evaluation.reproduce.protocols import Choices

LABEL = "unhealthy"
WORDS = ("red", "green", "blue", "grey")


def planted(people: dict[str, float], seed: int = 3, texts: int = 300) -> list[Example]:
    """Return texts whose words say how likely a yes is; each person adds log-odds of their own."""
    rng = np.random.default_rng(seed)
    odds = dict(zip(WORDS, (-3.0, -1.0, 1.0, 3.0), strict=True))
    found = []
    for at in range(texts):
        word = WORDS[at % 4]
        answers = tuple(
            Judgement(name, LABEL, None, float(rng.random() < 1 / (1 + np.exp(-odds[word] - own))))
            for name, own in people.items()
        )
        mean = float(np.mean([each.value for each in answers]))
        found.append(
            Example(
                f"t{at}",
                f"{word}{'.' * at}",  # no two texts are alike
                "ours",
                "en",
                f"t{at}",
                labels={LABEL: mean},
                judgements=answers,
            )
        )
    return found


def fitted(targets: str, examples: list[Example], **more: Any) -> DisagreementModel:
    texts = [each.text for each in examples]
    hard = [int(each.labels[LABEL] >= 0.5) for each in examples]
    return DisagreementModel(targets, [LABEL], answers_of(examples), **more).fit(texts, hard)


def test_an_answer_given_twice_counts_once() -> None:
    said = (
        Judgement("a", LABEL, None, 1.0),
        Judgement("a", LABEL, None, 0.0),
        Judgement("b", LABEL, None, 1.0),
        Judgement("b", "other", None, None),
    )
    (example,) = [Example("1", "text", "ours", "en", "1", judgements=said)]
    assert answers_of([example]) == {"text": {LABEL: {"a": 0.5, "b": 1.0}}}


def test_shares_are_learnt_better_from_shares_than_from_the_majority() -> None:
    examples = planted({"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.0})
    texts = list(WORDS)
    true = 1 / (1 + np.exp(-np.array([-3.0, -1.0, 1.0, 3.0])))
    apart = {}
    for targets in ("majority", "shares", "annotators"):
        found = fitted(targets, examples, c=10.0).predict_proba(texts)[:, 0]
        assert np.all(np.diff(found) > 0)
        apart[targets] = np.abs(found - true).max()
    assert apart["shares"] < 0.1 < apart["majority"]
    assert apart["annotators"] < 0.1


def test_annotators_who_say_yes_more_often_are_known() -> None:
    examples = planted({"mild": -2.0, "usual": 0.0, "strict": 2.0})
    model = fitted("annotators", examples, c=10.0)
    found = model.predict_annotators(["green", "blue"], LABEL)
    assert np.all(found["mild"] < found["usual"])
    assert np.all(found["usual"] < found["strict"])
    mean = np.mean([found[name] for name in ("mild", "usual", "strict")], axis=0)
    assert model.predict_proba(["green", "blue"])[:, 0] == pytest.approx(mean)


def test_they_are_rows_of_a_table_with_soft_measures() -> None:
    rows = ["logreg", "logreg-soft", "annotators"]
    found = reproduce("sbic-classes", load_corpus("sbic", sample=True), rows, Choices(folds=2))
    lines = [each for each in found.lines if each.model in rows and each.ours is not None]
    assert {each.model for each in lines} == set(rows)
    line = next(each for each in lines if each.soft is not None)
    assert line.answers is not None
    assert line.soft is not None
    examples = list(load_corpus("sbic", sample=True).examples())
    known = [each for each in examples if line.label in each.labels]
    answers = answers_of(known)
    shares = np.array(
        [np.mean(list(answers[known[at].text][line.label].values())) for at in line.answers.ids]
    )
    both = [np.stack([1 - side, side], axis=1) for side in (shares, line.answers.probabilities)]
    expected = cross_entropy_loss(*both, base=np.e).value
    assert line.soft["cross_entropy"]["value"] == pytest.approx(expected)
    assert found.as_json()["rows"][0].keys() >= {"soft"}


def test_without_judgements_the_row_says_what_it_needs() -> None:
    found = reproduce("dpm-task1", load_corpus("dpm", sample=True), ["annotators", "logreg"])
    by_model = {each.model: each for each in found.lines}
    assert "needs the single judgements" in (by_model["annotators"].reason or "")
    assert by_model["logreg"].ours is not None
    assert by_model["logreg"].soft is None
    with pytest.raises(UsageError, match="majority, shares, annotators"):
        DisagreementModel("all", [LABEL], {})
