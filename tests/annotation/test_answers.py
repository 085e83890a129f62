"""Answers are cleaned or refused with one sentence; nothing that was not asked is kept."""

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.annotation.answers.answers import (
    MOST_OWN_WORDS,
    MOST_TEXT,
    asked,
    check_answers,
    check_gold,
    check_traits,
)
from tactful.annotation.protocol.load import PROTOCOLS, load_protocol
from tactful.annotation.protocol.records import Condition, Option, Question, QuestionKind, Step
from tactful.errors import InputError

YES_NO = (Option("yes", "Yes"), Option("no", "No"))
TEXT = "A 👍🏽 for cafe\u0301 staff"


def question(name: str, kind: QuestionKind = "choice", **more: Any) -> Question:
    options = more.pop("options", YES_NO if kind in ("choice", "choices", "spans") else ())
    return Question(id=name, kind=kind, text=f"{name}?", options=options, **more)


def step(*questions: Question) -> Step:
    return Step("judge", "Judge", questions)


def refused(one: Question, answer: Any, text: str = TEXT) -> str:
    with pytest.raises(InputError) as error:
        check_answers(step(one), {one.id: answer}, text)
    said = str(error.value)
    assert "\n" not in said
    assert said.isprintable()
    assert said.endswith(".")
    return said


def cleaned(one: Question, answer: Any, text: str = TEXT) -> Any:
    return check_answers(step(one), {one.id: answer}, text)[one.id]


@pytest.mark.parametrize(
    "answer", ["", "Yes", "maybe", True, 1, 0, 1.0, ["yes"], {"yes": 1}, "yes "]
)
def test_a_choice_is_one_of_the_options(answer: Any) -> None:
    assert cleaned(question("q"), "yes") == "yes"
    assert "'q'" in refused(question("q"), answer)


@pytest.mark.parametrize("answer", [0, 1, 1.0, True, False, "3", "1.0", "01"])
def test_a_scale_takes_its_numbers_as_text_only(answer: Any) -> None:
    scale = question("q", "scale", options=tuple(Option(each, each) for each in "012"))
    assert cleaned(scale, "1") == "1"
    assert "expected one of '0', '1', '2'" in refused(scale, answer)


def test_what_is_required_must_be_there_and_the_rest_may_be_left_out() -> None:
    both = step(question("a"), question("b", required=False))
    assert check_answers(both, {"a": "no"}, "") == {"a": "no"}
    assert check_answers(both, {"a": "no", "b": None}, "") == {"a": "no"}
    with pytest.raises(InputError, match="'a': found no answer"):
        check_answers(both, {"b": "yes"}, "")


def test_unknown_questions_are_refused() -> None:
    with pytest.raises(InputError, match=r"'b'; expected one of the questions of 'judge': 'a'"):
        check_answers(step(question("a")), {"a": "yes", "b": "yes"}, "")
    with pytest.raises(InputError, match="expected a mapping"):
        check_answers(step(question("a")), ["yes"], "")  # type: ignore[arg-type]


def test_choices_are_ordered_and_each_is_there_once() -> None:
    several = question("q", "choices")
    assert cleaned(several, ["no", "yes", "no"]) == ["yes", "no"]
    assert cleaned(several, []) == []  # "none of them" is an answer
    assert "a list" in refused(several, "yes")
    assert "'maybe'" in refused(several, ["yes", "maybe"])
    at_least = question("q", "choices", least=1, most=1)
    assert "no answer" in refused(at_least, [])
    assert "at most 1" in refused(at_least, ["yes", "no"])


def test_own_words_are_kept_where_a_question_is_open() -> None:
    own = question("q", "choices", open=True)
    assert cleaned(own, ["  night-shift \n nurses", "no"]) == ["no", "night-shift nurses"]
    assert cleaned(own, ["YES"]) == ["yes"]  # the name of an option means the option
    assert cleaned(own, ["cafe\u0301", "caf\u00e9"]) == ["caf\u00e9"]  # two spellings, one word
    assert f"at most {MOST_OWN_WORDS}" in refused(own, ["x" * (MOST_OWN_WORDS + 1)])
    assert "blank" in refused(own, [" "])
    assert "text" in refused(own, [3])


@pytest.mark.parametrize("bad", ["\x00", "\x1b[31m", "a\ud800", "\udfff", "\x7f", "\x85"])
@pytest.mark.parametrize("kind", ["text", "texts", "choice", "choices"])
def test_control_characters_and_halves_of_letters_are_refused(kind: Any, bad: str) -> None:
    is_open = kind.startswith("choice")
    answer = [f"a{bad}"] if kind.endswith("s") else f"a{bad}"
    assert "U+" in refused(question("q", kind, open=is_open), answer)


