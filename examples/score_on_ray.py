"""Score a dataset inside a Ray Data job of your own.

On this machine:        python examples/score_on_ray.py comments.parquet scored
On a cluster:           ray job submit --runtime-env-json '{"pip": ["tactful[ray]"]}' \
                            --working-dir examples -- python score_on_ray.py s3://in s3://out
"""

import argparse

import ray

from tactful.checking.bulk import bulk_scorer
from tactful.scale import Wanted, score_dataset


def main() -> None:
    """Read Parquet, score it, and write what was found."""
    parser = argparse.ArgumentParser(description="Score Parquet files in a job of Ray Data.")
    parser.add_argument("input", help="a Parquet file or a folder of them; any address Ray reads")
    parser.add_argument("output", help="the folder to write")
    parser.add_argument("--text-column", default="text")
    parser.add_argument("--model", default="default", help="default, cascade or fast")
    parser.add_argument("--actors", type=int, help="how many open the model; Ray decides otherwise")
    options = parser.parse_args()

    # Joins the cluster that RAY_ADDRESS or 'ray job submit' names; else starts Ray right here.
    ray.init()
    dataset = ray.data.read_parquet(options.input)
    # Any other step of Ray Data can stand before and after it: filters, joins, other models.
    scored = score_dataset(
        dataset,
        bulk_scorer(options.model, lang="en"),
        Wanted(text_column=options.text_column),
        concurrency=options.actors,
    )
    scored.write_parquet(options.output)
    print(f"{dataset.count()} rows")


if __name__ == "__main__":
    main()
