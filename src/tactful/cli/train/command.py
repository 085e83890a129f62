"""``tactful train``: learn a detector from a corpus or from the user's own table."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.corpus.options import force_option
from tactful.cli.delegating import DelegatingCommand
from tactful.cli.output import echo, echo_sentence, table
from tactful.cli.progress import progress
from tactful.cli.train.options import (
    CUSTOM,
    FRAMES_LM,
    MODELS,
    TASKS,
    command_line,
    label_columns,
    read_training_options,
    refuse_misplaced,
)
from tactful.errors import UsageError
from tactful.registry import unknown_name
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.detectors.card import Card
    from tactful.training.task_data import TaskData
    from tactful.training.task_training import TrainingOptions


def _complete_task(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in TASKS if name.startswith(incomplete)]


@click.command(
    "train",
    cls=DelegatingCommand,
    delegates={
        "frames-lm": "tactful.cli.train.frames_lm:train_frames_lm_cli",
        "stereotypes": "tactful.cli.train.stereotypes:train_stereotypes_cli",
    },
)
@click.argument("task", shell_complete=_complete_task)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="The folder with the corpora, or that of the one needed.  [default: $TACTFUL_DATA]",
)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The folder.")
@click.option(
    "--model",
    type=click.Choice(MODELS),
    default="encoder",
    show_default=True,
    help="What learns: words, word vectors, an LSTM over them, or a pretrained encoder.",
)
@click.option("--encoder", metavar="NAME|PATH", help="A folder, or a name on the hub.")
@click.option("--recipe", help="The settings of a paper, such as dpm-roberta.")
@click.option("--download", is_flag=True, help="Fetch the encoder from the hub if needed.")
@click.option(
    "--precision",
    type=click.Choice(["int8", "fp32"]),
    default="int8",
    show_default=True,
    help="How the encoder's weights are written.",
)
@click.option("--vectors", type=click.Path(path_type=Path), help="A file of word vectors.")
@click.option("--grid", is_flag=True, help="Search the settings of the support vector machines.")
@click.option("--epochs", type=click.IntRange(min=1), help="How often all texts are seen.")
@click.option("--batch", type=click.IntRange(min=1), help="How many texts are seen at a time.")
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), help="The learning rate.")
@click.option("--class-weight", type=click.Choice(["balanced"]), help="Weigh rare labels up.")
@click.option(
    "--sampling",
    type=click.Choice(["balanced"]),
    help="Show texts with and without labels equally often.",
)
@click.option(
    "--negatives",
    type=click.FloatRange(min=0),
    help="Learn from at most so many texts without a label for each with one.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="The seed of all that is random.",
)
@click.option(
    "--validation",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.1,
    show_default=True,
    help="The share held out for thresholds, calibration and figures.",
)
@click.option(
    "--table", "data_table", type=click.Path(path_type=Path), help="Your table, for 'custom'."
)
@click.option("--text-column", default="text", show_default=True, help="Its column of texts.")
@click.option(
    "--label-column",
    "label_columns",
    multiple=True,
    metavar="COLUMN[=ID]",
    help="A column of 0 and 1, and the id it stands for; repeatable.  [default: label]",
)
@click.option("--group-column", help="Texts of one group stay in one part.")
@click.option("--lang", default="en", show_default=True, help="The language of your table.")
@click.option(
    "--resume/--fresh",
    default=True,
    show_default=True,
    help="Go on where a run was stopped, or start anew.",
)
@force_option
@click.pass_context
def train_cli(ctx: click.Context, /, **options: Any) -> None:
    """Learn a detector and write a folder that --model and load_detector() open.

    TASK is pcl, pcl-categories, unhealthy or frame, learnt from their corpora; custom, learnt from
    your own table; frames-lm, a causal language model that writes frames ('tactful train frames-lm
    --help'); or stereotypes, in Spanish, from a corpus of yours ('tactful train stereotypes
    --help').

    \b
    tactful train pcl --model tfidf --data corpora -o my-detector
    tactful train unhealthy --encoder ./bert-base-uncased --data corpora -o my-detector
    tactful train custom --table posts.csv --label-column rude=my.rude -o my-detector
    """
    task, output = options["task"], options["output"]
    if task not in TASKS:
        raise unknown_name("task", task, list(TASKS))
    if task == FRAMES_LM:
        raise UsageError(
            "'frames-lm' has options of its own: write 'tactful train frames-lm', then the options."
        )
    given = [
        name
        for name in options
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    refuse_misplaced(ctx.command, given, task, options["model"])
    _refuse_output(output, options["force"])
    work = output.with_name(f"{output.name}.training")
    command = command_line(ctx.command, options, given)
    train(read_training_options(options, given, command), options, work)


def train(chosen: "TrainingOptions", options: dict[str, Any], work: Path) -> None:
    """Train one detector, saying what happens."""
    from tactful.training.task_data import thinned
    from tactful.training.task_training import clear_work, require_extra, train_task

    require_extra(chosen.model)
    data = _read(options)
    if options["negatives"] is not None:
        data = thinned(data, options["negatives"], chosen.seed)
    if not options["resume"]:
        clear_work(work)
    _say_data(data)
    kept: list[Any] = []

    def on_epoch(epoch: Any) -> None:
        kept.append(epoch)
        held_out = "" if epoch.held_out_loss is None else f", held out {epoch.held_out_loss:.4f}"
        click.echo(
            f"Epoch {epoch.number} of {epoch.epochs}: loss {epoch.loss:.4f}{held_out}, "
            f"{epoch.seconds:.0f} s"
        )

    try:
        with progress("Training", unit="steps") as on_step:
            card = train_task(
                data,
                chosen,
                options["output"],
                work,
                force=options["force"],
                on_epoch=on_epoch,
                on_step=lambda step, total, _: on_step(step, total),
            )
    except KeyboardInterrupt:
        echo_sentence(_stopped(work, kept), err=True)
        raise
    _say_card(card, options["output"])


def _stopped(work: Path, kept: list[Any]) -> str:
    from tactful.training.task_training import CHECKPOINT_FILE

    if not (work / CHECKPOINT_FILE).is_file():
        return "Stopped before anything was kept; nothing was written."
    done = f"{kept[-1].number} of {kept[-1].epochs} epochs" if kept else "what was learnt before"
    return (
        f"Stopped; {done} stay in {work}. Run the same command again to go on from there, or with "
        "--fresh to start anew."
    )


def _read(options: dict[str, Any]) -> "TaskData":
    from tactful.training.task_data import custom_task, read_task

    seed, share = options["seed"], options["validation"]
    if options["task"] != CUSTOM:
        return read_task(options["task"], options["data"], share, seed)
    from tactful.tables import read_table, require_columns

    file = options["data_table"]
    if file is None:
        raise UsageError("The task 'custom' learns from your own table; name it with --table.")
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


def _refuse_output(output: Path, force: bool) -> None:
    """Refuse before hours of training what could not be written after them."""
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output}: found a file; expected the name of a folder to write.")
    if output.is_dir() and any(output.iterdir()) and not force:
        raise UsageError(f"{output}: it exists already; name another place or pass --force.")


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
        heads = ["id", "threshold", *metrics, *(["part"] if several else [])]
        echo(table(heads, rows, whole=["id"]))
    for limit in card.limits:
        echo_sentence(limit, err=True)
    click.echo(f"Wrote {card.model} to {output}")


def _interval(figure: Mapping[str, Any]) -> str:
    if figure["low"] is None:
        return f"{figure['value']:.3f}"
    return f"{figure['value']:.3f} [{figure['low']:.3f}, {figure['high']:.3f}]"