def test_texts_are_trimmed_and_limited() -> None:
    assert cleaned(question("q", "text"), " one\r\ntwo ") == "one\ntwo"
    assert cleaned(question("q", "texts"), ["a  b", "", "a b", "שלום"]) == ["a b", "שלום"]
    assert f"at most {MOST_TEXT:,}" in refused(question("q", "text"), "x" * (MOST_TEXT + 1))
    assert "text" in refused(question("q", "text"), 5)
    assert "at least 2" in refused(question("q", "texts", least=2), ["a", "a "])
    assert "at most 100" in refused(question("q", "texts"), ["a"] * 101)


def span(start: Any, end: Any, value: Any = "yes") -> dict[str, Any]:
    return {"start": start, "end": end, "value": value}


def test_spans_are_code_points_and_come_back_in_order() -> None:
    marked = question("q", "spans")
    given = [span(4, 7, "no"), span(0, 4), span(4, 7), span(0, 4)]
    assert cleaned(marked, given) == [span(0, 4), span(4, 7), span(4, 7, "no")]
    # The hand and its skin tone are two code points, the e and its accent two more.
    assert len(TEXT) == 20
    assert cleaned(marked, [span(2, 20)])
    assert "from 0 to 20" in refused(marked, [span(2, 21)])


@pytest.mark.parametrize(
    "bad",
    [
        span(True, 4), span(0, 4.0), span("0", 4), span(-1, 4), span(4, 4), span(5, 4),
        span(0, 10**30), span(0, 4, "other"), span(0, 4, None), span(0, 4, ["yes"]),
        {"start": 0, "end": 4}, {**span(0, 4), "more": 1}, [0, 4], "0-4", None, 3,
    ],
)  # fmt: skip
def test_what_is_no_span_is_refused(bad: Any) -> None:
    assert "'q'" in refused(question("q", "spans"), [span(0, 2), bad])


def gapped(*parts: list[Any], value: str = "yes") -> dict[str, Any]:
    """Return a span with these parts, its start and end those of the first and the last."""
    return {"start": parts[0][0], "end": parts[-1][1], "value": value, "parts": list(parts)}


def test_a_span_may_have_gaps() -> None:
    marked = question("q", "spans")
    assert cleaned(marked, [gapped([0, 1], [5, 8])]) == [gapped([0, 1], [5, 8])]
    # Parts that touch are one, and a span without gaps is written as ever.
    assert cleaned(marked, [gapped([0, 1], [1, 4])]) == [span(0, 4)]
    assert cleaned(marked, [gapped([0, 4])]) == [span(0, 4)]
    assert cleaned(marked, [gapped([0, 1], [5, 7], [7, 8])]) == [gapped([0, 1], [5, 8])]
    mixed = {**gapped([0, 1], [5, 8]), "parts": [(5, 8), (0, 1)]}
    assert cleaned(marked, [mixed, span(0, 8), mixed]) == [gapped([0, 1], [5, 8]), span(0, 8)]
    # In an emoji and a letter with its accent, code points are counted.
    assert cleaned(marked, [gapped([2, 4], [9, 14])])


def test_a_question_may_forbid_gaps() -> None:
    marked = question("q", "spans", gaps=False)
    assert "a span with gaps; expected one without" in refused(marked, [gapped([0, 1], [5, 8])])
    assert cleaned(marked, [gapped([0, 1], [1, 4])]) == [span(0, 4)]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (gapped([0, 4], [3, 8]), "parts that overlap at 3"),
        (gapped([0, 4], [0, 4]), "parts that overlap at 0"),
        (gapped([0, 0], [3, 8]), "a span from 0 to 0"),
        (gapped([0, 2], [3, 21]), "from 0 to 20"),
        (gapped([-1, 2], [3, 5]), "a span from -1"),
        (gapped([0, 2], [3.0, 5]), "a span from 3.0 to 5"),
        (gapped([True, 2], [3, 5]), "a span from True"),
        ({**gapped([0, 2], [3, 5]), "end": 6}, "a span from 0 to 6 with parts from 0 to 5"),
        ({**span(0, 2), "parts": []}, "1 to 100 parts"),
        ({**span(0, 2), "parts": None}, "1 to 100 parts"),
        ({**span(0, 2), "parts": [[0, 1, 2]]}, "a start and an end for each"),
        ({**span(0, 2), "parts": [0, 2]}, "a start and an end for each"),
        ({**span(0, 20), "parts": [[0, 1]] * 101}, "1 to 100 parts"),
        ({**gapped([0, 2], [3, 5]), "gaps": []}, "'parts' where it has gaps"),
    ],
)
def test_parts_that_are_none_are_refused(bad: Any, words: str) -> None:
    assert words in refused(question("q", "spans"), [bad])


