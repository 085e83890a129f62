"""``tactful calibrate``: which threshold on our scores replaces one on old Perspective scores."""

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
    "--scale NAME|FILE",
    "The scale of the server, as of 'tactful serve --scale'.",
    default="perspective",
)
@option(
    "--write-scale FILE",
    "Write a scale on which every old threshold flags the same share of your texts; pass it to "
    "'tactful serve --scale'. Attributes that the file has already stay in it.",
    PATH,
)
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
    scale: str,
    write_scale: Path | None,
    repetitions: int,
    seed: int,
    output_format: str,
    output: Path | None,
    force: bool,
) -> None:
    """Carry thresholds over from old Perspective scores to ours, or write a scale that does.

    OLD is a CSV, TSV or JSON Lines file of your own texts with their old scores; answers of the
    Perspective API that were kept with their comments are read as they are.

    \b
    tactful calibrate scores.csv --attribute TOXICITY --old-threshold 0.8
    tactful calibrate kept.jsonl --attribute INSULT --old-threshold 0.7 --old-threshold 0.9
    tactful calibrate kept.jsonl --attribute TOXICITY --old-threshold 0.8 --write-scale my.json
    """
    from tactful.service.perspective.calibration import calibrate, same_shares
    from tactful.service.perspective.old_scores import read_old_scores
    from tactful.service.perspective.scale import add_to_scale, load_scale

    wanted = _attribute(attribute)
    card, name = scored_as(wanted, lang, model)
    answered = load_scale(scale, [card.model])
    rows = read_old_scores(old, wanted.name, text_column, score_column)
    kept = _in_language(rows, card.lang, lang)
    left_out = len(rows) - len(kept)
    with progress(f"Scoring {len(kept):,} texts"):
        new = _new_scores([row.text for row in kept], name, card.lang, model)
    before = [row.score for row in kept]
    found = calibrate(
        before,
        [answered.score(card.model, name, each) for each in new],
        thresholds,
        repetitions=repetitions,
        seed=seed,
    )
    if write_scale is not None:
        add_to_scale(write_scale, card.model, name, same_shares(before, new))
    answer = {
        "schema": SCHEMA,
        "attribute": wanted.name,
        "model": model,
        "scale": scale,
        "left_out": left_out,
        "seed": seed,
        "repetitions": repetitions,
        **asdict(found),
    }
    if output is not None:
        with atomic_path(output, force) as temporary:
            temporary.write_text(json.dumps(answer, indent=2) + "\n", encoding="utf-8")
    echo_answer(output_format, answer, lambda _: _print(found, wanted, left_out))
    for path in (output, write_scale):
        if path is not None:
            echo_sentence(f"Wrote {path}.", err=output_format == "json")


def _attribute(name: str) -> "Attribute":
    from tactful.registry import unknown_name
    from tactful.service.perspective.mapping import attributes, find_attribute

    found = find_attribute(name)
    if found is None:
        scored = [each for each, row in attributes().items() if row.id]
        raise unknown_name("attribute", name, scored)
    return found


def scored_as(attribute: "Attribute", lang: str, model: str) -> tuple["Card", str]:
    """Return the card of the detector that scores an attribute, and the id."""
    if attribute.id is None:
        raise UsageError(
            f"{attribute.name} cannot be scored: {attribute.reason} The nearest attribute is "
            f"{attribute.nearest}."
        )
    for card in _cards(lang, model):
        name = attribute.id_for(card.ids)
        if name is not None and lang in ("auto", card.lang):
            return card, name
    where = "" if lang == "auto" else f" in the language '{lang}'"
    raise UsageError(
        f"The detector '{model}' does not score {attribute.id}{where}, of which {attribute.name} "
        "is made; name another --model or --lang."
    )


def _cards(lang: str, model: str) -> list["Card"]:
    """Return the cards of the detectors that a name means, in one language or in all."""
    from tactful.detectors.card import read_card
    from tactful.detectors.load import DETECTORS, embedded_folders, load_detector

    if model in DETECTORS:
        found = embedded_folders(model, () if lang == "auto" else (lang,))
        if not found:
            load_detector(model)  # says that none is installed
        return [read_card(folder) for folder in found.values()]
    if Path(model).is_dir():
        return [read_card(Path(model))]
    return [load_detector(model).card]


def _in_language(rows: Sequence["OldScore"], spoken: str, lang: str) -> list["OldScore"]:
    """Return the texts to score; with ``auto``, those in another language are left out."""
    from tactful.documents.language import guess_language

    # A text whose language is unclear is read as the server does: in the first one.
    return [row for row in rows if lang != "auto" or guess_language(row.text) in (None, spoken)]


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
