"""The task of DETESTS: two stages and one, and the baselines of section 5.1 by their names."""

import runpy
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest

from tactful.detectors.stereotype_labels import CATEGORIES, OTHERS, ROOT, consistent
from tactful.errors import InputError, MissingExtraError, UnknownNameError, UsageError
from tactful.metrics.word_vectors import WordVectors
from tactful_lab.evaluation.reproduce.detests import answer
from tactful_lab.evaluation.reproduce.detests_data import read_detests
from tactful_lab.evaluation.reproduce.detests_systems import (
    GROUPS,
    SYSTEMS,
    System,
    chosen_systems,
)
from tactful_lab.evaluation.reproduce.detests_task import (
    Joint,
    StereotypeClassifier,
    TwoStage,
    label_table,
)
from tactful_lab.evaluation.reproduce.rows import SystemSettings

FIXTURE = runpy.run_path(str(Path(__file__).parents[1] / "detests_fixture.py"))
HEALTH, CULTURE = "stereotype.health", "stereotype.culture"
TEXTS = ["gripe", "fiestas", "gripe y fiestas", "sol", "lluvia", "gente rara"]
SETS = [{ROOT, HEALTH}, {CULTURE}, {HEALTH, CULTURE}, set(), set(), {ROOT}]


class Words:
    """A model that knows which words each label's texts alone have; it remembers what it saw."""

    seen: list[tuple[list[str], tuple[int, ...]]] = []  # noqa: RUF012 (emptied by each test)

    def fit(self, X: Sequence[str], y: Any) -> Self:  # noqa: N803
        table = np.asarray(y)
        Words.seen.append((list(X), table.shape))
        self.flat = table.ndim == 1
        table = table.reshape(len(X), -1)
        words = [set(text.split()) for text in X]
        self.known = [
            set().union(*(w for w, yes in zip(words, column, strict=True) if yes))
            - set().union(*(w for w, yes in zip(words, column, strict=True) if not yes))
            for column in table.T
        ]
        return self

    def predict(self, X: Sequence[str]) -> np.ndarray:  # noqa: N803
        found = [[bool(set(text.split()) & known) for known in self.known] for text in X]
        table = np.array(found, dtype=np.int64).reshape(len(X), -1)
        return table[:, 0] if self.flat else table


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = FIXTURE["write_fixture"](tmp_path_factory.mktemp("detests"))
    return made


def test_two_stages_learn_categories_from_stereotypes_only() -> None:
    Words.seen.clear()
    model = TwoStage(lambda stage: Words()).fit(TEXTS, SETS)
    assert Words.seen == [
        (TEXTS, (6,)),
        (["gripe", "fiestas", "gripe y fiestas", "gente rara"], (4, 10)),
    ]
    assert isinstance(model, StereotypeClassifier)
    # A stereotype without a category was learnt as 'others' (section 4.1.1).
    assert model.predict(["gente", "sol", "fiestas"])[0] == {ROOT, OTHERS}
    assert model.predict(["sol"]) == [set()]
    assert model.predict([]) == []


def test_a_stereotype_of_no_category_is_named_others() -> None:
    """The second stage does not know the word; the first does."""

    class Blind(Words):
        def predict(self, X: Sequence[str]) -> np.ndarray:  # noqa: N803
            return np.zeros((len(X), 10))

    model = TwoStage(lambda stage: Blind() if stage else Words()).fit(TEXTS, SETS)
    assert model.predict(["gripe"]) == [{ROOT, OTHERS}]


def test_jointly_the_categories_decide() -> None:
    Words.seen.clear()
    model = Joint(lambda stage: Words()).fit(TEXTS, SETS)
    assert Words.seen == [(TEXTS, (6, 10))]
    assert model.predict(["gente", "sol"]) == [{ROOT, OTHERS}, set()]
    assert model.predict([]) == []


def test_labels_become_a_table() -> None:
    table = label_table(TEXTS, SETS)
    assert table[:, 0].tolist() == [True, True, True, False, False, True]
    assert table[5].tolist() == [True, *[False] * 9, True]
    with pytest.raises(InputError, match="Found 6 sentences and 1 label sets"):
        label_table(TEXTS, [set()])
    with pytest.raises(UnknownNameError, match="label of stereotypes"):
        label_table(["x"], [{"stereotype.sport"}])


def test_one_class_only_cannot_be_learnt() -> None:
    with pytest.raises(InputError, match="Found 0 stereotypes among 2"):
        TwoStage(lambda stage: Words()).fit(["a", "b"], [set(), set()])


# ---- the baselines -----------------------------------------------------------------------------


def test_names_are_those_of_the_paper() -> None:
    """Section 5.1: five baselines, of which AllZeros is 'only considered in subtask 2'."""
    names = ("AllOnes", "AllZeros", "RandomClassifier", "TFIDF+SVC", "FastText+SVC")
    assert GROUPS["baselines"] == names
    assert [name for name in names if SYSTEMS[name].subtasks == (2,)] == ["AllZeros"]
    chosen = chosen_systems(["tfidf+svc", "AllZeros"])
    assert [system.name for system in chosen] == ["AllZeros", "TFIDF+SVC"]
    assert [system.name for system in chosen_systems(["baselines"])] == list(names)
    with pytest.raises(UnknownNameError, match="Did you mean 'TFIDF\\+SVC'"):
        chosen_systems(["TFIDF-SVC"])


def test_constant_baselines(folder: Path) -> None:
    data = read_detests(folder)
    everything = {ROOT, *CATEGORIES}
    assert answer(SYSTEMS["AllOnes"], data, SystemSettings()) == [everything] * len(data.test)
    assert answer(SYSTEMS["AllZeros"], data, SystemSettings()) == [set()] * len(data.test)


