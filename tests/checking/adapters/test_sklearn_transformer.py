"""The scikit-learn transformer: in pipelines, tables, searches, and by scikit-learn's own checks.

``check_estimator`` runs nothing for estimators whose input is text: it says so and stops, because
the checks it has make tables of numbers. Those of its checks that make no data apply, and run here.
The others (those on dtypes, NaN, shapes, sparse input, feature counts, sample order) cannot.
"""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import SkipTestWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.utils import estimator_checks

from tactful.checking.adapters import TactfulTransformer
from tactful.errors import InputError, UnknownNameError, UsageError

pd = pytest.importorskip("pandas")

IDS = ["pcl", "pcl.compassion", "unhealthy.sarcastic"]
TEXTS = ["Help these people.", "Hello.", "how clever of these people", ""]
EXPECTED = np.array(
    [[0.9, 0.125, 0.125], [0.125] * 3, [0.9, 0.125, 0.7], [0.125] * 3], dtype=np.float32
)


def forms() -> list[Any]:
    return [
        pytest.param(list, id="list"),
        pytest.param(tuple, id="tuple"),
        pytest.param(np.array, id="array of str"),
        pytest.param(lambda texts: np.array(texts, dtype=object), id="array of objects"),
        pytest.param(lambda texts: np.array(texts, dtype=object)[:, None], id="one column"),
        pytest.param(pd.Series, id="pandas Series"),
        pytest.param(lambda texts: pd.Series(texts, index=[7, 7, 3, 1]), id="odd index"),
        pytest.param(lambda texts: pd.DataFrame({"text": texts}), id="pandas table"),
        pytest.param(pl.Series, id="polars Series"),
        pytest.param(lambda texts: pl.DataFrame({"text": texts}), id="polars table"),
    ]


@pytest.mark.parametrize("form", forms())
def test_every_form_of_texts_gives_the_same_columns(detector: Any, form: Any) -> None:
    found = TactfulTransformer(detector).fit_transform(form(TEXTS))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, EXPECTED)


def test_columns_come_in_the_order_asked_for(detector: Any) -> None:
    transformer = TactfulTransformer(detector, ids=["unhealthy.sarcastic", "pcl"]).fit(TEXTS)
    assert list(transformer.get_feature_names_out()) == ["unhealthy.sarcastic", "pcl"]
    np.testing.assert_array_equal(transformer.transform(TEXTS), EXPECTED[:, [2, 0]])


def test_log_odds_are_those_of_the_probabilities_and_finite(detector: Any) -> None:
    found = TactfulTransformer(detector, log_odds=True).fit_transform(TEXTS)
    exact = EXPECTED.astype(float)
    np.testing.assert_allclose(found, np.log(exact / (1 - exact)), rtol=1e-6)
    detector.score = lambda texts: {name: np.array([0, 1], dtype=np.float32) for name in IDS}
    found = TactfulTransformer(detector, log_odds=True).fit_transform(["a", "b"])
    assert found[0, 0] == -found[1, 0] == pytest.approx(-13.8155, abs=1e-3)


def test_texts_are_scored_in_batches(detector: Any) -> None:
    np.testing.assert_array_equal(
        TactfulTransformer(detector, batch=3).fit_transform(TEXTS), EXPECTED
    )
    assert detector.calls == [3, 1]


def test_no_text_gives_no_row(detector: Any) -> None:
    assert TactfulTransformer(detector).fit_transform([]).shape == (0, 3)


@pytest.mark.parametrize("empty", [None, float("nan"), pd.NA])
def test_a_missing_text_is_an_error_with_its_row(detector: Any, empty: Any) -> None:
    texts = pd.Series(["a", "b", empty], dtype=object)
    with pytest.raises(InputError, match=r"Row 2: found nothing .*; expected a text"):
        TactfulTransformer(detector).fit(["a"]).transform(texts)
    with pytest.raises(InputError, match="Row 2"):
        TactfulTransformer(detector).fit(texts)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("one text", "Found one text; expected a list"),
        ([1.5], "Row 0: found a value of type float"),
        (np.zeros((2, 3)), "Found 3 columns; expected one"),
        (np.zeros((1, 1, 1)), "Found 3 dimensions"),
        (5, "Found a value of type int; expected a list"),
    ],
)
def test_what_is_no_list_of_texts_is_refused(detector: Any, data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TactfulTransformer(detector).fit_transform(data)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"ids": ["pcl.compasion"]}, UnknownNameError, r"Did you mean 'pcl.compassion'"),
        ({"ids": "pcl"}, UsageError, r"expected a list: \['pcl'\]"),
        ({"ids": []}, UsageError, "at least one"),
        ({"ids": ["pcl", "pcl"]}, UsageError, "each once"),
        ({"batch": 0}, UsageError, "Found batch 0; expected a whole number above 0"),
        ({"batch": 2.5}, UsageError, "Found batch 2.5"),
        ({"model": 5}, UsageError, "Found int as the model"),
    ],
)
def test_a_wrong_parameter_is_refused_by_fit(
    detector: Any, parameters: dict[str, Any], error: type[Exception], message: str
) -> None:
    transformer = TactfulTransformer(**{"model": detector, **parameters})
    with pytest.raises(error, match=message):
        transformer.fit(TEXTS)


