"""The trainer and its switches on mild sentences of ours: each does something, none leaks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from factory.spanish.ablations import ablate, exclusive_measures, measures_of

from tactful.detectors import load_detector, read_card
from tactful.errors import UnknownNameError, UsageError
from tactful.types import Example
from tactful_lab.evaluation.reproduce.detests_systems import SwitchedSystem
from tactful_lab.training.stereotypes.data import Context, StereotypeLesson, make_lesson
from tactful_lab.training.stereotypes.detector import save_stereotypes
from tactful_lab.training.stereotypes.switches import SWITCHES, Switches
from tactful_lab.training.stereotypes.trainer import StereotypeTrainer, TrainerSettings

ALIKE = ["todos ellos son iguales", "siempre llegan tarde los de fuera", "esa gente nunca cambia"]
FINE = [
    "el puente abre el lunes", "la reunión empieza a las cinco", "el pleno aprobó el plan",
    "hoy llueve en la sierra", "la biblioteca cierra pronto",
]  # fmt: skip
LABELS = ("stereotype", "stereotype.others", "stereotype.culture")


def lesson(repeats: int = 8, soft: bool = False) -> StereotypeLesson:
    texts, table, groups = [], [], []
    for at in range(repeats):
        for which, text in enumerate((*ALIKE, *FINE)):
            yes = which < len(ALIKE)
            texts.append(f"{text} número {at}")
            table.append([yes, yes and which != 2, yes and which == 2])
            groups.append(f"g{at}")
    shares = np.array(table, dtype=float)
    if soft:
        shares = np.where(shares == 1, 0.6, shares)
    return make_lesson(
        texts,
        table,
        LABELS,
        groups=groups,
        shares=shares,
        contexts=[Context(before="contexto")] * len(texts),
        hints={"implicit": [float(row[2]) if row[0] else np.nan for row in table]},
    )


def trainer(*names: str, **options: Any) -> StereotypeTrainer:
    return StereotypeTrainer(TrainerSettings(Switches.of(names)), **options)


def vectors(texts: Sequence[str]) -> np.ndarray:
    return np.array([[len(text), "ellos" in text, 1.0] for text in texts], dtype=float)


def doubled(texts: Sequence[str], direction: str) -> list[str]:
    return [f"{text} pues" for text in texts]


LINEAR = [name for name, each in SWITCHES.items() if not each.encoder]


@pytest.mark.parametrize("name", LINEAR)
def test_every_switch_learns_and_is_deterministic(name: str) -> None:
    names = (name, "linguistic") if name == "by-ensemble" else (name,)
    data = lesson(soft=name == "soft-labels")
    found = [
        trainer(*names, vectors=vectors, translate=doubled)
        .fit(data)
        .predict_proba(["todos ellos son iguales", "el puente abre el lunes"], [Context()] * 2)
        for _ in range(2)
    ]
    assert found[0].tolist() == found[1].tolist()
    assert found[0].shape == (2, 3)
    assert found[0][0, 0] > found[0][1, 0]


def test_switches_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="under-bagging"):
        Switches.of(["under-baging"])
    with pytest.raises(UsageError, match="one of them"):
        Switches.of(["under-bagging", "over-sampling"])
    with pytest.raises(UsageError, match="at least one of"):
        Switches.of(["by-ensemble"])
    with pytest.raises(UsageError, match="train twice"):
        Switches.of(["lora", "context"])
    with pytest.raises(UsageError, match="StereotypeEncoder"):
        trainer("lora")
    with pytest.raises(UsageError, match="at least 2 folds"):
        TrainerSettings(folds=1)


def test_what_a_corpus_lacks_is_said() -> None:
    with pytest.raises(UsageError, match="no annotator who disagrees"):
        trainer("soft-labels").fit(lesson())
    with pytest.raises(UsageError, match="no hint to predict"):
        trainer("meta").fit(make_lesson(["uno dos", "tres cuatro"], [0, 1]))
    with pytest.raises(UsageError, match="function of texts"):
        trainer("vectors").fit(lesson())
    with pytest.raises(UsageError, match="call fit first"):
        trainer().predict_proba(["uno"])


def test_soft_labels_are_less_sure() -> None:
    hard = trainer().fit(lesson(soft=True)).predict_proba(ALIKE)[:, 0].mean()
    soft = trainer("soft-labels").fit(lesson(soft=True)).predict_proba(ALIKE)[:, 0].mean()
    assert soft < hard
    assert soft == pytest.approx(0.6, abs=0.1)


def test_translations_are_learnt_from_but_not_calibrated_on() -> None:
    learnt = trainer("back-translation", translate=doubled).fit(lesson())
    assert learnt.translated_ is not None
    assert learnt.translated_.kept == 24
    assert len(learnt.models_[0].outside) == 64
    assert "pues" in learnt.maker_.terms_.words


def test_without_rows_held_out_nothing_is_calibrated() -> None:
    texts, table = [*ALIKE, *FINE], [1] * len(ALIKE) + [0] * len(FINE)
    apart = [str(at) for at in range(len(texts))]
    (calibrated,) = trainer().fit(make_lesson(texts, table, groups=apart)).models_
    (alone,) = trainer().fit(make_lesson(texts, table, groups=["g"] * len(texts))).models_
    assert len(calibrated.outside) == len(texts)
    assert (alone.slope, alone.offset, alone.threshold) == (1.0, 0.0, 0.5)
    assert len(alone.outside) == 0


def test_meta_hints_come_from_learners_that_did_not_see_the_row() -> None:
    """A hint that is pure chance must not help: its own answer may not come back as a feature."""
    rng = np.random.default_rng(3)
    texts = [f"palabra{at} cosa{at}" for at in range(80)]
    labels = rng.integers(0, 2, 80)
    data = make_lesson(texts, labels, hints={"same": labels.astype(float)})
    learnt = trainer("meta").fit(data)
    # Each text has words of its own: from other rows nothing can be known about it.
    gold = labels.astype(bool)
    auc = measures_of(gold, learnt.models_[0].outside, gold)["auc"](np.ones(80))
    assert auc < 0.65


@pytest.mark.parametrize("names", [(), ("under-bagging", "ensemble"), ("over-sampling",)])
def test_the_saved_detector_says_the_same(names: tuple[str, ...], tmp_path: Path) -> None:
    data = lesson()
    learnt = trainer(*names).fit(data)
    card = save_stereotypes(learnt, data, tmp_path / "d", command="tactful train stereotypes")
    detector = load_detector(tmp_path / "d")
    tried = ["todos ellos son iguales", "el puente abre", "", "nada conocido"]
    scores = detector.score(tried)
    expected = learnt.predict_proba(tried)
    for at, name in enumerate(LABELS):
        np.testing.assert_allclose(scores[name], expected[:, at], atol=1e-4)
    assert read_card(tmp_path / "d").thresholds == card.thresholds
    assert card.training["settings"]["switches"] == list(Switches.of(names).names())
    assert {each["metric"] for each in card.figures} == {"auc", "f1", "ece"}
    assert detector.check("todos ellos son iguales").findings


def test_experiments_are_not_saved(tmp_path: Path) -> None:
    data = lesson()
    with pytest.raises(UsageError, match="experiments only"):
        save_stereotypes(trainer("characters").fit(data), data, tmp_path / "d")
    assert not (tmp_path / "d").exists()


def test_ablation_rows_and_their_differences() -> None:
    rows = {"base": (), "bags": ("under-bagging",), "soft": ("soft-labels",)}
    said: list[str] = []
    found = ablate(
        lesson().only(["stereotype"]), rows, folds=2, on_row=lambda r: said.append(r.name)
    )
    assert said == list(rows)
    assert found[0].differences == {}
    gap = found[1].differences["auc"]
    assert gap.low is not None
    assert gap.high is not None
    assert gap.low <= gap.value <= gap.high
    assert found[2].reason is not None
    assert "no annotator" in found[2].reason
    with pytest.raises(UsageError, match="one group"):
        ablate(make_lesson(["uno", "dos"], [0, 1], groups=["a", "a"]), rows)


def test_measures_equal_those_of_the_library() -> None:
    from tactful.metrics.detection import f1_score
    from tactful.metrics.ranking import roc_auc_score
    from tactful.metrics.soft import cross_entropy_loss

    rng = np.random.default_rng(1)
    gold = rng.integers(0, 2, 50).astype(bool)
    chances = np.round(rng.random(50), 1)
    found = measures_of(gold, chances, chances > 0.5)
    ones = np.ones(50)
    assert found["auc"](ones) == pytest.approx(roc_auc_score(gold.astype(int), chances).value)
    expected = f1_score(gold.astype(int), (chances > 0.5).astype(int)).value
    assert found["f1"](ones) == pytest.approx(expected)
    # A weight of two is the text twice.
    twice = np.concatenate([gold, gold[:5]]), np.concatenate([chances, chances[:5]])
    weights = ones + (np.arange(50) < 5)
    assert found["auc"](weights) == pytest.approx(measures_of(*twice, twice[0])["auc"](np.ones(55)))
    table = np.eye(3)[rng.integers(0, 3, 20)]
    data = make_lesson(["uno"] * 20, table, ("a", "b", "c"))
    guess = rng.dirichlet(np.ones(3), 20)
    bits = exclusive_measures(data, guess)["soft cross-entropy"](np.ones(20))
    assert bits == pytest.approx(cross_entropy_loss(table, guess).value, abs=1e-4)


def examples(labelled: bool) -> list[Example]:
    data = lesson()
    ids = ["stereotype.xenophobia", "stereotype.suffering", "stereotype.economic",
           "stereotype.migration", "stereotype.benefits", "stereotype.health",
           "stereotype.security", "stereotype.dehumanisation"]  # fmt: skip
    return [
        Example(
            str(at),
            text,
            "detests",
            "es",
            data.groups[at],
            labels={
                **dict.fromkeys(ids, 0.0),
                **dict(zip(LABELS, map(float, data.table[at]), strict=True)),
            }
            if labelled
            else {},
            meta={"comment_id": data.groups[at], "sentence_pos": str(at % 8)},
        )
        for at, text in enumerate(data.texts)
    ]


def test_a_system_of_the_task_answers_consistently() -> None:
    system = SwitchedSystem((), seed=2)
    assert system.trainer.settings.seed == 2
    for each in (system, SwitchedSystem(("context", "under-bagging"))):
        answers = each.fit_examples(examples(True)).predict_examples(examples(False))
        assert answers[0] == {"stereotype", "stereotype.others"}
        assert answers[2] == {"stereotype", "stereotype.culture"}
        assert answers[5] == set()
