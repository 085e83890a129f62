"""``tactful annotate suggest``, ``rank`` and ``anchoring``: models in the loop."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tactful.annotation.protocol.changes import DEFAULTS, RANK_BY, RankBy
from tactful.cli.annotate.writing import writing
from tactful.cli.options import PATH, POSITIVE, flag, option
from tactful.cli.output import echo, echo_json, echo_sentence, table
from tactful.cli.progress import progress
from tactful.errors import UsageError
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.annotation.learning.ranking import Ranking
    from tactful.annotation.project.project import Project

JSON_VERSION = 1


@click.command("suggest")
@click.argument("folder", type=PATH)
@option("--model NAME|PATH", "Detector: a name such as default, or a folder.", default="default")
@option("--step", "Step to suggest answers for.  [default: all steps of annotators]")
@option(
    "--blind-share",
    "Share of items and people that get no suggestion, to measure anchoring.  "
    "[default: the project's, at first 0.2]",
    click.FloatRange(0, 1),
)
def suggest_cli(folder: Path, model: str, step: str | None, blind_share: float | None) -> None:
    """Suggest answers to the items of FOLDER that need judgements, with a detector.

    Annotators see a suggestion beside the questions, and confirm, change or refuse it; it never
    counts by itself. A share of items and people is judged blind: see 'tactful annotate
    anchoring'.

    \b
    tactful annotate suggest my-project
    tactful annotate suggest my-project --model my-detector --blind-share 0.3
    """
    from tactful.annotation.learning.suggest import suggest_with, without_suggestion
    from tactful.annotation.project.project import Project
    from tactful.detectors.load import load_detector

    with Project.open(folder, read_only=True) as project:
        _check_step(project, step)
        detector = load_detector(model, lang=project.protocol.lang)
        card = detector.card
        source = f"{card.name} {card.version}"
        with progress("Reading", unit="items") as on_progress:
            found = suggest_with(project, detector, source, step, on_progress=on_progress)
    with writing(folder) as opened:
        new = opened.suggest(found)
        if blind_share is not None:
            opened.change({"blind_share": blind_share})
    with Project.open(folder, read_only=True) as project:
        share = project.state.settings["blind_share"]
        missing = without_suggestion(project)
    echo_sentence(
        f"Suggested answers by {source} for {counted(len(found), 'item')}; "
        f"{counted(new, 'new suggestion')}. {share:.0%} of items and people are judged blind."
    )
    say_missing(missing)


def say_missing(missing: dict[str, int]) -> None:
    """Warn about hidden tests without a suggestion."""
    for name, tests in missing.items():
        echo_sentence(
            f"{counted(tests, 'hidden test')} of the step '{name}' "
            f"{'has' if tests == 1 else 'have'} no suggestion and would "
            "stand out, so nobody is shown one there; run 'tactful annotate suggest' with a "
            "detector that scores the questions of this step.",
            err=True,
        )


@click.command("rank")
@click.argument("folder", type=PATH)
@option(
    "--by",
    "What comes first: where a model is unsure, where people or models disagree, texts unlike "
    "those that are labelled, or all three.",
    list(RANK_BY),
    DEFAULTS["rank_by"],
)
@option("--step", "Step to learn.  [default: the first one with options]")
@option("--count", "Number of items to put first.", POSITIVE, 500)
@option(
    "--every",
    "Also rank again whenever this many judgements arrived while the project is served; 0 stops "
    "it.",
    click.IntRange(min=0),
)
@flag("--dry-run", "Change nothing.")
@flag("--json as_json", "Print JSON.")
def rank_cli(
    folder: Path,
    by: RankBy,
    step: str | None,
    count: int,
    every: int | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put the open items of FOLDER first that help a model most, and show its learning curve.

    A quick model learns from the labels so far. The order is an event in the log; hidden tests and
    the division of work stay as they are.

    \b
    tactful annotate rank my-project
    tactful annotate rank my-project --by mixed --every 50
    """
    from tactful.annotation.learning.ranking import rank_project
    from tactful.annotation.project.project import Project

    if dry_run and every is not None:
        raise UsageError("Found --dry-run and --every; use one of them.")
    with Project.open(folder, read_only=True) as project:
        _check_step(project, step)
        with progress("Reading", unit="texts") as on_progress:
            found = rank_project(project, by, step, count=count, on_progress=on_progress)
    data = found.data()
    if not dry_run:
        with writing(folder) as opened:
            if every is not None:
                opened.change({"rank_every": every or None, "rank_by": by})
            opened.rank(found.first, by, {k: v for k, v in data.items() if k not in _GIVEN})
    if as_json:
        echo_json({"schema_version": JSON_VERSION, **data})
        return
    verb = "Would put" if dry_run else "Put"
    echo_sentence(
        f"{verb} {counted(len(found.first), 'item')} of {found.candidates:,} first by {by}, "
        f"learnt from {counted(found.labels, 'judged item')} of the step '{found.step}'."
    )
    _say_curve(found)


