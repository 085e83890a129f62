"""Waves of files: cut in order, recorded when whole, and gone on with wherever a run ended."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scale.made import job

from tactful.errors import InputError, UsageError
from tactful.scale.cluster.waves import InputFile, Prepared, cut_waves, run_waves
from tactful.scale.job import Job
from tactful.scale.scoring import TableScorer
from tactful.scale.summary import Outcome, Tally, add_tallies, tally, to_json
from tactful.scale.tables.writing import part_bytes

FILES, ROWS = 3, 4


class Killed(BaseException):
    """Simulates ``kill -9``: nothing is cleaned up after it."""


class FolderStore:
    """Files of this machine; it counts what is done to them, and may be killed before any."""

    def __init__(self, renames: bool = True, kill_at: int | None = None):
        self.renames, self.kill_at, self.done = renames, kill_at, 0

    def _count(self) -> None:
        if self.done == self.kill_at:
            raise Killed
        self.done += 1

    def find(self, names: Sequence[str]) -> list[InputFile]:
        found = [path for name in names for path in _files(Path(name))]
        return [InputFile(str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in found]

    def place(self, name: str) -> str:
        return name

    def columns(self, path: str) -> dict[str, str]:
        return {name: str(kind) for name, kind in pl.read_parquet_schema(path).items()}

    def names(self, folder: str) -> list[str]:
        path = Path(folder)
        return sorted(each.name for each in path.iterdir()) if path.is_dir() else []

    def read(self, path: str) -> bytes | None:
        return Path(path).read_bytes() if Path(path).exists() else None

    def write(self, path: str, data: bytes) -> None:
        self._count()
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(data)

    def remove(self, name: str) -> None:
        self._count()
        path = Path(name)
        if path.is_dir():
            # A folder goes file by file, and the run may end between two of them.
            for each in sorted(path.iterdir(), reverse=True):
                self.remove(str(each))
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def can_rename(self, folder: str) -> bool:
        return self.renames

    def rename(self, old: str, new: str) -> None:
        self._count()
        Path(old).rename(new)


def _files(path: Path) -> list[Path]:
    return sorted(p for p in path.rglob("*.csv") if p.is_file()) if path.is_dir() else [path]


def preparing(work: Job, store: FolderStore) -> Callable[[str], Prepared]:
    """Return an engine that writes a part for each file."""

    def score_wave(files: Sequence[str], folder: str) -> Tally:
        store._count()
        assert not Path(folder).exists()
        Path(folder).mkdir(parents=True)
        total = Tally()
        for number, name in enumerate(files):
            scored = TableScorer(work.scorer, work.wanted)(pl.read_csv(name, infer_schema=False))
            total = add_tallies(total, tally(scored, work, name), work.top)
            store._count()
            if len(scored.added):
                data = part_bytes(scored, work.wanted, work.output_format)
                Path(folder, f"part-{number:05d}.csv").write_bytes(data)
        return total

    return lambda first: (score_wave, {})


def run(
    work: Job, renames: bool = True, kill_at: int | None = None, **options: Any
) -> tuple[Outcome, FolderStore]:
    store = FolderStore(renames, kill_at)
    options = {"wave_files": 2, **options}
    return run_waves(work, "made", cast(Any, store), preparing(work, store), **options), store


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(FILES):
        rows = [f"{number * ROWS + at},text {number} {at}" for at in range(ROWS)]
        (folder / f"{number}.csv").write_text("id,text\n" + "\n".join(rows) + "\n")
    return folder


def cells(folder: Path) -> list[str]:
    """Return all rows of the parts, as they are written."""
    parts = sorted(folder.glob("wave-*/*.csv"))
    return [line for part in parts for line in part.read_text().splitlines()[1:]]


def left(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


@given(st.lists(st.integers(0, 50), max_size=30), st.integers(1, 60), st.integers(1, 5))
def test_waves_hold_all_files_in_order_within_the_limits(
    sizes: list[int], most_bytes: int, most_files: int
) -> None:
    files = [InputFile(f"{at}", size) for at, size in enumerate(sizes)]
    waves = cut_waves(files, most_bytes, most_files)
    assert [path for wave in waves for path in wave] == [file.path for file in files]
    for wave in waves:
        assert 1 <= len(wave) <= most_files
        assert len(wave) == 1 or sum(sizes[int(path)] for path in wave) <= most_bytes


def test_a_run_writes_waves_and_records_and_is_whole_the_second_time(
    source: Path, tmp_path: Path
) -> None:
    work = job([source], tmp_path / "out", top=3)
    told: list[tuple[int, int, int]] = []
    outcome, _ = run(work, on_wave=lambda done, of, found: told.append((done, of, found.rows)))
    assert told == [(1, 2, 8), (2, 2, 12)]
    assert left(tmp_path / "out") == {"_tactful", "top.csv", *(f"wave-0000{n}" for n in range(2))}
    assert outcome.written == (str(tmp_path / "out"), str(tmp_path / "out" / "top.csv"))
    assert len(pl.read_csv(tmp_path / "out" / "top.csv")) == 3
    again, store = run(work)
    assert again.was_complete
    assert not outcome.was_complete
    assert not store.done
    assert to_json(again.summary) == to_json(outcome.summary)


@pytest.mark.parametrize("renames", [True, False], ids=["a file system", "a store of objects"])
def test_killed_at_any_moment_it_goes_on_and_every_row_is_there_once(
    renames: bool, source: Path, tmp_path: Path
) -> None:
    whole, store = run(job([source], tmp_path / "whole", top=3), renames)
    top = (tmp_path / "whole" / "top.csv").read_bytes()
    for moment in range(store.done):
        out = tmp_path / f"out-{moment}"
        with pytest.raises(Killed):
            run(job([source], out, top=3), renames, kill_at=moment)
        outcome, _ = run(job([source], out, top=3), renames)
        assert cells(out) == cells(tmp_path / "whole"), moment
        assert to_json(outcome.summary) == to_json(whole.summary)
        assert (out / "top.csv").read_bytes() == top
        assert left(out) == left(tmp_path / "whole")


@pytest.mark.parametrize("broken", [False, True], ids=["it can write", "its files are gone"])
def test_a_run_ends_where_a_later_one_began_and_every_row_is_there_once(
    broken: bool, source: Path, tmp_path: Path
) -> None:
    work, store = job([source], tmp_path / "out"), FolderStore()
    score_wave, renamed = preparing(work, store)("")

    def interrupted(files: Sequence[str], folder: str) -> Tally:
        run(work)
        if broken:
            raise OSError("the folder is gone")
        return score_wave(files, folder)

    with pytest.raises(UsageError, match="another run that began later"):
        run_waves(work, "made", cast(Any, store), lambda _: (interrupted, renamed), wave_files=2)
    assert len(cells(tmp_path / "out")) == FILES * ROWS
    assert run(work)[0].was_complete


@pytest.mark.parametrize("renames", [True, False], ids=["a file system", "a store of objects"])
def test_a_restart_that_is_killed_loses_no_row(renames: bool, source: Path, tmp_path: Path) -> None:
    moment = 0
    while True:
        out = tmp_path / f"out-{moment}"
        work = job([source], out, top=3)
        run(work, renames)
        expected = cells(out)
        try:
            run(work, renames, kill_at=moment, restart=True)
            break
        except Killed:
            # With no record of the job the folder may be refused, but never taken for whole.
            again = (out / "_tactful").exists() and not (out / "_tactful" / "job.json").exists()
        run(work, renames, restart=again)
        assert cells(out) == expected, moment
        moment += 1
    assert moment > 15


def test_a_restart_removes_what_the_earlier_run_wrote_and_nothing_else(
    source: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run(job([source], out, top=3))
    (out / "notes.txt").write_text("mine")
    (out / ".wave-00009.tmp").mkdir()
    outcome, _ = run(job([source], out), restart=True, wave_files=9)
    assert left(out) == {"_tactful", "notes.txt", "wave-00000"}
    assert outcome.summary.rows == FILES * ROWS
    assert len(cells(out)) == FILES * ROWS


def test_a_folder_with_other_files_is_refused_even_to_begin_anew(
    source: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "wave-00000").write_text("mine")
    for restart in (False, True):
        with pytest.raises(UsageError, match="found a folder with other files"):
            run(job([source], out), restart=restart)
    assert (out / "wave-00000").read_text() == "mine"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: (folder / "9.csv").write_text("id,text\n9,nine\n"), r"9\.csv is new\."),
        (lambda folder: (folder / "1.csv").unlink(), r"1\.csv is gone\."),
        (
            lambda folder: (folder / "2.csv").write_text("id,text\n"),
            r"2\.csv has changed \(.* bytes then, 8 now\)",
        ),
    ],
)
def test_another_input_is_refused_with_the_file(
    change: Callable[[Path], Any], said: str, source: Path, tmp_path: Path
) -> None:
    run(job([source], tmp_path / "out"))
    change(source)
    with pytest.raises(InputError, match=said):
        run(job([source], tmp_path / "out"))


def test_other_options_are_refused_with_their_name(source: Path, tmp_path: Path) -> None:
    run(job([source], tmp_path / "out"))
    with pytest.raises(UsageError, match="--prefix: none then, t_ now"):
        run(job([source], tmp_path / "out", prefix="t_"))


@pytest.mark.parametrize("told", ["no JSON", "[]", '{"tactful score": 99}', "{}"])
def test_a_record_that_cannot_be_read_is_refused(told: str, source: Path, tmp_path: Path) -> None:
    run(job([source], tmp_path / "out"))
    (tmp_path / "out" / "_tactful" / "job.json").write_text(told)
    with pytest.raises(InputError, match="found no record of a run that can be resumed"):
        run(job([source], tmp_path / "out"))
    assert run(job([source], tmp_path / "out"), restart=True)[0].summary.rows == FILES * ROWS


def test_the_waves_stay_as_they_were_cut_first(source: Path, tmp_path: Path) -> None:
    with pytest.raises(Killed):
        run(job([source], tmp_path / "out"), kill_at=9)
    waves = json.loads((tmp_path / "out" / "_tactful" / "job.json").read_text())["waves"]
    assert [len(wave) for wave in waves] == [2, 1]
    run(job([source], tmp_path / "out"), wave_files=1)
    assert len(cells(tmp_path / "out")) == FILES * ROWS
    assert len(list((tmp_path / "out").glob("wave-*"))) == 2


def test_a_wave_without_wanted_rows_leaves_nothing_behind(source: Path, tmp_path: Path) -> None:
    outcome, _ = run(job([source], tmp_path / "out", where="id = '0'"))
    assert outcome.summary.rows == 1
    assert left(tmp_path / "out") == {"_tactful", "wave-00000"}
    assert run(job([source], tmp_path / "out", where="id = '0'"))[0].was_complete


def test_what_lies_in_the_output_is_no_input(source: Path, tmp_path: Path) -> None:
    out = source / "out"
    outcome, _ = run(job([source], out))
    assert outcome.summary.rows == FILES * ROWS
    assert run(job([source], out))[0].was_complete
    with pytest.raises(UsageError, match="found all of the input in it"):
        run(job([out / "wave-00000" / "part-00000.csv"], out))


def test_files_of_two_kinds_are_refused(source: Path, tmp_path: Path) -> None:
    other = tmp_path / "more.jsonl"
    other.write_text('{"text": "one"}\n')
    with pytest.raises(UsageError, match=r"more\.jsonl: found a jsonl file"):
        run(job([source / "0.csv", other], tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"id": [1], "text": ["b"], "more": [2]}, r"b\.parquet: found other columns than .*more"),
        ({"text": ["b"]}, r"b\.parquet: found other columns than in .*a\.parquet \(id\)"),
        ({"id": ["1"], "text": ["b"]}, r"b\.parquet: found 'id' as String, and as Int64 in"),
    ],
)
def test_a_table_with_other_columns_or_types_is_refused(
    other: dict[str, list[Any]], said: str, tmp_path: Path
) -> None:
    names = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    pl.DataFrame({"id": [1], "text": ["a"]}).write_parquet(names[0])
    pl.DataFrame(other).write_parquet(names[1])
    with pytest.raises(InputError, match=said):
        run(job(names, tmp_path / "out"))
    assert left(tmp_path / "out") == {"_tactful"}


def test_a_file_without_a_byte_is_not_the_one_that_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("")
    (tmp_path / "b.csv").write_text("id,text\n1,one\n")
    seen: list[str] = []

    def look(first: str) -> Prepared:
        seen.append(Path(first).name)
        raise UsageError("enough")

    with pytest.raises(UsageError, match="enough"):
        run_waves(job([tmp_path], tmp_path / "out"), "made", cast(Any, FolderStore()), look)
    assert seen == ["b.csv"]


def test_what_is_refused_at_the_first_look_leaves_no_record(source: Path, tmp_path: Path) -> None:
    def refuse(first: str) -> Prepared:
        raise UsageError(f"not {Path(first).name}")

    with pytest.raises(UsageError, match=r"not 0\.csv"):
        run_waves(job([source], tmp_path / "out"), "made", cast(Any, FolderStore()), refuse)
    assert not (tmp_path / "out").exists()
