"""``tactful corpus convert``: what it writes, says and leaves behind."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from tests.children import INTERRUPTED, LIMIT, child, interrupt
from tests.written_examples import read_examples

from tactful.cli.main import cli, main
from tactful.corpora import load_corpus

TEXTS = {"dpm": 40, "sbic": 25}


def convert(*args: str | Path) -> str:
    words = ["corpus", "convert", *map(str, args)]
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def fail(capsys: pytest.CaptureFixture[str], *args: str | Path) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["corpus", "convert", *map(str, args)])
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(("Error: ", "Usage: "))
    assert "Traceback" not in captured.err
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, captured.err


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
@pytest.mark.parametrize("name", TEXTS)
def test_convert_writes_and_says_so(name: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / "new" / f"x.{ending}"
    said = convert(name, "--sample", "-o", path)
    assert said == f"Wrote {TEXTS[name]} examples of {TEXTS[name]} texts to {path}\n"
    assert read_examples(path).height == TEXTS[name]


def test_every_line_is_json(tmp_path: Path) -> None:
    convert("dpm", "--sample", "-o", tmp_path / "x.jsonl")
    lines = (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["corpus"] for line in lines] == ["dpm"] * 40


@pytest.mark.parametrize(("name", "table"), [("ucc", "judgements"), ("dpm", "spans")])
def test_flat_tables(name: str, table: str, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    said = convert(name, "--sample", "--table", table, "-o", path)
    examples = pl.concat(list(load_corpus(name, sample=True).example_batches()))
    expected = [
        {"item": row["id"], **record}
        for row in examples.iter_rows(named=True)
        for record in row[table]
    ]
    assert pl.read_parquet(path).to_dicts() == expected
    assert said.startswith(f"Wrote {len(expected)} {table} of {examples.height} texts to")


def test_repairs_are_told_with_the_command_that_shows_them(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        cli, ["corpus", "convert", "dpm", "--sample", "-o", str(tmp_path / "x.jsonl")]
    )
    hint = result.stderr.rpartition("see: ")[2].strip()
    assert hint == "tactful corpus validate dpm --sample"
    shown = CliRunner().invoke(cli, hint.split()[1:])
    assert shown.exit_code == 0
    assert "Repaired" in shown.stdout


def test_what_exists_is_refused_unless_forced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("mine", encoding="utf-8")
    code, error = fail(capsys, "dpm", "--sample", "-o", path)
    assert (code, error) == (
        2,
        f"Error: {path}: it exists already; name another place or pass --force.\n",
    )
    assert path.read_text(encoding="utf-8") == "mine"
    convert("dpm", "--sample", "-o", path, "--force")
    assert read_examples(path).height == 40


def test_another_ending_is_refused_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, error = fail(capsys, "dpm", "/no/such/place", "-o", tmp_path / "x.csv")
    assert code == 2
    assert "found the ending '.csv'; expected .jsonl or .parquet" in error


def test_the_output_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    code, error = fail(capsys, "dpm", "--sample")
    assert code == 2
    assert "--output" in error


def test_a_folder_is_no_file_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "x.jsonl"
    folder.mkdir()
    code, error = fail(capsys, "dpm", "--sample", "-o", folder)
    assert code == 2
    assert "found a folder" in error


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_a_place_that_cannot_be_written_is_one_sentence(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    code, error = fail(capsys, "dpm", "--sample", "-o", tmp_path / "file" / f"x.{ending}")
    assert code in (1, 2)
    assert error.count("\n") == 1
    assert str(tmp_path / "file") in error


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="the administrator may write everywhere"
)
def test_a_folder_without_the_right_to_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tmp_path.chmod(0o500)
    try:
        code, error = fail(capsys, "dpm", "--sample", "-o", tmp_path / "x.jsonl")
    finally:
        tmp_path.chmod(0o700)
    assert code == 1
    assert "cannot be written (Permission denied); nothing was left half-written" in error


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_a_limit_on_file_size_is_one_sentence_and_leaves_nothing(
    ending: str, tmp_path: Path
) -> None:
    """The same path through the program as a full disk, without filling one."""
    limited = (
        "import resource, signal, sys\n"
        "from tactful.cli.main import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "main(sys.argv[1:])\n"
    )
    path = tmp_path / f"x.{ending}"
    done = subprocess.run(
        [sys.executable, "-c", limited, "corpus", "convert", "dpm", "--sample", "-o", path],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 1
    assert done.stderr == (
        f"Error: {path}: cannot be written (File too large); nothing was left half-written.\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT to send on Windows")
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_control_c_leaves_nothing(ending: str, tmp_path: Path) -> None:
    sample = load_corpus("ucc", sample=True).path / "train.csv"
    header, *_ = sample.read_text(encoding="utf-8").splitlines(keepends=True)
    row = ",3,A mild remark.,0,1,0,1,0,1,0,1,0,1,1,1,0,1,0,1\n"
    corpus, out = tmp_path / "corpus", tmp_path / "out"
    corpus.mkdir()
    out.mkdir()
    rows = (f"{number}{row}" for number in range(200_000))
    (corpus / "train.csv").write_text(header + "".join(rows), encoding="utf-8")
    words = ["corpus", "convert", "ucc", str(corpus), "-o", str(out / f"x.{ending}")]
    command = [sys.executable, "-m", "tactful", *words]
    with child(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not list(out.iterdir()):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.001)
        interrupt(process)
        output, errors = process.communicate(timeout=LIMIT)
    assert process.returncode in INTERRUPTED, errors
    assert output == ""
    assert errors.strip() == "Error: Interrupted."
    assert list(out.iterdir()) == []
