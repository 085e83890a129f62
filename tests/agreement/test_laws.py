"""What must hold of every measure of agreement, whichever is added."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tactful.agreement
from tactful.agreement import LEVELS, MEASURES, Agreement, measure_agreement
from tactful.errors import InputError

Rows = list[tuple[int, int, int]]
CASES = [(name, level) for name in MEASURES.names() for level in MEASURES.get(name).levels]

tables = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 4), st.integers(0, 3)),
    unique_by=lambda row: row[:2],
    max_size=36,
)
every_measure = pytest.mark.parametrize(("name", "level"), CASES)


def answer(rows: Any, name: str, level: Any, **options: Any) -> Agreement:
    return measure_agreement(rows, name, level, **options)


def same(one: Agreement, two: Agreement) -> None:
    assert (one.value is None) == (two.value is None), (one, two)
    if one.value is not None:
        assert one.value == pytest.approx(two.value, abs=1e-9)
    assert (one.items, one.annotators, one.judgements) == (
        two.items,
        two.annotators,
        two.judgements,
    )


@every_measure
@settings(max_examples=30)
@given(rows=tables)
def test_a_value_or_a_reason(name: str, level: str, rows: Rows) -> None:
    found = answer(rows, name, level)
    if found.value is None:
        assert found.reason
        with pytest.raises(InputError, match="is undefined: "):
            float(found)
    else:
        assert found.reason is None
        assert float(found) <= 1 + 1e-12
        lowest = MEASURES.get(name).lowest
        assert lowest is None or found.value >= lowest - 1e-9


@every_measure
@settings(max_examples=20)
@given(rows=tables, data=st.data())
def test_orders_and_names_do_not_matter(name: str, level: str, rows: Rows, data: Any) -> None:
    first = answer(rows, name, level)
    same(first, answer(data.draw(st.permutations(rows)), name, level))
    people = data.draw(st.permutations(range(5)))
    same(first, answer([(i, people[a], c) for i, a, c in rows], name, level))
    items = data.draw(st.permutations(range(8)))
    same(first, answer([(items[i], a, c) for i, a, c in rows], name, level))


@pytest.mark.parametrize("name", [name for name, level in CASES if level == "nominal"])
@settings(max_examples=20)
@given(rows=tables, data=st.data())
def test_nominal_labels_are_only_names(name: str, rows: Rows, data: Any) -> None:
    words = data.draw(st.permutations(["b", "a", "10", "9"]))
    same(
        answer(rows, name, "nominal"),
        answer([(i, a, words[c]) for i, a, c in rows], name, "nominal"),
    )


@every_measure
@settings(max_examples=20)
@given(rows=tables)
def test_perfect_agreement_is_one(name: str, level: str, rows: Rows) -> None:
    found = answer([(i, a, i % 3) for i, a, _ in rows], name, level)
    assert found.value is None or found.value == 1


@every_measure
def test_perfect_agreement_of_a_full_table_is_exactly_one(name: str, level: str) -> None:
    assert answer([(i, a, i % 3) for i in range(6) for a in range(3)], name, level).value == 1


@every_measure
def test_unlike_every_time_is_not_agreement(name: str, level: str) -> None:
    found = answer([(i, a, (i + a) % 2) for i in range(6) for a in range(2)], name, level)
    assert found.value is not None
    assert found.value <= (0 if MEASURES.get(name).chance_corrected else 0.0)


@every_measure
def test_one_label_is_undefined_for_what_corrects_for_chance(name: str, level: str) -> None:
    found = answer([(i, a, 1) for i in range(4) for a in range(3)], name, level)
    if MEASURES.get(name).chance_corrected:
        assert found.value is None
        assert "label" in str(found.reason) or "every judgement" in str(found.reason)
    else:
        assert found.value == 1


@every_measure
@pytest.mark.parametrize(
    ("rows", "reason"),
    [([], "there are no judgements"), ([(1, 1, 0), (2, 2, 1)], "no item has two judgements")],
)
def test_nothing_to_compare_is_said(name: str, level: str, rows: Rows, reason: str) -> None:
    found = answer(rows, name, level, bootstrap=10)
    assert (found.value, found.reason, found.interval) == (None, reason, None)
    assert reason in str(found)


@every_measure
def test_words_without_order_have_no_distance(name: str, level: str) -> None:
    rows = [(i, a, "high" if (i + a) % 3 else "low") for i in range(9) for a in range(3)]
    found = answer(rows, name, level)
    ordered = answer(rows, name, level, labels=["low", "high"])
    if level == "nominal":
        assert found.value == ordered.value is not None
    else:
        assert found.reason is not None
        assert "number" in found.reason
        numeric = level in ("interval", "ratio") and name == "krippendorff"
        assert (ordered.value is None) == numeric


@every_measure
def test_intervals_are_seeded_and_hold_the_value(name: str, level: str) -> None:
    rows = [(i, a, (i * 7 + a * (i % 3 == 0)) % 4) for i in range(60) for a in range(4)]
    one, again, other = (answer(rows, name, level, bootstrap=200, seed=seed) for seed in (5, 5, 6))
    assert one.interval == again.interval != other.interval
    assert one.interval is not None
    assert one.value is not None
    assert one.interval[0] <= one.value <= one.interval[1]
    assert (one.confidence, one.samples, one.seed) == (0.95, 200, 5)
    wider = answer(rows, name, level, bootstrap=200, seed=5, confidence=0.99)
    assert wider.interval is not None
    assert wider.interval[0] <= one.interval[0] <= one.interval[1] <= wider.interval[1]


@every_measure
def test_a_level_that_a_measure_lacks_is_explained(name: str, level: str) -> None:
    for other in set(LEVELS) - set(MEASURES.get(name).levels):
        found = answer([(1, 1, 1), (1, 2, 2)], name, other)
        assert found.reason is not None
        assert other in found.reason


def defined_measures() -> Iterator[str]:
    """Return every Coefficient that a module of the room defines, read from their sources."""
    folder = Path(inspect.getfile(tactful.agreement)).parent
    for path in sorted(folder.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            if ast.unparse(node.value.func) == "Coefficient":
                yield f"tactful.agreement.{path.stem}:{ast.unparse(node.targets[0])}"


def test_no_measure_is_forgotten() -> None:
    """A Coefficient that is not in the registry would escape every law above."""
    assert set(defined_measures()) == set(MEASURES._entries.values())
    assert {name for name, _ in CASES} == set(MEASURES.names())
    for name in MEASURES:
        assert MEASURES.get(name).name == name


def test_every_public_coefficient_is_in_the_registry() -> None:
    functions = {
        "percent_agreement": "percent",
        "cohen_kappa": "cohen",
        "fleiss_kappa": "fleiss",
        "krippendorff_alpha": "krippendorff",
        "gwet_ac1": "ac1",
        "gwet_ac2": "ac2",
    }
    assert set(functions.values()) == set(MEASURES.names())
    coefficient = [
        name
        for name in tactful.agreement.__all__
        if name.endswith(("_agreement", "_kappa", "_alpha")) or name.startswith("gwet_")
    ]
    assert set(coefficient) - {"measure_agreement", "span_agreement"} == set(functions)
    rows = [(i, a, (i + a // 2) % 3) for i in range(9) for a in range(3)]
    for function, name in functions.items():
        found = getattr(tactful.agreement, function)(rows)
        assert found == measure_agreement(rows, name, found.level)


def test_all_names_of_the_room_exist() -> None:
    assert sorted(dir(tactful.agreement)) == sorted(tactful.agreement.__all__)
    for name in tactful.agreement.__all__:
        assert getattr(tactful.agreement, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'kappa'"):
        tactful.agreement.kappa  # noqa: B018
