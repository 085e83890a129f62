import importlib
import importlib.metadata
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import tactful

MOST_LINES = 80


def test_every_public_name_exists_and_is_documented() -> None:
    names = set(tactful.__all__) - {"__version__"}
    assert [name for name in names if not inspect.getdoc(getattr(tactful, name))] == []


def test_every_public_name_of_a_lazy_room_exists() -> None:
    for room in ("agreement", "aggregation", "frames", "scale"):
        module = importlib.import_module(f"tactful.{room}")
        assert all(getattr(module, name) is not None for name in module.__all__)


def test_rooms_are_modules() -> None:
    assert isinstance(tactful.taxonomies, ModuleType)
    assert isinstance(tactful.corpora, ModuleType)


def test_dir_lists_the_public_names() -> None:
    assert dir(tactful) == sorted(tactful.__all__)
    assert len(set(tactful.__all__)) == len(tactful.__all__)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'load_everything'"):
        getattr(tactful, "load_everything")  # noqa: B009  (mypy would refuse the plain form)


def test_the_version_is_that_of_the_installation() -> None:
    assert tactful.__version__ == importlib.metadata.version("tactful")


def test_the_package_is_typed() -> None:
    assert (Path(tactful.__file__).parent / "py.typed").is_file()


def test_the_front_page_stays_short() -> None:
    text = Path(tactful.__file__).read_text(encoding="utf-8")
    assert len(text.splitlines()) < MOST_LINES


def test_all_public_names_of_the_rooms_can_be_imported() -> None:
    for module in (getattr(tactful, room) for room in tactful._ROOMS):
        for name in getattr(module, "__all__", ()):
            assert getattr(module, name) is not None
