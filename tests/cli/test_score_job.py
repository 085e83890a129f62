"""What ``tactful score`` is asked for: what cannot go together is refused before anything opens."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tactful.checking.bulk import bulk_scorer
from tactful.errors import TactfulError, UsageError
from tactful.scale.job import Job
from tactful.scale.options import ScoreOptions, job_for

OPTIONS = ScoreOptions(("a.csv",), "out.csv", model="fast", lang="en")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def job_of(options: ScoreOptions) -> Job:
    return job_for(options, lambda: bulk_scorer(options.model, options.lang, options.only))


def refused(**options: Any) -> str:
    with pytest.raises(UsageError) as error:
        job_of(replace(OPTIONS, **options))
    assert error.value.exit_code == 2
    return str(error.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"output": ""}, "--output is empty"),
        ({"output": "  "}, "--output is empty"),
        ({"only_top": True}, "--only-top and --top-by need --top N"),
        ({"top_by": "pcl"}, "--only-top and --top-by need --top N"),
        ({"top": 3, "output": "-"}, "--top writes a file; name one with --output"),
        ({"address": "auto"}, "--address is for --engine ray or --engine spark"),
        ({"follow": True, "engine": "ray"}, "--follow cannot be combined with a cluster"),
        ({"follow": True, "top": 3}, "--top or --report"),
        ({"follow": True, "report": Path("r.html")}, "--top or --report"),
        ({"engine": "spark"}, "--engine spark writes a folder of parts"),
        ({"engine": "ray", "output": "-"}, "--engine ray writes a folder of parts"),
        ({"output": "out.xlsx"}, "--output out.xlsx, whose ending is no known format"),
        ({"output": "out.txt"}, "Plain lines have no columns"),
        (
            {"output": "-", "output_format": "parquet"},
            "parquet cannot be written to standard output",
        ),
        ({"output_format": "jsonl"}, "--format jsonl and an output that ends in .csv"),
        ({"output_format": "csv.gz"}, "--format csv.gz and an output that ends in .csv"),
        ({"output_format": "parquet.gz"}, "the format has its own compression"),
        ({"output_format": "cvs"}, "Did you mean 'csv'?"),
        ({"input_format": "jsonl"}, "--input-format jsonl and a csv file"),
        ({"inputs": ("comments",)}, "comments: the name does not show the format"),
        ({"inputs": ("-",)}, "-: the name does not show the format"),
        ({"inputs": ("*.csv",)}, "No file matches '*.csv'"),
        ({"top": 3, "top_by": "pcl.metafor"}, "Did you mean 'pcl.metaphor'?"),
        ({"top": 3, "top_by": "pcl", "only": ("unhealthy",)}, "no id named 'pcl'"),
        ({"only": ("hostil",)}, "hostil"),
        ({"model": "fst"}, "Did you mean 'fast'?"),
        ({"lang": "fr"}, "no language named 'fr'"),
        ({"where": "likes >"}, "likes >"),
    ],
)
def test_what_cannot_go_together_is_refused(options: dict[str, Any], said: str) -> None:
    assert said in refused(**options)


@pytest.mark.parametrize(
    ("options", "read", "write", "merged"),
    [
        ({}, "csv", "csv", True),
        ({"output": "out.jsonl.gz"}, "csv", "jsonl.gz", True),
        ({"output": "out"}, "csv", "csv", False),
        ({"output": "out.csv/"}, "csv", "csv", False),
        ({"output": "out.d/", "output_format": "parquet"}, "csv", "parquet", False),
        ({"output": "-"}, "csv", "csv", True),
        ({"inputs": ("a.csv.gz",)}, "csv.gz", "csv", True),
        ({"inputs": ("a.csv.gz",), "output": "out"}, "csv.gz", "csv", False),
        ({"inputs": ("a.txt",), "output": "out"}, "txt", "csv", False),
        ({"inputs": ("a.txt",), "input_format": "tsv", "output": "-"}, "tsv", "tsv", True),
        ({"inputs": ("-",), "input_format": "jsonl", "output": "-"}, "jsonl", "jsonl", True),
        ({"inputs": ("a.log",), "input_format": "jsonl", "output": "o"}, "jsonl", "jsonl", False),
        ({"inputs": ("A.CSV",), "output": "OUT.PARQUET"}, "csv", "parquet", True),
        ({"follow": True, "output": "out", "output_format": "csv"}, "csv", "csv", True),
    ],
)
def test_formats_are_told_by_names_or_options(
    options: dict[str, Any], read: str, write: str, merged: bool
) -> None:
    job = job_of(replace(OPTIONS, **options))
    assert (str(job.input_format), str(job.output_format), job.merged) == (read, write, merged)


def test_a_folder_that_is_there_takes_parts_though_its_name_has_an_ending() -> None:
    Path("out.csv").mkdir()
    assert not job_of(OPTIONS).merged


def test_a_folder_tells_its_format_by_its_first_table() -> None:
    for name in ("tables/b.jsonl.gz", "tables/a.jsonl", "tables/notes.md"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    for named in ("tables", "tables/*.jsonl*"):
        job = job_of(replace(OPTIONS, inputs=(named,), output="out"))
        assert str(job.input_format) == "jsonl"
    Path("empty").mkdir()
    with pytest.raises(TactfulError, match="found no table in the folder"):
        job_of(replace(OPTIONS, inputs=("empty",), output="out"))


def test_the_wishes_are_in_the_job() -> None:
    options = replace(
        OPTIONS, text_column="body", where="likes > 3", dedupe=True, prefix="t_", by=("source",),
        part_rows=7, workers=3, top=2, top_by="pcl", only_top=True, report=Path("r.html"),
        skip_bad_rows=True, only=("pcl",), output="out/",
    )  # fmt: skip
    job = job_of(options)
    wanted = job.wanted
    assert (wanted.text_column, wanted.where, wanted.dedupe) == ("body", "likes > 3", True)
    assert (wanted.prefix, wanted.by) == ("t_", ("source",))
    assert (job.part_rows, job.workers, job.top, job.top_by) == (7, 3, 2, "pcl")
    assert (job.only_top, job.skip_bad_rows, job.output) == (True, True, "out")
    assert job.extremes > 0
    assert job_of(OPTIONS).extremes == 0
    assert job_of(OPTIONS).workers >= 1
    here = job_of(replace(OPTIONS, output="out")).part_rows
    assert job_of(replace(OPTIONS, output="out", engine="ray")).part_rows == 5 * here
    assert all(name.startswith("pcl") for name in job.scorer.ids)
