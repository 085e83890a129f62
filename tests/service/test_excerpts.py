"""What is read of a long text."""

from collections.abc import Sequence

import pytest

from tactful.detectors.cost import rough_tokens
from tactful.service.engine.excerpts import beginning, chosen_pieces, sized_pieces, whole_pieces

PROSE = "The library will be open again on Monday, and everybody is welcome to come and read. "


def count(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def test_a_short_text_is_read_as_before() -> None:
    text = PROSE * 20
    assert sized_pieces(count, text, 10_000)[0] == whole_pieces(text)


@pytest.mark.parametrize("text", [PROSE * 200, "`" * 9000, "a" * 5000 + " b" * 2000, "ab"])
@pytest.mark.parametrize("most", [700, 50, 1])
def test_pieces_of_a_long_text_are_small_and_lose_nothing(text: str, most: int) -> None:
    pieces, sizes = sized_pieces(count, text, most)
    assert sizes == count([text[start:end] for start, end in pieces])
    assert max(sizes) <= min(most, 256)
    assert "".join(text[start:end] for start, end in pieces).replace(" ", "") == text.replace(
        " ", ""
    )


def test_the_pieces_of_most_value_are_read_in_their_order() -> None:
    assert chosen_pieces([5, 5, 5, 5], [0.1, 0.9, 0.0, 0.4], 12) == [1, 3]
    assert chosen_pieces([5, 9, 5, 1], [0.1, 0.9, 0.0, 0.4], 11) == [1, 3]
    assert chosen_pieces([5, 5], [0.0, 0.0], 5) == [0]


@pytest.mark.parametrize("text", [PROSE * 200, "`" * 9000, PROSE + "`" * 9000])
def test_a_beginning_has_as_many_tokens_as_asked_for(text: str) -> None:
    found = beginning(text, 500)
    assert text.startswith(found)
    assert 150 < rough_tokens(found) <= 510
    assert beginning(PROSE, 500) == PROSE
