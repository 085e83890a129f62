"""``tactful audit compare``: one model before and after a change, or two models."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.audit.results import find_run
from tactful.cli.audit.running import close, gate_option, runs_option, statistics_options
from tactful.cli.options import SHARE, option
from tactful.cli.output import echo, echo_answer, echo_json, echo_sentence, format_option, table

if TYPE_CHECKING:
    from tactful.audit.estimates.compare import Change, Comparison, ContrastChange

_SHOWN = 10


@click.command("compare")
@click.argument("before")
@click.argument("after")
@click.argument("later", nargs=-1)
@runs_option
@gate_option
@option("--fail-on-growth SHARE", "Exit with 1 if the difference grew by more than this.", SHARE)
@statistics_options
@format_option
def compare_cli(
    before: str,
    after: str,
    later: tuple[str, ...],
    runs: Path,
    fail_on_gap: float | None,
    fail_on_growth: float | None,
    output_format: str,
    **statistics: Any,
) -> None:
    """Compare audits, BEFORE and AFTER a change, or several versions of a model.

    They are names from 'tactful audit list', or folders of runs. With more than two, each is
    compared with the one before it. For continuous integration, --fail-on-gap limits the difference
    of the last one, --fail-on-growth by how much it grew since the one before.

    \b
    tactful audit compare fill-mask-bert fill-mask-bert-tuned --fail-on-gap 0.1
    tactful audit compare v1 v2 v3 v4
    """
    from tactful.audit.estimates.compare import compare_runs
    from tactful.audit.runs.gate import breaches
    from tactful.audit.runs.run import read_run

    versions = [read_run(find_run(name, runs)) for name in (before, after, *later)]
    steps = [compare_runs(*pair, **statistics) for pair in pairwise(versions)]
    if not later:
        echo_answer(output_format, steps[0], print_comparison)
    elif output_format == "json":
        echo_json([step.as_json() for step in steps])
    else:
        print_steps(steps)
    close(*breaches(steps[-1], fail_on_gap, fail_on_growth))


def print_steps(steps: Sequence["Comparison"]) -> None:
    """Print one line for each version, with its change since the one before."""
    from tactful.audit.report.words import interval
    from tactful.pages.text import decimal

    rows = [[steps[0].before, decimal(steps[0].gap.before.value),
             decimal(steps[0].named.before.value), "", "", ""]]  # fmt: skip
    rows += [
        [
            step.after, decimal(step.gap.after.value), decimal(step.named.after.value),
            decimal(step.gap.change.value), interval(step.gap.change),
            step.gap.change.verdict,
        ]
        for step in steps
    ]  # fmt: skip
    columns = ["version", "difference", "named", "change", "interval", "verdict on the change"]
    echo(table(columns, rows, whole=["version"]))
    for note in dict.fromkeys(note for step in steps for note in step.notes):
        echo_sentence(note, "Note: ", "      ")


def print_comparison(found: "Comparison") -> None:
    """Print the groups, the conditions that changed most, and what else differs."""
    from tactful.audit.report.words import interval, verdict_of
    from tactful.pages.text import decimal

    def row(name: str, change: "Change | ContrastChange") -> list[str]:
        values = [change.before, change.after, change.change]
        return [name, *(decimal(each.value) for each in values), interval(change.change)]

    echo_sentence(f"{found.before} ({found.before_model}) → {found.after} ({found.after_model})")
    click.echo()
    echo(
        table(
            ["P(negative)", "before", "after", "change", "interval"],
            [
                row("stigmatized", found.stigmatized),
                row("others", found.others),
                row("difference", found.gap),
                row("named", found.named),
            ],
        )
    )
    if found.gap.change.value is not None:
        echo_sentence(f"Change of the difference: {verdict_of(found.gap.change)}")
    click.echo()
    changed = [each for each in found.conditions if each.change][:_SHOWN]
    if changed:
        echo(
            table(
                ["changed most", "before", "after", "change", "verdict"],
                [
                    [
                        each.name,
                        *map(decimal, (each.before, each.after, each.change)),
                        "" if each.to_others.verdict == "not tested" else each.to_others.verdict,
                    ]
                    for each in changed
                ],
            )
        )
    else:
        echo_sentence("No condition changed.")
    for note in found.notes:
        echo_sentence(note, "Note: ", "      ")
