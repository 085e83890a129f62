"""``tactful score``: what it reads and writes, what it adds, and what it exits with."""

import csv
import gzip
import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

from tactful.cli.main import cli, main
from tactful.detectors.load import load_detector
from tactful.scale.tables.sources import zstd

FAST = ("--model", "fast", "--lang", "en", "--only", "pcl")
TEXTS = [
    "With our help even they can learn to hope again.",
    "The library opens at nine on weekdays, and closes at six.",
    'She said "hello"\nand went on.',
    None,
]
TABLE = pl.DataFrame({"id": ["1", "2", "3", "4"], "text": TEXTS, "likes": ["5", "0", "2", "9"]})
PCL = tuple(name for name in load_detector("fast").card.ids if name.startswith("pcl"))
ADDED = (*PCL, "model", "error")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    TABLE.write_csv("a.csv")


def run(*args: object, text: bytes | None = None, model: tuple[str, ...] = FAST) -> Result:
    words = ["score", *map(str, args), *model]
    return CliRunner().invoke(cli, words, input=text, catch_exceptions=False)


def fails(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["score", *map(str, args), *FAST])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, capsys.readouterr().err


def write(name: str) -> None:
    """Write the table in the format that a name tells."""
    data: bytes
    if ".jsonl" in name:
        data = TABLE.write_ndjson().encode()
    elif ".txt" in name:
        data = "\n".join(text.replace("\n", " ") for text in TEXTS if text).encode()
    else:
        data = TABLE.write_csv(separator="\t" if ".tsv" in name else ",").encode()
    if name.endswith(".parquet"):
        TABLE.write_parquet(name)
    elif name.endswith(".arrow"):
        TABLE.write_ipc(name)
    elif name.endswith(".gz"):
        Path(name).write_bytes(gzip.compress(data))
    elif name.endswith(".zst"):
        Path(name).write_bytes(zstd().compress(data))
    else:
        Path(name).write_bytes(data)


def read(name: str) -> pl.DataFrame:
    """Read a table in the format that a name tells."""
    data = Path(name).read_bytes()
    if name.endswith(".parquet"):
        return pl.read_parquet(data)
    if name.endswith(".arrow"):
        return pl.read_ipc(data)
    if name.endswith(".gz"):
        data = gzip.decompress(data)
    if name.endswith(".zst"):
        data = zstd().decompress(data)
    if ".jsonl" in name:
        return pl.read_ndjson(data)
    separator = "\t" if ".tsv" in name else ","
    kinds = dict.fromkeys(["id", "likes"], pl.String)
    return pl.read_csv(data, separator=separator, schema_overrides=kinds)


NAMES = ["csv", "tsv", "jsonl", "csv.gz", "tsv.zst", "jsonl.gz", "jsonl.zst", "parquet", "arrow"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [*((name, "csv") for name in NAMES), *(("csv", name) for name in NAMES[1:]),
     ("parquet", "jsonl"), ("jsonl", "arrow")],
)  # fmt: skip
def test_every_format_keeps_its_columns_and_has_the_same_numbers(given: str, wanted: str) -> None:
    write(f"in.{given}")
    result = run(f"in.{given}", "-o", f"out.{wanted}")
    assert result.exit_code == 0
    table = read(f"out.{wanted}")
    assert tuple(table.columns) == (*TABLE.columns, *ADDED)
    assert table.select(TABLE.columns).equals(TABLE)
    alone = load_detector("fast").score([text for text in TEXTS if text])
    for name in PCL:
        assert table[name][:3].to_list() == pytest.approx(alone[name].tolist(), abs=1e-7)
        assert table[name][3] is None
    assert table["model"].to_list() == ["fast-en 2.3"] * 3 + [None]
    assert table["error"].to_list() == [None] * 3 + ["no text"]


def test_plain_lines_are_rows(tmp_path: Path) -> None:
    write("in.txt")
    run("in.txt", "-o", "out.csv")
    assert read("out.csv").columns == ["text", *ADDED]
    assert len(read("out.csv")) == 3


