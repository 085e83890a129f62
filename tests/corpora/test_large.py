"""Files that do not fit into a few batches: nothing is lost, and memory stays small."""

import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

ROWS = 600_000
PER_POST = 3
HEADER = (
    "whoTarget,intentYN,sexYN,sexReason,offensiveYN,annotatorGender,annotatorMinority,sexPhrase,"
    "speakerMinorityYN,WorkerId,HITId,annotatorPolitics,annotatorRace,annotatorAge,post,"
    "targetMinority,targetCategory,targetStereotype,dataSource\n"
)
MOST_MB = 600


@pytest.mark.slow
def test_shuffled_annotations_are_brought_together_in_little_memory(tmp_path: Path) -> None:
    source, output = tmp_path / "SBIC.v2.trn.csv", tmp_path / "out.parquet"
    order = list(range(ROWS))
    random.Random(1).shuffle(order)
    with source.open("w", encoding="utf-8") as out:
        out.write(HEADER)
        for number in order:
            post = number // PER_POST
            out.write(
                f"1.0,0.66,0.0,,0.5,woman,,,0.0,W{number % PER_POST},H{post},liberal,white,35.0,"
                f"City people never learn to park van {post},city people,social,cannot park,Gab\n"
            )
    command = [sys.executable, "-m", "tactful", "corpus", "convert", "sbic"]
    # The memory of the parent counts as that of the program: use a small parent.
    launcher = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
        "sys.exit(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024 >= "
        f"{MOST_MB})"
    )
    started = [sys.executable, "-c", launcher, *command, str(source), "--output", str(output)]
    subprocess.run(started, check=True)
    posts = pl.scan_parquet(output).select("id", pl.col("judgements").list.len()).collect()
    assert posts["id"].n_unique() == posts.height == ROWS // PER_POST
    # Five answers, the HIT, and group, category and statement, of each of three workers.
    assert set(posts["judgements"]) == {PER_POST * 9}
