"""Metrics against scikit-learn, nltk, sacreBLEU, rouge-score and PyEvALL.

Where the libraries differ from us, and why:

- A share of nothing: scikit-learn answers 0 (with a warning); ours is undefined, and 0 with
  ``undefined=0``.
- BLEU of hypotheses with fewer than two tokens: nltk counts a missing order as 0 or, smoothed, as
  almost nothing, and sacreBLEU as 0 unless ``effective_order`` is set. Ours leaves the order out,
  so that one-word answers can be perfect; compared are hypotheses of two tokens and more.
- sacreBLEU is in percent, and needs as many references for every item.
- ROUGE-L of two empty texts is 0 in rouge-score and 1 here, where they are equal.
- PyEvALL leaves out items whose gold set is empty, and rounds nothing; an undefined F counts as 0
  there where a class is in gold.
"""

from typing import Any

import numpy as np
import pytest
from tests.peers import CASES, peer, quiet

from tactful import metrics

pytestmark = pytest.mark.slow

WORDS = ["red", "green", "blue", "dark", "light", "grey", "a", "the"]


def answers(seed: int) -> tuple[Any, Any, Any]:
    """Return gold, predictions and scores; some have one class, ties or no item found."""
    rng = np.random.default_rng([11, seed])
    size = int(rng.integers(2, 80))
    gold = (rng.random(size) < rng.choice([0.02, 0.3, 0.5, 0.98])).astype(int)
    found = (rng.random(size) < rng.choice([0.0, 0.1, 0.5, 1.0])).astype(int)
    scores = rng.random(size).round(int(rng.choice([0, 1, 2, 12])))
    return gold, found, scores


def test_shares_are_those_of_scikit_learn() -> None:
    theirs = peer("sklearn.metrics")
    for seed in range(CASES):
        gold, found, _ = answers(seed)
        for name in ("precision_score", "recall_score", "f1_score"):
            ours = getattr(metrics, name)(gold, found, undefined=0.0)
            expected = getattr(theirs, name)(gold, found, zero_division=0.0)
            assert ours.value == pytest.approx(expected, abs=1e-12), (name, seed)


def test_rankings_are_those_of_scikit_learn() -> None:
    theirs = peer("sklearn.metrics")
    for seed in range(CASES):
        gold, _, scores = answers(seed)
        ours = metrics.roc_auc_score(gold, scores)
        precision = metrics.average_precision_score(gold, scores)
        if len(set(gold.tolist())) < 2:
            assert ours.value is None
        else:
            expected = theirs.roc_auc_score(gold, scores)
            assert ours.value == pytest.approx(expected, abs=1e-12), seed
        if gold.any():
            expected = theirs.average_precision_score(gold, scores)
            assert precision.value == pytest.approx(expected, abs=1e-12), seed
        loss = np.mean((scores - gold) ** 2)
        assert metrics.brier_loss(gold, scores).value == pytest.approx(loss, abs=1e-12)


def test_label_sets_are_those_of_scikit_learn() -> None:
    theirs = peer("sklearn.metrics")
    for seed in range(CASES):
        rng = np.random.default_rng([13, seed])
        size, labels = int(rng.integers(1, 40)), int(rng.integers(2, 6))
        gold, found = (rng.random((2, size, labels)) < rng.choice([0.05, 0.3, 0.9])).astype(int)
        names = [f"l{at}" for at in range(labels)]
        sets = [
            [{name for name, flag in zip(names, row, strict=True) if flag} for row in side]
            for side in (gold, found)
        ]
        for how, score in (("macro", metrics.macro_f1_score), ("micro", metrics.micro_f1_score)):
            ours = score(*sets, labels=names, undefined=0.0)
            expected = theirs.f1_score(gold, found, average=how, zero_division=0.0)
            assert ours.value == pytest.approx(expected, abs=1e-12), (how, seed)


def texts(seed: int, references: int | None = None) -> tuple[list[list[str]], list[str]]:
    rng = np.random.default_rng([17, seed])

    def text(least: int) -> str:
        # Few different words: n-grams repeat, and are clipped.
        words = WORDS[: int(rng.integers(1, len(WORDS) + 1))]
        return " ".join(rng.choice(words, int(rng.integers(least, 12))))

    items = int(rng.integers(1, 8))
    several = references or int(rng.integers(1, 4))
    return [[text(1) for _ in range(several)] for _ in range(items)], [
        text(2) for _ in range(items)
    ]


