"""``tactful audit compare``: one model before and after a change, or two models."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.audit.results import find_run
from tactful.cli.audit.running import close, gate_option, runs_option, statistics_options
from tactful.cli.options import SHARE, option
from tactful.cli.output import echo, echo_answer, echo_sentence, format_option, table

if TYPE_CHECKING:
    from tactful.audit.estimates.compare import Change, Comparison

_SHOWN = 10


@click.command("compare")
@click.argument("before")
@click.argument("after")
@runs_option
@gate_option
@option("--fail-on-growth SHARE", "Exit with 1 if the difference grew by more than this.", SHARE)
@statistics_options
@format_option
def compare_cli(
    before: str,
    after: str,
    runs: Path,
    fail_on_gap: float | None,
    fail_on_growth: float | None,
    output_format: str,
    **statistics: Any,
) -> None:
    """Compare two audits, BEFORE and AFTER a change.

    Both are names from 'tactful audit list', or folders of runs. For continuous integration,
    --fail-on-gap limits the difference of the second, --fail-on-growth by how much it grew.

    \b
    tactful audit compare fill-mask-bert fill-mask-bert-tuned --fail-on-gap 0.1
    """
    from tactful.audit.estimates.compare import compare_runs
    from tactful.audit.runs.gate import breaches
    from tactful.audit.runs.run import read_run

    first, second = (read_run(find_run(name, runs)) for name in (before, after))
    found = compare_runs(first, second, **statistics)
    echo_answer(output_format, found, print_comparison)
    close(*breaches(found, fail_on_gap, fail_on_growth))


def print_comparison(found: "Comparison") -> None:
    """Print the groups, the conditions that changed most, and what else differs."""
    from tactful.audit.report.words import interval
    from tactful.pages.text import decimal

    def row(name: str, change: "Change") -> list[str]:
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
            ],
        )
    )
    if found.p_value is not None:
        chance = "could well be" if found.p_value >= 0.05 else "would rarely be"
        echo_sentence(
            f"A change of the difference this large {chance} chance (p = {found.p_value:.3f})."
        )
    elif found.gap.change.reason is not None:
        echo_sentence(f"The change of the difference {found.gap.change.reason}.")
    click.echo()
    changed = [each for each in found.conditions if each.change][:_SHOWN]
    if changed:
        echo(
            table(
                ["changed most", "before", "after", "change", "p (corrected)"],
                [
                    [
                        each.name,
                        *map(decimal, (each.before, each.after, each.change, each.p_corrected)),
                    ]
                    for each in changed
                ],
            )
        )
    else:
        echo_sentence("No condition changed.")
    for note in found.notes:
        echo_sentence(note, "Note: ", "      ")
