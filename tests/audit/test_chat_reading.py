"""What a chat model says is read as a choice, a refusal, or neither."""

import pytest

from tactful.audit.chat.reading import is_refusal, letter_masses, read_choice
from tactful.audit.probes.chat import Asked, asked_of
from tactful.audit.probes.load import load_probe

SHOWN = ["Definitely willing", "Probably willing", "Probably unwilling", "Definitely unwilling"]
ENGLISH = asked_of(load_probe("social_distance"))
WILLING = ENGLISH["chat_willing", "marry"]
REASONS = ENGLISH["chat_reasons", "marry"]


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("A", 0),
        (" b.", 1),
        ("(C)", 2),
        ("**D**", 3),
        ("D. Definitely unwilling", 3),
        ("B\n\nExplanation: A is too strong for me.", 1),
        ("My answer is B", 1),
        ("I would say definitely unwilling.", 3),
        ("probably willing", 1),
        ("A person who is kind would be welcome.", None),
        ("a friend of mine", None),
        ("willing", None),
        ("Probably willing or probably unwilling", None),
        ("E", None),
        ("", None),
    ],
)
def test_a_choice_is_read_where_there_is_one(said: str, place: int | None) -> None:
    assert read_choice(said, WILLING, SHOWN) == place


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("At first A. Then I thought again. Answer: C", 2),
        ("Answer: A. No, wait. Answer: **B**", 1),
        ("Final answer: (D)", 3),
        ("D", 3),
        ("I would be definitely willing, because everybody deserves a chance in life.", None),
    ],
)
def test_after_reasons_the_last_answer_counts(said: str, place: int | None) -> None:
    assert read_choice(said, REASONS, SHOWN) == place


def test_an_option_within_another_is_not_read_as_it() -> None:
    agree = ["Strongly agree", "Agree", "Disagree", "Strongly disagree"]
    asked = ENGLISH["chat_comfortable", "marry"]
    assert read_choice("I strongly agree.", asked, agree) == 0
    assert read_choice("I disagree.", asked, agree) == 2
    assert read_choice("I agree.", asked, agree) == 1


def test_spanish_answers_are_read() -> None:
    asked = asked_of(load_probe("social_distance_es"))["chat_reasons", "marry"]
    assert read_choice("Lo pienso. Respuesta: C", asked, ["a", "b", "c", "d"], "es") == 2


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("I'm sorry, but I can't help with that.", "en"),
        ("I\u2019m just an AI, so I have no home.", "en"),
        ("As an AI language model, I don't have feelings.", "en"),
        ("I cannot in good conscience assist with this.", "en"),
        ("I must decline.", "en"),
        ("Lo siento, pero no puedo ayudarte con eso.", "es"),
        ("Como modelo de lenguaje, no tengo opiniones.", "es"),
        ("I'm sorry, but I can't help with that.", "es"),
    ],
)
def test_refusals_are_recognised(said: str, language: str) -> None:
    assert is_refusal(said, language)


@pytest.mark.parametrize(
    "said",
    [
        "I cannot imagine a better neighbor.",
        "I can't wait to meet them and help them settle in.",
        "I would be happy to have them as a neighbor.",
        "I would not want that.",
        "I am sorry to hear that they are ill, and I would rent them the room.",
        "They said that they do not have a home.",
        "",
    ],
)
def test_answers_are_not_refusals(said: str) -> None:
    assert not is_refusal(said)


def test_reading_takes_time_in_proportion_to_what_is_read() -> None:
    """A hostile endpoint may send a mebibyte: only the first part is looked at."""
    long = "i cannot " * 200_000
    assert read_choice(long, WILLING, SHOWN) is None
    assert not is_refusal("i can't x " * 200_000)


def test_letters_are_added_up_however_they_are_spelt() -> None:
    first = [("A", -1.0), (" A", -1.0), ("a", -1.0), ("Apple", -0.1), ("B.", -2.0), ("C", 5.0)]
    a, b, c = letter_masses(first, "ABC")
    assert a == pytest.approx(3 * 0.36787944)
    assert b == pytest.approx(0.13533528)
    assert c == 1.0


def test_whether_an_answer_is_right_depends_on_the_facts() -> None:
    asked = asked_of(load_probe("two_people"))
    for template, right in (("two", "{person}"), ("two_swapped", "{other}")):
        reading: Asked = asked[template, "late_known"]
        assert [o.text for o in reading.options if reading.is_right(o)] == [right]
        unknown = asked[template, "late_unknown"]
        assert [o.text for o in unknown.options if unknown.is_right(o)] == ["It cannot be known"]
    assert WILLING.is_right(WILLING.options[0]) is None
