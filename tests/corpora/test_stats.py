"""Statistics as data: percentages, plain values, and charts that agree with their tables."""

import json
from pathlib import Path

import pytest

from tactful.corpora import CORPORA, load_corpus
from tactful.corpora.stats import Chart, Stat, percent


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [(1, 4, 25.0), (1, 3, 33.33), (2, 3, 66.67), (0, 5, 0.0), (5, 5, 100.0), (0.5, 2, 25.0)],
)
def test_a_percentage_has_two_places(part: float, whole: float, expected: float) -> None:
    assert percent(part, whole) == expected


def test_of_nothing_there_is_no_percentage() -> None:
    assert percent(0, 0) is None


def test_a_statistic_as_data_is_json() -> None:
    chart = Chart("bars", ["a"], {"here": [None]}, "x", "y")
    stat = Stat(
        "table-1", "Title", "A paper", ("name", "number"), (("a", None),), ("A note.",), chart
    )
    data = json.loads(json.dumps(stat.as_dict()))
    assert data == {
        "id": "table-1",
        "title": "Title",
        "source": "A paper",
        "columns": ["name", "number"],
        "rows": [["a", None]],
        "notes": ["A note."],
        "chart": {
            "kind": "bars",
            "positions": ["a"],
            "series": {"here": [None]},
            "x_label": "x",
            "y_label": "y",
        },
    }


@pytest.mark.parametrize("name", CORPORA.names())
def test_the_statistics_of_every_sample_are_well_formed(name: str) -> None:
    stats = load_corpus(name, sample=True).stats()
    assert stats
    ids = [stat.id for stat in stats]
    assert len(set(ids)) == len(ids)
    for stat in stats:
        assert stat.title
        assert stat.source
        assert stat.id == Path(stat.id).name.casefold(), "an id is also the name of a file"
        assert stat.rows
        assert {len(row) for row in stat.rows} == {len(stat.columns)}
        json.dumps(stat.as_dict(), allow_nan=False)
        if stat.chart is not None:
            assert stat.chart.series
            for values in stat.chart.series.values():
                assert len(values) == len(stat.chart.positions)
