"""Which files of a folder are checked: endings, hidden folders, links, globs."""

import os
from pathlib import Path

import pytest

from tactful.checking.report import Unread
from tactful.cli.documents import ENDINGS, find_files
from tactful.documents.document import Exclusion
from tactful.errors import UsageError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in (
        "a.txt", "B.MD", "c.png", "z/d.html", "z/e.rst", ".hidden.txt", ".git/f.txt",
        "node_modules/g.md", "env/pyvenv.cfg", "env/h.txt", "__pycache__/i.txt",
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    return tmp_path


def found(
    *named: str, exclude: tuple[str, ...] = (), endings: tuple[str, ...] = ENDINGS
) -> list[str]:
    files = find_files([Path(name) for name in named], endings, Exclusion(exclude, Path.cwd()))
    return [path.as_posix() if isinstance(path, Path) else str(path) for path in files]


@pytest.mark.usefixtures("folder")
class TestFolders:
    def test_text_files_in_the_order_of_names(self) -> None:
        assert found(".") == ["B.MD", "a.txt", "z/d.html", "z/e.rst"]

    def test_further_endings(self) -> None:
        assert "c.png" in found(".", endings=(*ENDINGS, ".PNG"))

    def test_a_named_file_is_read_whatever_it_is(self) -> None:
        named = ["c.png", ".hidden.txt", "node_modules/g.md"]
        assert found(*named) == named

    def test_a_named_hidden_folder_is_read(self) -> None:
        assert found(".git") == [".git/f.txt"]

    def test_each_file_once(self) -> None:
        assert found("a.txt", ".", "./a.txt", "z") == ["a.txt", "B.MD", "z/d.html", "z/e.rst"]

    def test_loops_of_links_end(self, folder: Path) -> None:
        (folder / "z" / "loop").symlink_to(folder)
        (folder / "z" / "again.txt").symlink_to(folder / "a.txt")
        assert found("z") == ["z/again.txt", "z/d.html", "z/e.rst"]

    def test_a_broken_link_is_handed_on_and_a_pipe_is_not(self, folder: Path) -> None:
        (folder / "z" / "broken.txt").symlink_to("nowhere")
        os.mkfifo(folder / "z" / "pipe.txt")
        assert found("z") == ["z/broken.txt", "z/d.html", "z/e.rst"]

    def test_a_folder_that_cannot_be_listed_is_told(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        scandir = os.scandir

        def refusing(path: Path) -> object:
            if Path(path).name == "z":
                raise PermissionError(13, "Permission denied", str(path))
            return scandir(path)

        # The superuser, who runs many tests, is refused nothing.
        monkeypatch.setattr(os, "scandir", refusing)
        files = list(find_files([Path()], ENDINGS, Exclusion((), folder)))
        assert files[-1] == Unread("z", "the folder cannot be listed (Permission denied)")

    def test_what_is_not_there_is_a_wrong_call(self) -> None:
        with pytest.raises(UsageError, match="There is no file or folder 'nowhere'"):
            found("a.txt", "nowhere")

    @pytest.mark.parametrize(
        ("glob", "left"),
        [
            ("*.txt", ["B.MD", "z/d.html", "z/e.rst"]),
            ("z", ["B.MD", "a.txt"]),
            ("z/", ["B.MD", "a.txt"]),
            ("z/*.html", ["B.MD", "a.txt", "z/e.rst"]),
            ("**/*.html", ["B.MD", "a.txt", "z/e.rst"]),
            ("./z/**", ["B.MD", "a.txt"]),
            ("?.MD", ["a.txt", "z/d.html", "z/e.rst"]),
            ("[a].txt", ["B.MD", "a.txt", "z/d.html", "z/e.rst"]),
            ("*/d.*", ["B.MD", "a.txt", "z/e.rst"]),
        ],
    )
    def test_globs(self, glob: str, left: list[str]) -> None:
        assert found(".", exclude=(glob,)) == left

    def test_globs_reach_named_files_and_only_below_their_base(self, folder: Path) -> None:
        assert found("a.txt", exclude=("a.txt",)) == []
        outside = Exclusion(("z/*",), folder / "elsewhere")
        assert not outside(Path("z/d.html"))
        assert Exclusion(("d.html",), folder / "elsewhere")(Path("z/d.html"))
