"""Runs that are killed at random moments, again and again, against one that nobody disturbed."""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

import polars as pl

from detector_texts import made_texts
from results import machine_line, table, write_page

KILLS, ROWS, PART_ROWS, SEED = 30, 150_000, 2_500, 7
_PARTS = "part-*"
_HOW = (
    "Every run of `tactful score` is ended with SIGKILL, all of its processes together, after a "
    "time drawn between its start and as long as a whole run takes. When one comes to its end "
    "before that, the output is compared and the next round starts over."
)


def main() -> None:
    """Kill, compare, and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--rows", type=int, default=ROWS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tactful-kills-") as name:
        folder = Path(name)
        source = folder / "texts.csv"
        _write(source, options.rows)
        rows = [
            _killed(folder, source, options.kills, "a folder of parts", "out", ["--format", "csv"]),
            _killed(folder, source, options.kills, "one file of Parquet", "out.parquet", []),
        ]
    columns = (
        "output", "kills", "parts when killed", "runs that came to an end before their kill",
        "files equal, byte for byte", "rows missing or twice",
    )  # fmt: skip
    text = "\n".join(
        [
            f"{options.rows:,} made texts, the fast model, 2 workers, parts of {PART_ROWS:,} rows, "
            f"seed {SEED}. {_HOW}",
            "",
            table(columns, rows),
            "",
            machine_line(),
            "Command: `python benchmarks/scale_kills.py`.",
        ]
    )
    print(text)
    write_page("scale-kills", "Scale: killed runs", text)


def _write(path: Path, rows: int) -> None:
    distinct = made_texts(20_000)
    pl.DataFrame(
        {"id": range(rows), "text": [distinct[at % len(distinct)] for at in range(rows)]}
    ).write_csv(path)


def _killed(
    folder: Path, source: Path, kills: int, name: str, output: str, options: list[str]
) -> tuple[str, int, str, int, str, int]:
    rng = random.Random(SEED)
    calm, often = folder / "calm" / output, folder / "often" / output
    began = time.monotonic()
    _start(source, calm, options).wait()
    whole = time.monotonic() - began
    expected = _digests(calm)
    hits = ends = 0
    seen: list[int] = []
    while hits < kills:
        process = _start(source, often, options)
        parts = 0
        try:
            process.wait(rng.uniform(0.0, whole))
        except subprocess.TimeoutExpired:
            parts = _parts(often)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        # One file is whole when nothing is left beside it; its process may only have to end.
        if process.returncode == 0 or (often.is_file() and not _hidden(often).is_dir()):
            ends += 1
            if _digests(often) != expected:
                raise SystemExit("a run that was killed before differs from one that was not")
            _remove(often)
        elif process.returncode == -signal.SIGKILL:
            hits += 1
            seen.append(parts)
        else:
            raise SystemExit(f"a run ended with {process.returncode}")
    if _start(source, often, options).wait():
        raise SystemExit("the last run did not come to its end")
    found = _digests(often)
    wrong = _wrong_rows(often, source)
    equal = sum(found.get(each) == digest for each, digest in expected.items())
    _remove(calm)
    _remove(often)
    spread = f"{min(seen, default=0)} to {max(seen, default=0)}"
    return name, hits, spread, ends, f"{equal} of {len(expected | found)}", wrong


def _start(source: Path, output: Path, options: list[str]) -> "subprocess.Popen[bytes]":
    output.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "tactful", "score", str(source), "--output", str(output)]
    command += ["--model", "fast", "--lang", "en", "--workers", "2", "--quiet"]
    command += ["--part-rows", str(PART_ROWS), *options]
    return subprocess.Popen(command, start_new_session=True)


def _hidden(output: Path) -> Path:
    return output.with_name(f".{output.name}.tactful")


def _parts(output: Path) -> int:
    homes = (output, _hidden(output))
    return sum(1 for home in homes if home.is_dir() for _ in home.glob(_PARTS))


def _digests(output: Path) -> dict[str, str]:
    files = sorted(output.glob(_PARTS)) if output.is_dir() else [output]
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in files}


def _wrong_rows(output: Path, source: Path) -> int:
    wanted = pl.scan_csv(source).select("id").collect()["id"]
    found = (
        pl.scan_csv(output / "part-*.csv") if output.is_dir() else pl.scan_parquet(output)
    ).select(pl.col("id").cast(pl.Int64))
    counts = found.collect().group_by("id").len()
    return int((counts["len"] != 1).sum()) + len(set(wanted) - set(counts["id"]))


def _remove(output: Path) -> None:
    shutil.rmtree(output.parent, ignore_errors=True)


if __name__ == "__main__":
    main()
