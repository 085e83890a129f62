"""``tactful evaluate``: score predictions against gold labels, with confidence intervals."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from tactful.cli.output import echo, echo_json, echo_sentence, format_option, table
from tactful.cli.progress import progress
from tactful.evaluation.task_list import TASKS
from tactful.words import counted


def _list_tasks(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    rows = [[name, task.what, task.predictions] for name, task in TASKS.items()]
    echo(table(["task", "what", "predictions"], rows, whole=["task"]))
    ctx.exit()


@click.command(
    "evaluate", epilog="Tasks: " + ", ".join(TASKS) + ". Use --list to see what each task reads."
)
@click.argument(
    "task", shell_complete=lambda _ctx, _param, start: [t for t in TASKS if t.startswith(start)]
)
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list_tasks,
    help="List the tasks and what they read.",
)  # fmt: skip
@click.option(
    "--gold", required=True, type=click.Path(path_type=Path), help="File with the gold labels."
)
@click.option(
    "--predictions",
    required=True,
    type=click.Path(path_type=Path),
    help="File with the predictions to score.",
)
@click.option(
    "--compare", type=click.Path(path_type=Path), metavar="OTHER_PREDICTIONS",
    help="Predictions of another system; test whether the two differ.",
)  # fmt: skip
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="Report only this metric, which may come from a plug-in; repeatable.",
)
@click.option(
    "--bootstrap", type=click.IntRange(min=1), metavar="N",
    help="Compute 95% intervals from N bootstrap samples.",
)  # fmt: skip
@click.option(
    "--repetitions", type=click.IntRange(min=1), default=1_000, show_default=True, metavar="N",
    help="Repetitions of the randomisation test of --compare.",
)  # fmt: skip
@click.option(
    "--seed",
    default=0,
    show_default=True,
    help="Seed of the bootstrap and of the randomisation test.",
)
@click.option(
    "--ids", type=click.Path(path_type=Path), metavar="FILE",
    help="File with the paragraph ids of pcl tasks, in the order of the predictions.",
)  # fmt: skip
@click.option(
    "--hierarchy", type=click.Path(path_type=Path), metavar="JSON",
    help="Hierarchy of the labels (pyevall, multilabel)  [default: flat]",
)  # fmt: skip
@click.option(
    "--subgroup", "subgroups", multiple=True, metavar="COLUMN",
    help="A 0/1 column of the gold file (scores): measure unintended bias; repeatable.",
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
    help="Refuse a stereotype without a category (detests-2); the organisers accept it.",
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
def evaluate_cli(output_format: str, **given: Any) -> None:
    """Score predictions of a TASK against gold labels.

    \b
    tactful evaluate binary --gold gold.csv --predictions mine.csv --bootstrap 1000
    tactful evaluate pcl-detection --gold gold.txt --predictions task1.txt --compare other.txt
    """
    from tactful.evaluation.evaluate import evaluate
    from tactful.evaluation.tasks import Options

    options = Options(**{each.name: given.pop(each.name) for each in fields(Options)})
    with progress("Measuring", unit="metrics") as on_progress:
        answer = evaluate(**given, options=options, on_progress=on_progress)
    if output_format == "json":
        echo_json(answer)
    else:
        _print(answer)


def _print(answer: dict[str, Any]) -> None:
    columns, rows, notes = ["metric", "value"], [], list(answer["notes"])
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
        notes += [f"{each['name']}: {reason}." for reason in reasons if reason]
    click.echo(f"{answer['task']}, {counted(answer['items'], 'item')}\n")
    echo(table(columns, rows, whole=columns))
    if notes:
        click.echo()
    for note in notes:
        echo_sentence(note, "  ", "    ")
    if "plot" in answer:
        click.echo(f"\nWrote the curves to {answer['plot']}")


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