def test_bleu_is_that_of_nltk_and_sacrebleu() -> None:
    bleu = peer("nltk.translate.bleu_score")
    sacre = peer("sacrebleu.metrics").BLEU(
        max_ngram_order=2, tokenize="none", smooth_method="none", force=True
    )
    smooth = bleu.SmoothingFunction().method1
    for seed in range(CASES):
        references, hypotheses = texts(seed, references=2)
        tokens = [[each.split() for each in refs] for refs in references]
        said = [each.split() for each in hypotheses]
        ours = metrics.bleu_score(references, hypotheses, order=2)
        with quiet():
            plain = bleu.corpus_bleu(tokens, said, weights=(0.5, 0.5))
            sentence = np.mean(
                [
                    bleu.sentence_bleu(refs, hyp, weights=(0.5, 0.5), smoothing_function=smooth)
                    for refs, hyp in zip(tokens, said, strict=True)
                ]
            )
        streams = [list(column) for column in zip(*references, strict=True)]
        theirs = sacre.corpus_score(hypotheses, streams).score / 100
        # nltk puts the smallest number there is in the place of 0.
        assert ours.value == pytest.approx(plain, abs=1e-9), seed
        assert ours.value == pytest.approx(theirs, abs=1e-9), seed
        mean = metrics.mean_sentence_bleu_score(references, hypotheses, order=2)
        assert mean.value == pytest.approx(sentence, abs=1e-9), seed


def test_rouge_is_that_of_rouge_score() -> None:
    scorer = peer("rouge_score.rouge_scorer").RougeScorer(["rougeL"])
    for seed in range(CASES):
        references, hypotheses = texts(seed)
        expected = np.mean(
            [
                scorer.score_multi(refs, hyp)["rougeL"].fmeasure
                for refs, hyp in zip(references, hypotheses, strict=True)
            ]
        )
        ours = metrics.rouge_l_score(references, hypotheses)
        assert ours.value == pytest.approx(expected, abs=1e-9), seed


def test_soft_measures_are_those_of_scipy_and_scikit_learn() -> None:
    distance, theirs = peer("scipy.spatial.distance").jensenshannon, peer("sklearn.metrics")
    for seed in range(CASES):
        rng = np.random.default_rng([19, seed])
        size, labels = int(rng.integers(1, 30)), int(rng.integers(2, 6))
        gold, found = rng.dirichlet(np.full(labels, rng.choice([0.1, 1.0, 20.0])), (2, size))
        each = [distance(one, other, base=2) for one, other in zip(gold, found, strict=True)]
        ours = metrics.jensen_shannon_distance(gold, found).value
        assert ours == pytest.approx(float(np.nan_to_num(each).mean()), abs=1e-6), seed
        # A gold label that is certain: cross-entropy is the log loss.
        sure = np.eye(labels)[rng.integers(0, labels, size)]
        guess = 0.98 * found + 0.02 / labels
        guess /= guess.sum(axis=1, keepdims=True)
        loss = theirs.log_loss(sure.argmax(axis=1), guess, labels=list(range(labels)))
        value = metrics.cross_entropy_loss(sure, guess, base=np.e).value
        assert value == pytest.approx(loss, abs=1e-9), seed


TREE: dict[str, str | None] = {
    "a": None, "a.b": "a", "a.c": "a", "a.b.x": "a.b", "d": None, "d.e": "d", "f": None,
}  # fmt: skip
NESTED = {"a": {"a.b": ["a.b.x"], "a.c": []}, "d": ["d.e"], "f": []}


def test_icm_is_that_of_pyevall(tmp_path: Any) -> None:
    import json

    evaluation = peer("pyevall.evaluation")
    utils = peer("pyevall.utils.utils").PyEvALLUtils
    labels = list(TREE)
    for seed in range(CASES):
        rng = np.random.default_rng([23, seed])
        size = int(rng.integers(3, 30))
        gold, found = (
            [
                sorted(rng.choice(labels, int(rng.integers(1, 3)), replace=False))
                for _ in range(size)
            ]
            for _ in range(2)
        )
        files = []
        for name, side in (("gold", gold), ("found", found)):
            files.append(tmp_path / f"{name}{seed}.json")
            entries = [
                {"test_case": "t", "id": str(at), "value": [str(each) for each in row]}
                for at, row in enumerate(side)
            ]
            files[-1].write_text(json.dumps(entries))
        with quiet():
            report = evaluation.PyEvALLEvaluation().evaluate(
                str(files[1]),
                str(files[0]),
                ["ICM", "ICMNorm"],
                **{
                    utils.PARAM_HIERARCHY: NESTED,
                    utils.PARAM_REPORT: utils.PARAM_OPTION_REPORT_EMBEDDED,
                },
            )
        sets = [set(row) for row in gold], [set(row) for row in found]
        for name, score in (("ICM", metrics.icm_score), ("ICMNorm", metrics.icm_norm_score)):
            theirs = report.report["metrics"][name]["results"]["average_per_test_case"]
            ours = score(*sets, hierarchy=TREE)
            assert ours.value == pytest.approx(theirs, abs=1e-6), (name, seed)
