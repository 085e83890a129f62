"""Every option has a key of its own, and none takes one that the app needs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.annotation.hotkeys import APP_KEYS, MOST_KEYED, give_keys, is_key
from tactful.annotation.load import PROTOCOLS, load_protocol
from tactful.annotation.protocol import Option, Question


def choice(name: str, *values: str, keys: str = "", per: str | None = None) -> Question:
    options = tuple(
        Option(value, value, key=keys[at] if at < len(keys) else "")
        for at, value in enumerate(values)
    )
    return Question(name, "choice", "?", options=options, per=per)


def keys_of(*questions: Question) -> list[str]:
    return ["".join(option.key or "-" for option in each.options) for each in give_keys(questions)]


def test_digits_first_and_letters_after() -> None:
    assert keys_of(choice("a", "x", "y"), choice("b", "x", "y", "z")) == ["12", "acd"]


def test_letters_of_the_app_are_left_out() -> None:
    many = [choice(str(number), "x", "y") for number in range(12)]
    given = "".join(keys_of(*many)[1:])
    assert given == "acdefhijklmnopqrtvwxyz"
    assert not set(given) & set(APP_KEYS)


def test_a_scale_of_digits_has_its_own_numbers() -> None:
    assert keys_of(choice("a", "0", "1", "2")) == ["012"]
    assert keys_of(choice("a", "10", "1", "2")) == ["123"]


def test_keys_of_the_file_stay_and_are_avoided() -> None:
    assert keys_of(choice("a", "x", "y", "z", keys="2"), choice("b", "x", "y", keys="ca")) == [
        "213",
        "ca",
    ]
    assert keys_of(choice("a", "x", "y"), choice("b", "x", keys="1")) == ["23", "1"]


def test_the_tenth_option_has_a_letter() -> None:
    assert keys_of(choice("a", *"pqrstuvwxy")) == ["123456789a"]


def test_long_lists_and_repeated_questions_have_no_keys() -> None:
    long = choice("a", *(f"v{number}" for number in range(MOST_KEYED + 1)))
    assert set(keys_of(long)[0]) == {"-"}
    assert keys_of(choice("a", "x", "y"), choice("b", "x", per="a")) == ["12", "-"]


def test_when_letters_run_out_options_go_without() -> None:
    many = [choice(str(number), *"vwxyz") for number in range(6)]
    flat = "".join(keys_of(*many))
    assert flat.endswith("---")
    used = [key for key in flat if key != "-"]
    assert len(used) == len(set(used))


@pytest.mark.parametrize(("key", "good"), [("a", True), ("7", True), ("ñ", False), ("A", False),
                                           ("ab", False), ("", False), ("-", False)])  # fmt: skip
def test_what_can_be_a_key(key: str, good: bool) -> None:
    assert is_key(key) is good


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_protocols_have_clash_free_keys(name: str) -> None:
    for step in load_protocol(name).steps:
        keys = [option.key for each in step.questions for option in each.options if option.key]
        assert len(keys) == len(set(keys))
        assert not set(keys) & set(APP_KEYS)
        for each in step.questions:
            if len(each.options) <= MOST_KEYED and each.per is None:
                assert all(option.key for option in each.options), (step.id, each.id)


@given(st.lists(st.integers(0, 12), max_size=12))
def test_keys_never_clash(sizes: list[int]) -> None:
    many = [choice(str(at), *(f"v{n}" for n in range(size))) for at, size in enumerate(sizes)]
    used = [key for key in "".join(keys_of(*many)) if key != "-"]
    assert len(used) == len(set(used))
    assert not set(used) & set(APP_KEYS)
