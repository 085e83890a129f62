"""Where a run writes: never over what is not its own, and nothing stays of a run that failed."""

import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.scale.made import job, scored_file

from tactful.errors import InputError, TactfulError, UsageError
from tactful.scale.local.engine import run_local
from tactful.scale.local.manifest import FILE, Manifest
from tactful.scale.local.place import SUMMARY, missing_pieces, output_folder, refuse_more
from tactful.scale.local.pool import WORK
from tactful.scale.progress import Watch
from tactful.scale.tables.pieces import Piece


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Give a file with rows."""
    path = tmp_path / "in.csv"
    path.write_text("id,text\n" + "".join(f"{at},text {at}\n" for at in range(12)))
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("output", "there", "said"),
    [
        ("out.csv", "out.csv/", "out.csv: found a folder; expected the name of a file"),
        ("out.csv", "out.csv", "out.csv: it exists already; name another place or pass --force"),
        ("out.csv", "out.top.csv", "out.top.csv: it exists already"),
        ("out", "out", "out: found a file; expected the name of a folder"),
        ("out", "out/mine.txt", "out: found a folder with other files"),
        ("out", "out/part-00000.csv", "out: found a folder with other files"),
    ],
)
def test_what_is_of_others_is_not_written_over(
    tmp_path: Path, source: Path, output: str, there: str, said: str
) -> None:
    path = tmp_path / there
    path.parent.mkdir(exist_ok=True)
    if there.endswith("/"):
        path.mkdir()
    else:
        path.write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError, match=said):
        scored_file(source, tmp_path / output, top=1)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("there", [(), (".lock",), (WORK,), (".manifest.jsonl.12.unfinished",)])
def test_a_folder_of_a_run_that_was_killed_at_once_is_taken(
    tmp_path: Path, source: Path, there: tuple[str, ...]
) -> None:
    output = tmp_path / "out"
    output.mkdir()
    for name in there:
        (output / name).mkdir() if name == WORK else (output / name).write_text("")
    scored_file(source, output)
    assert names(output) == {"part-00000.csv", FILE, SUMMARY, ".lock"}


@pytest.mark.parametrize("part_rows", [5, 12])
def test_parts_that_no_record_names_are_not_left_beside_those_of_the_next_run(
    tmp_path: Path, source: Path, part_rows: int
) -> None:
    """A run may be killed when a part has its name and the record does not know of it yet."""
    output = tmp_path / "out"
    output.mkdir()
    begun = output_folder(job(source, output, part_rows=2))
    Manifest(output, begun.job.terms(), [])
    (output / "part-00004.csv").write_text("id,text\n4,text 4\n")
    (output / WORK).mkdir()
    (output / "mine.txt").write_text("mine")
    scored_file(source, output, part_rows=part_rows)
    ids = [row for part in sorted(output.glob("part-*")) for row in pl.read_csv(part)["id"]]
    assert ids == list(range(12))
    assert (output / "mine.txt").exists()


@pytest.mark.parametrize("name", ["out", "out.csv", "new/folder/out"])
def test_a_run_that_got_nowhere_leaves_nothing(tmp_path: Path, source: Path, name: str) -> None:
    source.write_text("id,text\n1,2,3\n")
    with pytest.raises(TactfulError, match=r"in.csv, line 2"):
        scored_file(source, tmp_path / name)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["in.csv"]
    assert not (tmp_path / name).exists()


def test_parts_that_no_record_names_go_with_a_run_that_got_nowhere(
    tmp_path: Path, source: Path
) -> None:
    """One worker may have written a part when another one finds that its rows are bad."""
    place = output_folder(job(source, tmp_path / "out"))
    place.folder.mkdir()

    def fail_beside_a_part() -> None:
        with place.ready((), (), restart=False):
            (place.folder / "part-00001.csv").write_text("id,text\n4,text 4\n")
            raise KeyError

    with pytest.raises(KeyError):
        fail_beside_a_part()
    assert not place.folder.exists()


def test_a_run_that_got_nowhere_leaves_a_folder_with_other_files(
    tmp_path: Path, source: Path
) -> None:
    scored_file(source, tmp_path / "out")
    (tmp_path / "out" / "mine.txt").write_text("mine")
    source.write_text("id,text\n1,2,3\n")
    with pytest.raises(TactfulError, match=r"in.csv, line 2"):
        scored_file(source, tmp_path / "out", restart=True)
    assert names(tmp_path / "out") == {"mine.txt"}


@pytest.mark.parametrize("cut_short", [1, 2, 3, 4, 5, 6])
def test_tidying_up_that_is_cut_short_leaves_a_run_that_is_whole(
    tmp_path: Path, source: Path, cut_short: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed: list[object] = []
    unlink = os.unlink

    class CutShortError(BaseException):
        """The process is gone."""

    def limited(path: Any, *args: Any, **more: Any) -> None:
        if str(path).endswith((FILE, SUMMARY, ".lock")) or "part-" in str(path):
            removed.append(path)
            if len(removed) > cut_short:
                raise CutShortError
        unlink(path, *args, **more)

    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", limited)
        with pytest.raises(CutShortError):
            scored_file(source, tmp_path / "out.csv", part_rows=3)
    whole = (tmp_path / "out.csv").read_bytes()
    assert scored_file(source, tmp_path / "out.csv", part_rows=3).was_complete
    assert (tmp_path / "out.csv").read_bytes() == whole
    assert names(tmp_path) == {"in.csv", "out.csv"}


@pytest.mark.parametrize("lost", ["out.csv", "out.top.csv"])
def test_a_result_that_was_taken_away_before_the_end_was_tidied_is_told(
    tmp_path: Path, source: Path, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("tactful.scale.local.place.OutputFolder.tidy", lambda self: None)
        scored_file(source, tmp_path / "out.csv", top=1)
    (tmp_path / lost).unlink()
    with pytest.raises(InputError, match=rf"{lost}: it was removed .*--restart"):
        scored_file(source, tmp_path / "out.csv", top=1)


def test_a_run_that_was_not_tidied_up_is_whole_and_tidied_the_next_time(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("tactful.scale.local.place.OutputFolder.tidy", lambda self: None)
        scored_file(source, tmp_path / "out.csv")
    assert scored_file(source, tmp_path / "out.csv").was_complete
    assert names(tmp_path) == {"in.csv", "out.csv"}


def piece(number: int, data: bytes = b"x") -> Piece:
    return Piece(number, 0, number, number + 1, number + 1, number + 2, data)


def manifest(folder: Path, *numbers: int) -> Manifest:
    found = Manifest(folder, {}, [{"file": "a.csv", "size": 9}])
    for number in numbers:
        found.add(number, {**piece(number).record(), "rows": 1})
    return found


def numbers(*pieces: Piece, known: Manifest, look: bool) -> list[int]:
    return [each.number for each in missing_pieces(iter(pieces), known, look, "out")]


@pytest.mark.parametrize("look", [False, True])
def test_pieces_that_are_not_done_are_found_in_any_gap(tmp_path: Path, look: bool) -> None:
    known = manifest(tmp_path, 0, 2)
    assert numbers(*map(piece, range(5)), known=known, look=look) == [1, 3, 4]


def test_other_rows_are_noticed_where_they_are_looked_at(tmp_path: Path) -> None:
    known = manifest(tmp_path, 0, 1)
    assert numbers(piece(0), piece(1, b"y"), known=known, look=False) == []
    with pytest.raises(InputError, match=r"a.csv has other rows than it had then, from line 2 on"):
        numbers(piece(0), piece(1, b"y"), known=known, look=True)
    with pytest.raises(InputError, match=r"a.csv has other rows than it had then, from line 2 on"):
        numbers(piece(0), known=known, look=True)


def test_a_run_that_has_ended_has_no_more_rows(tmp_path: Path) -> None:
    known = manifest(tmp_path)
    refuse_more(iter(()), known, "out")
    with pytest.raises(InputError, match=r"a.csv has other rows than it had then, from line 8 on"):
        refuse_more(iter([piece(7)]), known, "out")


def test_a_second_run_is_refused_while_the_first_one_writes(tmp_path: Path, source: Path) -> None:
    class Meets(Watch):
        said = ""

        def part(self, size: int, rows: int) -> None:
            with pytest.raises(TactfulError) as caught:
                scored_file(source, tmp_path / "out.csv")
            self.said = str(caught.value)

    first = Meets()
    run_local(job(source, tmp_path / "out.csv"), first)
    assert ".out.csv.tactful: another run is writing here; expected no other" in first.said
    assert names(tmp_path) == {"in.csv", "out.csv"}
