"""The rows by name: which are cheap, what each needs, and how it is built."""

import sys
from pathlib import Path

import numpy as np
import pytest

from tactful.detectors.load import DETECTORS, load_detector
from tactful.detectors.models.baselines import UniformRandom
from tactful.detectors.models.tfidf import TfidfSvm, tfidf_detector
from tactful.detectors.models.vectors import VectorsSvm
from tactful.errors import MissingExtraError, UnknownNameError, UsageError
from tactful.metrics.word_vectors import WordVectors
from tactful_lab.evaluation.reproduce.rows import GROUPS, ROWS, RowSettings, chosen_rows


def names_of(asked: list[str]) -> list[str]:
    return [row.name for row in chosen_rows(asked)]


def test_names_and_groups_stand_for_rows_in_the_order_of_the_ladder() -> None:
    assert names_of(["svm-bow", "random", "svm"]) == ["random", "svm-wv", "svm-bow"]
    assert names_of(["all"]) == list(ROWS)
    assert names_of(["embedded"]) == list(DETECTORS)
    assert not any(ROWS[name].heavy for name in GROUPS["cheap"])
    with pytest.raises(UnknownNameError, match="Did you mean 'roberta'"):
        chosen_rows(["robarta"])


@pytest.mark.parametrize(
    ("table", "kernel", "c"),
    [("dpm-task1", "rbf", 10.0), ("dpm-task2", "linear", 100.0), ("ucc-auc", "linear", 1.0)],
)
def test_bags_of_words_have_the_settings_of_their_paper(table: str, kernel: str, c: float) -> None:
    made = ROWS["svm-bow"].make(RowSettings(table=table, seed=4, grid=True))
    assert isinstance(made, TfidfSvm)
    assert (made.kernel, made.C, made.grid, made.random_state) == (kernel, c, True, 4)


def test_word_vectors_are_asked_for() -> None:
    row = ROWS["svm-wv"]
    assert row.reason_not_to_run(RowSettings(table="dpm-task1")) == (
        "needs word vectors: pass --vectors FILE"
    )
    with pytest.raises(UsageError, match="--vectors"):
        row.make(RowSettings(table="dpm-task1"))
    given = RowSettings(
        table="dpm-task2", vectors_file=Path("v"), vectors=WordVectors.of({"a": [1.0]})
    )
    made = row.make(given)
    assert row.reason_not_to_run(given) is None
    assert isinstance(made, VectorsSvm)
    assert (made.kernel, made.C) == ("rbf", 100.0)


def test_the_seed_reaches_the_guesses() -> None:
    made = ROWS["random"].make(RowSettings(table="dpm-task1", seed=9))
    assert isinstance(made, UniformRandom)
    assert made.random_state == 9


def test_any_encoder_needs_to_be_named() -> None:
    assert "--encoder" in (ROWS["encoder"].reason_not_to_run(RowSettings(table="dpm-task1")) or "")
    assert ROWS["encoder"].reason_not_to_run(RowSettings(table="dpm-task1", encoder="x")) is None


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.heavy])
def test_a_missing_extra_is_said(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # None in sys.modules is what an absent library looks like, installed or not.
    monkeypatch.setitem(sys.modules, "torch", None)
    for module in ("tactful.training.bilstm.train", "tactful.training.finetune"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(MissingExtraError, match=r'pip install "tactful\[train\]"'):
        ROWS[name].make(RowSettings(table="dpm-task1", encoder="x"))


def test_embedded_detectors_answer_for_the_labels_that_are_asked_for() -> None:
    made = ROWS["fast"].make(RowSettings(table="dpm-task1", labels=("pcl", "pcl.metaphor")))
    texts = ["The bridge opens on Monday.", "These poor souls need our help to find hope."]
    found = made.fit([], []).predict_proba(texts)
    scores = load_detector("fast").score(texts)
    assert found == pytest.approx(np.stack([scores["pcl"], scores["pcl.metaphor"]], axis=1))
    with pytest.raises(UsageError, match="does not score stereotype"):
        ROWS["fast"].make(RowSettings(table="dpm-task1", labels=("stereotype",)))


def test_the_folder_of_a_detector_is_a_row_behind_the_others(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    fitted = TfidfSvm().fit(["good", "bad", "good day", "bad day"], [0, 1, 0, 1])
    tfidf_detector(fitted, ["pcl"]).save(folder)
    own = chosen_rows([f"detector:{folder}", "random"])
    assert [row.title for row in own] == ["Random, 50 %", "mine"]
    made = own[1].make(RowSettings(table="dpm-task1", labels=("pcl",)))
    assert made.predict_proba(["bad", "good"])[:, 0].argmax() == 0
    with pytest.raises(UsageError, match="There is no folder"):
        chosen_rows(["detector:no/where"])[0].make(RowSettings(table="dpm-task1"))
