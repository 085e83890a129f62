"""Lists in JSON files are read one member after the other, whatever their size."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.annotation.formats import json_list as module
from tactful.annotation.formats.json_list import json_list

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner, max_size=3),
    max_leaves=8,
)


@given(
    values=st.lists(VALUES, max_size=5), indent=st.sampled_from([None, 1]), chunk=st.integers(1, 9)
)
def test_it_reads_what_json_reads(
    values: list[Any], indent: int | None, chunk: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("list") / "a.json"
    # A number alone could be cut at the edge of what is held; tasks are objects.
    wrapped = [{"value": value} for value in values]
    path.write_text(json.dumps(wrapped, indent=indent, ensure_ascii=False), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", chunk)
        assert list(json_list(path)) == wrapped


@pytest.mark.parametrize(
    "text",
    ["", " ", "{}", "[", "[{}", "[{},", "[{},]", "[{} {}]", "[,{}]", "[{}]x", "[{}][", "[nope]",
     '[{"a": 1]', "3", "]", "[" * 100_000],
)  # fmt: skip
def test_what_is_no_list(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(ValueError, match="no list"):
        list(json_list(tmp_path / "a.json"))


def test_it_does_not_hold_the_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CHUNK", 100)
    (tmp_path / "a.json").write_text(json.dumps([{"n": n} for n in range(10_000)]) + "broken")
    members = json_list(tmp_path / "a.json")
    assert [next(members)["n"] for _ in range(5_000)] == list(range(5_000)), "the end is not read"
    with pytest.raises(ValueError, match="no list"):
        list(members)
