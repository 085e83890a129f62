"""``tactful evaluate``: score predictions against gold answers, and say how sure the scores are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.output import echo, echo_json, echo_sentence, format_option, table
from tactful.cli.progress import tracked
from tactful.errors import UsageError
from tactful.registry import Registry, unknown_name
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.evaluation.tasks import Exam, Metric, Options
    from tactful.metrics import Measure
    from tactful.metrics.significance import Comparison, Interval

JSON_VERSION = 1


@dataclass(frozen=True)
class Task:
    """One row of ``tactful evaluate --list``."""

    reader: str
    what: str
    predictions: str


TASKS = {
    "pcl-detection": Task(
        "tactful.evaluation.submissions:pcl_detection",
        "SemEval-2022 task 4, subtask 1: patronizing or not",
        "task1.txt: 0 or 1 on each line, in the order of gold",
    ),
    "pcl-categories": Task(
        "tactful.evaluation.submissions:pcl_categories",
        "SemEval-2022 task 4, subtask 2: seven categories",
        "task2.txt: seven of 0 or 1 with commas on each line, in the order of gold",
    ),
    "detests-1": Task(
        "tactful.evaluation.submissions:detests_1",
        "DETESTS 2022, subtask 1: stereotype or not",
        "table: sentence_id, stereotype",
    ),
    "detests-2": Task(
        "tactful.evaluation.submissions:detests_2",
        "DETESTS 2022, subtask 2: ten categories in a hierarchy",
        "table: sentence_id, stereotype and the ten categories",
    ),
    "pyevall": Task(
        "tactful.evaluation.pyevall:pyevall",
        "hard or soft labels in the format of PyEvALL",
        "JSON list of test_case, id, value",
    ),
    "binary": Task("tactful.evaluation.plain_tasks:binary", "0/1 answers", "table: id, label"),
    "multilabel": Task(
        "tactful.evaluation.plain_tasks:multilabel",
        "any number of labels",
        "table: id and a 0/1 column for each label",
    ),
    "scores": Task(
        "tactful.evaluation.plain_tasks:scores",
        "probabilities of a 0/1 answer",
        "table: id, score (gold: id, label)",
    ),
    "spans": Task(
        "tactful.evaluation.plain_tasks:spans",
        "pieces of text",
        "table: id, start, end and perhaps category; or id, spans",
    ),
    "texts": Task(
        "tactful.evaluation.generated_texts:texts",
        "generated texts and their references",
        "table: id, text (gold: id, references; or a row for each reference)",
    ),
    "frames": Task(
        "tactful.evaluation.frame_answers:frames",
        "Social Bias Frames: each variable, groups and statements",
        "JSON Lines of 'tactful frame' (gold: the corpus' files, or JSON Lines)",
    ),
    "soft": Task(
        "tactful.evaluation.plain_tasks:soft",
        "distributions over labels",
        "table: id and a probability for each label",
    ),
}
_READERS: Registry[Callable[[Path, Sequence[Path], "Options"], "Exam"]] = Registry(
    "task", {name: task.reader for name, task in TASKS.items()}
)


def _list_tasks(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    rows = [[name, task.what, task.predictions] for name, task in TASKS.items()]
    echo(table(["task", "what", "predictions"], rows, whole=["task"]))
    ctx.exit()


@click.command(
    "evaluate", epilog="Tasks: " + ", ".join(TASKS) + ". --list says what each of them reads."
)
@click.argument(
    "task", shell_complete=lambda _ctx, _param, start: [t for t in TASKS if t.startswith(start)]
)
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list_tasks,
    help="List the tasks and what they read.",
)  # fmt: skip
@click.option("--gold", required=True, type=click.Path(path_type=Path), help="The gold answers.")
@click.option(
    "--predictions", required=True, type=click.Path(path_type=Path), help="The answers to score."
)
@click.option(
    "--compare", type=click.Path(path_type=Path), metavar="OTHER_PREDICTIONS",
    help="Another system's answers: test whether the two differ.",
)  # fmt: skip
@click.option(
    "--metric", "metrics", multiple=True, metavar="NAME", help="Only this metric; may be repeated."
)
@click.option(
    "--bootstrap", type=click.IntRange(min=1), metavar="N",
    help="Give 95% intervals from N samples of the items.",
)  # fmt: skip
@click.option(
    "--repetitions", type=click.IntRange(min=1), default=1_000, show_default=True, metavar="N",
    help="Repetitions of the randomisation test of --compare.",
)  # fmt: skip
@click.option("--seed", default=0, show_default=True, help="The seed of both.")
@click.option(
    "--ids", type=click.Path(path_type=Path), metavar="FILE",
    help="The paragraphs that the lines of pcl tasks are about, in their order.",
)  # fmt: skip
@click.option(
    "--hierarchy", type=click.Path(path_type=Path), metavar="JSON",
    help="Which labels stand below which (pyevall, multilabel); flat without it.",
)  # fmt: skip
@click.option(
    "--subgroup", "subgroups", multiple=True, metavar="COLUMN",
    help="A 0/1 column of the gold file (scores): measure unintended bias; may be repeated.",
)  # fmt: skip
@click.option(
    "--vectors", type=click.Path(path_type=Path), metavar="FILE",
    help="Word vectors (word2vec, GloVe, fastText), for the word mover's distance (texts, frames).",
)  # fmt: skip
@click.option(
    "--undefined", type=float, metavar="NUMBER",
    help="Count an undefined precision, recall or F as this (many tools take 0).",
)  # fmt: skip
@click.option(
    "--strict", is_flag=True,
    help="Refuse a stereotype without a category (detests-2), which the organisers score.",
)  # fmt: skip
@click.option("--id-column", default="id", show_default=True, help="The column with the id.")
@click.option("--label-column", default="label", show_default=True, help="The column with 0 or 1.")
@click.option(
    "--score-column", default="score", show_default=True, help="The column with the probability."
)
@click.option(
    "--plot", type=click.Path(path_type=Path), metavar="FILE",
    help="Draw ROC, precision-recall and reliability curves (scores; extra 'plot').",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace the plot if it exists.")
@format_option
def evaluate_cli(
    task: str,
    gold: Path,
    predictions: Path,
    compare: Path | None,
    metrics: tuple[str, ...],
    bootstrap: int | None,
    repetitions: int,
    seed: int,
    ids: Path | None,
    hierarchy: Path | None,
    subgroups: tuple[str, ...],
    vectors: Path | None,
    undefined: float | None,
    strict: bool,
    id_column: str,
    label_column: str,
    score_column: str,
    plot: Path | None,
    force: bool,
    output_format: str,
) -> None:
    """Score predictions of a TASK against gold answers.

    \b
    tactful evaluate binary --gold gold.csv --predictions mine.csv --bootstrap 1000
    tactful evaluate pcl-detection --gold gold.txt --predictions task1.txt --compare other.txt
    """
    from tactful.evaluation.tasks import Options

    options = Options(
        id_column, label_column, score_column, ids, hierarchy, subgroups, vectors, undefined, strict
    )
    _check_options(task, options, plot)
    answer = evaluate(
        task,
        gold,
        predictions,
        options=options,
        compare=compare,
        metrics=metrics,
        bootstrap=bootstrap,
        repetitions=repetitions,
        seed=seed,
        plot=plot,
        force=force,
    )
    if output_format == "json":
        echo_json(answer)
    else:
        _say(answer)


def evaluate(
    task: str,
    gold: Path,
    predictions: Path,
    *,
    options: "Options",
    compare: Path | None = None,
    metrics: Sequence[str] = (),
    bootstrap: int | None = None,
    repetitions: int = 1_000,
    seed: int = 0,
    plot: Path | None = None,
    force: bool = False,
) -> dict[str, Any]:
    """Score predictions, and return the answer as plain data."""
    systems = [predictions] if compare is None else [predictions, compare]
    exam = _READERS.get(task)(gold, systems, options)
    for name in metrics:
        if name not in exam.metrics:
            raise unknown_name(f"metric of '{task}'", name, list(exam.metrics))
    chosen = {name: exam.metrics[name] for name in metrics or exam.metrics}
    answer = {
        "schema_version": JSON_VERSION,
        "task": task,
        "gold": str(gold),
        "predictions": str(predictions),
        "compare": None if compare is None else str(compare),
        "items": len(exam.gold),
        "metrics": [
            _measure(exam, name, metric, bootstrap, repetitions, seed)
            for name, metric in tracked(chosen.items(), "Measuring", len(chosen), "metrics")
        ],
        "notes": exam.notes,
    }
    if plot is not None:
        from tactful.evaluation.plots import write_curves

        labels = exam.gold if exam.gold.ndim == 1 else exam.gold[:, 0]
        named = {path.name: scores for path, scores in zip(systems, exam.systems, strict=True)}
        if len(named) < len(systems):
            named = {str(path): scores for path, scores in zip(systems, exam.systems, strict=True)}
        write_curves(labels, named, plot, force)
        answer["plot"] = str(plot)
    return answer


def _check_options(task: str, options: "Options", plot: Path | None) -> None:
    """Refuse options that a task would not look at: they were meant to change something."""
    if task not in _READERS:
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
    exam: "Exam", name: str, metric: "Metric", bootstrap: int | None, repetitions: int, seed: int
) -> dict[str, Any]:
    from tactful.metrics.significance import bootstrap_interval, randomisation_test

    gold, system = exam.gold, exam.systems[0]
    answer = _measure_as_data(name, metric.measure(gold, system))
    pieces = (
        None
        if metric.decompose is None
        else [metric.decompose(gold, each) for each in exam.systems]
    )
    if bootstrap is not None:
        interval = (
            bootstrap_interval(metric.measure, gold, system, repetitions=bootstrap, seed=seed)
            if pieces is None
            else bootstrap_interval(pieces[0], repetitions=bootstrap, seed=seed)
        )
        answer["interval"] = _interval_as_data(interval)
    if len(exam.systems) > 1:
        other = exam.systems[1]
        test = (
            randomisation_test(
                metric.measure, gold, system, other, repetitions=repetitions, seed=seed
            )
            if pieces is None
            else randomisation_test((pieces[0], pieces[1]), repetitions=repetitions, seed=seed)
        )
        answer["comparison"] = _comparison_as_data(test, metric.measure(gold, other))
    return answer


def _measure_as_data(name: str, measure: "Measure") -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": name,
        "value": measure.value,
        "reason": measure.reason,
        "items": measure.items,
    }
    if measure.parts:
        data["parts"] = [_measure_as_data(part, each) for part, each in measure.parts.items()]
    return data


def _interval_as_data(interval: "Interval") -> dict[str, Any]:
    return {
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "repetitions": interval.repetitions,
        "undefined": interval.undefined,
        "seed": interval.seed,
        "reason": interval.reason,
    }


def _comparison_as_data(test: "Comparison", other: "Measure") -> dict[str, Any]:
    return {
        "value": other.value,
        "difference": test.difference,
        "p_value": test.p_value,
        "repetitions": test.repetitions,
        "seed": test.seed,
        "reason": other.reason if other.value is None else test.reason,
    }


def _say(answer: dict[str, Any]) -> None:
    columns, rows, told = ["metric", "value"], [], list(answer["notes"])
    first = answer["metrics"][0]
    columns += ["low", "high"] if "interval" in first else []
    columns += ["other", "difference", "p"] if "comparison" in first else []
    for each in answer["metrics"]:
        row = [each["name"], _number(each["value"])]
        reasons = [each["reason"]]
        if "interval" in each:
            interval = each["interval"]
            row += [_number(interval["low"]), _number(interval["high"])]
            if interval["undefined"]:
                reasons.append(
                    f"undefined in {interval['undefined']:,} of "
                    f"{counted(interval['repetitions'], 'sample')}"
                )
            reasons.append(interval["reason"] if each["value"] is not None else None)
        if "comparison" in each:
            test = each["comparison"]
            row += [_number(test[key]) for key in ("value", "difference", "p_value")]
            reasons.append(test["reason"] if each["value"] is not None else None)
        rows.append(row)
        told += [f"{each['name']}: {reason}." for reason in reasons if reason]
    click.echo(f"{answer['task']}, {counted(answer['items'], 'item')}\n")
    echo(table(columns, rows, whole=columns))
    if told:
        click.echo()
    for sentence in told:
        echo_sentence(sentence, "  ", "    ")
    if "plot" in answer:
        click.echo(f"\nDrawn: {answer['plot']}")


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
