"""The laws that hold for every measure of the room, and that none is forgotten.

Inputs are made by kind (``Spec.takes``): a new kind needs a maker in :data:`MAKERS`.
"""

import importlib
import inspect
import pkgutil
import random
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from tactful import metrics
from tactful.errors import InputError
from tactful.metrics import MEASURES, Measure
from tactful.metrics.word_vectors import WordVectors

SEEDS = range(3)
ITEMS = 40
LABELS = ["l1", "l2", "l3", "l4", "l5"]
TREE: dict[str, str | None] = {"l1": None, "l2": "l1", "l3": "l1", "l4": "l2", "l5": None}
NEW_NAMES = {"l1": "v", "l2": "z", "l3": "x", "l4": "y", "l5": "w"}
WORDS = ["red", "green", "blue", "dark", "light", "grey"]
VECTORS = WordVectors.of({word: [i, i * i / 3] for i, word in enumerate(WORDS)})


@dataclass(frozen=True)
class Case:
    """Arguments of one call: ``rows`` have one entry for each item, ``fixed`` belong to all."""

    rows: tuple[list[Any], ...]
    fixed: dict[str, Any]
    perfect: tuple[list[Any], ...]
    """The rows of a prediction that equals gold."""
    renamed: tuple[list[Any], ...] | None = None
    """The rows with other names for the labels, where there are labels."""
    perfect_fixed: dict[str, Any] | None = None
    """What belongs to all when the prediction equals gold, where that differs."""


def answers(rng: random.Random) -> list[int]:
    return [0, 1, 0, 1, *(int(rng.random() < 0.4) for _ in range(ITEMS - 4))]


def binary(rng: random.Random) -> Case:
    gold = answers(rng)
    return Case((gold, answers(rng)), {}, (gold, gold))


def binary_scores(rng: random.Random) -> Case:
    gold = answers(rng)
    scores = [int(rng.random() * 10) / 10 for _ in gold]
    return Case((gold, scores), {}, (gold, [float(answer) for answer in gold]))


def subgroup_scores(rng: random.Random) -> Case:
    case = binary_scores(rng)
    # The first four items have both answers inside and outside the subgroup.
    members = [True, True, False, False, *(rng.random() < 0.5 for _ in range(ITEMS - 4))]
    return Case((*case.rows, members), {}, (*case.perfect, members))


def subgroups_scores(rng: random.Random) -> Case:
    case = subgroup_scores(rng)
    gold, scores, members = case.rows
    return Case((gold, scores), {"subgroups": {"one": members}}, case.perfect[:2])


def label_sets(rng: random.Random) -> Case:
    def draw() -> list[set[str]]:
        # Every label occurs, so that no label's F is undefined.
        every = [{label} for label in LABELS]
        return [*every, *({n for n in LABELS if rng.random() < 0.3} for _ in range(ITEMS - 5))]

    gold, predicted = draw(), draw()
    rng.shuffle(predicted)
    return Case((gold, predicted), {}, (gold, gold), (named(gold), named(predicted)))


def label_degrees(rng: random.Random) -> Case:
    def draw() -> list[dict[str, float]]:
        return [{n: int(rng.random() * 7) / 6 for n in LABELS} for _ in range(ITEMS)]

    gold, predicted = draw(), draw()
    return Case((gold, predicted), {}, (gold, gold), (named(gold), named(predicted)))


def named(rows: list[Any]) -> list[Any]:
    return [
        {NEW_NAMES[label]: row[label] for label in row}
        if isinstance(row, dict)
        else {NEW_NAMES[label] for label in row}
        for row in rows
    ]


def distributions(rng: random.Random) -> Case:
    def draw() -> list[list[float]]:
        rows = [[rng.random() + 0.01 for _ in LABELS] for _ in range(ITEMS)]
        return [[value / sum(row) for value in row] for row in rows]

    gold, predicted = draw(), draw()
    turned = [[row[::-1] for row in rows] for rows in (gold, predicted)]
    return Case((gold, predicted), {}, (gold, gold), (turned[0], turned[1]))


