"""``tactful train stereotypes``: Spanish stereotypes, with the ideas of DETESTS' participants."""

from typing import TYPE_CHECKING, Any

import click

from tactful.cli.options import (
    POSITIVE,
    complete,
    flag,
    force_option,
    option,
    refuse_output,
    several,
)
from tactful.cli.output import echo, echo_sentence, table
from tactful.cli.progress import progress
from tactful.cli.train.options import command_line, data_option, output_option, seed_option
from tactful.errors import MissingExtraError, UsageError
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.detectors.card import Card
    from tactful_lab.training.stereotypes.data import StereotypeLesson
    from tactful_lab.training.stereotypes.switches import Switches

CORPORA = ("stereoimmigrants", "detoxis", "detests")


def _saved_switches() -> list[str]:
    from tactful_lab.training.stereotypes.switches import SWITCHES

    return [name for name, each in SWITCHES.items() if each.saved]


@click.command("stereotypes")
@data_option
@output_option
@option("--corpus", "Corpus to train on.", CORPORA, "stereoimmigrants")
@several(
    "--switch switches NAME",
    "Technique to turn on, such as under-bagging; repeatable.",
    shell_complete=complete(_saved_switches),
)
@option("--encoder NAME|PATH", "Encoder to fine-tune: a folder or a hub name.")
@flag("--download", "Download the encoder from the hub if needed.")
@option("--epochs", "Number of epochs of an encoder.", POSITIVE)
@option("--rate", "Learning rate of an encoder.", click.FloatRange(min=0, min_open=True))
@seed_option
@force_option
@click.pass_context
def train_stereotypes_cli(ctx: click.Context, /, **options: Any) -> None:
    """Train a detector of Spanish stereotypes; load_detector() opens the folder.

    Switches that a saved detector can have: under-bagging, over-sampling, back-translation,
    ensemble, soft-labels; with --encoder: adapters, lora, heads. The others are for
    experiments with the library.

    \b
    tactful train stereotypes --data corpora -o my-detector
    tactful train stereotypes --corpus detests --switch under-bagging --data corpora -o my-detector
    tactful train stereotypes --encoder ./beto --switch lora --data corpora -o my-detector
    """
    train_stereotypes(options, command_line(ctx, "stereotypes"))


def train_stereotypes(options: dict[str, Any], command: str = "") -> None:
    """Train a detector of stereotypes, and report progress and results."""
    from tactful_lab.training.stereotypes.corpora import read_lesson
    from tactful_lab.training.stereotypes.switches import SWITCHES, Switches

    output, force = options["output"], options["force"]
    refuse_output(output, force)
    switches = Switches.of(options["switches"])
    by_encoder = switches.encoder() or options["encoder"] is not None
    _refuse_misplaced(options, switches, by_encoder)
    experimental = switches.experimental()
    if experimental:
        held = ", ".join(name for name, each in SWITCHES.items() if each.saved)
        raise UsageError(
            f"Found --switch {experimental[0]}, which is for experiments with the library: a saved "
            f"detector cannot hold its features; expected {held}."
        )
    lesson = read_lesson(options["corpus"], options["data"])
    click.echo(
        f"Learning {counted(len(lesson.labels), 'label')} from "
        f"{counted(len(lesson.texts), 'text')} of "
        f"{options['corpus']}, {int(lesson.table.any(axis=1).sum()):,} with a label"
    )
    card = (
        _train_encoder(lesson, switches, options, command)
        if by_encoder
        else _train_words(lesson, switches, options, command)
    )
    click.echo(f"Wrote {card.model} to {output}")


def _train_words(
    lesson: "StereotypeLesson", switches: "Switches", options: dict[str, Any], command: str
) -> "Card":
    from tactful_lab.training.stereotypes.detector import save_stereotypes
    from tactful_lab.training.stereotypes.trainer import StereotypeTrainer, TrainerSettings

    trainer = StereotypeTrainer(TrainerSettings(switches, seed=options["seed"])).fit(lesson)
    if trainer.translated_ is not None:
        echo_sentence(trainer.translated_.summary())
    card = save_stereotypes(
        trainer,
        lesson,
        options["output"],
        name=f"stereotypes-{options['corpus']}",
        command=command,
        force=options["force"],
    )
    rows = []
    for name in card.ids:
        found = {each["metric"]: each["value"] for each in card.figures if each["id"] == name}
        if found:
            rows.append([name, card.thresholds[name], *(found.get(m) for m in ("auc", "f1"))])
    echo(table(["id", "threshold", "auc", "f1"], rows, whole=["id"]))
    for limit in card.limits:
        echo_sentence(limit, err=True)
    return card


def _train_encoder(
    lesson: "StereotypeLesson", switches: "Switches", options: dict[str, Any], command: str
) -> "Card":
    try:
        from tactful_lab.training.stereotypes.encoder import StereotypeEncoder
    except ImportError as error:
        raise MissingExtraError("train", "Fine-tuning an encoder") from error
    from tactful.detectors.card import read_card
    from tactful.training.task_training import NOT_FOR

    chosen = {name: options[name] for name in ("epochs", "rate") if options[name] is not None}
    chosen |= {name: name in switches for name in ("adapters", "lora", "heads")}
    model = StereotypeEncoder(
        options["encoder"],
        download=options["download"],
        random_state=options["seed"],
        **chosen,
    )
    labels = lesson.table if len(lesson.labels) > 1 else lesson.table[:, 0]
    with progress("Training", unit="steps") as on_step:
        model.fit(lesson.texts, labels, on_step=lambda step, total, _: on_step(step, total))
    about = {
        "name": f"stereotypes-{options['corpus']}-encoder",
        "lang": "es",
        "corpora": lesson.about,
        "licence": "; ".join(f"that of its corpus: {each.get('terms')}" for each in lesson.about),
        "not_for": NOT_FOR,
        "limits": ("It was neither calibrated nor measured: evaluate it before use.",),
        "training": {"command": command, "data sha256": lesson.fingerprint()},
    }
    model.export(options["output"], lesson.labels, force=options["force"], about=about)
    return read_card(options["output"])


def _refuse_misplaced(options: dict[str, Any], switches: "Switches", by_encoder: bool) -> None:
    if switches.encoder() and options["encoder"] is None:
        raise UsageError(
            f"Found --switch {switches.names()[0]} and no encoder; expected --encoder with a "
            "folder, or a name on the hub."
        )
    if options["encoder"] is not None and switches.on and not switches.encoder():
        raise UsageError(
            f"Found --encoder beside --switch {switches.names()[0]}; expected adapters, "
            "lora or heads there; leave one of them out."
        )
    for name in ("epochs", "rate", "download"):
        if options[name] and not by_encoder:
            raise UsageError(f"Found --{name} without --encoder; expected both or none.")
