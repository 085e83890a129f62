"""A table that is hard to keep whole, and what one process makes of it."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tactful.checking.bulk import bulk_scorer
from tactful.scale.job import Job
from tactful.scale.scoring import Scored, TableScorer, Wanted
from tactful.scale.summary import Outcome
from tactful.scale.tables.formats import named_format

HARD = [
    None,
    "",
    " ",
    "\t",
    'She said "these people" and left.',
    '"',
    "One line.\nAnother one.\r\nAnd a third.",
    "a,b;c\td",
    "🤷🏽‍♀️ We should help the poor souls 🙏",
    "שלום לכולם, these people need our help",
    "مرحبا بالجميع",
    "a line \u2028 and a paragraph \u2029 and \x0b\x0c\x1c inside",
    "\ufeffa mark at the start",
    'back\\slash \\n and \\" too',
    "NULL",
    "null",
    "NaN",
    "-",
    "é e\u0301 ﬁ",
]
_SENTENCE = (
    "we must help these poor people who never learn and the neighbours of our town who meet on "
    "Sunday in the library to talk about work and school and the price of bread"
)
WORDS = _SENTENCE.split()


def hard_table(rows: int, seed: int = 3) -> pl.DataFrame:
    """Return rows in a mixed order: common ones, hard ones, and two texts of 100 kB."""
    rng = random.Random(seed)
    texts: list[str | None] = [
        " ".join(rng.choices(WORDS, k=rng.randint(1, 30))) for _ in range(rows - 2 - rows // 10)
    ]
    texts += rng.choices(HARD, k=rows // 10)
    texts += ["help the poor " * 7500, '"quoted",\n' * 11000]
    rng.shuffle(texts)
    return pl.DataFrame(
        {
            "id": range(rows),
            "text": pl.Series(texts, dtype=pl.String),
            "source": [rng.choice(["forum", "mail", None]) for _ in range(rows)],
            "likes": [rng.choice([None, 0.5, 3.25]) for _ in range(rows)],
        }
    )


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write a table in the format that its name tells."""
    kind = path.name.split(".")[1]
    if kind == "parquet":
        table.write_parquet(path, row_group_size=5_000)
    elif kind == "jsonl":
        table.write_ndjson(path)
    else:
        table.write_csv(path, separator="\t" if kind == "tsv" else ",")


def read_parts(folder: Path, kind: str) -> pl.DataFrame:
    """Read all parts that a run wrote; cells of CSV and TSV as text."""
    parts = sorted(path for path in folder.glob("wave-*/*") if not path.name.startswith("."))
    assert parts
    if kind == "parquet":
        return pl.concat([pl.read_parquet(part) for part in parts])
    if kind == "jsonl":
        opener = gzip.open if parts[0].suffix == ".gz" else Path.open
        with opener(parts[0], "rb") as file:
            names = list(json.loads(file.readline()))  # polars may mix them up if there are many
        tables = [pl.read_ndjson(part, infer_schema_length=None) for part in parts]
        return pl.concat(tables, how="vertical_relaxed").select(names)
    separator = "\t" if kind == "tsv" else ","
    return pl.concat([pl.read_csv(p, infer_schema=False, separator=separator) for p in parts])


def job_for(
    source: str,
    output: Path,
    kind: str,
    model: str = "fast",
    written: str | None = None,
    wanted: Wanted | None = None,
    **more: Any,
) -> Job:
    """Return a job that writes what it reads, unless another format is named."""
    return Job(
        (source,),
        str(output),
        named_format(kind),
        named_format(written or kind),
        bulk_scorer(model, "en"),
        wanted=wanted or Wanted(),
        workers=2,
        **more,
    )


def scored_here(table: pl.DataFrame, job: Job) -> Scored:
    """Score a table in this process, at once."""
    return TableScorer(job.scorer, job.wanted)(table)


def run_on(engine: str, job: Job, **options: Any) -> Outcome:
    """Run a job on an engine."""
    if engine == "ray":
        from tactful.scale.ray.engine import run_ray as run
    else:
        from tactful.scale.spark.run import run_spark as run
    return run(job, quiet=True, **options)


QUIET = [
    pytest.mark.engines,
    # Ray and Spark leave files and sockets to the end of the process, and use what is outdated.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The minimum number of concurrent actors:UserWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
"""The marks of tests that start an engine."""
