from pathlib import Path

import polars as pl
import pytest

from tactful.audit.runs.run import ROWS, Run, list_runs, read_run, write_run
from tactful.errors import FileFormatError, UsageError


def example(name: str = "one", created: str = "2026-01-01T00:00:00+00:00") -> Run:
    row = {"condition": "x", "form": 0, "template": "t", "prompt": "p", "negative": 0.5}
    rows = pl.DataFrame([{key: row.get(key) for key in ROWS}], schema=ROWS)
    conditions = pl.DataFrame(
        {"condition": ["x"], "name": ["X"], "category": ["C"], "stigmatized": [True]}
    )
    return Run(
        name,
        "fill-mask",
        "model",
        "f",
        "probe 1",
        rows,
        conditions,
        {"wording": "paper", "top": 50},
        ("A note.",),
        (("word", 0.25),),
        created,
    )


def test_a_run_comes_back_as_it_was(tmp_path: Path) -> None:
    run = example()
    write_run(run, tmp_path / "one")
    again = read_run(tmp_path / "one")
    assert again.rows.equals(run.rows)
    assert again.conditions.equals(run.conditions)
    for name in ("name", "kind", "model", "fingerprint", "probe", "settings", "notes", "created"):
        assert getattr(again, name) == getattr(run, name)
    assert again.unrated_words == run.unrated_words


def test_runs_are_listed_the_oldest_first(tmp_path: Path) -> None:
    write_run(example("b", "2026-01-02T00:00:00+00:00"), tmp_path / "b")
    write_run(example("a", "2026-01-03T00:00:00+00:00"), tmp_path / "a")
    (tmp_path / "answers").mkdir()
    assert [run.name for run in list_runs(tmp_path)] == ["b", "a"]
    assert list_runs(tmp_path / "none") == []


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"found no run\.json"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("run.json", b"{", "damaged run"),
        ("run.json", b"[]", "damaged run"),
        ("run.json", b'{"format": 99}', "found format 99"),
        ("rows.parquet", b"PAR1", "damaged run"),
    ],
)
def test_a_damaged_run_is_one_sentence(
    tmp_path: Path, file: str, content: bytes, said: str
) -> None:
    write_run(example(), tmp_path / "one")
    (tmp_path / "one" / file).write_bytes(content)
    with pytest.raises(FileFormatError, match=said):
        read_run(tmp_path / "one")


def test_other_columns_are_refused(tmp_path: Path) -> None:
    write_run(example(), tmp_path / "one")
    pl.DataFrame({"condition": ["x"]}).write_parquet(tmp_path / "one" / "rows.parquet")
    with pytest.raises(FileFormatError, match="the columns of the rows"):
        read_run(tmp_path / "one")