def judgements_scores(rng: random.Random) -> Case:
    truth = answers(rng)
    item = [f"i{index}" for index in range(ITEMS) for _ in range(3)]
    annotator = [f"a{index % 3}" for index in range(3 * ITEMS)]
    noisy = [int(rng.random() < 0.2 + 0.6 * truth[index // 3]) for index in range(3 * ITEMS)]
    scores = {f"i{index}": rng.random() for index in range(ITEMS)}
    # Perfect: all annotators agree with the model, whose scores are one for each item.
    agreed = [truth[index // 3] for index in range(3 * ITEMS)]
    exact = {f"i{index}": float(answer) for index, answer in enumerate(truth)}
    return Case(
        (item, annotator, noisy),
        {"scores": scores},
        (item, annotator, agreed),
        perfect_fixed={"scores": exact},
    )


def references_texts(rng: random.Random) -> Case:
    def draw() -> str:
        return " ".join(rng.choice(WORDS) for _ in range(2 + int(rng.random() * 4)))

    references = [[draw() for _ in range(1 + int(rng.random() * 3))] for _ in range(ITEMS)]
    return Case(
        (references, [draw() for _ in references]), {}, (references, [r[0] for r in references])
    )


def references_texts_vectors(rng: random.Random) -> Case:
    case = references_texts(rng)
    return Case(case.rows, {"vectors": VECTORS}, case.perfect)


def spans(rng: random.Random) -> Case:
    def draw() -> list[tuple[int, int]]:
        starts = [10 * index + int(rng.random() * 4) for index in range(int(rng.random() * 3))]
        return [(start, start + 1 + int(rng.random() * 5)) for start in starts]

    gold = [[(0, 4)], *(draw() for _ in range(ITEMS - 1))]
    return Case((gold, [draw() for _ in gold]), {}, (gold, gold))


MAKERS: dict[str, Callable[[random.Random], Case]] = {
    "binary": binary,
    "binary_probabilities": binary_scores,
    "binary_scores": binary_scores,
    "binary_scores_subgroup": subgroup_scores,
    "binary_scores_subgroups": subgroups_scores,
    "distributions": distributions,
    "judgements_scores": judgements_scores,
    "label_degrees": label_degrees,
    "label_sets": label_sets,
    "references_texts": references_texts,
    "references_texts_vectors": references_texts_vectors,
    "spans": spans,
}
# What modules of the room or of other rooms build on, and users are not meant to call.
BUILDING_BLOCKS = {
    "checked_scores",
    "bag_distance",
    "bleu_of_counts",
    "character_counts",
    "checked_probabilities",
    "count_bleu",
    "exact_counts",
    "item_f1",
    "longest_common_subsequence",
    "measure",
    "pair_sets",
    "read_hierarchy",
    "tokenise",
    "transport_cost",
    "words_of",
}
HIERARCHICAL = {
    name for name, spec in MEASURES.items() if spec.function.__module__.endswith(".hierarchical")
}


def variants(name: str) -> list[dict[str, Any]]:
    """Return the ways to call a measure: those of a hierarchy are tried with and without one."""
    return [{}, {"hierarchy": TREE}] if name in HIERARCHICAL else [{}]


CALLS = [
    pytest.param(name, options, seed, id=f"{name}{'-tree' if options else ''}-{seed}")
    for name in MEASURES
    for options in variants(name)
    for seed in SEEDS
]


def made(name: str, seed: int) -> Case:
    return MAKERS[MEASURES[name].takes](random.Random(seed))


@pytest.mark.parametrize(("name", "options", "seed"), CALLS)
def test_values_stay_in_their_range(name: str, options: dict[str, Any], seed: int) -> None:
    case, spec = made(name, seed), MEASURES[name]
    answer = spec.function(*case.rows, **case.fixed, **options)
    assert isinstance(answer, Measure)
    assert spec.low <= float(answer) <= spec.high


@pytest.mark.parametrize(("name", "options", "seed"), CALLS)
def test_gold_is_perfect(name: str, options: dict[str, Any], seed: int) -> None:
    case, spec = made(name, seed), MEASURES[name]
    function = spec.function
    fixed = case.fixed if case.perfect_fixed is None else case.perfect_fixed
    perfect = float(function(*case.perfect, **fixed, **options))
    if spec.perfect is not None:
        assert perfect == pytest.approx(spec.perfect, abs=1e-12)
    # ICM-soft approximates by a normal distribution, and can be better than gold.
    if "soft" not in name:
        other = float(function(*case.rows, **case.fixed, **options))
        assert other <= perfect + 1e-12 if spec.higher_is_better else other >= perfect - 1e-12


@pytest.mark.parametrize(("name", "options", "seed"), CALLS)
def test_the_order_of_items_does_not_matter(name: str, options: dict[str, Any], seed: int) -> None:
    case, function = made(name, seed), MEASURES[name].function
    order = np.random.default_rng(seed).permutation(len(case.rows[0])).tolist()
    rows = [[column[index] for index in order] for column in case.rows]
    fixed = dict(case.fixed)
    if "subgroups" in fixed:
        fixed["subgroups"] = {
            group: [members[index] for index in order]
            for group, members in fixed["subgroups"].items()
        }
    before = function(*case.rows, **case.fixed, **options)
    assert float(function(*rows, **fixed, **options)) == pytest.approx(float(before), abs=1e-12)


@pytest.mark.parametrize(("name", "options", "seed"), CALLS)
def test_the_names_of_labels_do_not_matter(name: str, options: dict[str, Any], seed: int) -> None:
    case, function = made(name, seed), MEASURES[name].function
    if case.renamed is None:
        return
    tree = {NEW_NAMES[label]: above and NEW_NAMES[above] for label, above in TREE.items()}
    before = function(*case.rows, **case.fixed, **options)
    after = function(*case.renamed, **case.fixed, **({"hierarchy": tree} if options else {}))
    assert float(after) == pytest.approx(float(before), abs=1e-12)


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_says_what_it_is(name: str) -> None:
    spec = MEASURES[name]
    assert spec.takes in MAKERS, f"write a maker for inputs of the kind {spec.takes!r}"
    assert spec.low < spec.high
    assert spec.perfect is None or spec.low <= spec.perfect <= spec.high
    lower = ("_error", "_loss", "_distance", "_divergence")
    assert name.endswith("_score" if spec.higher_is_better else lower)
    assert inspect.getdoc(spec.function)
    assert spec.function.__name__ == name


def room_functions() -> dict[str, FunctionType]:
    """Return the public functions that the modules of the room define."""
    found = {}
    for entry in pkgutil.iter_modules(metrics.__path__):
        module = importlib.import_module(f"tactful.metrics.{entry.name}")
        for name, value in vars(module).items():
            is_own = isinstance(value, FunctionType) and value.__module__ == module.__name__
            if is_own and not name.startswith("_"):
                found[name] = value
    return found


def test_no_measure_is_forgotten() -> None:
    returning = {
        name
        for name, function in room_functions().items()
        if function.__annotations__.get("return") in (Measure, "Measure")
    }
    assert returning == set(MEASURES)


def test_every_function_is_published_from_the_room_or_a_building_block() -> None:
    unpublished = {
        name
        for name, function in room_functions().items()
        if getattr(metrics, name, None) != function
    }
    assert unpublished == BUILDING_BLOCKS, "import it in metrics/public.py, or make it private"


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'icm_scroe'"):
        getattr(metrics, "icm_scroe")  # noqa: B009  (mypy would refuse the plain form)


def test_an_answer_is_a_number_or_a_reason() -> None:
    assert str(Measure("F1", 0.5)) == "F1: 0.5000"
    assert str(Measure("F1", None, "nothing there")) == "F1: undefined (nothing there)"
    assert not Measure("F1", None, "nothing there").defined
    with pytest.raises(ValueError, match="needs its reason"):
        Measure("F1", None)
    with pytest.raises(ValueError, match="NaN is not an answer"):
        Measure("F1", float("nan"))
    with pytest.raises(InputError, match="F1 is undefined: nothing there"):
        float(Measure("F1", None, "nothing there"))
