"""Score a DataFrame inside a PySpark job of your own.

On this machine:        spark-submit examples/score_on_spark.py comments.parquet scored
On a cluster:           spark-submit --master yarn --archives environment.tar.gz#environment \
                            examples/score_on_spark.py hdfs:///in hdfs:///out
"""

import argparse

from pyspark.sql import SparkSession

from tactful.checking.bulk import bulk_scorer
from tactful.scale import Wanted, score_dataframe


def main() -> None:
    """Read Parquet, score it, and write what was found."""
    parser = argparse.ArgumentParser(description="Score Parquet files in a job of Spark.")
    parser.add_argument("input", help="a Parquet file or a folder of them; any address Spark reads")
    parser.add_argument("output", help="the folder to write")
    parser.add_argument("--text-column", default="text")
    parser.add_argument("--model", default="default", help="default, cascade or fast")
    options = parser.parse_args()

    # What spark-submit says of the master, memory and executors is used as it is.
    spark = SparkSession.builder.appName("score with Tactful").getOrCreate()
    frame = spark.read.parquet(options.input)
    # A DataFrame like any other: filter it before, join or aggregate it after.
    scored = score_dataframe(
        frame,
        bulk_scorer(options.model, lang="en"),
        Wanted(text_column=options.text_column),
    )
    scored.write.parquet(options.output)
    print(f"{frame.count()} rows")
    spark.stop()


if __name__ == "__main__":
    main()
