"""Statements in one form, and as people see them."""

import pytest

from tactful.frames.groups import load_groups, shown_group
from tactful.frames.statements import MOST_WORDS, hearst_form, shown_frame, shown_implication
from tactful.types import Frame, Implication


@pytest.mark.parametrize(
    ("statement", "group", "expected"),
    [
        ("Blacks are late.", "blacks", "black folks are late"),
        ("The Jews run the kiosk", "Jewish people", "jewish folks run the kiosk"),
        ("they never pay", "illegal aliens", "undocumented immigrants never pay"),
        ("should go home!", "Muslims", "muslim folks should go home"),
        ("are loud", "stamp collectors", "stamp collectors are loud"),
        ("all stamp collectors are loud", "stamp collectors", "stamp collectors are loud"),
        # It says something else first: nothing is put before it.
        ("nobody likes old people", "old people", "nobody likes old people"),
        # A longer word that begins like the group is another word.
        ("menus are long", "men", "menus are long"),
        ("women", "women", "women"),
    ],
)
def test_a_statement_begins_with_its_group_where_it_can(
    statement: str, group: str, expected: str
) -> None:
    assert hearst_form(statement, group) == expected
    assert hearst_form(expected, group) == expected


def test_people_are_called_as_they_call_themselves() -> None:
    shown = shown_implication(Implication("overweight/fat folks", "overweight/fat folks are slow"))
    assert (shown.group, shown.statement) == ("fat people", "fat people are slow")
    assert shown_implication(Implication("black folks")).statement is None
    assert shown_implication(shown) == shown
    other = shown_implication(Implication("women", "nobody listens to women"))
    assert other.statement == "nobody listens to women"
    frame = shown_frame(Frame(implications=(shown, Implication("old folks", "old folks are slow"))))
    assert frame.target_groups == ("fat people", "older people")
    assert frame.implied_statements == ("fat people are slow", "older people are slow")


def test_what_is_shown_has_at_most_twenty_words() -> None:
    for group in load_groups():
        said = f"{group.name} {' '.join(['never'] * 40)}"
        shown = shown_implication(Implication(group.name, said))
        words = f"May imply, about {shown.group}: {shown.statement}".split()
        assert len(words) <= MOST_WORDS


def test_the_list_has_many_groups_and_shows_no_slur() -> None:
    groups = load_groups()
    assert len([group for group in groups if "," not in group.name]) >= 120
    shown = {shown_group(group.name).lower() for group in groups}
    spellings = {s for group in groups for s in group.spellings}
    assert not shown & {"blacks", "illegals", "gypsies", "homosexuals", "orientals", "midgets"}
    assert {"blacks", "illegals", "gypsies"} <= spellings
