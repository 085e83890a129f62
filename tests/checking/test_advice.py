"""Moves: one concrete thing to do about a finding, chosen by its kinds and its words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.checking.advice import MOST_WORDS, advise, suggestions_for
from tactful.checking.cues import load_cues
from tactful.detectors.load import embedded_cards
from tactful.errors import UnknownNameError

IDS = sorted({name for card in embedded_cards() for name in card.ids} | {"term.age", "my.own"})


@pytest.mark.parametrize(
    ("kinds", "text", "words", "move"),
    [
        (
            ["pcl.unbalanced_power_relations"],
            "Every winter we give them our old coats.",
            ["we give them"],
            "Name who acts and what was asked for, instead of “we give them”.",
        ),
        (
            ["pcl.compassion"],
            "These poor souls wait in the rain.",
            ["poor souls"],
            "Say “people who …” and name the situation instead of “poor souls”.",
        ),
        (
            ["pcl.authority_voice"],
            "We are a voice for the voiceless.",
            ["voice for the voiceless"],
            "Quote one of them by name instead of “voice for the voiceless”.",
        ),
        (
            ["unhealthy.generalisation"],
            "All landlords are greedy.",
            ["All landlords are"],
            "Say how many landlords and name the source, instead of “All landlords are greedy”.",
        ),
        (
            ["toxicity.threat"],
            "Park here again and you will regret it.",
            [],
            "Name the lawful step that you will take, instead of “you will regret it”.",
        ),
        (
            ["pcl.presupposition"],
            "The pensioners in our town sleep until noon.",
            ["sleep until noon"],
            "Give the figure and its source instead of “sleep until noon”.",
        ),
        (
            ["pcl.presupposition"],
            "The pensioners in our town sleep until noon.",
            [],
            "Give the figure and its source.",
        ),
    ],
    ids=["we-give", "poor", "voice", "all", "threat", "marked", "nothing-marked"],
)
def test_the_move_fits_the_words(kinds: list[str], text: str, words: list[str], move: str) -> None:
    assert advise(kinds, text, words) == move


def test_two_texts_of_one_category_have_two_moves() -> None:
    kinds = ["pcl", "pcl.compassion"]
    first = advise(kinds, "These poor souls wait in the rain.", ["poor souls"])
    second = advise(kinds, "How grateful they are for our old clothes.", ["grateful"])
    assert first != second


def test_a_move_is_in_the_language_of_the_report() -> None:
    text = "These poor souls wait in the rain."
    assert advise(["pcl.compassion"], text, ["poor souls"], "es") == (
        "Decir «personas que …» y nombrar la situación en lugar de «poor souls»."
    )
    spanish = "Entran sin control por la costa."
    assert advise(["stereotype.migration"], spanish, ["sin control"], "es") == (
        "Dar la cifra de llegadas y su fuente en lugar de «sin control»."
    )
    with pytest.raises(UnknownNameError, match="fr"):
        advise(["pcl"], text, [], "fr")


def test_a_curly_apostrophe_is_an_apostrophe() -> None:
    move = advise(["unhealthy.hostile"], "I can\u2019t stand these potholes.", [])
    assert move == "Name the act that angers you instead of “can\u2019t stand these potholes”."


def test_whole_sentences_are_not_quoted() -> None:
    text = "Blue boats float."
    assert advise(["pcl.metaphor"], text, [text]) == "Say it in plain words."
    assert advise(["pcl.metaphor"], text, ["Blue"]) == "Say it in plain words instead of “Blue”."


def test_suggestions_are_few_and_different() -> None:
    text = "Of course these poor souls are grateful, and their smiles are wide."
    kinds = ["pcl.presupposition", "pcl.compassion", "pcl.the_poorer_the_merrier", "pcl"]
    found = suggestions_for(kinds, text, ["grateful"])
    assert len(found) == len(set(found)) == 3
    assert found[0] == advise(kinds, text, ["grateful"])
    assert "“grateful”" in found[0]
    assert len(suggestions_for(kinds, text, [], most=1)) == 1
    assert len(suggestions_for(["my.own"], text, [])) == 1


def test_no_control_character_reaches_a_move() -> None:
    move = advise(["toxicity.insult"], "You \x1b[31mnit\u202ewit", ["\x1b[31mnit\u202ewit"])
    assert move.isprintable()


PIECES = st.one_of(
    st.text(max_size=60),
    st.sampled_from(["poor souls", "all landlords are", "of course", "x" * 300, "a b " * 200, ""]),
)


@given(
    st.lists(st.sampled_from(IDS), max_size=6),
    st.lists(PIECES, max_size=6).map(" ".join),
    st.lists(PIECES, max_size=4),
    st.sampled_from(["en", "es"]),
)
def test_moves_are_short_whatever_the_text(
    kinds: list[str], text: str, words: list[str], lang: str
) -> None:
    for move in suggestions_for(kinds, text, words, lang):
        assert 3 <= len(move.split()) <= MOST_WORDS
        assert move.endswith(".")
        assert not set("{}[]<>") & set(move.replace("[31m", "")) or any(
            set("{}[]<>") & set(each) for each in (text, *words)
        )


def test_hostile_texts_are_read_in_part() -> None:
    text = "all " * 500_000 + "x are"
    assert advise(["unhealthy.generalisation"], text, [])
    assert advise(["unhealthy.generalisation"], "a" * 2_000_000, ["b" * 2_000_000])


def test_nothing_is_read_before_the_first_finding() -> None:
    load_cues.cache_clear()
    import tactful.checking.findings  # noqa: F401 (what a check without findings imports)

    assert load_cues.cache_info().currsize == 0
    advise(["pcl"], "A text.", [])
    assert load_cues.cache_info().currsize == 1


@pytest.mark.parametrize("lang", ["en", "es"])
def test_who_is_spoken_of_is_never_quoted_as_what_to_leave_out(lang: str) -> None:
    text = "Dicen que los chinos solo se ayudan entre ellos."
    move = advise(["stereotype.others"], text, ["chinos"], lang)
    assert "chinos" not in move
    assert "sucios" in advise(["stereotype.others"], text.replace("solo", "sucios"), ["sucios"])


def test_a_pronoun_is_never_quoted_as_what_to_leave_out() -> None:
    text = "You are a stubborn fool, and you know it."
    move = advise(["toxicity.insult"], text, ["You", "stubborn fool"])
    assert "“You”" not in move
    assert "“" not in advise(["unhealthy.hostile"], "You and you only did it.", ["You", "you"])
