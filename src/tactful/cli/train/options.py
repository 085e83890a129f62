"""The options of ``tactful train``: which belong together, and what they set."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.options import NOT_NEGATIVE, PATH, given_options, option
from tactful.errors import UsageError

if TYPE_CHECKING:
    from tactful.training.task_training import TrainingOptions

CUSTOM = "custom"
FRAMES_LM = "frames-lm"
"""A command of its own, with options of its own."""
TASKS = ("pcl", "pcl-categories", "unhealthy", "frame", CUSTOM, FRAMES_LM)
DEVICES = ("auto", "cpu", "cuda", "mps")
"""As in :mod:`tactful.training.devices`, which needs torch."""
MODELS = ("tfidf", "vectors", "bilstm", "encoder")
CHECKPOINT_FILE = "checkpoint.safetensors"
"""As in :mod:`tactful.training.loop`, which needs torch."""
USUAL_RECIPES = {
    "pcl": "dpm-roberta",
    "pcl-categories": "dpm-roberta",
    "unhealthy": "ucc-bert",
    "frame": "sbic",
}
"""The recipe of a task, if neither --recipe nor --encoder is given."""
_ONLY_FOR = {
    "encoder": ("encoder",),
    "recipe": ("encoder",),
    "download": ("encoder",),
    "precision": ("encoder",),
    "transformers": ("encoder",),
    "data_map": ("bilstm", "encoder"),
    "epochs": ("bilstm", "encoder"),
    "batch": ("bilstm", "encoder"),
    "rate": ("bilstm", "encoder"),
    "device": ("bilstm", "encoder"),
    "accumulate": ("bilstm", "encoder"),
    "class_weight": ("bilstm", "encoder"),
    "sampling": ("bilstm", "encoder"),
    "vectors": ("vectors", "bilstm"),
    "grid": ("tfidf", "vectors"),
}
_TABLE_ONLY = ("data_table", "text_column", "label_columns", "group_column", "lang")
_PROJECT_ONLY = ("project", "step", "labels")
_CUSTOM_ONLY = (*_TABLE_ONLY, *_PROJECT_ONLY)


def label_columns(given: tuple[str, ...]) -> dict[str, str]:
    """Read COLUMN[=ID] as id -> column."""
    found: dict[str, str] = {}
    for each in given:
        column, equals, name = each.partition("=")
        name = name if equals else column
        if not column or not name:
            raise UsageError(f"Found --label-column {each!r}; expected COLUMN or COLUMN=ID.")
        if name in found:
            raise UsageError(f"Found the id '{name}' twice; expected one column for each id.")
        found[name] = column
    return found


def read_training_options(
    options: dict[str, Any], given: Mapping[str, str], command: str
) -> "TrainingOptions":
    """Turn the options into the settings of the model."""
    from tactful.training.task_training import TrainingOptions

    model, seed = options["model"], options["seed"]
    settings: dict[str, Any] = {"random_state": seed}
    recipe = None
    if model in ("tfidf", "vectors"):
        settings |= _svm_settings(options)
    elif model == "bilstm" and options["vectors"] is not None:
        settings["vectors"] = options["vectors"]
    elif model == "encoder":
        recipe, of_recipe = _encoder_settings(options)
        settings = of_recipe | (settings if "seed" in given else {})
        seed = settings["random_state"]
    settings |= {
        name: options[name]
        for name in ("epochs", "batch", "rate", "device", "accumulate", "class_weight", "sampling")
        if options[name] is not None
    }
    return TrainingOptions(
        model, settings, options["precision"], command, seed, recipe, options["transformers"]
    )


def _svm_settings(options: dict[str, Any]) -> dict[str, Any]:
    from tactful.detectors.models import tfidf, vectors

    room: Any = tfidf if options["model"] == "tfidf" else vectors
    settings = dict(room.DPM_TASK_1 if options["task"] == "pcl" else room.DPM_TASK_2)
    if options["model"] == "vectors":
        if options["vectors"] is None:
            raise UsageError(
                "--model vectors needs a file of word vectors (word2vec, GloVe or fastText); name "
                "it with --vectors."
            )
        settings["vectors"] = options["vectors"]
    return settings | {"grid": options["grid"], "calibrate": True}


def _encoder_settings(options: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    from tactful.training.recipes import find_recipe

    encoder, name = options["encoder"], options["recipe"]
    if name is None and encoder is None:
        name = USUAL_RECIPES.get(options["task"])
    if name is None and encoder is None:
        raise UsageError("Name the encoder to start from with --encoder, or a --recipe.")
    settings: dict[str, Any] = {"random_state": options["seed"], "download": options["download"]}
    if name is not None:
        recipe = find_recipe(name)
        settings |= {"encoder": recipe.encoder, **recipe.settings()}
    if encoder is not None:
        settings["encoder"] = encoder
    return name, settings


def refuse_misplaced(given: Mapping[str, str], task: str, model: str) -> None:
    """Refuse an option that the task or the model would silently ignore."""
    for name, flag in given.items():
        if name in _CUSTOM_ONLY and task != CUSTOM:
            raise UsageError(f"{flag} is for the task 'custom', not for '{task}'.")
        if name == "data" and task == CUSTOM:
            raise UsageError(
                "The task 'custom' learns from --table or --project, and takes no --data."
            )
        if name in _TABLE_ONLY and "project" in given:
            raise UsageError(f"{flag} is for a table, not for --project; use one of them.")
        if name in _PROJECT_ONLY and "project" not in given:
            raise UsageError(f"{flag} needs an annotation project; name it with --project.")
        if model not in _ONLY_FOR.get(name, MODELS):
            raise UsageError(f"{flag} is for --model {' or '.join(_ONLY_FOR[name])}.")


data_option = option(
    "--data", "Folder of the corpus, or the folder above it.  [default: $TACTFUL_DATA]", PATH
)
output_option = option("-o --output", "Folder to write.", PATH, required=True)
seed_option = option("--seed", "Random seed.", NOT_NEGATIVE, 1)
resume_option = option(
    "--resume/--fresh", "Resume an interrupted run, or start over.", default=True
)


def command_line(ctx: click.Context, task: str) -> str:
    """Return the command line with the options that were given, for the card."""
    words = ["tactful", "train", task]
    given = given_options(ctx)
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if name not in given or not isinstance(parameter, click.Option):
            continue
        value = ctx.params[name]
        if parameter.is_flag:
            words.append(parameter.opts[-1] if value else parameter.secondary_opts[-1])
            continue
        for each in value if parameter.multiple else (value,):
            words += [parameter.opts[-1], str(each)]
    return shlex.join(words)


def interrupted(work: Path, kept: str) -> str:
    """Say what an interrupted run leaves behind."""
    if not (work / CHECKPOINT_FILE).is_file():
        return "Stopped before the first checkpoint; nothing was written."
    return (
        f"Stopped; the checkpoint in {work} holds {kept}. Run the same command again to resume, or "
        "with --fresh to start over."
    )
