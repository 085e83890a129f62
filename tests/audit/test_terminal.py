"""What a command says after an audit."""

import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tactful.audit.report.sentences import summary_sentences
from tactful.audit.results import Coverage
from tactful.audit.terminal import (
    TEMPLATE_COLUMNS,
    TOP_COLUMNS,
    bar,
    template_rows,
    top_conditions_rows,
    warnings_of,
)

EXAMPLE = runpy.run_path(str(Path(__file__).parent / "report" / "example.py"))


@pytest.fixture(scope="module")
def example() -> Any:
    return EXAMPLE["example"]()


@pytest.mark.parametrize(
    ("value", "blocks", "drawn"),
    [
        (0.0, True, ""), (1.0, True, "████"), (0.5, True, "██"), (0.53, True, "██▏"),
        (0.5, False, "##"), (2.0, False, "####"), (-1.0, True, ""),
    ],
)  # fmt: skip
def test_bars(value: float, blocks: bool, drawn: str) -> None:
    assert bar(value, 4, blocks=blocks) == drawn


def test_the_ten_most_negative(example: Any) -> None:
    model = example.models[1]
    rows = top_conditions_rows(model)
    assert len(rows) == 10
    assert {len(row) for row in rows} == {len(TOP_COLUMNS)}
    worst = max(c.negative.value for c in model.conditions if c.negative.value is not None)
    assert rows[0][1] == f"{round(100 * worst)} %"
    assert rows[0][2].startswith("█")
    assert top_conditions_rows(model, 3, blocks=False)[0][2].strip("#") == ""


def test_others_among_the_most_negative_are_marked(example: Any) -> None:
    last = example.models[0].conditions[-1]
    first = replace(last, to_others=replace(last.to_others, verdict="not tested"))
    (row,) = top_conditions_rows(replace(example.models[0], conditions=(first,)))
    assert not first.stigmatized
    assert row[0] == f"{first.name} (not stigmatized)"
    assert row[4] == ""


def test_whether_it_is_sure(example: Any) -> None:
    first, second, *_ = example.models[0].conditions
    both = tuple(
        replace(c, to_others=replace(c.to_others, verdict=verdict))
        for c, verdict in ((first, "more negative"), (second, "undecided"))
    )
    rows = top_conditions_rows(replace(example.models[0], conditions=both))
    assert {row[0]: row[4] for row in rows} == {
        first.name: "more negative",
        second.name: "undecided",
    }


def test_what_is_not_known_is_not_ranked() -> None:
    assert top_conditions_rows(EXAMPLE["empty"]().models[0]) == []


def test_templates(example: Any) -> None:
    rows = template_rows(example.models[3])
    assert {len(row) for row in rows} == {len(TEMPLATE_COLUMNS)}
    assert rows[2] == ("template_3", "not known", "not known", "not known", "", "not known")


def test_warnings(example: Any) -> None:
    causal = example.models[3]
    assert warnings_of(causal) == ["2 words of the pairs are more than one token."]
    covered = Coverage(0.9, 0.8, 0.0, (("o\x1bd\nd", 0.05),), 0)
    (warning,) = warnings_of(replace(causal, notes=(), coverage=covered))
    assert warning == "The largest words without a rating: o\\x1bd d (5 %)."


def test_names_cannot_steer_the_terminal(example: Any) -> None:
    model = replace(example.models[0], model="\x1b[2Jgone", notes=("\x1b]0;title\x07",))
    said = [*summary_sentences(model), *warnings_of(model)]
    assert not [text for text in said if "\x1b" in text or "\x07" in text]
