"""Ray Data: actors that each load the model once, on this machine or on a running cluster."""

from typing import TYPE_CHECKING, Any

from tactful.scale.cluster.arrow_tables import ArrowScorer
from tactful.scale.scorer import Scorer
from tactful.scale.scoring import Shape, Wanted

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset

BATCH_ROWS = 4096
ONE_THREAD = {"POLARS_MAX_THREADS": "1"}
"""An actor has one CPU; more threads would only take turns on it."""


def score_dataset(
    dataset: "Dataset",
    scorer: Scorer,
    wanted: Wanted | None = None,
    shape: Shape = "table",
    concurrency: int | tuple[int, int] | None = None,
    num_cpus: float = 1,
    batch_size: int = BATCH_ROWS,
) -> "Dataset":
    """Score a dataset of Ray Data; all its columns are kept with their types.

    ``concurrency`` is the number of actors, or the fewest and the most; by default Ray decides.
    With the shape ``lines`` the dataset has one column, ``line``, of JSON objects.
    """
    import_ray()
    from ray.data import ActorPoolStrategy

    fewest, most = concurrency if isinstance(concurrency, tuple) else (concurrency, concurrency)
    pool = ActorPoolStrategy(min_size=fewest or 1, max_size=most)
    return dataset.map_batches(
        BatchActor,
        fn_constructor_args=(scorer, wanted or Wanted(), shape),
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=pool,
        num_cpus=num_cpus,
        runtime_env={"env_vars": ONE_THREAD},
    )


class BatchActor:
    """Scores the batches of a dataset; Ray makes one per actor."""

    def __init__(self, scorer: Scorer, wanted: Wanted, shape: Shape):
        self._score = ArrowScorer(scorer, wanted, shape)

    def __call__(self, batch: "pa.Table") -> "pa.Table":
        """Score a batch."""
        return self._score(batch)


def import_ray() -> Any:
    """Return Ray, or say how to install it."""
    from tactful.errors import MissingExtraError

    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtraError("ray", "The engine 'ray'") from None
    return ray
