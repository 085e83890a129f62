"""TF-IDF and SVM: the papers' settings, exact contributions, and a folder without pickles."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from tactful.detectors import Detector, load_detector
from tactful.detectors.models.tfidf import (
    DETESTS,
    DPM_TASK_1,
    DPM_TASK_2,
    TfidfDetector,
    TfidfSvm,
    load_tfidf_detector,
    tfidf_detector,
)
from tactful.errors import FileFormatError, InputError, UsageError

KIND = ["these poor souls need our help", "we must save the poor souls", "our help saves them all"]
PLAIN = ["the council met on monday", "rain is expected on monday", "the match ended in a draw"]
TEXTS = [f"{text} {number}" for number in range(10, 16) for text in (*KIND, *PLAIN)]
LABELS = np.array([1, 1, 1, 0, 0, 0] * 6)
TABLE = np.stack([LABELS, np.array([1, 0, 0] * 12)], axis=1)


def detector(**settings: Any) -> TfidfDetector:
    fitted = TfidfSvm(**settings).fit(TEXTS, TABLE)
    return tfidf_detector(fitted, ["pcl", "unhealthy"])


def test_the_settings_are_those_of_the_papers() -> None:
    """DPM section 5 (SVM-BoW, tasks 1 and 2); DETESTS section 5.1 (TFIDF+SVC)."""
    assert DPM_TASK_1 == {"kernel": "rbf", "C": 10.0}
    assert DPM_TASK_2 == {"kernel": "linear", "C": 100.0}
    assert (DETESTS["most"], DETESTS["longest"], DETESTS["kernel"]) == (10_000, 3, "linear")
    assert DETESTS["strip_accents"] is True


@pytest.mark.parametrize("settings", [DPM_TASK_1, DPM_TASK_2, DETESTS])
def test_decisions_are_those_of_scikit_learns_pipeline(settings: dict[str, Any]) -> None:
    pipeline = make_pipeline(
        TfidfVectorizer(
            ngram_range=(1, settings.get("longest", 1)),
            max_features=settings.get("most"),
            strip_accents="unicode" if settings.get("strip_accents") else None,
        ),
        SVC(kernel=settings["kernel"], C=settings["C"], gamma="scale"),
    ).fit(TEXTS, LABELS)
    fitted = TfidfSvm(**settings).fit(TEXTS, LABELS)
    new = ["our poor souls met on monday", "", "nothing known here"]
    expected = pipeline.decision_function([*TEXTS, *new])
    np.testing.assert_allclose(fitted.decision_function([*TEXTS, *new]), expected, atol=5e-3)
    assert (fitted.predict(TEXTS) == LABELS).all()


def test_shapes_are_those_of_scikit_learn() -> None:
    one = TfidfSvm(kernel="linear").fit(TEXTS, LABELS)
    assert one.predict_proba(TEXTS).shape == (36, 2)
    assert one.score(TEXTS, LABELS) == 1.0
    several = TfidfSvm(kernel="linear").fit(TEXTS, TABLE)
    assert several.predict_proba(TEXTS).shape == several.predict(TEXTS).shape == (36, 2)
    assert ((several.predict_proba(TEXTS) > 0.5) == several.predict(TEXTS)).all()


@pytest.mark.filterwarnings("ignore:Can't test estimator")
def test_scikit_learns_checks_that_apply_to_texts_pass() -> None:
    """Most checks feed tables of numbers; the tags say that this one takes texts."""
    results = check_estimator(TfidfSvm(), on_fail=None)
    assert results
    assert {r["status"] for r in results} == {"passed"}


@pytest.mark.parametrize("longest", [1, 3])
def test_contributions_add_up_to_the_decision(longest: int) -> None:
    made = detector(kernel="linear", longest=longest)
    for text in [*TEXTS[:6], "our help, OUR help: poor İ souls", "nothing", ""]:
        found = made.contributions(text, ["pcl", "unhealthy"])
        rows = made.terms.rows([text])
        for at, name in enumerate(("pcl", "unhealthy")):
            machine = made.machines[at]
            total = sum(each.value for each in found[name])
            assert total == pytest.approx(machine.decision(rows)[0] - machine.intercept, abs=1e-9)
            places = [(each.start, each.end) for each in found[name]]
            assert places == sorted(set(places))


def test_the_words_that_carry_are_shown() -> None:
    made = detector(kernel="linear")
    text = "On monday the council said these poor souls need our help"
    (finding,) = [each for each in made.check(text).findings if each.id == "pcl"]
    assert finding.spans
    assert all(span.cut(text) not in ("monday", "council") for span in finding.spans)


def test_a_curved_kernel_has_no_exact_contributions_but_spans() -> None:
    made = detector(kernel="rbf")
    with pytest.raises(UsageError, match="no sum over words"):
        made.contributions("poor souls", ["pcl"])
    with pytest.raises(UsageError, match=r"does not score 'frame\.lewd'"):
        made.contributions("poor souls", ["frame.lewd"])
    assert set(made.spans("these poor souls need our help", ["pcl"])) == {"pcl"}


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_a_saved_detector_scores_the_same(tmp_path: Path, kernel: str) -> None:
    made = detector(kernel=kernel, calibrate=True, longest=2, strip_accents=True)
    made.save(tmp_path / "d")
    again = load_detector(tmp_path / "d")
    assert isinstance(again, Detector)
    assert {path.name for path in (tmp_path / "d").iterdir()} == {"card.json", "model.npz"}
    for name, values in made.score([*TEXTS, "", "Pöor \ud800 souls"]).items():
        np.testing.assert_array_equal(again.score([*TEXTS, "", "Pöor \ud800 souls"])[name], values)
    slope, offset = again.card.calibration["pcl"]
    assert (slope, offset) == (made.machines[0].slope, made.machines[0].offset)


def test_a_saved_detector_needs_no_scikit_learn(tmp_path: Path) -> None:
    detector(kernel="rbf").save(tmp_path / "d")
    code = (
        "import sys; from pathlib import Path\n"
        "from tactful.detectors.models.tfidf import load_tfidf_detector\n"
        f"load_tfidf_detector(Path({str(tmp_path / 'd')!r})).score(['poor souls'])\n"
        "assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_broken_folder_is_one_sentence(tmp_path: Path) -> None:
    made = detector(kernel="linear")
    made.save(tmp_path / "d")
    path = tmp_path / "d" / "model.npz"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileFormatError, match="do not fit together"):
        load_tfidf_detector(tmp_path / "d")
    path.write_bytes(whole)
    with np.load(path) as opened:
        arrays = dict(opened)
    np.savez(path, **{**arrays, "idf": arrays["idf"][:-1]})
    with pytest.raises(FileFormatError, match="words and"):
        load_tfidf_detector(tmp_path / "d")
    np.savez(path, words=arrays["words"])
    with pytest.raises(FileFormatError, match=r"model\.npz"):
        load_tfidf_detector(tmp_path / "d")
    path.unlink()
    with pytest.raises(FileFormatError, match=r"found no model\.npz"):
        load_tfidf_detector(tmp_path / "d")


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["a", "b"], [0], "2 texts and labels of shape"),
        (["a", "b"], [0, 2], "other than 0 and 1"),
        (["a", "b"], [0, float("nan")], "other than 0 and 1"),
        ([], [], "at least one text"),
        ("one text", [1], "expected a list of texts"),
        (["a !", ""], [0, 1], "no word of two letters"),
    ],
)
def test_what_cannot_be_learnt_from(texts: Any, labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TfidfSvm().fit(texts, labels)


def test_ids_must_fit_the_labels() -> None:
    made = detector()
    card = replace(made.card, ids=("pcl",))
    with pytest.raises(InputError, match="2 machines and 1 ids"):
        TfidfDetector(made.terms, made.machines, card)


@pytest.mark.data
def test_dpm_is_learnt_as_scikit_learn_learns_it(data_folder: Any) -> None:
    from tactful.corpora import load_corpus

    examples = list(load_corpus("dpm", data_folder("dpm")).examples())[:1500]
    texts = [each.text for each in examples]
    labels = np.array([int(each.labels["pcl"] >= 0.5) for each in examples])
    pipeline = make_pipeline(TfidfVectorizer(), SVC(C=10)).fit(texts[:1000], labels[:1000])
    fitted = TfidfSvm(**DPM_TASK_1).fit(texts[:1000], labels[:1000])
    expected = pipeline.decision_function(texts[1000:])
    np.testing.assert_allclose(fitted.decision_function(texts[1000:]), expected, atol=5e-3)
