"""``tactful calibrate``: which threshold on our scores stands for one on old Perspective scores."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tactful.cli.options import PATH, SHARE, force_option, option, several
from tactful.cli.output import echo, echo_answer, echo_sentence, format_option, table
from tactful.cli.progress import progress
from tactful.errors import UsageError
from tactful.files import atomic_path
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.detectors.card import Card
    from tactful.service.perspective.calibration import Calibration, Decision, Estimate
    from tactful.service.perspective.mapping import Attribute
    from tactful.service.perspective.old_scores import OldScore

SCHEMA = "tactful/calibrate/1"
_BATCH = 256


@click.command("calibrate")
@click.argument("old", type=PATH)
@option("--attribute NAME", "The attribute, as TOXICITY.", required=True)
@several(
    "--old-threshold thresholds P",
    "A threshold you used on the old scores; repeatable.",
    SHARE,
    required=True,
)
@option(
    "--text-column COLUMN",
    "Where the texts are.  [default: text, comment.text, comment or comment_text]",
)
@option(
    "--score-column COLUMN",
    "Where the old scores are; dots lead into JSON.  [default: the name of the attribute, or "
    "its summary score in an answer of Perspective]",
)
@option("--lang", "The language of the texts; auto detects it for each.", default="auto")
@option("--model", "The detector of the server.", default="default")
@option(
    "--repetitions",
    "Samples of the bootstrap that the intervals come from.",
    click.IntRange(50, 100_000),
    1000,
)
@option("--seed", "The seed of the bootstrap.", int, 1)
@format_option
@option("--output -o", "Also write the JSON here.", PATH)
@force_option
def calibrate_cli(
    old: Path,
    attribute: str,
    thresholds: tuple[float, ...],
    text_column: str | None,
    score_column: str | None,
    lang: str,
    model: str,
    repetitions: int,
    seed: int,
    output_format: str,
    output: Path | None,
    force: bool,
) -> None:
    """Carry thresholds over from old Perspective scores to ours.

    OLD is a CSV, TSV or JSON Lines file of your own texts with their old scores; answers of the
    Perspective API that were kept with their comments are read as they are.

    \b
    tactful calibrate scores.csv --attribute TOXICITY --old-threshold 0.8
    tactful calibrate kept.jsonl --attribute INSULT --old-threshold 0.7 --old-threshold 0.9
    """
    from tactful.service.perspective.old_scores import read_old_scores

    wanted = _attribute(attribute)
    spoken, name = scored_as(wanted, lang, model)
    rows = read_old_scores(old, wanted.name, text_column, score_column)
    with progress(f"Scoring {len(rows):,} texts"):
        found, left_out = calibrate_scores(
            rows, name, thresholds, spoken, lang, model, repetitions, seed
        )
    told = {
        "schema": SCHEMA,
        "attribute": wanted.name,
        "model": model,
        "left_out": left_out,
        "seed": seed,
        "repetitions": repetitions,
        **asdict(found),
    }
    if output is not None:
        with atomic_path(output, force) as temporary:
            temporary.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    echo_answer(output_format, told, lambda _: _print(found, wanted, left_out))
    if output is not None:
        echo_sentence(f"Wrote {output}.", err=output_format == "json")


def _attribute(name: str) -> "Attribute":
    from tactful.registry import unknown_name
    from tactful.service.perspective.mapping import attributes, find_attribute

    found = find_attribute(name)
    if found is None:
        scored = [each for each, row in attributes().items() if row.ids or row.own]
        raise unknown_name("attribute", name, scored)
    return found


def scored_as(attribute: "Attribute", lang: str, model: str) -> tuple[str, str]:
    """Return the language in which a detector scores an attribute, and the id."""
    from tactful.detectors.load import EMBEDDED

    languages = list(attribute.ids or EMBEDDED)
    spoken = languages[0] if lang == "auto" else lang
    if spoken in EMBEDDED:
        card = _card(model, spoken)
        spoken = card.lang if lang == "auto" else lang
        if name := attribute.id_for(spoken, card.ids):
            return spoken, name
    if not attribute.ids and (attribute.own is None or spoken in EMBEDDED):
        raise UsageError(
            f"{attribute.name} cannot be scored: {attribute.reason} The nearest attribute is "
            f"{attribute.nearest}."
        )
    if spoken not in languages:
        raise UsageError(
            f"{attribute.name} is not scored in the language '{spoken}'; expected auto or "
            f"{' or '.join(languages)}."
        )
    raise UsageError(
        f"The detector '{model}' does not score {attribute.ids[spoken]}, of which "
        f"{attribute.name} is made."
    )


def _card(model: str, lang: str) -> "Card":
    from tactful.detectors.card import read_card
    from tactful.detectors.load import EMBEDDED, load_detector
    from tactful.detectors.weights import weights_folder

    if embedded := EMBEDDED[lang].get(model):
        return read_card(weights_folder(embedded))
    if Path(model).is_dir():
        return read_card(Path(model))
    return load_detector(model, lang=lang).card


def calibrate_scores(
    rows: Sequence["OldScore"],
    name: str,
    thresholds: Sequence[float],
    spoken: str,
    lang: str = "auto",
    model: str = "default",
    repetitions: int = 1000,
    seed: int = 1,
) -> tuple["Calibration", int]:
    """Score the texts again and compare; also return how many were left out for their language.

    ``spoken`` is the language of the detector; with ``auto`` texts in another one are left out.
    """
    from tactful.documents.language import guess_language
    from tactful.service.perspective.calibration import calibrate

    # A text whose language cannot be told is read as the server does: in the first one.
    kept = [row for row in rows if lang != "auto" or guess_language(row.text) in (None, spoken)]
    new = _new_scores([row.text for row in kept], name, spoken, model)
    found = calibrate(
        [row.score for row in kept], new, thresholds, repetitions=repetitions, seed=seed
    )
    return found, len(rows) - len(kept)


def _new_scores(texts: Sequence[str], name: str, lang: str, model: str) -> list[float]:
    from tactful.detectors.load import EMBEDDED, load_detector
    from tactful.service.engine.excerpts import whole_pieces

    embedded = model in EMBEDDED.get(lang, {}) or not Path(model).exists()
    detector = load_detector(model, lang=lang) if embedded else load_detector(Path(model))
    new = [0.0] * len(texts)
    pieces = [
        (row, text[start:end])
        for row, text in enumerate(texts)
        for start, end in whole_pieces(text)
    ]
    for at in range(0, len(pieces), _BATCH):
        batch = pieces[at : at + _BATCH]
        scores = detector.score([piece for _, piece in batch])
        for place, (row, _) in enumerate(batch):
            new[row] = max(new[row], float(scores[name][place]))
    return new


def _print(found: "Calibration", attribute: "Attribute", left_out: int) -> None:
    echo_sentence(
        f"{attribute.name}: {counted(found.texts, 'text')} with old and new scores"
        + (f"; {left_out:,} left out, in another language" if left_out else "")
        + f". Rank correlation {_shown(found.correlation)}."
    )
    for each in found.thresholds:
        echo_sentence(f"Old threshold {each.old:g}: flagged {each.flagged:.1%} of the texts.")
        decisions = (
            ("same share flagged", each.same_share),
            ("best agreement", each.best_agreement),
            ("the old number, unchanged", each.unchanged),
        )
        echo(
            table(
                ["choice", "new threshold", "flagged", "same decision", "kappa"],
                [[name, *_cells(decision)] for name, decision in decisions],
            )
        )


def _cells(decision: "Decision") -> list[str]:
    return [
        _shown(decision.threshold),
        *("" if each is None else f"{each:.1%}" for each in (decision.flagged, decision.same)),
        "" if decision.kappa is None else f"{decision.kappa:.2f}",
    ]


def _shown(estimate: "Estimate") -> str:
    if estimate.value is None:
        return f"none: {estimate.reason}"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
