import importlib
import importlib.metadata
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import tactful

MOST_LINES = 80


@pytest.mark.parametrize("name", tactful.__all__)
def test_every_public_name_exists(name: str) -> None:
    assert getattr(tactful, name) is not None


@pytest.mark.parametrize("name", sorted(set(tactful.__all__) - {"__version__"}))
def test_every_public_name_is_documented(name: str) -> None:
    assert inspect.getdoc(getattr(tactful, name))


@pytest.mark.parametrize("room", ["agreement", "aggregation", "frames", "scale"])
def test_every_public_name_of_a_lazy_room_exists(room: str) -> None:
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


@pytest.mark.parametrize("room", tactful._ROOMS)
def test_all_public_names_of_a_room_can_be_imported(room: str) -> None:
    module = getattr(tactful, room)
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name) is not None
