"""Names that other packages add by entry point: when they are read, and what goes wrong."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.plugin_packages import write_package

from tactful.errors import PluginError, UnknownNameError
from tactful.registry import Registry, data_file, installed_plugins

GROUP = "tactful.decoders"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder of installed packages; forget afterwards what was found there."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    installed_plugins.cache_clear()
    yield tmp_path
    installed_plugins.cache_clear()
    for name in set(sys.modules) - before:
        if name.startswith("plug_"):
            del sys.modules[name]


@pytest.fixture
def decoders() -> Registry[Any]:
    def accept(found: Any) -> Any:
        if not callable(found):
            raise TypeError(f"found {found!r}; expected a function")
        return found

    table = {"json": "json:loads"}
    return Registry("decoder", table, group="decoders", accept=accept, reserved=["toml"])


def test_a_plug_in_is_listed_after_the_built_in_names(site: Path, decoders: Registry[Any]) -> None:
    write_package(site, "plug-a", {GROUP: {"upper": "plug_a:up"}}, "up = str.upper\n")
    assert decoders.names() == list(decoders) == ["json", "upper"]
    assert decoders.plugin_names() == ["upper"]
    assert "upper" in decoders
    assert "plug_a" not in sys.modules, "listing names must not load plug-ins"
    assert decoders.get("upper")("a") == "A"


def test_a_built_in_name_reads_no_entry_point(
    site: Path, decoders: Registry[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: str) -> None:
        raise AssertionError("entry points were read")

    monkeypatch.setattr("importlib.metadata.entry_points", refuse)
    assert decoders.get("json")("[1]") == [1]
    assert "json" in decoders
    assert decoders.built_in == ("json",)
    with pytest.raises(AssertionError, match="were read"):
        decoders.names()


def test_a_registry_without_a_group_has_no_plug_ins(site: Path) -> None:
    write_package(site, "plug-a", {GROUP: {"upper": "plug_a:up"}}, "up = str.upper\n")
    registry: Registry[Any] = Registry("decoder", {"json": "json:loads"})
    assert registry.names() == ["json"]
    assert "upper" not in registry


def test_an_unknown_name_lists_plug_ins_and_finds_the_nearest(
    site: Path, decoders: Registry[Any]
) -> None:
    write_package(site, "plug-a", {GROUP: {"upper": "plug_a:up"}}, "up = str.upper\n")
    with pytest.raises(UnknownNameError) as caught:
        decoders.get("upperx")
    assert str(caught.value) == (
        "There is no decoder named 'upperx'. Did you mean 'upper'? Known: json, upper."
    )


@pytest.mark.parametrize("name", ["json", "toml"])
def test_a_plug_in_cannot_replace_a_built_in_name(
    site: Path, decoders: Registry[Any], name: str
) -> None:
    write_package(site, "plug-a", {GROUP: {name: "plug_a:up"}}, "up = str.upper\n")
    assert decoders.get("json")("[1]") == [1]
    assert decoders.names() == ["json"]
    assert decoders.plugin_problems() == [
        f"The package 'plug-a' 1.0, entry point '{name} = plug_a:up' of '{GROUP}' cannot replace "
        f"the built-in decoder '{name}'; rename the entry point or uninstall the package."
    ]


def test_two_packages_that_claim_one_name_are_both_named(
    site: Path, decoders: Registry[Any]
) -> None:
    for package in ("plug-a", "plug-b"):
        module = package.replace("-", "_")
        entries = {"upper": f"{module}:up", package: f"{module}:up"}
        write_package(site, package, {GROUP: entries}, "up = str.upper\n")
    with pytest.raises(PluginError) as caught:
        decoders.get("upper")
    assert str(caught.value) == (
        "The packages 'plug-a' 1.0 and 'plug-b' 1.0 both add a decoder named 'upper' (entry points "
        "of 'tactful.decoders'); uninstall one of them."
    )
    assert decoders.plugin_problems() == [str(caught.value)]
    assert decoders.names() == ["json", "plug-a", "plug-b", "upper"]
    assert decoders.get("plug-b")("b") == "B"


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("import nowhere_at_all\n", "up", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("", "up", "AttributeError: module 'plug_a' has no attribute 'up'"),
        ("up = 3\n", "up", "TypeError: found 3; expected a function"),
        ("raise SystemExit('bye')\n", "up", "SystemExit: bye"),
        ("raise ValueError('two\\nlines.')\n", "up", "ValueError: two lines"),
    ],
)
def test_a_plug_in_that_cannot_be_loaded_is_one_sentence(
    site: Path, decoders: Registry[Any], source: str, target: str, reason: str
) -> None:
    write_package(site, "plug-a", {GROUP: {"upper": f"plug_a:{target}"}}, source)
    write_package(site, "plug-b", {GROUP: {"lower": "plug_b:low"}}, "low = str.lower\n", "2.1")
    with pytest.raises(PluginError) as caught:
        decoders.get("upper")
    assert str(caught.value) == (
        f"The package 'plug-a' 1.0, entry point 'upper = plug_a:{target}' of '{GROUP}' cannot be "
        f"loaded: {reason}; update or uninstall the package."
    )
    assert caught.value.exit_code == 2
    assert decoders.get("lower")("B") == "b"
    assert decoders.names() == ["json", "lower", "upper"]


def test_a_data_file_must_be_a_path_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    with pytest.raises(TypeError, match=r"expected a pathlib\.Path"):
        data_file(str(file))
    with pytest.raises(TypeError, match="found no file"):
        data_file(file)
    file.write_text("", encoding="utf-8")
    assert data_file(file) == file
