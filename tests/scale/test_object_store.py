"""Ray reads from and writes to a store of objects, and goes on there after a kill."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.scale.engine_texts import QUIET, hard_table
from tests.scale.s3_here import KEYS, s3_server

pytest.importorskip("moto", reason="moto is not installed")
fs = pytest.importorskip("pyarrow.fs", reason="pyarrow is not installed")
pytest.importorskip("ray", reason="Ray is not installed")

from tactful.errors import InputError, OutputError, UsageError  # noqa: E402
from tactful.scale.cluster.arrow_store import ArrowStore  # noqa: E402
from tactful.scale.tables.formats import Format  # noqa: E402

pytestmark = QUIET
FILES = 4
CSV = Format("csv")


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    with s3_server() as address, pytest.MonkeyPatch.context() as patch:
        for name, value in KEYS.items():
            patch.setenv(name, value)
        yield address


@pytest.fixture(scope="module")
def bucket(host: str) -> Any:
    """Return a store with some files in ``here/in``, two of them under names that are hard."""
    system = fs.S3FileSystem(endpoint_override=host, scheme="http", allow_bucket_creation=True)
    system.create_dir("here")
    table = hard_table(100 * FILES)
    names = ["a.csv", "b c.csv", "deep/d%20+e.csv", "deep/f.csv"]
    for number, name in enumerate(names):
        put(system, f"here/in/{name}", table.slice(100 * number, 100).write_csv().encode())
    put(system, "here/in/_old/g.csv", b"id,text\n0,hidden\n")
    return system


def put(system: Any, path: str, data: bytes) -> None:
    with system.open_output_stream(path, compression=None) as file:
        file.write(data)


def settings(host: str) -> str:
    return f"?endpoint_override={host}&scheme=http"


def run(*arguments: str, host: str = "") -> "subprocess.CompletedProcess[str]":
    """Run the command as a user would; the store is named by the environment or the address."""
    where = {"AWS_ENDPOINT_URL": f"http://{host}"} if host else {}
    return subprocess.run(
        [sys.executable, "-m", "tactful", "score", *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env={**os.environ, **KEYS, **where},
    )


OPTIONS = ["--engine", "ray", "--model", "fast", "--lang", "en"]
OPTIONS += ["--input-format", "csv", "--quiet"]


def rows(system: Any, folder: str) -> pl.DataFrame:
    found = system.get_file_info(fs.FileSelector(folder, recursive=True))
    parts = [each.path for each in found if f"{folder}/wave-" in each.path and each.is_file]
    tables = [pl.read_csv(system.open_input_file(p).read(), infer_schema=False) for p in parts]
    return pl.concat(tables).sort(pl.col("id").cast(pl.Int64))


def test_files_folders_and_patterns_are_found_under_addresses_that_open_them(
    host: str, bucket: Any
) -> None:
    store, query = ArrowStore(CSV), settings(host)
    whole = store.find([f"s3://here/in/{query}"])
    assert [each.path for each in whole] == [
        f"s3://here/in/{name}{query}"
        for name in ("a.csv", "b%20c.csv", "deep/d%2520%2Be.csv", "deep/f.csv")
    ]
    for file in whole:
        assert store.find([file.path]) == [file]
        data = store.read(file.path)
        assert data is not None
        assert len(data) == file.size
    for name in (f"s3://here/in/b c.csv{query}", f"s3://here/in/b%20c.csv{query}"):
        assert store.find([name]) == [whole[1]]
    assert store.find([f"s3://here/in/?.csv{query}"]) == whole[:1]
    assert store.find([f"s3://here/**/*.csv{query}"])[1:] == whole


def test_a_store_writes_and_removes_files_and_folders(host: str, bucket: Any) -> None:
    store, query = ArrowStore(CSV), settings(host)
    assert not store.can_rename(f"s3://here/x{query}")
    store.write(f"s3://here/x/y z.json{query}", b"{}")
    assert store.read(f"s3://here/x/y z.json{query}") == b"{}"
    assert store.names(f"s3://here/x{query}") == ["y z.json"]
    store.write(f"s3://here/x/deep/one{query}", b"1")
    store.remove(f"s3://here/x/y z.json{query}")
    store.remove(f"s3://here/x/deep{query}")
    store.remove(f"s3://here/x/none{query}")
    assert store.names(f"s3://here/x{query}") == []
    assert store.read(f"s3://here/x/y z.json{query}") is None


def test_what_a_store_refuses_is_one_sentence(host: str, bucket: Any) -> None:
    store, query = ArrowStore(CSV), settings(host)
    with pytest.raises(UsageError, match="There is no file or folder 's3://here/none"):
        store.find([f"s3://here/none.csv{query}"])
    with pytest.raises(OutputError, match=r"nobucket/x.*: it cannot be written \(") as caught:
        store.write("s3://nobucket/x" + query, b"")
    assert len(str(caught.value).splitlines()) == 1
    nowhere = "s3://here/in/?endpoint_override=127.0.0.1:1&scheme=http"
    with pytest.raises(InputError, match="it cannot be read"):
        store.find([nowhere])


def test_a_folder_of_a_store_is_scored_into_another_as_the_files_are_here(
    host: str, bucket: Any, tmp_path: Path
) -> None:
    local = tmp_path / "in"
    for file in ArrowStore(CSV).find([f"s3://here/in/{settings(host)}"]):
        path = local / file.path.partition("/in/")[2].partition("?")[0].replace("/", "_")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(ArrowStore(CSV).read(file.path) or b"")
    here = run(str(local), "--output", str(tmp_path / "out.csv"), *OPTIONS[2:])
    assert here.returncode == 0, here.stderr
    done = run("s3://here/in/", "--output", "s3://here/out", *OPTIONS, host=host)
    assert done.returncode == 0, done.stderr[-2000:]
    wanted = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    assert_frame_equal(rows(bucket, "here/out"), wanted.sort(pl.col("id").cast(pl.Int64)))
    records = ArrowStore(CSV).names(f"s3://here/out/_tactful{settings(host)}")
    assert records == ["job.json", "run.txt", "summary.json", "wave-00000.json"]
    again = run("s3://here/in/", "--output", "s3://here/out", *OPTIONS[:-1], host=host)
    assert "is already complete" in again.stderr


def test_addresses_with_settings_and_a_kill_in_the_middle(
    host: str, bucket: Any, tmp_path: Path
) -> None:
    script = Path(__file__).with_name("driver.py")
    query = settings(host)
    command = [sys.executable, str(script), "ray", f"s3://here/in/*.csv{query}"]
    command += [f"s3://here/killed{query}", "csv"]
    source = {**os.environ, **KEYS, "PYTHONPATH": str(Path(__file__).parents[2])}
    killed = subprocess.run(
        [*command, "--kill-after", "1"], env=source, capture_output=True, timeout=240, check=False
    )
    assert killed.returncode == -9
    store = ArrowStore(CSV)
    # What a run leaves that dies while it writes: a part of a wave that has no record.
    store.write(f"s3://here/killed/wave-00001/part-half.csv{query}", b"id,text\n7,half\n")
    done = subprocess.run(command, env=source, capture_output=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = rows(bucket, "here/killed")
    assert found["id"].to_list() == [str(number) for number in range(200)]