_GIVEN = ("first", "by")


def _say_curve(found: "Ranking") -> None:
    if not found.curve:
        echo_sentence("Too few labels for a learning curve: ten of each kind are needed.")
        return
    rows = [
        [each.labels, f"{each.score:.3f}", f"{each.low:.3f} to {each.high:.3f}"]
        for each in found.curve
    ]
    echo("", table(["labels", "F1", "interval"], rows))


@click.command("anchoring")
@click.argument("folder", type=PATH)
@flag("--json as_json", "Print JSON.")
@option("--output -o", "Write the figures as a CSV file.", PATH)
@flag("--force", "Replace an existing file.")
def anchoring_cli(folder: Path, as_json: bool, output: Path | None, force: bool) -> None:
    """Compare judgements with suggestions in FOLDER: where they were shown, and where not."""
    from tactful.annotation.learning.anchoring import HEADER, anchoring, rows
    from tactful.annotation.project.project import Project

    with Project.open(folder, read_only=True) as project:
        found = anchoring(project.state)
    if output is not None:
        import csv

        from tactful.files import atomic_path

        with (
            atomic_path(output, force) as path,
            path.open("w", encoding="utf-8", newline="") as file,
        ):
            writer = csv.writer(file)
            writer.writerow(HEADER)
            writer.writerows(rows(found))
    if as_json:
        echo_json(
            {
                "schema_version": JSON_VERSION,
                "agreement": [dict(zip(HEADER, row, strict=True)) for row in rows(found)],
                "anchoring": [
                    {
                        "step": each.step,
                        "question": each.question,
                        "difference": each.difference,
                        "interval": each.interval,
                    }
                    for each in found
                ],
            }
        )
    elif not found:
        echo_sentence("Nobody has judged an item with a suggestion yet.")
    else:
        shown = [
            [
                each.question,
                _share(each.shown.value, each.shown.interval, each.shown.judgements),
                _share(each.blind.value, each.blind.interval, each.blind.judgements),
                _signed(each.difference, each.interval),
            ]
            for each in found
        ]
        echo(table(["question", "shown", "blind", "difference"], shown, whole=["question"]))
    if output is not None and not as_json:
        click.echo(f"Wrote {output}")


def _share(value: float | None, interval: tuple[float, float] | None, of: int) -> str:
    if value is None or interval is None:
        return "no judgements"
    return f"{value:.0%} [{interval[0]:.0%}, {interval[1]:.0%}] of {of:,}"


def _signed(value: float | None, interval: tuple[float, float] | None) -> str:
    if value is None or interval is None:
        return "unknown"
    low, high = interval
    return f"{round(100 * value):+d} [{round(100 * low):+d}, {round(100 * high):+d}] points"


def _check_step(project: "Project", step: str | None) -> None:
    from tactful.registry import unknown_name

    known = [each.id for each in project.protocol.steps if each.role == "annotator"]
    if step is not None and step not in known:
        raise unknown_name("step of annotators", step, known)
