import numpy as np
import polars as pl
import pytest

from tactful.aggregation import aggregate, dpm_five_point, fit_dawid_skene, soft_labels
from tactful.errors import UsageError
from tactful.ratings import read_ratings

ROWS = pl.DataFrame(
    {
        "item": ["i", "i", "i", "j", "k"],
        "annotator": ["a", "b", "c", "a", "a"],
        "label": ["yes", "no", "yes", "no", None],
        "trust": [0.8, 1.0, 0.6, 0.5, 1.0],
    }
)


def test_the_shares_of_the_votes() -> None:
    soft = soft_labels(ROWS)
    assert soft.classes == ("no", "yes")
    np.testing.assert_allclose(soft.probabilities[:2], np.array([[1 / 3, 2 / 3], [1, 0]]))
    assert soft.why == (None, None, "nobody judged it")
    assert soft.table().row(2) == ("k", None, None, "nobody judged it")


def test_the_shares_of_the_trust() -> None:
    soft = soft_labels(ROWS, weights="trust")
    np.testing.assert_allclose(soft.probabilities[0], [1 / 2.4, 1.4 / 2.4])


def test_trust_of_nothing_is_no_distribution() -> None:
    soft = soft_labels(ROWS.with_columns(pl.lit(0.0).alias("trust")), weights="trust")
    assert np.isnan(soft.probabilities).all()
    assert soft.why[0] == "nobody with trust above 0 judged it"


def test_the_posteriors_of_a_model() -> None:
    fit = fit_dawid_skene(ROWS)
    soft = soft_labels(fit)
    assert soft.source == "dawid_skene"
    np.testing.assert_array_equal(soft.probabilities, fit.posteriors)
    assert soft.why[2] is not None


def test_entropy() -> None:
    soft = soft_labels([("i", "a", "x"), ("i", "b", "y"), ("j", "a", "x")])
    np.testing.assert_allclose(soft.entropy(), [1, 0])
    np.testing.assert_allclose(soft_labels([("i", "a", "x")]).entropy(), [0])


def test_no_label_at_all() -> None:
    soft = soft_labels([("i", "a", None)])
    assert soft.why == ("nobody judged it",)
    assert soft.table().columns == ["item", "why"]


def test_what_has_no_probabilities() -> None:
    with pytest.raises(UsageError, match="labels without probabilities"):
        soft_labels(dpm_five_point([("i", "a", "1"), ("i", "b", "1")]))
    with pytest.raises(UsageError, match="expected 'votes' or 'trust'"):
        soft_labels(ROWS, weights="age")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="needs each annotator's trust"):
        soft_labels(read_ratings(ROWS), weights="trust")


def test_a_result_writes_them_beside_its_labels() -> None:
    table = aggregate(ROWS, "majority").table(soft=True)
    assert table.columns == ["item", "label", "confidence", "probability.no", "probability.yes",
                             "why"]  # fmt: skip
    assert table["probability.no"].to_list()[1:] == [1.0, None]
