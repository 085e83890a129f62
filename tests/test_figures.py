"""One style, whole files, the same bytes for the same numbers."""

import sys
from pathlib import Path

import pytest

from tactful.errors import MissingExtraError, UsageError
from tactful.figures import check_figure, figure_file, or_gap


def draw(path: Path, force: bool = False) -> None:
    with figure_file(path, (3, 2), force) as figure:
        figure.subplots().plot([0, 1], [0, 1], label="a $ sign")


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_same_numbers_give_the_same_bytes(ending: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        draw(tmp_path / f"{name}.{ending}")
    one, two = (tmp_path / f"{name}.{ending}" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def test_an_unknown_ending_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"found the ending '\.pdf'; expected \.png or \.svg"):
        draw(tmp_path / "x.pdf")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", ["matplotlib", "matplotlib.figure"])
def test_without_matplotlib_the_answer_is_the_pip_command(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError, match=r'pip install "tactful\[plot\]"'):
        check_figure(Path("x.png"))


def test_nothing_is_written_when_the_drawing_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), figure_file(tmp_path / "x.png", (3, 2)):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_what_exists_stays_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="exists already"):
        draw(path)
    assert path.read_text(encoding="utf-8") == "mine"
    draw(path, force=True)
    assert path.read_text(encoding="utf-8").startswith("<?xml")


def test_what_is_not_known_is_a_gap() -> None:
    assert or_gap(None) != or_gap(None)
    assert or_gap(2) == 2.0
