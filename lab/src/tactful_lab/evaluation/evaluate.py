"""``tactful evaluate``: score predictions of a task, with intervals and tests of differences."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tactful.errors import UsageError
from tactful.metrics import SPECS, Measure
from tactful.metrics.significance import Comparison, bootstrap_interval, randomisation_test
from tactful.registry import Registry, unknown_name
from tactful_lab.evaluation.task_list import TASKS
from tactful_lab.evaluation.tasks import EvaluationData, Metric, Options

JSON_VERSION = 1


READERS: Registry[Callable[[Path, Sequence[Path], Options], EvaluationData]] = Registry(
    "task", {name: task.reader for name, task in TASKS.items()}
)


def evaluate(
    task: str,
    gold: Path,
    predictions: Path,
    *,
    options: Options,
    compare: Path | None = None,
    metrics: Sequence[str] = (),
    bootstrap: int | None = None,
    repetitions: int = 1_000,
    seed: int = 0,
    plot: Path | None = None,
    force: bool = False,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> dict[str, Any]:
    """Score predictions, and return the result as plain data.

    compare: the predictions of another system, which a randomisation test compares. metrics: all
    metrics of the task if empty. bootstrap: the number of samples for intervals. repetitions: those
    of the randomisation test. plot: draw curves into this file.
    """
    check_options(task, options, plot)
    systems = [predictions] if compare is None else [predictions, compare]
    data = READERS.get(task)(gold, systems, options)
    for name in metrics:
        if name not in data.metrics:
            data.metrics[name] = _plugin_metric(task, name, data, options)
    chosen = {name: data.metrics[name] for name in metrics or data.metrics}
    measured = []
    for done, (name, metric) in enumerate(chosen.items(), 1):
        measured.append(_measure(data, name, metric, bootstrap, repetitions, seed))
        on_progress(done, len(chosen))
    answer = {
        "schema_version": JSON_VERSION,
        "task": task,
        "gold": str(gold),
        "predictions": str(predictions),
        "compare": None if compare is None else str(compare),
        "items": len(data.gold),
        "metrics": measured,
        "notes": data.notes,
    }
    if plot is not None:
        from tactful_lab.evaluation.plots import write_curves

        labels = data.gold if data.gold.ndim == 1 else data.gold[:, 0]
        several = len({path.name for path in systems}) == len(systems)
        names = [path.name if several else str(path) for path in systems]
        write_curves(labels, dict(zip(names, data.systems, strict=True)), plot, force)
        answer["plot"] = str(plot)
    return answer


def _plugin_metric(task: str, name: str, data: EvaluationData, options: Options) -> Metric:
    """Return the metric of a plug-in, if it measures what this task reads."""
    if name not in SPECS.plugin_names():
        raise unknown_name(f"metric of '{task}'", name, [*data.metrics, *SPECS.plugin_names()])
    spec = SPECS.get_plugin(name)
    if spec.takes not in TASKS[task].takes:
        tasks = [each for each, row in TASKS.items() if spec.takes in row.takes]
        raise UsageError(
            f"The metric '{name}' measures '{spec.takes}', which '{task}' does not read; it is for "
            f"{', '.join(tasks) or 'no task'}."
        )

    def measure(gold: Any, predicted: Any) -> Measure:
        # With subgroups, the further columns of gold are their members.
        return spec.function(gold[:, 0] if options.subgroups else gold, predicted)

    return Metric(measure)


def check_options(task: str, options: Options, plot: Path | None) -> None:
    """Refuse options that the task would ignore."""
    if task not in READERS:
        raise unknown_name("task", task, list(TASKS))
    shares = tuple(name for name in TASKS if name not in ("scores", "spans", "texts", "soft"))
    plain = ("binary", "multilabel", "scores", "spans", "texts", "soft")
    uses: dict[str, tuple[object, tuple[str, ...]]] = {
        "--id-column": (None if options.id_column == "id" else 1, plain),
        "--label-column": (None if options.label_column == "label" else 1, ("binary", "scores")),
        "--score-column": (None if options.score_column == "score" else 1, ("scores",)),
        "--undefined": (options.undefined, shares),
        "--ids": (options.ids, ("pcl-detection", "pcl-categories")),
        "--hierarchy": (options.hierarchy, ("pyevall", "multilabel")),
        "--subgroup": (options.subgroups or None, ("scores",)),
        "--vectors": (options.vectors, ("texts", "frames")),
        "--plot": (plot, ("scores",)),
        "--strict": (options.strict or None, ("detests-2",)),
    }
    for option, (value, tasks) in uses.items():
        if value is not None and task not in tasks:
            raise UsageError(f"{option} is for {', '.join(tasks)}; not for '{task}'.")
    if plot is not None:
        from tactful.figures import check_figure

        check_figure(plot)


def _measure(
    data: EvaluationData,
    name: str,
    metric: Metric,
    bootstrap: int | None,
    repetitions: int,
    seed: int,
) -> dict[str, Any]:
    gold, systems = data.gold, data.systems
    answer = _measure_as_data(name, metric.measure(gold, systems[0]))
    whole: tuple[Any, ...] = (metric.measure, gold, systems[0])
    both: tuple[Any, ...] = (metric.measure, gold, *systems)
    if metric.decompose is not None:
        pieces = tuple(metric.decompose(gold, each) for each in systems)
        whole, both = pieces[:1], (pieces,)
    if bootstrap is not None:
        interval = bootstrap_interval(*whole, repetitions=bootstrap, seed=seed)
        answer["interval"] = {
            name: getattr(interval, name)
            for name in ("low", "high", "level", "repetitions", "undefined", "seed", "reason")
        }
    if len(systems) > 1:
        test = randomisation_test(*both, repetitions=repetitions, seed=seed)
        answer["comparison"] = _comparison_as_data(test, metric.measure(gold, systems[1]))
    return answer


def _measure_as_data(name: str, measure: Measure) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": name,
        "value": measure.value,
        "reason": measure.reason,
        "items": measure.items,
    }
    if measure.parts:
        data["parts"] = [_measure_as_data(part, each) for part, each in measure.parts.items()]
    return data


def _comparison_as_data(test: Comparison, other: Measure) -> dict[str, Any]:
    return {
        "value": other.value,
        "difference": test.difference,
        "p_value": test.p_value,
        "repetitions": test.repetitions,
        "seed": test.seed,
        "reason": other.reason if other.value is None else test.reason,
    }