def test_what_others_collected_may_be_less_and_more() -> None:
    """SBIC asks for 2 to 4 statements a group (Sap et al. 2020, section 3.2); files have 0 to 8."""
    frame = load_protocol("frames").steps[0]
    given = {
        "frame.offensive": "yes",
        "frame.group": "yes",
        "frame.target_group": ["women", "w" * 300],
        "frame.implied_statement": {"women": ["one"]},
    }
    assert check_answers(frame, given, "", loose=True) == given
    with pytest.raises(InputError, match=r"'frame\.intent': found no answer"):
        check_answers(frame, given, "")
    whole = {**given, "frame.intent": "no", "frame.lewd": "no", "frame.target_group": ["women"]}
    with pytest.raises(InputError, match="at least 2"):
        check_answers(frame, {**whole, "frame.in_group": "no"}, "")
    # It is loose about how many there are, not about what they are.
    with pytest.raises(InputError, match="one of 'yes', 'maybe', 'no'"):
        check_answers(frame, {"frame.offensive": "very"}, "", loose=True)
    nothing = {"frame.offensive": "no", "frame.target_group": ["women"]}
    assert check_answers(frame, nothing, "", loose=True) == {"frame.offensive": "no"}


def test_to_mark_nothing_is_an_answer_of_others_too() -> None:
    assert check_answers(step(question("q", "spans")), {"q": []}, TEXT, loose=True) == {"q": []}
    # But none of at least one is no answer.
    some = step(question("q", "choices", least=1))
    assert check_answers(some, {"q": []}, TEXT, loose=True) == {}


def test_traits_are_checked_like_answers() -> None:
    traits = load_protocol("frames").traits
    given = {"gender": " Woman ", "minority": " left-handed  people ", "age": None}
    assert check_traits(traits, given) == {"gender": "woman", "minority": "left-handed  people"}
    assert check_traits(traits, {}) == {}
    with pytest.raises(InputError, match="one of the questions of 'traits'"):
        check_traits(traits, {"height": "tall"})
    with pytest.raises(InputError, match="'age': found 'old'"):
        check_traits(traits, {"age": "old"})
    with pytest.raises(InputError, match=f"at most {MOST_OWN_WORDS}"):
        check_traits(traits, {"gender": "x" * 101})


def test_later_questions_are_asked_only_where_they_apply() -> None:
    chain = step(
        question("a"),
        question("b", when=(Condition("a", ("yes",)),)),
        question("c", when=(Condition("b", ("yes",)),)),
    )
    everything = {"a": "yes", "b": "yes", "c": "no"}
    assert check_answers(chain, everything, "") == everything
    # An answer that was given before "a" became no opens nothing and is not kept.
    assert check_answers(chain, {**everything, "a": "no"}, "") == {"a": "no"}
    assert [each.id for each in asked(chain, {**everything, "a": "no"})] == ["a"]
    assert [each.id for each in asked(chain, {"a": "yes"})] == ["a", "b"]
    with pytest.raises(InputError, match="'b': found no answer"):
        check_answers(chain, {"a": "yes"}, "")


def test_a_condition_on_several_answers_holds_with_one_of_them() -> None:
    for kind, answer in (("choices", ["no", "yes"]), ("spans", [span(0, 1, "yes")])):
        two = step(question("a", kind), question("b", when=(Condition("a", ("yes",)),)))  # type: ignore[arg-type]
        assert len(asked(two, {"a": answer})) == 2
        assert len(asked(two, {"a": answer[:0]})) == 1


def test_a_question_asked_for_each_answer_of_another() -> None:
    two = step(
        question("group", "choices", open=True, options=(Option("cooks", "Cooks"),), least=1),
        question("said", "texts", per="group", least=1, most=2),
    )
    given = {
        "group": ["bakers ", "cooks"],
        "said": {"Cooks": ["are loud"], " bakers": ["rise early", ""], "gone": ["x"]},
    }
    assert check_answers(two, given, "") == {
        "group": ["cooks", "bakers"],
        "said": {"cooks": ["are loud"], "bakers": ["rise early"]},
    }
    for said, message in (
        ({"cooks": ["a"]}, "no answer for 'bakers'"),
        ({"cooks": ["a"], "bakers": ["a", "b", "c"]}, "at most 2"),
        (["a"], "a mapping from each answer to 'group'"),
        ({}, "no answer"),
        ({3: ["a"]}, "text"),
    ):
        with pytest.raises(InputError, match=message):
            check_answers(two, {**given, "said": said}, "")


