"""Nothing that is printed can drive a terminal or turn a line around."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.words import shown, visible


@pytest.mark.parametrize(
    ("char", "expected"),
    [("a", "a"), ("é", "é"), ("🙂", "🙂"), ("\u200d", "\u200d"), ("\x1b", "\\x1b"),
     ("\x9b", "\\x9b"), ("\u202e", "\\u202e"), ("\udc80", "\\udc80"), ("\u200b", "\\u200b"),
     ("\U000e0041", "\\U000e0041")],
)  # fmt: skip
def test_each_character(char: str, expected: str) -> None:
    assert shown(char) == expected


@given(st.text(alphabet=st.characters()))
def test_any_text_is_one_safe_line(text: str) -> None:
    line = visible(text)
    assert "\n" not in line
    assert line.replace("\u200c", "").replace("\u200d", "").isprintable()
    assert line.encode("utf-8").decode("utf-8") == line
