"""Words and numbers as pages show them."""

import pytest

from tactful.pages.text import (
    Html,
    decimal,
    fine_percent,
    listed,
    one_line,
    p_value,
    percent,
    prose,
    safe,
)
from tactful.words import visible


def test_text_is_made_safe_and_short() -> None:
    assert safe("a\x00<b>\u202e\u200d\U000e0001") == "a\\x00&lt;b&gt;\\u202e\u200d\\U000e0001"
    assert safe("line\nnext\u2028\ttab") == "line\nnext \ttab"
    assert visible(" a\n\x1b[31m b ") == "a \\x1b[31m b"
    assert one_line("a  b\n" + "c" * 50, 10) == "a b ccccc…"


def test_markup_is_not_escaped_twice() -> None:
    assert safe(safe("<b>")) == "&lt;b&gt;"
    assert safe(Html("<b>")) == "<b>"
    assert prose("61 % <") == "61&nbsp;% &lt;"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "not known"),
        (0.0, "0 %"),
        (0.000001, "under 0.001 %"),
        (0.00012, "0.012 %"),
        (0.0613, "6.1 %"),
        (0.1428, "14.3 %"),
        (0.99999, "over 99.9 %"),
        (1.0, "100 %"),
    ],
)
def test_shares_are_written_so_that_nothing_rounds_away(value: float | None, said: str) -> None:
    assert fine_percent(value) == said


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.613, "61 %"), (0.0, "0 %"), (1.0, "100 %"), (0.001, "under 1 %"), (0.999, "over 99 %"),
        (None, "not known"), (float("nan"), "not known"),
    ],
)  # fmt: skip
def test_percent(value: float | None, text: str) -> None:
    assert percent(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.14, ".14"), (-0.05, "−.05"), (1.0, "1.00"), (0.0, ".00"), (-0.001, ".00"),
        (-1.5, "−1.50"), (None, "not known"), (float("inf"), "not known"),
    ],
)  # fmt: skip
def test_decimal(value: float | None, text: str) -> None:
    assert decimal(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "< .001"), (0.0009, "< .001"), (0.001, "= .001"), (0.023, "= .023"), (0.99, "= .990"),
     (1.0, "> .99"), (None, "not known")],
)  # fmt: skip
def test_p_value(value: float | None, text: str) -> None:
    assert p_value(value) == text


def test_words_are_listed() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed([]) == ""
