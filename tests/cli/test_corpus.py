"""``tactful corpus list | info | stats | validate``: what they print and exit with."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from tests import command_line
from tests.cli.corpus_files import REMARK, SAMPLES, finish, ucc_folder, ucc_lines

from tactful.corpora import CORPORA, load_corpus

run = partial(command_line.run, "corpus")


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TACTFUL_DATA", raising=False)


# ---- list and info ----------------------------------------------------------------------------


def test_list_names_every_corpus_on_a_line_of_its_own() -> None:
    lines = run("list").splitlines()
    assert [line.split()[0] for line in lines] == ["name", *CORPORA]
    assert all(line.split()[-1] == "no" for line in lines[1:])


def test_list_says_which_are_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / CORPORA.get("dpm").folder).mkdir()
    monkeypatch.setenv("TACTFUL_DATA", str(tmp_path))
    rows = json.loads(run("list", "--format", "json"))
    assert {row["name"]: row["here"] for row in rows} == {
        name: "yes" if name == "dpm" else "no" for name in CORPORA
    }
    assert set(rows[0]) == {"name", "title", "lang", "paper", "licence", "here"}


@pytest.mark.parametrize("name", CORPORA.names())
def test_info_tells_of_tables_releases_and_traps(name: str) -> None:
    kind = CORPORA.get(name)
    output = run("info", name, "--sample")
    assert output.startswith(f"{kind.title} ({name}, {kind.lang})\n")
    for expected in (kind.paper, kind.licence, *kind.traps):
        assert expected in output
    for release in kind.releases:
        assert release.name in output
    for source in load_corpus(name, sample=True).sources:
        assert f"  {source.path.name}: {source.spec.name}" in output


def test_info_without_files_says_how_to_name_them() -> None:
    assert "Here: not found; name a path or set TACTFUL_DATA" in run("info", "dpm")


def test_info_of_a_data_folder_without_the_corpus_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACTFUL_DATA", str(tmp_path))
    info = json.loads(run("info", "dpm", "--format", "json"))
    assert (info["where"], info["here"]) == (None, [])


def test_info_as_json() -> None:
    info = json.loads(run("info", "ucc", "--sample", "--format", "json"))
    assert {"name", "title", "tables", "releases", "traps", "where", "here"} <= set(info)
    assert {"file": "val.csv", "table": "comments", "split": "val"} in info["here"]


# ---- stats ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CORPORA.names())
def test_stats_prints_every_table_with_its_source(name: str) -> None:
    output = run("stats", name, "--sample")
    for stat in load_corpus(name, sample=True).stats():
        assert f"{stat.title}  ({stat.source})" in output
        for note in stat.notes:
            assert note in output


def test_stats_as_json_is_versioned_and_the_same_numbers() -> None:
    answer = json.loads(run("stats", "dpm", "--sample", "--format", "json"))
    assert answer["schema_version"] == 1
    assert answer["corpus"] == "dpm"
    assert answer["plots"] == []
    assert answer["problems"]["repaired"] > 0
    expected = [stat.as_dict() for stat in load_corpus("dpm", sample=True).stats()]
    assert answer["statistics"] == json.loads(json.dumps(expected))


def test_stats_names_the_release() -> None:
    assert run("stats", "dpm", "--sample").startswith("This is the sample that comes with Tactful")
    answer = json.loads(run("stats", "dpm", "--sample", "--format", "json"))
    assert (answer["release"], answer["matches"]) == ("the sample that comes with Tactful", True)


def test_stats_only_what_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(run("stats", "ucc", "--sample", "--only", "figure-4", "--format", "json"))
    assert [stat["id"] for stat in answer["statistics"]] == ["figure-4"]
    code, out, err = finish(capsys, "stats", "ucc", "--sample", "--only", "figure-44")
    assert (code, out) == (2, "")
    assert "There is no statistic named 'figure-44'. Did you mean 'figure-4'?" in err


@pytest.mark.parametrize("plot_format", ["png", "svg"])
def test_stats_draws_what_can_be_drawn(
    plot_format: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "plots"
    options = ("--only", "table-2", "--only", "table-3", "--plots", str(folder))
    code, out, err = finish(
        capsys, "stats", "sbic", "--sample", *options, "--plot-format", plot_format
    )
    assert code == 0
    assert [file.name for file in folder.iterdir()] == [f"sbic-table-2.{plot_format}"]
    assert f"Drawn: {folder / 'sbic-table-2'}.{plot_format}" in err
    assert "Drawn" not in out


def test_stats_refuses_drawings_that_exist_before_it_draws_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last = tmp_path / "dpm-table-2.png"
    last.write_bytes(b"mine")
    code, _, err = finish(capsys, "stats", "dpm", "--sample", "--plots", str(tmp_path))
    assert code == 2
    assert f"{last}: it exists already; name another folder or pass --force." in err
    assert list(tmp_path.iterdir()) == [last]
    assert finish(capsys, "stats", "dpm", "--sample", "--plots", str(tmp_path), "--force")[0] == 0
    assert last.read_bytes() != b"mine"


def test_stats_without_matplotlib_gives_the_pip_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, err = finish(capsys, "stats", "dpm", "--sample", "--plots", str(tmp_path / "plots"))
    assert code == 2
    assert 'pip install "tactful[plot]"' in err


def test_stats_of_files_without_statistics_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test.csv").write_bytes((SAMPLES / "detests" / "test.csv").read_bytes())
    code, _, err = finish(capsys, "stats", "detests", str(tmp_path))
    assert code == 2
    assert "found no file that the statistics of DETESTS 2022 are computed from" in err


# ---- validate ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CORPORA.names())
def test_every_sample_is_valid(name: str) -> None:
    output = run("validate", name, "--sample", "--strict")
    assert "This is the sample that comes with Tactful" in output
    assert "No row was left out." in output


def test_validate_as_json() -> None:
    answer = json.loads(run("validate", "dpm", "--sample", "--format", "json"))
    assert answer["schema_version"] == 1
    assert answer["counts"] == {"paragraphs": 40, "positive": 11, "spans": 29}
    assert answer["matches"] is True
    assert answer["problems"]["rows left out"] == 0
    assert len(answer["problems"]["places"]) == answer["problems"]["repaired"]


def test_strict_wants_a_published_release(tmp_path: Path) -> None:
    folder = ucc_folder(tmp_path / "ucc", "".join(ucc_lines()))
    assert "of no known release" in run("validate", "ucc", str(folder))
    run("validate", "ucc", str(folder), "--strict", code=1)


def test_strict_asks_nothing_of_a_corpus_without_known_counts(tmp_path: Path) -> None:
    sample = Path(load_corpus("detoxis", sample=True).path)
    (tmp_path / "train.csv").write_bytes((sample / "train.csv").read_bytes())
    assert "no counts are published" in run("validate", "detoxis", str(tmp_path), "--strict")
    assert "no counts are known" in run("info", "detoxis")


def test_repeated_ids_are_left_out_and_placed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ucc_lines()
    folder = ucc_folder(tmp_path / "ucc", "".join([*lines, lines[1]]))
    code, out, err = finish(capsys, "validate", "ucc", str(folder))
    assert (code, err) == (1, "")
    assert "Left out: 1 row\n" in out
    assert f"val.csv, line {len(lines) + 1}: " in out


def test_problems_as_json_leave_stdout_clean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ucc_lines()
    bad = lines[1].split(",")[0] + f"9,{REMARK}\n"
    folder = ucc_folder(tmp_path / "ucc", "".join([*lines, bad]))
    code, out, err = finish(capsys, "validate", "ucc", str(folder), "--format", "json")
    assert (code, err) == (1, "")
    [place] = json.loads(out)["problems"]["places"]
    assert (place["file"], place["line"], place["code"]) == (
        "val.csv",
        len(lines) + 1,
        "field count",
    )


def test_show_limits_the_places_but_not_the_count(tmp_path: Path) -> None:
    lines = ucc_lines()
    folder = ucc_folder(tmp_path / "ucc", "".join([*lines, *lines[1:5]]))
    shown = run("validate", "ucc", str(folder), "--show", "1", code=1)
    assert "… and 3 more" in shown
    assert shown.count("val.csv, line") == 1
    hidden = run("validate", "ucc", str(folder), "--show", "0", code=1)
    assert "val.csv, line" not in hidden
    assert "Left out: 4 rows" in hidden


# ---- terminals, pipes and shells --------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_the_letter_does_not_end_the_run(encoding: str) -> None:
    for args in (("list",), ("split", "--help")):
        done = subprocess.run(
            [sys.executable, "-m", "tactful", "corpus", *args],
            env={**os.environ, "PYTHONIOENCODING": encoding},
            capture_output=True,
            check=False,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp437"])
def test_json_stays_json_in_any_encoding(encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tactful", "corpus", "list", "--format", "json"],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
        timeout=600,
    )
    papers = [row["paper"] for row in json.loads(done.stdout)]
    assert any("Pérez-Almendros" in paper for paper in papers)


@pytest.mark.skipif(os.name == "nt", reason="pipes close otherwise on Windows")
@pytest.mark.parametrize("args", ["stats dpm --sample", "stats dpm --sample --format json"])
def test_a_reader_that_leaves_early_is_no_error(args: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tactful", "corpus", *args.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    process.wait(60)
    assert "Traceback" not in errors
    assert "BrokenPipe" not in errors
