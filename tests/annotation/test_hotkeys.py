"""Every option has a key of its own, and none takes one that the app needs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.annotation.protocol.hotkeys import APP_KEYS, MOST_KEYED, digits, give_keys, is_key
from tactful.annotation.protocol.load import PROTOCOLS, load_protocol
from tactful.annotation.protocol.records import Option, Question


def choice(name: str, *values: str, keys: str = "", per: str | None = None) -> Question:
    options = tuple(
        Option(value, value, key=keys[at] if at < len(keys) else "")
        for at, value in enumerate(values)
    )
    return Question(name, "choice", "?", options=options, per=per)


def keys_of(*questions: Question) -> list[str]:
    return ["".join(option.key or "-" for option in each.options) for each in give_keys(questions)]


def test_letters_hold_in_a_whole_step() -> None:
    assert keys_of(choice("a", "x", "y"), choice("b", "x", "y", "z")) == ["ac", "def"]


def test_letters_of_the_app_are_left_out() -> None:
    many = [choice(str(number), "x", "y") for number in range(12)]
    given = "".join(keys_of(*many)[:11])
    assert given == "acdefhijklmnopqrtvwxyz"
    assert not set(given) & set(APP_KEYS)


def test_the_only_question_of_a_step_needs_no_letters() -> None:
    """It is always the current one: its digits do."""
    assert keys_of(choice("a", "x", "y")) == ["12"]
    assert keys_of(choice("a", *"pqrstuvwxy")) == ["123456789a"]
    text = Question("b", "text", "Why?")
    assert keys_of(choice("a", "x", "y"), text) == ["ac", ""]


def test_every_question_has_digits_of_its_own() -> None:
    one, two = give_keys([choice("a", "x", "y"), choice("b", "x", "y", "z")])
    assert (digits(one), digits(two)) == (("1", "2"), ("1", "2", "3"))
    assert digits(choice("c", *"pqrstuvwxy")) == (*"123456789", "")
    assert digits(choice("d", "x", "y", per="a")) == ("1", "2")
    assert digits(Question("e", "text", "Why?")) == ()


def test_a_scale_of_digits_has_its_own_numbers() -> None:
    assert keys_of(choice("a", "0", "1", "2")) == ["012"]
    assert keys_of(choice("a", "10", "1", "2")) == ["123"]
    scale = choice("a", "3", "2", "1")
    assert digits(scale) == ("3", "2", "1")
    # Elsewhere, too: a digit never means another number than the one it shows.
    assert [digits(each) for each in give_keys([choice("b", "x"), scale])] == [
        ("1",),
        ("3", "2", "1"),
    ]


def test_letters_of_the_file_stay_and_are_avoided() -> None:
    assert keys_of(choice("a", "x", "y", "z", keys="d"), choice("b", "x", "y", keys="ca")) == [
        "def",
        "ca",
    ]


def test_digits_of_the_file_hold_where_all_options_have_one() -> None:
    """They are the digits of that question; half a set would put the others at odd places."""
    whole = give_keys([choice("a", "x", "y"), choice("b", "x", "y", keys="21")])
    assert [digits(each) for each in whole] == [("1", "2"), ("2", "1")]
    assert [option.key for option in whole[1].options] == ["2", "1"]
    half = give_keys([choice("a", "x", "y"), choice("b", "x", "y", keys="2e")])
    assert [digits(each) for each in half] == [("1", "2"), ("1", "2")]
    assert [option.key for option in half[1].options] == ["d", "e"]


def test_long_lists_and_repeated_questions_have_no_letters() -> None:
    long = choice("a", *(f"v{number}" for number in range(MOST_KEYED + 1)))
    assert set(keys_of(long)[0]) == {"-"}
    assert set(digits(long)) == {""}
    assert keys_of(choice("a", "x", "y"), choice("b", "x", per="a")) == ["ac", "-"]


def test_when_letters_run_out_options_go_without() -> None:
    many = [choice(str(number), *"vwxyz") for number in range(6)]
    flat = "".join(keys_of(*many))
    assert flat.endswith("---")
    used = [key for key in flat if key != "-"]
    assert len(used) == len(set(used))
    assert {digits(each) for each in give_keys(many)} == {("1", "2", "3", "4", "5")}


@pytest.mark.parametrize(("key", "good"), [("a", True), ("7", True), ("ñ", False), ("A", False),
                                           ("ab", False), ("", False), ("-", False)])  # fmt: skip
def test_what_can_be_a_key(key: str, good: bool) -> None:
    assert is_key(key) is good


@pytest.mark.parametrize("name", PROTOCOLS.built_in)
def test_the_protocols_have_clash_free_keys(name: str) -> None:
    for step in load_protocol(name).steps:
        keys = [option.key for each in step.questions for option in each.options if option.key]
        assert len(keys) == len(set(keys))
        assert not set(keys) & set(APP_KEYS)
        for each in step.questions:
            if len(each.options) <= MOST_KEYED and each.per is None:
                assert all(option.key for option in each.options), (step.id, each.id)
                assert [found for found in digits(each) if found][:9], (step.id, each.id)


@pytest.mark.parametrize(
    ("protocol", "step", "keys"),
    [
        ("unhealthy", "questionnaire", {"unhealthy.hostile": "h", "unhealthy.dismissive": "d"}),
        ("frames", "frame", {"frame.offensive": "o", "frame.lewd": "l"}),
        ("stereotypes", "presence", {"stereotype.racial_target": "r"}),
        ("stereotypes", "categories", {"stereotype.culture": "c"}),
        ("pcl", "spans", {"pcl.metaphor": "m", "pcl.compassion": "c"}),
    ],
)
def test_the_protocols_name_letters_that_are_easy_to_remember(
    protocol: str, step: str, keys: dict[str, str]
) -> None:
    found: dict[str, str | None] = {}
    for each in load_protocol(protocol).step(step).questions:
        # A question of yes and no has the letter of its own name.
        found |= {option.value: option.key for option in each.options}
        if each.options and each.options[0].value == "yes":
            found[each.id] = each.options[0].key
    assert {name: found[name] for name in keys} == keys


@given(st.lists(st.integers(0, 12), max_size=12))
def test_keys_never_clash(sizes: list[int]) -> None:
    many = [choice(str(at), *(f"v{n}" for n in range(size))) for at, size in enumerate(sizes)]
    used = [key for key in "".join(keys_of(*many)) if key != "-"]
    assert len(used) == len(set(used))
    assert not set(used) & set(APP_KEYS)
    for each in give_keys(many):
        own = [digit for digit in digits(each) if digit]
        assert len(own) == len(set(own)) == min(len(each.options), 9)
