"""Scale: one pure function over tables of any size, on this machine, on Ray and on Spark.

Names are imported when they are first used, and the libraries of a cluster with its engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.scale.batch import score_batch
    from tactful.scale.job import Job
    from tactful.scale.local.engine import run_local
    from tactful.scale.ray.engine import score_dataset
    from tactful.scale.scorer import Scorer
    from tactful.scale.scoring import TableScorer, Wanted
    from tactful.scale.spark.engine import score_dataframe
    from tactful.scale.summary import Summary, summarise

# A function never has the name of its file: importing the file would hide the function.
_LAZY = {
    "Job": "job",
    "Scorer": "scorer",
    "Summary": "summary",
    "TableScorer": "scoring",
    "Wanted": "scoring",
    "run_local": "local.engine",
    "score_batch": "batch",
    "score_dataframe": "spark.engine",
    "score_dataset": "ray.engine",
    "summarise": "summary",
}

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


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"tactful.scale.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'tactful.scale' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
