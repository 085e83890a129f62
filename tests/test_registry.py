import sys
from typing import Any

import pytest

from tactful.errors import UnknownNameError
from tactful.registry import Registry, unknown_name


@pytest.fixture
def decoders() -> Registry[Any]:
    return Registry("decoder", {"json": "json:loads", "Toml": "tomllib:loads", "no": "nowhere:x"})


def test_a_name_gives_its_object(decoders: Registry[Any]) -> None:
    assert decoders.get("json")("[1]") == [1]


def test_names_keep_the_order_in_which_they_were_written(decoders: Registry[Any]) -> None:
    assert decoders.names() == list(decoders) == ["json", "Toml", "no"]
    assert "json" in decoders
    assert "yaml" not in decoders


def test_building_a_registry_imports_nothing(decoders: Registry[Any]) -> None:
    assert "nowhere" not in sys.modules
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        decoders.get("no")


def test_a_later_change_of_the_table_does_not_reach_the_registry() -> None:
    table = {"json": "json:loads"}
    registry: Registry[Any] = Registry("decoder", table)
    table.clear()
    assert registry.names() == ["json"]


@pytest.mark.parametrize("typed", ["jsn", "JSON", "jsonl"])
def test_an_unknown_name_answers_with_the_nearest_and_the_list(
    decoders: Registry[Any], typed: str
) -> None:
    with pytest.raises(UnknownNameError) as caught:
        decoders.get(typed)
    assert caught.value.nearest == "json"
    assert str(caught.value) == (
        f"There is no decoder named '{typed}'. Did you mean 'json'? Known: json, Toml, no."
    )


def test_the_nearest_name_is_spelt_as_it_must_be_typed() -> None:
    assert unknown_name("decoder", "toml", ["json", "Toml"]).nearest == "Toml"


def test_beside_the_nearest_name_a_long_list_is_cut() -> None:
    names = [f"name{number:02}" for number in range(30)]
    near, far = unknown_name("id", "name1", names), unknown_name("id", "zzzzzz", names)
    assert str(near).endswith(" name18, name19 and 10 more.")
    assert str(far).endswith(" name28, name29.")


def test_nothing_is_suggested_when_nothing_is_near() -> None:
    error = unknown_name("decoder", "zzzzzz", ["json"])
    assert error.nearest is None
    assert str(error) == "There is no decoder named 'zzzzzz'. Known: json."


def test_an_empty_registry_says_that_it_knows_none() -> None:
    assert str(unknown_name("decoder", "json", [])).endswith("Known: none.")
