"""The drawings: marks are where their numbers are, and nothing leaves the picture."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tactful.audit.report.charts import Bar, boxplots, gaps, proportions, ranking, scatter
from tactful.audit.report.words import labels
from tactful.audit.results import AuditResult, Correlation, Estimate
from tactful.pages.svg import Axis, number

Made = Callable[..., Any]
SIDE = r'(?:x|x1|x2|cx)="(-?[\d.]+)"'


def inside(svg: str) -> bool:
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert box
    places = [float(x) for x in re.findall(SIDE, svg)]
    heights = [float(y) for y in re.findall(r'(?:y|y1|y2|cy)="(-?[\d.]+)"', svg)]
    return 0 <= min(places) <= max(places) <= float(box[1]) and max(heights) <= float(box[2])


def test_boxplots_have_a_point_for_each_condition(example: AuditResult) -> None:
    models = [m for m in example.models if m.kind != "sentiment"]
    svg = boxplots(models, labels(example))
    # One condition of each of the three fill-mask models has no number.
    assert svg.count(' point"') == 4 * 122 - 3
    assert svg.count(' median"') == 8
    assert inside(svg)


def test_a_ranking_keeps_its_order_and_its_places() -> None:
    bars = [Bar("First", True, 0.75, 0.5, 1.0), Bar("Second", False, 0.25), Bar("Last", True, None)]
    (svg,) = ranking("r", "Three", bars, 0.5)
    assert svg.index(">First<") < svg.index(">Second<") < svg.index(">Last<")
    axis = Axis(0, 1, 266, 556)
    assert f'cx="{number(axis(0.75))}"' in svg
    assert f'x1="{number(axis(0.5))}"' in svg
    assert "First: 75 % (50 % to 100 %)" in svg
    assert "no condition named: 50 %" in svg
    assert "not known" in svg
    assert inside(svg)


@pytest.mark.parametrize("baseline", [0.0, 1.0, None])
def test_the_label_of_the_baseline_stays_inside(baseline: float | None) -> None:
    (svg,) = ranking("r", "One", [Bar("Only", True, 1.0)], baseline)
    assert ("no condition named" in svg) is (baseline is not None)
    assert inside(svg)


def test_many_conditions_stand_in_two_drawings() -> None:
    bars = [Bar(f"Condition {at}", True, 1 - at / 122) for at in range(122)]
    first, second = ranking("r", "All", bars, None)
    assert "Condition 60<" in first
    assert "Condition 61<" in second
    assert "part 2 of 2" in second


def test_a_long_name_is_cut_but_whole_in_its_tip() -> None:
    name = "A condition with a very long name that fits into no drawing at all"
    (svg,) = ranking("r", "One", [Bar(name, True, 0.5)], None)
    assert "…</text>" in svg
    assert f"<title>{name}: 50 %</title>" in svg


def test_proportions_fill_the_bar(example: AuditResult) -> None:
    models = [m for m in example.models if m.proportions]
    svg = proportions(models, labels(example))
    widths = [float(w) for w in re.findall(r'class="class \w+"[^>]* width="([\d.]+)"', svg)]
    assert len(widths) == 2 * 7  # a class without a sentence has no bar
    assert sum(widths[:3]) == pytest.approx(738 - 150, abs=0.2)
    assert "vader, stigmatized, 62 % negative" in svg
    assert inside(svg)


def test_gaps_show_nought_and_what_is_missing(example: AuditResult) -> None:
    svg = gaps(example.models, labels(example))
    assert svg.count("<circle") == 6 + 4 * 3 + 3 + 2 * 2
    assert 'class="half"' in svg
    assert svg.count("not known") == 2  # the template without a number: said and described
    assert inside(svg)


def test_gaps_of_a_model_without_any_number(made: Made) -> None:
    result = made("empty")
    svg = gaps(result.models, labels(result))
    assert "<circle" not in svg
    assert inside(svg)


def test_a_scatter_rises_from_bottom_to_top() -> None:
    found = Correlation(Estimate(0.5, 0.2, 0.7), 0.01, 0.4, 2)
    svg = scatter([("Low", True, 0.0, 0.0), ("High", False, 1.0, 1.0)], found)
    assert 'cx="62" cy="508"' in svg
    assert "High: attitude 100 %, sentiment 100 %" in svg
    assert "Correlation .50 (.20 to .70)" in svg
    assert inside(svg)
