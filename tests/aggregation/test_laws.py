"""What holds for every registered method; a method without an entry here fails the first test."""

import inspect
from collections.abc import Sequence
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tactful
from tactful.aggregation import METHODS, Aggregated, aggregate, method_options
from tactful.errors import InputError, UnknownNameError, UsageError
from tactful.ratings import Ratings

# How each method is called in these tests, and the labels that it takes.
CALLS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "majority": ({}, ("no", "yes")),
    "trust_weighted": ({}, ("no", "yes")),
    "dpm_scale": ({"referee": "a9"}, ("0", "1", "2")),
    "mean_threshold": ({}, ("0", "0.33", "0.66", "1")),
    "dawid_skene": ({"iterations": 10}, ("no", "yes")),
    "one_coin": ({"iterations": 10}, ("no", "yes")),
    "mace": ({"iterations": 5, "restarts": 2}, ("no", "yes")),
    "glad": ({"iterations": 5}, ("no", "yes")),
}
PROBABILISTIC = [name for name in CALLS if name != "dpm_scale"]


def run(method: str, table: Any, **more: Any) -> Aggregated:
    options = {**CALLS[method][0], **more}
    if method == "dpm_scale" and "a9" not in set(table.drop_nulls("label")["annotator"]):
        options.pop("referee", None)
    return aggregate(table, method, **options)


def table_of(rows: Sequence[tuple[str, str, str | None, float]]) -> pl.DataFrame:
    schema = {"item": pl.String, "annotator": pl.String, "label": pl.String, "trust": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


@st.composite
def tables(draw: st.DrawFn, labels: tuple[str, ...]) -> pl.DataFrame:
    pairs = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=1, unique=True))
    rows = [
        (
            f"i{item}",
            f"a{annotator}",
            draw(st.sampled_from([*labels, *labels, None])),
            round(0.5 + annotator / 20, 2),
        )
        for item, annotator in pairs
    ]
    return table_of(rows)


def test_no_method_is_forgotten() -> None:
    assert list(CALLS) == METHODS.names()
    folder = Path(inspect.getfile(tactful.aggregation)).parent
    for name in METHODS:
        assert (folder / f"{name}.py").is_file()
        assert inspect.getdoc(METHODS.get(name))
        test = Path(__file__).with_name(f"test_{name}.py")
        assert test.is_file(), f"write {test.name}"


@pytest.mark.parametrize("method", CALLS)
@settings(max_examples=20)
@given(data=st.data())
def test_a_label_or_a_reason_for_every_item(method: str, data: st.DataObject) -> None:
    table = data.draw(tables(CALLS[method][1]))
    result = run(method, table)
    assert result.items == tuple(table["item"].unique(maintain_order=True))
    assert len(result.labels) == len(result.confidence) == len(result.why) == len(result)
    judged = set(table.drop_nulls("label")["item"])
    for item, label, confidence, why in zip(
        result.items, result.labels, result.confidence, result.why, strict=True
    ):
        assert why.item == item
        assert why.label == label
        assert len(why.answers) == table.filter(item=item).drop_nulls("label").height
        if label is None:
            assert confidence is None
            assert why.rule
            assert why.text.startswith("no label: ")
        else:
            assert item in judged
            assert label in result.classes
            assert confidence is None or 0 <= confidence <= 1 + 1e-12


@pytest.mark.parametrize("method", CALLS)
@settings(max_examples=15)
@given(data=st.data())
def test_the_order_of_rows_does_not_matter(method: str, data: st.DataObject) -> None:
    table = data.draw(tables(CALLS[method][1]))
    seed = data.draw(st.integers(0, 1000))
    first = run(method, table)
    again = run(method, table.sample(fraction=1, shuffle=True, seed=seed))
    assert first.label_of() == again.label_of()
    same = dict(zip(again.items, again.confidence, strict=True))
    assert dict(zip(first.items, first.confidence, strict=True)) == same
    reasons = {why.item: why.text for why in again.why}
    assert {why.item: why.text for why in first.why} == reasons


@pytest.mark.parametrize("method", PROBABILISTIC)
@settings(max_examples=15)
@given(data=st.data())
def test_posteriors_are_distributions(method: str, data: st.DataObject) -> None:
    result = run(method, data.draw(tables(CALLS[method][1])))
    assert result.posteriors is not None
    for row, label, confidence in zip(
        result.posteriors, result.labels, result.confidence, strict=True
    ):
        if not row.size or np.isnan(row).any():
            assert np.isnan(row).all()
            assert label is None
        else:
            assert row.sum() == pytest.approx(1)
        if label is not None:
            assert confidence == row[result.classes.index(label)]


@pytest.mark.parametrize("method", CALLS)
def test_unanimous_items_get_their_label(method: str) -> None:
    answer = CALLS[method][1][-1]
    rows = [(f"i{i}", f"a{a}", answer, 0.9) for i in range(4) for a in range(2)]
    expected = {"dpm_scale": "4", "mean_threshold": "1"}.get(method, answer)
    assert set(run(method, table_of(rows)).labels) == {expected}


