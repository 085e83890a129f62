"""Drawing: valid files, the same bytes every time, and gaps where there is no value."""

import re
import struct
import sys
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree as ET

import pytest

from tactful.corpora import CORPORA, load_corpus
from tactful.corpora.plots import write_plot
from tactful.corpora.stats import Chart, Stat
from tactful.errors import MissingExtraError, UsageError

PNG = b"\x89PNG\r\n\x1a\n"
SVG = "{http://www.w3.org/2000/svg}"


def stat_of(kind: Literal["bars", "lines", "heatmap"], positions: Any, series: Any) -> Stat:
    chart = Chart(kind, positions, series, "x label", "y label")
    return Stat("x", "A title", "A source", ("a",), (), (), chart)


def texts_of(path: Path) -> set[str]:
    root = ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 - we wrote it
    return {"".join(element.itertext()).strip() for element in root.iter(f"{SVG}text")}


def check_png(path: Path) -> None:
    content = path.read_bytes()
    assert content.startswith(PNG)
    assert content.endswith(b"IEND\xaeB`\x82")
    width, height = struct.unpack(">II", content[16:24])
    assert 600 <= width <= 3000
    assert 150 <= height <= 4000


def check_svg(path: Path) -> None:
    root = ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 - we wrote it
    assert root.tag == f"{SVG}svg"
    for element in root.iter():
        assert element.tag not in {f"{SVG}script", f"{SVG}style"} or "http" not in (
            element.text or ""
        )
        for name, value in element.attrib.items():
            if name.endswith("href"):
                assert value.startswith(("#", "data:image/png;base64,"))
            for target in re.findall(r"url\(([^)]*)\)", value):
                assert target.startswith("#")


@pytest.mark.parametrize("name", CORPORA.names())
def test_every_chart_of_every_sample_is_drawn(name: str, tmp_path: Path) -> None:
    drawable = [stat for stat in load_corpus(name, sample=True).stats() if stat.chart]
    assert drawable
    for stat in drawable:
        png, svg = tmp_path / f"{stat.id}.png", tmp_path / f"{stat.id}.svg"
        write_plot(stat, png)
        write_plot(stat, svg)
        check_png(png)
        check_svg(svg)
        assert {stat.title, stat.source} <= texts_of(svg)


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_same_numbers_give_the_same_bytes(ending: str, tmp_path: Path) -> None:
    stats = load_corpus("ucc", sample=True).stats()
    kinds = {stat.chart.kind: stat for stat in stats if stat.chart}
    assert set(kinds) == {"bars", "lines", "heatmap"}
    for kind, stat in kinds.items() if ending == "svg" else [("bars", kinds["bars"])]:
        first, second = tmp_path / f"1-{kind}.{ending}", tmp_path / f"2-{kind}.{ending}"
        write_plot(stat, first)
        write_plot(stat, second)
        assert first.read_bytes() == second.read_bytes()
        assert b"Date" not in first.read_bytes()


@pytest.mark.parametrize("ending", ["png", "svg"])
@pytest.mark.parametrize(
    "stat",
    [
        stat_of("bars", ["a", "b"], {"here": [1, None], "paper": [None, 2.5]}),
        stat_of("bars", ["a"], {"here": [None]}),
        stat_of("bars", ["a"], {"here": [0]}),
        stat_of("bars", [], {}),
        stat_of("lines", [0.0, 0.5, 1.0], {"a": [0.1, None, 0.2], "b": [None, None, None]}),
        stat_of("lines", [], {}),
        stat_of("heatmap", ["a", "b"], {"x": [1, None], "y": [-0.5, 0]}),
        stat_of("heatmap", ["a"], {"x": [None]}),
        stat_of("heatmap", [], {}),
    ],
)
def test_missing_values_are_gaps(stat: Stat, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{ending}"
    write_plot(stat, path)
    (check_png if ending == "png" else check_svg)(path)


def test_a_missing_cell_has_no_number(tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    write_plot(stat_of("heatmap", ["a", "b"], {"x": [17, None]}), path)
    drawn = texts_of(path)
    assert "17" in drawn
    assert not {"None", "nan", "0.0"} & drawn


def test_a_chart_without_any_value_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    write_plot(stat_of("heatmap", ["a"], {"x": [None]}), path)
    assert "There are no values to draw." in texts_of(path)


def test_counts_have_whole_ticks_and_thousands_apart(tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    write_plot(stat_of("bars", ["a", "b"], {"here": [1, 2]}), path)
    numbers = {text for text in texts_of(path) if re.fullmatch(r"[\d.,]+", text)}
    assert numbers == {"0", "1", "2"}
    write_plot(stat_of("bars", ["a", "b"], {"here": [4000, 12000]}), path, force=True)
    assert {"4,000", "12,000"} <= texts_of(path)


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_names_of_the_users_are_no_formulas_and_may_be_in_any_script(
    ending: str, tmp_path: Path
) -> None:
    names = ["$\\frac{$", "a $b$ c", "漢字", "🙂", '<&>"']
    path = tmp_path / f"x.{ending}"
    write_plot(stat_of("bars", names, {"here": [1, 2, 3, 4, 5]}), path)
    if ending == "svg":
        assert set(names) <= texts_of(path)


@pytest.mark.parametrize("missing", ["matplotlib", "matplotlib.figure"])
def test_without_matplotlib_the_answer_is_the_pip_command(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError) as caught:
        write_plot(stat_of("bars", ["a"], {"here": [1]}), tmp_path / "x.png")
    assert 'pip install "tactful[plot]"' in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_what_exists_is_refused_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(b"mine")
    stat = stat_of("bars", ["a"], {"here": [1]})
    with pytest.raises(UsageError, match="exists already"):
        write_plot(stat, path)
    assert path.read_bytes() == b"mine"
    write_plot(stat, path, force=True)
    check_png(path)


def test_a_statistic_without_a_chart_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="x has no chart"):
        write_plot(Stat("x", "t", "s", ("a",), ()), tmp_path / "x.png")
