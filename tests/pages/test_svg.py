"""Drawings: places, escapes, and words for those who do not see them."""

import pytest

from tactful.pages.svg import Axis, Drawing, number


def test_an_axis_keeps_what_is_outside_at_its_edge() -> None:
    axis = Axis(0, 1, 100, 300)
    assert [axis(v) for v in (0, 0.25, 1, 1.5, -2)] == [100, 150, 300, 300, 100]
    assert Axis(2, 2, 0, 10)(2) == 5


@pytest.mark.parametrize(("value", "text"), [(1.0, "1"), (1.26, "1.3"), (-0.01, "0"), (-2, "-2")])
def test_coordinates_are_short(value: float, text: str) -> None:
    assert number(value) == text


def test_words_are_escaped() -> None:
    drawing = Drawing(10, 10, "<t>", "a & b", "d")
    drawing.text(1, 2, '<script>"')
    drawing.disc(1, 1, 2, "stig", "<b>")
    drawing.diamond(1, 1, 2, "other")
    svg = str(drawing)
    assert '<title id="d-title">&lt;t&gt;</title>' in svg
    assert "a &amp; b" in svg
    assert "&lt;script&gt;&quot;" in svg
    assert '<circle class="stig"' in svg
    assert "<title>&lt;b&gt;</title></circle>" in svg
    assert '<polygon class="other"' in svg


def test_a_drawing_without_an_id_has_a_label_or_is_hidden() -> None:
    assert 'role="img" aria-label="&lt;t&gt;"' in str(Drawing(1, 1, "<t>"))
    assert 'aria-hidden="true"' in str(Drawing(1, 1))


def test_a_line_is_open_and_an_area_is_filled() -> None:
    drawing = Drawing(10, 10)
    drawing.path([(0, 0), (1, 2)], "line")
    drawing.path([(0, 0), (1, 2), (2, 0)], "band", filled=True)
    svg = str(drawing)
    assert '<polyline class="line" points="0,0 1,2"' in svg
    assert '<polygon class="band" points="0,0 1,2 2,0"' in svg