@pytest.mark.parametrize(
    ("container", "table"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
def test_output_can_be_a_table(detector: Any, container: str, table: Any) -> None:
    transformer = TactfulTransformer(detector).set_output(transform=container)
    found = transformer.fit_transform(TEXTS)
    assert isinstance(found, table)
    assert list(found.columns) == IDS
    np.testing.assert_array_equal(np.asarray(found), EXPECTED)


def test_a_clone_shares_the_detector_and_keeps_all_else(detector: Any) -> None:
    transformer = TactfulTransformer(detector, ids=["pcl"], log_odds=True, batch=2)
    copy = clone(transformer.set_output(transform="pandas"))
    assert copy is not transformer
    assert copy.get_params() == transformer.get_params()
    assert copy.model is detector
    assert isinstance(copy.fit_transform(TEXTS), pd.DataFrame)


def test_a_pipeline_learns_on_top(detector: Any) -> None:
    model = make_pipeline(TactfulTransformer(detector, log_odds=True), LogisticRegression())
    model.fit(TEXTS, [1, 0, 1, 0])
    assert model.predict(["these people again", "Bye."]).tolist() == [1, 0]
    assert model[:-1].get_feature_names_out().tolist() == IDS


@pytest.mark.parametrize("columns", ["text", ["text"]])
def test_a_column_of_a_table_is_read(detector: Any, columns: Any) -> None:
    table = pd.DataFrame({"text": TEXTS, "votes": [1, 2, 3, 4]})
    parts = [("tact", TactfulTransformer(detector), columns), ("rest", "passthrough", ["votes"])]
    found = ColumnTransformer(parts).set_output(transform="pandas").fit_transform(table)
    assert list(found.columns) == [f"tact__{name}" for name in IDS] + ["rest__votes"]
    np.testing.assert_array_equal(found.iloc[:, :3].to_numpy(), EXPECTED)


def test_columns_stand_beside_those_of_others(detector: Any) -> None:
    union = FeatureUnion([("tact", TactfulTransformer(detector)), ("words", CountVectorizer())])
    found = union.fit_transform(TEXTS)
    np.testing.assert_allclose(found[:, :3].toarray(), EXPECTED)
    assert union.get_feature_names_out()[0] == "tact__pcl"
    assert found.shape[1] == len(union.get_feature_names_out())


def test_a_search_tries_parameters(detector: Any) -> None:
    steps = [("tact", TactfulTransformer(detector)), ("model", LogisticRegression())]
    grid = {"tact__log_odds": [False, True], "tact__ids": [["unhealthy.sarcastic"], ["pcl"]]}
    search = GridSearchCV(Pipeline(steps), grid, cv=2, error_score="raise")
    search.fit(TEXTS * 3, [1, 0, 1, 0] * 3)
    assert search.best_params_["tact__ids"] == ["pcl"]
    assert search.best_score_ == 1.0


def test_a_search_can_use_several_processes(embedded_weights: Path) -> None:
    model = make_pipeline(TactfulTransformer("fast"), LogisticRegression())
    scores = cross_val_score(
        model, TEXTS * 3, [1, 0, 1, 0] * 3, cv=2, n_jobs=2, error_score="raise"
    )
    assert len(scores) == 2


def test_the_embedded_default_makes_columns(embedded_weights: Path) -> None:
    transformer = TactfulTransformer()
    found = transformer.fit_transform(["We must save these poor people.", "It rained."])
    names = list(transformer.get_feature_names_out())
    assert found.shape == (2, len(names))
    assert found[0, names.index("pcl")] > found[1, names.index("pcl")]


def test_it_survives_pickling_in_another_process(folder: str) -> None:
    transformer = TactfulTransformer(folder, ids=["pcl"]).fit(TEXTS)
    kept = pickle.dumps(transformer)
    np.testing.assert_array_equal(
        pickle.loads(kept).transform(TEXTS),  # noqa: S301
        EXPECTED[:, :1],
    )
    script = (
        "import pickle, sys; found = pickle.load(sys.stdin.buffer); "
        "print(type(found).__name__, found.ids)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=kept, capture_output=True, check=True, timeout=120
    )
    assert done.stdout.decode().strip() == "TactfulTransformer ['pcl']"


def test_it_needs_no_fit(detector: Any) -> None:
    np.testing.assert_array_equal(TactfulTransformer(detector).transform(TEXTS), EXPECTED)


def test_the_module_loads_no_scikit_learn() -> None:
    script = (
        "import sys, tactful.checking.adapters.sklearn_transformer; print('sklearn' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "False"


def test_another_name_is_an_attribute_error() -> None:
    from tactful.checking.adapters import sklearn_transformer

    with pytest.raises(AttributeError, match="no attribute 'Tactful'"):
        getattr(sklearn_transformer, "Tactful")  # noqa: B009


def test_check_estimator_says_that_text_is_not_its_matter() -> None:
    with pytest.warns(SkipTestWarning, match="Can't test estimator TactfulTransformer"):
        estimator_checks.check_estimator(TactfulTransformer())


@pytest.mark.parametrize(
    "check",
    [
        "check_do_not_raise_errors_in_init_or_set_params",
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_estimator_tags_renamed",
        "check_get_params_invariance",
        "check_mixin_order",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
        "check_valid_tag_types",
    ],
)
def test_the_checks_that_make_no_data_pass(check: str) -> None:
    getattr(estimator_checks, check)("TactfulTransformer", TactfulTransformer())