def test_the_embedded_detector_answers_as_it_is(folder: Path) -> None:
    data = read_detests(folder)
    found = answer(SYSTEMS["default-es"], data, SystemSettings())
    assert all(labels == consistent(labels) for labels in found)
    stereotypes = [bool(labels) for labels in found]
    assert data.gold is not None
    truth = [ROOT in labels for labels in data.gold]
    right = sum(one and other for one, other in zip(stereotypes, truth, strict=True))
    assert right / max(sum(stereotypes), 1) > sum(truth) / len(truth)
    assert "default-es" not in GROUPS["switches"]
    assert "default-es" in GROUPS["all"]


def test_random_guesses_are_as_frequent_as_in_training_and_independent(folder: Path) -> None:
    """Section 5.1: 'probabilities based on the label distribution learnt from the training set'."""
    data = read_detests(folder)
    truth = data.train_labels()
    made = SYSTEMS["RandomClassifier"].make(SystemSettings(seed=3))
    assert isinstance(made, StereotypeClassifier)
    made.fit([example.text for example in data.train], truth)
    guessed = made.predict([f"frase {number}" for number in range(20_000)])
    positive = [labels for labels in guessed if labels]
    share = sum(ROOT in labels for labels in truth) / len(truth)
    assert len(positive) / len(guessed) == pytest.approx(share, abs=0.01)
    learnt = Counter(name for labels in truth for name in labels)
    drawn = Counter(name for labels in positive for name in labels)
    for name in CATEGORIES[:-1]:
        # 'others' is also what a guess without any category becomes.
        expected = learnt[name] / learnt[ROOT]
        assert drawn[name] / len(positive) == pytest.approx(expected, abs=0.025)


def test_seeds_change_guesses_and_nothing_else_does(folder: Path) -> None:
    data = read_detests(folder)
    one, again, other = (
        answer(SYSTEMS["RandomClassifier"], data, SystemSettings(seed=seed)) for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


def test_tfidf_svc_is_scikit_learns_pipeline_in_two_stages(folder: Path) -> None:
    """Section 5.1, written with the libraries that it names, one pipeline for each category."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import SVC

    def pipeline() -> Any:
        words = TfidfVectorizer(
            strip_accents="unicode", lowercase=True, ngram_range=(1, 3), max_features=10_000
        )
        return make_pipeline(words, SVC(kernel="linear"))

    data = read_detests(folder)
    texts, labels = [example.text for example in data.train], data.train_labels()
    asked = [example.text for example in data.test]
    root = [int(ROOT in each) for each in labels]
    found = pipeline().fit(texts, root).predict(asked)
    expected: list[set[str]] = [{ROOT} if yes else set() for yes in found]
    positives = [(text, each) for text, each in zip(texts, labels, strict=True) if ROOT in each]
    for name in CATEGORIES:
        stage = pipeline().fit([text for text, _ in positives], [name in e for _, e in positives])
        for labels_here, yes in zip(expected, stage.predict(asked), strict=True):
            if yes and ROOT in labels_here:
                labels_here.add(name)
    assert answer(SYSTEMS["TFIDF+SVC"], data, SystemSettings()) == [
        consistent(each) for each in expected
    ]


def test_fasttext_svc_takes_any_vectors(folder: Path) -> None:
    data = read_detests(folder)
    texts = [example.text for example in (*data.train, *data.test)]
    words = sorted({word.strip(".,!…").lower() for text in texts for word in text.split()})
    matrix = np.random.default_rng(1).normal(size=(len(words), 24))
    vectors = WordVectors({word: at for at, word in enumerate(words)}, matrix)
    found = answer(SYSTEMS["FastText+SVC"], data, SystemSettings(vectors=vectors))
    assert {ROOT} < set().union(*found)
    assert all(consistent(labels) == labels for labels in found)
    with pytest.raises(UsageError, match="pass --vectors FILE"):
        SYSTEMS["FastText+SVC"].make(SystemSettings())


# ---- systems of others ---------------------------------------------------------------------------


class Reader:
    """Looks at whole examples: every reply is a stereotype of health."""

    def fit_examples(self, examples: Any) -> Self:
        self.learnt = len(examples)
        return self

    def predict_examples(self, examples: Any) -> list[set[str]]:
        assert not any(example.labels or example.judgements for example in examples)
        return [
            {HEALTH, "stereotype.implicit"}
            if example.meta["reply_to"] != example.meta["comment_id"]
            else {"stereotype.racial_target"}
            for example in examples
        ]


def test_a_system_may_look_at_comments(folder: Path) -> None:
    system = System("Reader", lambda settings: Reader())
    found = answer(system, read_detests(folder), SystemSettings())
    # Files have the stereotype and its categories only.
    assert {frozenset(labels) for labels in found} == {frozenset(), frozenset({ROOT, HEALTH})}


def test_a_system_must_answer_everything(folder: Path) -> None:
    class Lazy(Reader):
        def predict_examples(self, examples: Any) -> list[set[str]]:
            return [set()]

    with pytest.raises(InputError, match="Lazy gave 1 answer; expected one for each of 140"):
        answer(System("Lazy", lambda settings: Lazy()), read_detests(folder), SystemSettings())


def test_a_missing_library_names_the_extra() -> None:
    with pytest.raises(MissingExtraError, match="The system Far needs the optional extra 'train'"):
        System("Far", lambda _: import_module("no_such_library_here")).make(SystemSettings())
    with pytest.raises(ModuleNotFoundError):
        System("Lost", lambda _: import_module("tactful.no_such_room")).make(SystemSettings())
