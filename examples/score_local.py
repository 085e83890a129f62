"""Score a table on this machine from Python: crash-safe, on all cores, or in this process.

python examples/score_local.py comments.csv scored.csv --text-column body
"""

import argparse
import os

from tactful.checking.bulk import bulk_scorer
from tactful.scale import Job, Wanted, run_local
from tactful.scale.progress import Watch
from tactful.scale.tables.formats import format_of


def main() -> None:
    """Score a file into another one; run it again to go on after an interruption."""
    parser = argparse.ArgumentParser(description="Score a table on this machine.")
    parser.add_argument("input", help="a CSV, TSV, JSONL, Parquet or Arrow file")
    parser.add_argument("output", help="the file to write; its ending tells the format")
    parser.add_argument("--text-column", default="text")
    parser.add_argument("--model", default="default", help="default, cascade or fast")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()

    read, write = format_of(options.input), format_of(options.output)
    if read is None or write is None:
        parser.error("both names must end in .csv, .tsv, .jsonl, .parquet or .arrow")
    job = Job(
        inputs=(options.input,),
        output=options.output,
        input_format=read,
        output_format=write,
        merged=True,  # one file, not a folder of parts
        scorer=bulk_scorer(options.model, lang="en"),
        wanted=Wanted(text_column=options.text_column),
        workers=options.workers,
    )
    outcome = run_local(job, Watch())
    print(f"{outcome.summary.rows} rows, {outcome.summary.scored} with a score")


# Worker processes import this file again, so the work must stand behind this line.
if __name__ == "__main__":
    main()
