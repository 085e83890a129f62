"""``tactful feedback retrain``: refit a detector on the decisions of moderators."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tactful.cli.feedback.store import opened, store_argument, suggestions_option
from tactful.cli.options import PATH, flag, force_option, option, refuse_output
from tactful.cli.output import echo, echo_answer, echo_sentence, format_option, table
from tactful.cli.progress import progress

if TYPE_CHECKING:
    from tactful.training.refit import Measured, Refit

SCHEMA = "tactful/feedback-retrain/1"


@click.command("retrain")
@store_argument
@option("--output -o", "The folder of the new detector.", PATH, required=True)
@option("--model NAME|FOLDER", "The detector to refit.", default="default")
@option("--lang", "Its language; texts in others are left out.", default="en")
@suggestions_option
@flag("--thresholds-only", "Refit calibration and thresholds, and no heads.")
@option("--seed", "Which texts are held out.", int, 1)
@format_option
@force_option
def retrain_cli(
    store: str,
    output: Path,
    model: str,
    lang: str,
    suggestions: bool,
    thresholds_only: bool,
    seed: int,
    output_format: str,
    force: bool,
) -> None:
    """Refit a detector on the feedback, and show before and after on held-out texts.

    An id needs 40 labels, 8 of each kind, beside the 30 % that are held out; its head is refitted
    from 100 on, where cross-validation says that this helps. All others stay as they are. The
    folder that is written opens with --model.

    \b
    tactful feedback retrain sqlite:///feedback.db -o my-detector
    tactful serve --model my-detector
    """
    from tactful.detectors.base import LogitsDetector
    from tactful.detectors.load import is_detector_name, load_detector
    from tactful.errors import UsageError
    from tactful.service.feedback.labels import judged_texts
    from tactful.training.refit import Judgement, refit

    refuse_output(output, force)
    name: str | Path = model if is_detector_name(model) else Path(model)
    detector = load_detector(name, lang=lang)
    if not isinstance(detector, LogitsDetector):
        raise UsageError(
            f"The detector '{model}' cannot be refitted, because it is no sum of log-odds; "
            "expected an encoder, a linear detector or a blend, such as 'default' in English."
        )
    card = detector.card
    with opened(store) as found:
        judged = judged_texts(found.records(), suggestions=suggestions)
    used = [
        Judgement(each.item, each.labels, each.text, each.scores)
        for each in judged
        if each.lang in (None, card.lang) and (each.text is not None or each.model == card.model)
    ]
    with progress(f"Refitting on {len(used):,} texts"):
        fits = refit(detector, used, output, seed=seed, heads=not thresholds_only, force=force)
    answer = {
        "schema": SCHEMA,
        "base": card.model,
        "texts": len(used),
        "ids": [asdict(each) for each in fits],
        "output": str(output),
    }
    echo_answer(output_format, answer, lambda _: _show(fits))
    echo_sentence(
        f"Wrote {output}; use it with: tactful serve --model {output}", err=output_format == "json"
    )


def _show(fits: "list[Refit]") -> None:
    rows = [
        [each.id, each.what, f"{each.fitted_on} ({each.positive})", str(each.held_out),
         _change(each, "auc"), _change(each, "brier"), _change(each, "f1"),
         _change(each, "precision"), _change(each, "recall")]
        for each in fits
        if each.what != "unchanged"
    ]  # fmt: skip
    if rows:
        head = ["id", "refitted", "labels (yes)", "held out", "AUC", "Brier", "F1", "precision"]
        echo(table([*head, "recall"], rows))
        echo_sentence("Before and after, on held-out texts; F1 at the reporting threshold.")
    for each in fits:
        if each.what == "unchanged":
            echo_sentence(f"{each.id} is unchanged: it has {each.reason}.")
        elif _is_worse(each.before, each.after):
            echo_sentence(f"{each.id} became worse on held-out texts; think before you use it.")


def _change(each: "Refit", measure: str) -> str:
    values = [getattr(part, measure) if part else None for part in (each.before, each.after)]
    return " → ".join("none" if value is None else f"{value:.3f}" for value in values)


def _is_worse(before: "Measured | None", after: "Measured | None") -> bool:
    if before is None or after is None or before.brier is None or after.brier is None:
        return False
    return after.brier > before.brier