def test_gold_may_leave_out_and_accept_several() -> None:
    three = step(
        question("a"), question("b", when=(Condition("a", ("yes",)),)), question("c", "spans")
    )
    assert check_gold(three, {"b": "no", "elsewhere": 1}, TEXT) == {"b": "no"}
    assert check_gold(three, {"a": {"any": ["yes", "no"]}, "b": None}, TEXT) == {
        "a": {"any": ["yes", "no"]},
        "b": None,
    }
    assert check_gold(three, {"c": [span(3, 4), span(0, 1)]}, TEXT)["c"][0] == span(0, 1)
    bad: list[dict[str, Any]] = [
        {"a": "maybe"},
        {"a": {"any": []}},
        {"a": {"any": ["x"]}},
        {"c": [span(0, 99)]},
    ]
    for wrong in bad:
        with pytest.raises(InputError):
            check_gold(three, wrong, TEXT)


def test_gold_of_a_question_asked_for_each_answer() -> None:
    frame = load_protocol("frames").steps[0]
    gold = {"frame.implied_statement": {"Women": ["a b", "a  b", "c"]}}
    assert check_gold(frame, gold, "") == {"frame.implied_statement": {"women": ["a b", "c"]}}


# Random answers, valid and invalid: these properties hold for all protocols.

_LETTERS = st.text(string.ascii_letters + " é\u0301\n👍", max_size=12)
_JUNK = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.floats())


def _answers(one: Question) -> st.SearchStrategy[Any]:
    values = st.sampled_from([option.value for option in one.options] or ["x"])
    single = st.one_of(values, _LETTERS) if one.open else values
    places = st.integers(0, 30)
    spans = st.fixed_dictionaries(
        {"start": places, "end": places, "value": values},
        optional={"parts": st.lists(st.lists(places, min_size=2, max_size=2), max_size=3)},
    ).map(_fitting)
    by_kind: dict[str, st.SearchStrategy[Any]] = {
        "choice": single,
        "scale": single,
        "choices": st.lists(single, max_size=4),
        "spans": st.lists(spans, max_size=4),
        "text": _LETTERS,
        "texts": st.lists(_LETTERS, max_size=4),
    }
    good = by_kind[one.kind]
    if one.per is not None:
        good = st.dictionaries(st.one_of(_LETTERS, st.just("women")), good, max_size=3)
    return good


def _fitting(span: dict[str, Any]) -> dict[str, Any]:
    """Let the start and end of a span with gaps often be those of its parts."""
    parts = sorted(span.get("parts") or [])
    return {**span, "start": parts[0][0], "end": parts[-1][1]} if parts else span


STEPS = [each for name in PROTOCOLS.built_in for each in load_protocol(name).steps]
OWN = step(
    question("a", "choices", open=True, required=False),
    question("b", "texts", per="a", required=False),
    question("c", "spans", when=(Condition("a", ("yes",)),)),
    question("d", "text", required=False, when=(Condition("c", ("no",)),)),
)


@st.composite
def sent(draw: st.DrawFn) -> tuple[Step, dict[str, Any]]:
    here = draw(st.sampled_from([*STEPS, OWN, OWN]))
    answers = {
        each.id: draw(st.one_of(_answers(each), _JUNK) if draw(st.booleans()) else _answers(each))
        for each in here.questions
        if draw(st.integers(0, 9))
    }
    return here, answers


@given(sent())
def test_cleaning_twice_changes_nothing_and_keeps_only_what_is_asked(
    case: tuple[Step, dict[str, Any]],
) -> None:
    here, answers = case
    try:
        once = check_answers(here, answers, TEXT)
    except InputError:
        return
    assert check_answers(here, once, TEXT) == once
    names = [each.id for each in asked(here, once)]
    assert set(once) <= set(names)
    assert {each.id for each in asked(here, once) if each.required and each.per is None} <= set(
        once
    )
    assert list(once) == [name for name in names if name in once]


@given(st.sampled_from(STEPS), st.lists(_JUNK, max_size=8))
def test_asking_never_fails_on_what_people_send(here: Step, junk: list[Any]) -> None:
    sent_in = {each.id: value for each, value in zip(here.questions, junk, strict=False)}
    # Junk opens nothing: what is asked is what needs no answer before it.
    assert asked(here, sent_in) == [
        each for each in here.questions if not each.when and each.per is None
    ]
