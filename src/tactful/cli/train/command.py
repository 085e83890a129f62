"""``tactful train``: train a detector on a corpus or on the user's own table."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.delegating import DelegatingCommand
from tactful.cli.main import LAB
from tactful.cli.options import (
    PATH,
    POSITIVE,
    complete,
    flag,
    force_option,
    given_options,
    option,
    refuse_output,
    several,
)
from tactful.cli.output import echo, echo_sentence, table
from tactful.cli.progress import progress
from tactful.cli.train.options import (
    CUSTOM,
    DEVICES,
    FRAMES_LM,
    MODELS,
    TASKS,
    command_line,
    data_option,
    interrupted,
    label_columns,
    output_option,
    read_training_options,
    refuse_misplaced,
    resume_option,
    seed_option,
)
from tactful.errors import UsageError
from tactful.files import atomic_path, refuse_existing
from tactful.registry import unknown_name
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.detectors.card import Card
    from tactful.training.task_data import TaskData
    from tactful.training.task_training import TrainingOptions


@click.command(
    "train", cls=DelegatingCommand, delegates=dict.fromkeys(("frames-lm", "stereotypes"), LAB)
)
@click.argument("task", shell_complete=complete(TASKS))
@data_option
@output_option
@option(
    "--model",
    "Model: SVM on n-grams, SVM on word vectors, BiLSTM, or fine-tuned encoder.",
    MODELS,
    "encoder",
)
@option("--encoder NAME|PATH", "Encoder to fine-tune: a folder, or a name on the Hugging Face hub.")
@option("--recipe", "Use the settings of a paper, such as dpm-roberta.")
@flag("--download", "Download the encoder from the hub if needed.")
@option("--precision", "Precision of the exported weights.", ["int8", "fp32"], "int8")
@option(
    "--transformers DIR",
    "Also write the encoder as a folder that transformers' from_pretrained() opens.",
    PATH,
)
@option(
    "--data-map FILE",
    "Also write how easily each text was learnt, as CSV: easy, ambiguous or hard.",
    PATH,
)
@option("--vectors", "File with word vectors: word2vec, GloVe or fastText.", PATH)
@flag("--grid", "Search the settings of the SVM.")
@option("--epochs", "Number of epochs.", POSITIVE)
@option("--batch", "Batch size.", POSITIVE)
@option("--rate", "Learning rate.", click.FloatRange(min=0, min_open=True))
@option("--device", "Where to train.  [default: auto]", DEVICES)
@option("--accumulate N", "Compute each batch in N pieces, with less memory.", POSITIVE)
@option("--class-weight", "Give positives and negatives the same weight.", ["balanced"])
@option("--sampling", "Balance the classes in each epoch.", ["balanced"])
@option(
    "--negatives",
    "Train on at most this many negatives for each positive text.",
    click.FloatRange(min=0),
)
@seed_option
@option(
    "--validation",
    "Share of the texts held out for calibration, thresholds and measures.",
    click.FloatRange(0, 1, min_open=True, max_open=True),
    0.1,
)
@option("--table data_table", "Your table (custom).", PATH)
@option("--project", "Annotation project to learn from, instead of a table (custom).", PATH)
@option("--step", "Step of the project.  [default: the first one with options]  (custom)")
@option(
    "--labels",
    "Labels of the project: combined ones, or every judgement, so that a probability means the "
    "share of annotators (custom).",
    ["hard", "soft"],
    "hard",
)
@option("--text-column", "Column of the texts (custom).", default="text")
@several(
    "--label-column label_columns COLUMN[=ID]",
    "Column of 0 and 1, and its id (custom); repeatable.  [default: label]",
)
@option(
    "--group-column",
    "Column of groups; texts of a group are never split between the parts (custom).",
)
@option("--lang", "Language of the texts (custom).", default="en")
@resume_option
@force_option
@click.pass_context
def train_cli(ctx: click.Context, /, **options: Any) -> None:
    """Train a detector and write a folder that --model and load_detector() open.

    TASK is pcl, pcl-categories, unhealthy or frame, trained on their corpora; custom, trained on
    your own table or annotation project; frames-lm, a causal language model that writes frames
    ('tactful train frames-lm --help'); or stereotypes, in Spanish ('tactful train stereotypes
    --help').

    \b
    tactful train pcl --model tfidf --data corpora -o my-detector
    tactful train unhealthy --encoder ./bert-base-uncased --data corpora -o my-detector
    tactful train custom --table posts.csv --label-column rude=my.rude -o my-detector
    tactful train custom --project my-project --model tfidf -o my-detector
    """
    task, output = options["task"], options["output"]
    if task not in TASKS:
        raise unknown_name("task", task, list(TASKS))
    if task == FRAMES_LM:
        raise UsageError(
            "'frames-lm' has options of its own: write 'tactful train frames-lm', then the options."
        )
    given = given_options(ctx)
    refuse_misplaced(given, task, options["model"])
    for folder in (output, options["transformers"]):
        if folder is not None:
            refuse_output(folder, options["force"])
    if options["data_map"] is not None:
        refuse_existing(options["data_map"], options["force"])
    work = output.with_name(f"{output.name}.training")
    command = command_line(ctx, task)
    train(read_training_options(options, given, command), options, work)


def train(chosen: "TrainingOptions", options: dict[str, Any], work: Path) -> None:
    """Train one detector, and report progress and results."""
    from tactful.training.task_data import thinned
    from tactful.training.task_training import clear_work, require_extra, train_task

    require_extra(chosen.model)
    data = _read(options)
    if options["negatives"] is not None:
        data = thinned(data, options["negatives"], chosen.seed)
    # torchrun numbers its processes: only the first one writes and prints.
    first = os.environ.get("RANK", "0") == "0"
    if not options["resume"] and first:
        clear_work(work)
    if first:
        _say_data(data)
    kept: list[Any] = []

    def on_epoch(epoch: Any) -> None:
        kept.append(epoch)
        if not first:
            return
        held_out = "" if epoch.held_out_loss is None else f", held out {epoch.held_out_loss:.4f}"
        click.echo(
            f"Epoch {epoch.number} of {epoch.epochs}: loss {epoch.loss:.4f}{held_out}, "
            f"{epoch.seconds:.0f} s"
        )

    try:
        setting = None if first else "off"
        with progress("Training", unit="steps", setting=setting) as on_step:
            card = train_task(
                data,
                chosen,
                options["output"],
                work,
                force=options["force"],
                on_epoch=on_epoch,
                on_step=lambda step, total, _: on_step(step, total),
                on_map=_map_writer(options["data_map"], options["force"]),
            )
    except KeyboardInterrupt:
        done = f"{kept[-1].number} of {kept[-1].epochs} epochs" if kept else "an earlier run"
        echo_sentence(interrupted(work, done), err=True)
        raise
    if card is not None:
        _say_card(card, options["output"])


def _map_writer(
    path: Path | None, force: bool
) -> Callable[[list[tuple[object, ...]]], None] | None:
    if path is None:
        return None

    def write(rows: list[tuple[object, ...]]) -> None:
        from tactful.annotation.formats.cells import write_csv
        from tactful.training.task_training import DATA_MAP

        with atomic_path(path, force) as target:
            write_csv(target, DATA_MAP, rows, safe=True)

    return write


def _read(options: dict[str, Any]) -> "TaskData":
    from tactful.training.task_data import custom_task, read_task

    seed, share = options["seed"], options["validation"]
    if options["task"] != CUSTOM:
        return read_task(options["task"], options["data"], share, seed)
    if options["project"] is not None:
        return _read_project(options)
    from tactful.tables import read_table, require_columns

    file = options["data_table"]
    if file is None:
        raise UsageError(
            "The task 'custom' needs a table or an annotation project; name it with --table or "
            "--project."
        )
    labels = label_columns(options["label_columns"] or ("label",))
    frame = read_table(file)
    group = options["group_column"]
    wanted = [options["text_column"], *labels.values(), *([group] if group else [])]
    require_columns(frame, wanted, file)
    return custom_task(
        frame,
        file,
        options["text_column"],
        labels,
        group=group,
        lang=options["lang"],
        validation=share,
        seed=seed,
    )


def _read_project(options: dict[str, Any]) -> "TaskData":
    from tactful.annotation.learning.dataset import left_out, project_task
    from tactful.annotation.learning.targets import learnt_step
    from tactful.annotation.project.project import Project

    with Project.open(options["project"], read_only=True) as project:
        step = learnt_step(project.protocol, options["step"])
        data = project_task(
            project,
            options["labels"],
            step.id,
            validation=options["validation"],
            seed=options["seed"],
        )
    missing = left_out(step, data.ids)
    if missing:
        echo_sentence(
            f"Left out, because all finished items have the same answer: {', '.join(missing)}.",
            err=True,
        )
    return data


def _say_data(data: "TaskData") -> None:
    texts, labels = data.train()
    held_out = int(data.held_out.sum())
    click.echo(
        f"Learning {data.name} from {counted(len(texts), 'text')}, "
        f"{int(labels.any(axis=1).sum()):,} with a label; {held_out:,} are held out"
    )
    if data.left_out:
        echo_sentence(
            f"{counted(data.left_out, 'row')} could not be read; see 'tactful corpus validate'",
            err=True,
        )


def _say_card(card: "Card", output: Path) -> None:
    metrics = list(dict.fromkeys(each["metric"] for each in card.figures))
    measured: dict[tuple[str, str], dict[str, str]] = {}
    for each in card.figures:
        measured.setdefault((each["id"], each["part"]), {})[each["metric"]] = _interval(each)
    several = len({part for _, part in measured}) > 1
    rows = [
        [
            name,
            card.thresholds[name],
            *(found.get(metric, "") for metric in metrics),
            *([part] if several else []),
        ]
        for (name, part), found in measured.items()
    ]
    if rows:
        header = ["id", "threshold", *metrics, *(["part"] if several else [])]
        echo(table(header, rows, whole=["id"]))
    for limit in card.limits:
        echo_sentence(limit, err=True)
    click.echo(f"Wrote {card.model} to {output}")


def _interval(figure: Mapping[str, Any]) -> str:
    if figure["low"] is None:
        return f"{figure['value']:.3f}"
    return f"{figure['value']:.3f} [{figure['low']:.3f}, {figure['high']:.3f}]"
