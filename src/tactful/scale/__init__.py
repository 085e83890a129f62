"""Scale: one pure function over tables of any size, on this machine, on Ray and on Spark.

Names are imported when they are first used, and the libraries of a cluster with its engine.
"""

from typing import TYPE_CHECKING

from tactful.registry import lazy_names

if TYPE_CHECKING:
    from tactful.scale.job import Job
    from tactful.scale.local.engine import run_local
    from tactful.scale.ray.engine import score_dataset
    from tactful.scale.scorer import Scorer, score_batch
    from tactful.scale.scoring import TableScorer, Wanted
    from tactful.scale.spark.engine import score_dataframe
    from tactful.scale.summary import Summary, summarise

__all__ = [
    "Job",
    "Scorer",
    "Summary",
    "TableScorer",
    "Wanted",
    "run_local",
    "score_batch",
    "score_dataframe",
    "score_dataset",
    "summarise",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "job": ["Job"],
        "local.engine": ["run_local"],
        "ray.engine": ["score_dataset"],
        "scorer": ["Scorer", "score_batch"],
        "scoring": ["TableScorer", "Wanted"],
        "spark.engine": ["score_dataframe"],
        "summary": ["Summary", "summarise"],
    },
)
