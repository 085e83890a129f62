"""``tactful evaluate``: score predictions against gold labels, with confidence intervals."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from tactful.cli.delegating import DelegatingCommand
from tactful.cli.options import PATH, POSITIVE, complete, flag, option, several
from tactful.cli.output import echo, echo_answer, echo_sentence, format_option, table
from tactful.cli.progress import progress
from tactful.errors import UsageError
from tactful.words import counted
from tactful_lab.evaluation.task_list import TASKS


def _list_tasks(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    rows = [[name, task.what, task.predictions] for name, task in TASKS.items()]
    echo(table(["task", "what", "predictions"], rows, whole=["task"]))
    ctx.exit()


@click.command(
    "evaluate",
    cls=DelegatingCommand,
    delegates={"corpus": "tactful_lab.cli.evaluate_corpus:evaluate_corpus_cli"},
    epilog="Tasks: "
    + ", ".join(TASKS)
    + ". Use --list to see what each task reads. To score a corpus with a detector: "
    "tactful evaluate corpus --help.",
)
@click.argument("task", shell_complete=complete(TASKS))
@flag(
    "--list",
    "List the tasks and what they read.",
    is_eager=True,
    expose_value=False,
    callback=_list_tasks,
)
@option("--gold", "File with the gold labels.", PATH, required=True)
@option("--predictions", "File with the predictions to score.", PATH, required=True)
@option(
    "--sheet FILE",
    "Write a sheet on which people rate the statements of frames without knowing whose they are; "
    "if FILE exists and is filled in, read it back.",
    PATH,
)
@option("--posts N", "How many posts are on a new --sheet.", POSITIVE, 50)
@option(
    "--compare OTHER_PREDICTIONS",
    "Predictions of another system; test whether the two differ.",
    PATH,
)
@several(
    "--metric metrics NAME", "Report only this metric, which may come from a plug-in; repeatable."
)
@option("--bootstrap N", "Compute 95% intervals from N bootstrap samples.", POSITIVE)
@option("--repetitions N", "Repetitions of the randomisation test of --compare.", POSITIVE, 1_000)
@option("--seed", "Seed of the bootstrap and of the randomisation test.", default=0)
@option(
    "--ids FILE", "File with the paragraph ids of pcl tasks, in the order of the predictions.", PATH
)
@option("--hierarchy JSON", "Hierarchy of the labels (pyevall, multilabel)  [default: flat]", PATH)
@several(
    "--subgroup subgroups COLUMN",
    "A 0/1 column of the gold file (scores): measure unintended bias; repeatable.",
)
@option(
    "--vectors FILE",
    "Word vectors (word2vec, GloVe, fastText), for the word mover's distance (texts, frames).",
    PATH,
)
@option(
    "--undefined NUMBER",
    "Count an undefined precision, recall or F as this (many tools take 0).",
    float,
)
@flag("--strict", "Refuse a stereotype without a category (detests-2); the organisers accept it.")
@option("--id-column", "The column with the id.", default="id")
@option("--label-column", "The column with 0 or 1.", default="label")
@option("--score-column", "The column with the probability.", default="score")
@option(
    "--plot FILE", "Draw ROC, precision-recall and reliability curves (scores; extra 'plot').", PATH
)
@flag("--force", "Replace the plot if it exists.")
@format_option
def evaluate_cli(output_format: str, **given: Any) -> None:
    """Score predictions of a TASK against gold labels.

    \b
    tactful evaluate binary --gold gold.csv --predictions mine.csv --bootstrap 1000
    tactful evaluate pcl-detection --gold gold.txt --predictions task1.txt --compare other.txt
    tactful evaluate corpus dpm --model default
    """
    from tactful_lab.evaluation.evaluate import evaluate
    from tactful_lab.evaluation.tasks import Options

    sheet, posts = given.pop("sheet"), given.pop("posts")
    if sheet is not None:
        _sheet(output_format, sheet, posts, given)
        return
    options = Options(**{each.name: given.pop(each.name) for each in fields(Options)})
    with progress("Measuring", unit="metrics") as on_progress:
        answer = evaluate(**given, options=options, on_progress=on_progress)
    echo_answer(output_format, answer, _print)


def _sheet(output_format: str, sheet: Path, posts: int, given: dict[str, Any]) -> None:
    from tactful_lab.evaluation.frame_answers import matched_frames
    from tactful_lab.evaluation.rating_sheet import key_of, ratings_as_data, read_sheet, write_sheet

    if given["task"] != "frames":
        raise UsageError(f"--sheet is for frames; not for '{given['task']}'.")
    if sheet.exists():
        answer = ratings_as_data(sheet, read_sheet(sheet, given["seed"]))
        echo_answer(output_format, answer, _print_ratings)
        return
    systems = [given["predictions"], *([given["compare"]] if given["compare"] else [])]
    texts, gold, frames = matched_frames(given["gold"], systems)
    named = dict(zip(["predictions", "compare"], frames, strict=False))
    rows = write_sheet(sheet, texts, gold, named, posts=posts, seed=given["seed"])
    told = f"Wrote {sheet} with {counted(rows, 'row')} to rate, and its key to {key_of(sheet)}."
    echo_answer(output_format, {"sheet": str(sheet), "rows": rows}, lambda _: echo_sentence(told))


def _print_ratings(answer: dict[str, Any]) -> None:
    from tactful_lab.evaluation.rating_sheet import QUESTIONS

    rows = [
        [
            each["source"],
            f"{each['rows']:,}",
            *(
                f"{found['mean']:.2f} ({found['low']:.2f} to {found['high']:.2f})"
                for found in (each["questions"][name] for name in QUESTIONS)
            ),
        ]
        for each in answer["sources"]
    ]
    echo(table(["source", "rows", *QUESTIONS], rows))
    click.echo()
    echo_sentence("Means from 0 to 1, with 95 % intervals; 'people' are the corpus' annotators.")


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