def test_standard_input_and_output(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tactful", "score", "-", "-o", "-", "--input-format", "csv"]
    done = subprocess.run(
        [*command, *FAST, "-q"], input=Path("a.csv").read_bytes(), capture_output=True, check=True
    )
    rows = list(csv.DictReader(done.stdout.decode().splitlines(keepends=True)))
    assert [row["id"] for row in rows] == ["1", "2", "3", "4"]
    assert done.stderr == b""


def test_a_folder_of_parts() -> None:
    assert run("a.csv", "-o", "out", "--format", "parquet", "--part-rows", 3).exit_code == 0
    parts = sorted(path.name for path in Path("out").glob("[!.]*"))
    assert parts == ["manifest.jsonl", "part-00000.parquet", "part-00001.parquet", "summary.json"]
    assert pl.read_parquet("out/*.parquet")["id"].to_list() == ["1", "2", "3", "4"]


def test_scores_of_an_earlier_run_are_refused_and_a_prefix_keeps_both(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run("a.csv", "-o", "out.csv", "--prefix", "t_")
    assert read("out.csv").columns[3:] == [f"t_{name}" for name in ADDED]
    run("out.csv", "-o", "second.csv")
    code, said = fails(capsys, "second.csv", "-o", "third.csv")
    assert code == 2
    assert "'pcl', 'model' and 'error' in the input" in said
    assert "the scores of an earlier run" in said
    assert "--prefix new_" in said


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_columns_of_the_input_with_our_names_stay_and_ours_are_renamed(name: str) -> None:
    table = TABLE.with_columns(pl.lit("mine").alias("model"), pl.lit(1).alias("pcl"))
    if name == "a.csv":
        table.write_csv(name)
    elif name == "a.jsonl":
        table.write_ndjson(name)
    else:
        table.write_parquet(name)
    ending = name.partition(".")[2]
    done = run(name, "-o", f"out.{ending}")
    said = " ".join(done.stderr.split())
    assert "has a column 'model' of its own, so the added one is 'tactful_model'." in said
    assert "has a column 'pcl' of its own, so the added one is 'tactful_pcl'." in said
    found = read(f"out.{ending}")
    ours = [f"tactful_{each}" if each in ("pcl", "model") else each for each in ADDED]
    assert found.columns == [*table.columns, *ours]
    assert found["model"].to_list() == ["mine"] * 4
    told = json.loads(run(name, "-o", "b.csv", "--progress", "json").stderr.splitlines()[-1])
    assert told["renamed_columns"] == {"pcl": "tactful_pcl", "model": "tactful_model"}


def test_a_later_line_with_a_key_of_ours_is_refused_and_not_doubled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("a.jsonl").write_text('{"text": "one"}\n')
    Path("b.jsonl").write_text('{"text": "two", "pcl": 1}\n')
    code, said = fails(capsys, "a.jsonl", "b.jsonl", "-o", "out.jsonl")
    assert code == 1
    assert "b.jsonl, from line 1 on: found a line that has the key 'pcl'" in said
    assert "--prefix new_" in said
    assert not Path("out.jsonl").exists()


def test_ids_may_be_listed_with_commas() -> None:
    only = ("--only", "unhealthy.hostile, pcl.metaphor", "--only", "frame.lewd")
    run("a.csv", "-o", "out.csv", *only, model=FAST[:4])
    assert read("out.csv").columns[3:-2] == ["pcl.metaphor", "unhealthy.hostile", "frame.lewd"]


def test_each_text_is_read_in_its_language_and_spans_point_at_it() -> None:
    texts = [
        "🙂 These poor families have so little, yet with our help they can hope again.",
        "Pobrecitos, con nuestra ayuda aprenderán a sonreír otra vez.",
        "Le marché ouvre demain matin à huit heures dans la grande place du village.",
    ]
    pl.DataFrame({"text": texts}).write_csv("b.csv")
    result = run("b.csv", "-o", "out.csv", "--spans", "--only", "pcl", model=("--model", "fast"))
    assert result.exit_code == 0
    table = read("out.csv")
    assert table.columns[-4:] == ["lang", "spans", "model", "error"]
    assert table["lang"].to_list() == ["en", "es", None]
    foreign = "another language than English or Spanish"
    unscored = "none of these ids is scored in Spanish"
    assert table["error"].to_list() == [None, unscored, foreign]
    spans = json.loads(table["spans"][0])
    assert "poor" in {texts[0][each["start"] : each["end"]] for each in spans}
    assert foreign in result.stderr


def test_only_some_rows_and_equal_texts_once() -> None:
    pl.concat([TABLE, TABLE]).write_csv("twice.csv")
    result = run("twice.csv", "-o", "out.csv", "--where", "CAST(likes AS INT) > 1", "--dedupe")
    assert read("out.csv")["id"].to_list() == ["1", "3", "4"] * 2
    assert "6 rows, 4 scored" in result.stderr
    assert "3 rows reused the scores of equal texts." in result.stderr


def test_the_worst_rows_stand_apart_or_alone() -> None:
    result = run("a.csv", "-o", "out.csv", "--top", 2, "--top-by", "pcl")
    worst = read("out.top.csv")
    assert worst["id"][0] == "1"
    assert worst["pcl"].is_sorted(descending=True)
    assert len(read("out.csv")) == 4
    assert "Wrote out.csv, out.top.csv." in result.stderr
    run("a.csv", "-o", "only.csv", "--top", 1, "--only-top")
    assert read("only.csv")["id"].to_list() == ["1"]


def test_the_summary_is_on_standard_error_and_quiet_is_quiet() -> None:
    result = run("a.csv", "-o", "out.csv")
    assert result.stdout == ""
    assert "4 rows, 3 scored with fast-en 2.3" in result.stderr
    assert "Wrote out.csv." in result.stderr
    assert run("a.csv", "-o", "other.csv", "--quiet").output == ""


def test_a_run_that_is_whole_says_so_and_restart_begins_anew() -> None:
    run("a.csv", "-o", "out")
    assert (
        "out is already complete; pass --restart to score it again."
        in run("a.csv", "-o", "out").stderr
    )
    assert "already complete" not in run("a.csv", "-o", "out", "--restart").stderr


def test_an_existing_output_is_refused_unless_forced(capsys: pytest.CaptureFixture[str]) -> None:
    Path("out.csv").write_text("precious")
    code, said = fails(capsys, "a.csv", "-o", "out.csv")
    assert (code, Path("out.csv").read_text()) == (2, "precious")
    assert "out.csv: it exists already; name another place or pass --force." in said
    assert run("a.csv", "-o", "out.csv", "--force").exit_code == 0
    assert len(read("out.csv")) == 4


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        ((), 2, "For example: tactful score comments.csv --output scored.csv"),
        (("a.csv",), 2, "For example"),
        (("nowhere.csv", "-o", "out.csv"), 2, "There is no file or folder 'nowhere.csv'"),
        (("a.csv", "-o", "out.csv", "-t", "txt"), 2, "Did you mean 'text'? Known: id, text, likes"),
        (("a.csv", "-o", "out.csv", "--by", "like"), 2, "Did you mean 'likes'?"),
        (("a.csv", "-o", "out.csv", "--by", "likes:week"), 2, "no period named 'week'"),
        (("a.csv", "-o", "out.csv", "--where", "like > 3"), 2, "Did you mean 'likes'?"),
        (("a.csv", "-o", "out.csv", "--part-rows", "0"), 2, "--part-rows"),
        (("a.csv", "-o", "out.csv", "--follow", "--latency", "0"), 2, "--latency"),
        (("a.csv", "-o", "a.csv", "--force"), 2, "found as input and as output"),
        (("a.csv", "-o", "x/"), 2, "a.csv, line 3: found 4 cells"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_nothing_is_written(
    args: tuple[str, ...], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if "cells" in said:
        code = 1
        Path("a.csv").write_text("id,text\n1,one\n2,two,2,2\n")
    found, message = fails(capsys, *args)
    assert (found, said in message, "Traceback" in message) == (code, True, False), message
    assert [path.name for path in Path().iterdir()] == ["a.csv"]


def test_nothing_scored_is_a_failure_and_no_rows_are_none() -> None:
    Path("empty.csv").write_text("text\n\"\"\n' '\n".replace("'", ""))
    result = run("empty.csv", "-o", "out.csv")
    assert result.exit_code == 1
    assert "empty text" in result.stderr
    assert len(Path("out.csv").read_text().splitlines()) == 3
    Path("none.csv").write_text("text\n")
    assert run("none.csv", "-o", "none_scored.csv").exit_code == 0
    assert Path("none_scored.csv").read_text() == f"text,{','.join(ADDED)}\n"


def test_bad_rows_may_be_skipped_and_are_counted_and_listed() -> None:
    Path("bad.csv").write_text("id,text\n1,one\n2,two,2\n3,three\n")
    result = run("bad.csv", "-o", "out.csv", "--bad-rows", "skip")
    assert read("out.csv")["id"].to_list() == ["1", "3"]
    assert "1 row could not be read and was left out." in result.stderr
    assert "are listed in out.rejects.jsonl." in " ".join(result.stderr.split())
    assert "2,two,2" not in result.stderr
    (line,) = Path("out.rejects.jsonl").read_text().splitlines()
    found = json.loads(line)
    assert (found["file"], found["line"], found["row"]) == ("bad.csv", 3, "2,two,2")
    told = run("bad.csv", "-o", "b.csv", "--bad-rows", "skip", "--progress", "json").stderr
    assert json.loads(told.splitlines()[-1])["rejects"] == "b.rejects.jsonl"


def test_what_is_printed_names_the_option_that_lists_bad_rows() -> None:
    Path("bad.csv").write_text("id,text\n1,one\n2,two,2\n")
    printed = run("bad.csv", "-o", "-", "--bad-rows", "skip")
    assert "Pass --rejects FILE to list the rows" in " ".join(printed.stderr.split())
    assert sorted(path.name for path in Path().glob("*")) == ["a.csv", "bad.csv"]
    done = run("bad.csv", "-o", "-", "--bad-rows", "skip", "--rejects", "rows.jsonl")
    assert "listed in rows.jsonl." in " ".join(done.stderr.split())
    assert json.loads(Path("rows.jsonl").read_text())["line"] == 3
    assert done.stdout == printed.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--rejects", "x.jsonl"), "--bad-rows skip"),
        (("--rejects", "a.csv", "--bad-rows", "skip"), "expected a file of its own"),
        (("--rejects", "out.csv", "--bad-rows", "skip"), "expected a file of its own"),
    ],
)
def test_a_list_of_bad_rows_needs_a_place_of_its_own(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, told = fails(capsys, "a.csv", "-o", "out.csv", *options)
    assert code == 2
    assert said in told


@pytest.mark.parametrize(("engine", "module"), [("ray", "ray"), ("spark", "pyspark")])
def test_a_missing_extra_says_the_command(
    engine: str, module: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = [name for name in sys.modules if name.split(".")[0] == module]
    for name in (module, *gone):
        monkeypatch.setitem(sys.modules, name, None)
    code, said = fails(capsys, "a.csv", "-o", "out", "--engine", engine, "--format", "csv")
    assert code == 2
    assert f'pip install "tactful[{engine}]"' in said
    assert not Path("out").exists()


@pytest.mark.parametrize("options", [[], ["--workers", "1"], ["--progress", "json"]])
def test_a_reader_that_goes_away_ends_it_without_a_traceback(options: list[str]) -> None:
    pl.DataFrame({"text": [f"A text with the number {at}." for at in range(20_000)]}).write_csv(
        "b.csv"
    )
    command = [sys.executable, "-m", "tactful", "score", "b.csv", "-o", "-", "--part-rows", "500"]
    with subprocess.Popen(
        [*command, *FAST, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read().decode()
    assert "Traceback" not in said
    assert "Error" not in said
    assert process.returncode == 1


def test_several_processes_give_the_same_file() -> None:
    table = pl.DataFrame({"text": [f"{TEXTS[at % 2]} ({at})" * 20 for at in range(1500)]})
    table.write_csv("large.csv")
    assert Path("large.csv").stat().st_size > 1 << 20  # smaller ones are not worth a process
    run("large.csv", "-o", "one.csv", "--workers", 1)
    run("large.csv", "-o", "two.csv", "--workers", 2, "--part-rows", 200)
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()
