"""Frames as lines of tokens, against Sap et al. 2020, section 4, equation 1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.errors import InputError
from tactful.frames.posts import Instance
from tactful.frames.schema import CATEGORICAL
from tactful_lab.frames.linearise import (
    END,
    SEPARATOR,
    START,
    linearise,
    parse,
    prompt,
    special_tokens,
    value_token,
)

# Words of any alphabet, but no brackets: those belong to the special tokens.
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="[]"), min_size=1).filter(str.strip)
GROUPED = {
    "frame.lewd": 0, "frame.offensive": 1, "frame.intent": 1, "frame.group": 1, "frame.in_group": 0,
}  # fmt: skip


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    value = st.sampled_from([None, 0, 1])
    return Instance(
        draw(WORDS),
        {name: draw(value) for name in CATEGORICAL},
        draw(st.none() | WORDS),
        draw(st.none() | WORDS),
    )


def learnt(instance: Instance) -> list[str]:
    return [piece.text for piece in linearise(instance) if not piece.learn]


def can_have(instance: Instance) -> dict[str, int | None]:
    """Say which values remain, in other words than the code's: section 4, "no loss is incurred"."""
    values = {name: instance.values.get(name) for name in CATEGORICAL}
    if values["frame.offensive"] != 1:
        values["frame.group"] = None
    if values["frame.group"] != 1:
        values["frame.in_group"] = None
    return values


def test_the_line_is_equation_1() -> None:
    instance = Instance("they count the crumbs", GROUPED, "accountants", "accountants are stingy")
    assert " ".join(piece.text for piece in linearise(instance)) == (
        "[STR] they count the crumbs [SEP] [lewdN] [offY] [intY] [grpY] [SEP] accountants [SEP] "
        "accountants are stingy [SEP] [ingN] [END]"
    )
    assert all(piece.learn for piece in linearise(instance)[1:])


def test_two_tokens_for_each_categorical_variable_and_three_between_them() -> None:
    """Section 4: [offY] and [offN] for offensiveness."""
    tokens = special_tokens()
    assert len(tokens) == len(set(tokens)) == 3 + 2 * 5
    assert {START, SEPARATOR, END, "[offY]", "[offN]", "[ingY]", "[lewdN]"} < set(tokens)


def test_a_harmless_post_has_no_group_to_learn() -> None:
    """Section 4: there is no targeted group for posts marked as non-offensive."""
    values = {**dict.fromkeys(CATEGORICAL, 0), "frame.group": 1, "frame.in_group": 1}
    instance = Instance("the soup is warm", values, "cooks", "cooks shout")
    assert " ".join(piece.text for piece in linearise(instance)) == (
        "[STR] the soup is warm [SEP] [lewdN] [offN] [intN] [grpN] [SEP] [SEP] [SEP] [ingN] [END]"
    )
    assert learnt(instance) == [START, "[grpN]", "[ingN]"]


def test_an_insult_to_one_person_has_no_in_group_to_learn() -> None:
    instance = Instance("you again", {**GROUPED, "frame.group": 0})
    assert learnt(instance) == [START, "[ingN]"]


@given(instances())
def test_loss_is_masked_exactly_where_a_variable_has_no_value(instance: Instance) -> None:
    values = can_have(instance)
    without = [value_token(name, 0) for name in CATEGORICAL if values[name] is None]
    pieces = linearise(instance)
    assert [piece.text for piece in pieces if not piece.learn and piece.special] == [
        START,
        *without,
    ]
    assert all(piece.learn for piece in pieces if not piece.special)


@given(instances())
def test_what_is_written_is_read_back(instance: Instance) -> None:
    values = can_have(instance)
    pieces = linearise(instance)
    found = parse([piece.text for piece in pieces[3:]])
    assert [piece.text for piece in pieces[:3]] == [piece.text for piece in prompt(instance.post)]
    assert found.whole
    assert dict(found.values) == {name: value or 0 for name, value in values.items()}
    group = instance.group if values["frame.group"] == 1 else None
    assert found.group == (group or "").strip()
    assert found.statement == ((instance.statement or "").strip() if group is not None else "")


@pytest.mark.parametrize(("group", "statement"), [("", None), ("cooks", " ")])
def test_blank_words_are_refused(group: str, statement: str | None) -> None:
    with pytest.raises(InputError, match="blank group or statement"):
        linearise(Instance("post", GROUPED, group, statement))


@pytest.mark.parametrize(
    ("written", "values", "group", "statement"),
    [
        ([], {}, "", ""),
        ([END], {}, "", ""),
        (["[offY]", "[lewdN]", "[intN]", "[grpY]"], {"frame.intent": 0, "frame.group": 1}, "", ""),
        (["[lewdN]", "[offN]", SEPARATOR, "co", "oks"], {"frame.lewd": 0, "frame.offensive": 0},
         "cooks", ""),
        # A second value among the words: the texts cannot be trusted.
        (["[lewdN]", SEPARATOR, "cooks", "[offY]", SEPARATOR, "cooks shout"], {"frame.lewd": 0},
         "", ""),
        (["[lewdN]", "[offY]", "[intY]", "[grpY]", SEPARATOR, "cooks", SEPARATOR, "shout",
          SEPARATOR, "[offY]", END],
         {"frame.lewd": 0, "frame.offensive": 1, "frame.intent": 1, "frame.group": 1},
         "cooks", "shout"),
    ],
)  # fmt: skip
def test_nonsense_of_a_model_is_read_as_far_as_it_goes(
    written: list[str], values: dict[str, int], group: str, statement: str
) -> None:
    found = parse(written)
    assert not found.whole
    assert dict(found.values) == values
    assert (found.group, found.statement) == (group, statement)


def test_what_stands_behind_the_end_is_not_read() -> None:
    pieces = linearise(Instance("post", GROUPED, "cooks", "cooks shout"))
    written = [piece.text for piece in pieces[3:]]
    assert parse([*written, "more", SEPARATOR]) == parse(written)
    assert not parse(written[:-1]).whole
