"""The guess between English and Spanish: sure, or none."""

import pytest

from tactful.cli.check_language import STOP_WORDS, guess_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("They told us that the square is for all of us.", "en"),
        ("Los vecinos del barrio dicen que la plaza es para todos.", "es"),
        ("LAS PLAZAS DE LA CIUDAD SON PARA QUIEN LAS USA", "es"),
        ("Hello!", None),
        ("¡Hola!", None),
        ("", None),
        ("12 34 --- 🙂", None),
        ("the of and que los las", None),
        ("日本語の文章です。", None),
    ],
)
def test_guesses(text: str, language: str | None) -> None:
    assert guess_language(text) == language


def test_the_lists_share_no_word() -> None:
    assert not STOP_WORDS["en"] & STOP_WORDS["es"]


def test_a_long_text_costs_no_more() -> None:
    assert guess_language("the " * 10_000_000) == "en"
