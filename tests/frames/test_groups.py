"""The list of groups: one name each, no spelling twice, and bad lists refused."""

from pathlib import Path

import pytest

from tactful.errors import FileFormatError
from tactful.frames.groups import (
    group_named,
    load_groups,
    mentioned_groups,
    normalise_group,
    read_groups,
)


def test_every_spelling_finds_its_group() -> None:
    for group in load_groups():
        for spelling in (group.name, *group.spellings):
            assert group_named(f"  {spelling.upper()} ") == group.name


def test_what_is_not_in_the_list_has_no_name() -> None:
    assert group_named("people who collect stamps") is None
    assert group_named("") is None


def test_names_are_as_the_corpus_writes_them() -> None:
    # Figure 4 shows what annotators chose from: lower case, "folks", a comma between several.
    names = [group.name for group in load_groups()]
    assert {"black folks", "asian folks", "latino/latina folks", "women"} <= set(names)
    assert all(name == normalise_group(name) for name in names)
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("groups: []", "found no list 'groups'"),
        ("- women", "found no list 'groups'"),
        ("categories: [a]\ngroups:\n  - {name: women}", "found the category 'None'"),
        ("categories: [a]\ngroups:\n  - {name: ' ', category: a}", "group 1: expected a name"),
        ("categories: [a]\ngroups:\n  - {name: x, category: a, colour: b}", "group 1: expected"),
        (
            "categories: [a]\ngroups:\n  - {name: x, category: a, spellings: y}",
            "expected a list of spellings",
        ),
        (
            "categories: [a]\ngroups:\n  - {name: x, category: a}\n"
            "  - {name: z, category: a, spellings: [X]}",
            "found 'x' for 'x' and for 'z'",
        ),
    ],
)
def test_a_bad_list_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "groups.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileFormatError, match=message):
        read_groups(path)


def test_a_group_is_found_by_its_spelling_as_a_word() -> None:
    assert mentioned_groups("OLD PEOPLE, and some Muslims") == {"old folks", "muslim folks"}
    # Neither within a word, nor a shorter name within a longer one.
    assert mentioned_groups("a womanly menu for blackbirds") == set()
    assert mentioned_groups("trans women") == {"trans women"}
    assert mentioned_groups("") == set()
