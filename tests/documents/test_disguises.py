"""Words spelt with digits, letter by letter, with repeated letters or as emoji become plain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.documents.disguises import undisguise
from tactful.documents.normalise import normalise


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("What an 1d10t.", "What an idiot."),
        ("l0ser!", "loser!"),
        ("such pr0gr4mm1ng", "such programming"),
        ("you, i d i o t", "you, idiot"),
        ("s.t.u.p.i.d", "stupid"),
        ("s-t-u-u-u-p-i-d", "stupid"),
        ("stuuuupid", "stupid"),
        ("sooo coooool", "so cool"),
        ("IDIOOOTS", "IDIOTS"),
        ("a \U0001f921 like you", "a  clown  like you"),
        ("l\u043eooser", "loser"),
    ],
)
def test_disguised_words_become_plain(text: str, plain: str) -> None:
    assert normalise(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "B2B in 3D at 5pm, for 100k or £15bn, the 700th time",
        "the USA, the U.S.A. and the EU, J. R. R. Tolkien",
        "Great!!! Really? www.example.org, mail@example.org, mp3, covid19, H2O",
        "Henry VIII, XXXI, AAA batteries, hmm",
        "\U0001f600 \U0001f44d",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert undisguise(text) is None


def test_a_place_in_the_plain_text_leads_back_to_the_whole_disguise() -> None:
    text = "You are an i.d.i.o.t, really."
    found = normalise(text)
    start = found.text.index("idiot")
    left, right = found.to_source(start, start + 5)
    assert text[left:right] == "i.d.i.o.t"


@given(st.text(alphabet="ai1d0t!@$ .-|🤡e", max_size=60))
def test_undoing_twice_changes_nothing_more(text: str) -> None:
    once = normalise(text).text
    assert normalise(once).text == once