@pytest.mark.parametrize("method", [name for name in CALLS if name != "dpm_scale"])
def test_one_annotator_and_one_label(method: str) -> None:
    answer = CALLS[method][1][0]
    result = run(method, table_of([("i", "a", answer, 1.0)]))
    assert result.labels == ({"mean_threshold": "0"}.get(method, answer),)
    assert result.confidence[0] == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize("method", CALLS)
def test_nobody_judged_anything(method: str) -> None:
    result = run(method, table_of([("i", "a", None, 1.0), ("j", "b", None, 1.0)]))
    assert result.items == ("i", "j")
    assert result.labels == (None, None)
    assert "judged it" in result.why[0].text
    assert result.table(soft=True)["why"].null_count() == 0


@pytest.mark.parametrize("method", CALLS)
def test_the_same_seed_gives_the_same_answer(method: str) -> None:
    low, high = CALLS[method][1][0], CALLS[method][1][-1]
    rows = [
        (f"i{i}", f"a{a}", high if (i * a) % 3 else low, 0.8) for i in range(9) for a in range(2)
    ]
    more: dict[str, Any] = {"seed": 3} if "seed" in method_options(method) else {}
    more |= {"ties": "random"} if "ties" in method_options(method) else {}
    first, second = (run(method, table_of(rows), **more) for _ in range(2))
    assert first.labels == second.labels
    assert first.confidence == second.confidence


@pytest.mark.parametrize("method", [name for name in CALLS if name != "dpm_scale"])
def test_many_items(method: str) -> None:
    size = 100_000
    rng = np.random.default_rng(0)
    labels = ("0", "1")
    ratings = Ratings(
        tuple(map(str, range(size))),
        ("a", "b", "c"),
        labels,
        np.repeat(np.arange(size), 3),
        np.tile(np.arange(3), size),
        rng.integers(0, 2, 3 * size),
        np.full(3 * size, 0.9),
    )
    quick = {"iterations": 2} if "iterations" in method_options(method) else {}
    result = aggregate(ratings, method, **quick, **({"restarts": 1} if method == "mace" else {}))
    assert len(result) == size
    assert None not in result.labels


@pytest.mark.parametrize("method", [name for name in CALLS if name != "mean_threshold"])
def test_two_answers_of_one_annotator_are_refused(method: str) -> None:
    with pytest.raises(InputError, match="several labels"):
        run(method, table_of([("i", "a", "1", 1.0), ("i", "a", "0", 1.0)]))


@pytest.mark.parametrize("method", CALLS)
def test_a_missing_column_is_named(method: str) -> None:
    with pytest.raises(InputError, match="no column named 'label'"):
        aggregate(pl.DataFrame({"item": ["i"], "annotator": ["a"], "trust": [1.0]}), method)


@pytest.mark.parametrize("method", CALLS)
def test_what_is_no_table_is_refused(method: str) -> None:
    with pytest.raises(InputError, match="expected a polars or pandas frame"):
        aggregate(3, method)


@pytest.mark.parametrize("method", [m for m in CALLS if "gold" in method_options(m)])
def test_gold_holds_an_item_fast(method: str) -> None:
    rows = [(f"i{i}", f"a{a}", "yes", 1.0) for i in range(3) for a in range(3)]
    result = run(method, table_of(rows), gold={"i1": "no"})
    assert result.labels[1] == "no"
    assert result.confidence[1] == 1
    assert result.why[1].rule == "known from gold"
    assert result.notes[0] == "Gold has labels that no annotator gave: no."


@pytest.mark.parametrize("method", [m for m in CALLS if "iterations" in method_options(m)])
@pytest.mark.parametrize("wrong", [{"iterations": 0}, {"tolerance": -1.0}])
def test_iterations_that_cannot_be_are_refused(method: str, wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="at least 1 iteration"):
        run(method, table_of([("i", "a", "yes", 1.0)]), **wrong)


def test_an_unknown_method_answers_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'majority'"):
        aggregate([("i", "a", "x")], "majorty")


def test_an_unknown_option_answers_with_the_list() -> None:
    with pytest.raises(UsageError, match="takes no option 'gold'; it takes ties, seed"):
        aggregate([("i", "a", "x")], "majority", gold={})


def test_a_result_cannot_be_changed() -> None:
    result = aggregate([("i", "a", "x")])
    with pytest.raises(FrozenInstanceError):
        result.labels = ()  # type: ignore[misc]


@pytest.mark.parametrize("name", tactful.aggregation.__all__)
def test_every_public_name_exists_and_is_documented(name: str) -> None:
    assert inspect.getdoc(getattr(tactful.aggregation, name))


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(tactful.aggregation, "nothing")  # noqa: B009
    assert dir(tactful.aggregation) == sorted(tactful.aggregation.__all__)
