"""What the commands that audit a model share: options, progress, and printing results."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.audit.runs.conduct import FOLDER, conduct
from tactful.cli.options import PATH, POSITIVE, SHARE, flag, option, together
from tactful.cli.output import echo, echo_json, echo_sentence, format_option, table
from tactful.cli.progress import progress
from tactful.errors import EXIT_FAILURE

if TYPE_CHECKING:
    from tactful.audit.probes.schema import Probe
    from tactful.audit.protocol import Asker
    from tactful.audit.results import AuditResult
    from tactful.taxonomies.prompts import Prompt

runs_option = option("--runs", "The folder with the audited models.", PATH, FOLDER)
gate_option = option(
    "--fail-on-gap SHARE",
    "Exit with 1 if the difference (stigmatized minus others) is above this.",
    SHARE,
)
named_option = option(
    "--fail-on-named SHARE",
    "Exit with 1 if naming any condition makes the model more negative by more than this.",
    SHARE,
)
download_option = flag(
    "--download", "Download the model from the hub if it is not on this machine."
)
statistics_options = together(
    option(
        "--smallest-effect SHARE",
        "The smallest difference of interest; nothing below it is called more negative.",
        SHARE,
        0.05,
    ),
    option("--repetitions", "Samples drawn for intervals and tests.", POSITIVE, 2000),
    option("--seed", "Seed of the bootstrap and the tests.", int, 0),
)
probe_option = option(
    "--probe probe_name NAME|FILE",
    "The probe to ask; see 'tactful audit probe list'.",
    default="social_distance",
)
running_options = together(
    probe_option,
    runs_option,
    option("--name NAME", "Name of the run.  [default: KIND-MODEL]"),
    gate_option,
    named_option,
    format_option,
    flag("--force", "Replace an audit of the same name."),
)


def audit(
    asker: "Asker",
    probe: "Probe",
    prompts: Sequence["Prompt"],
    *,
    runs: Path,
    name: str | None,
    fail_on_gap: float | None,
    fail_on_named: float | None,
    output_format: str,
    **options: Any,
) -> None:
    """Audit a model, print the result, and exit with 1 where it fails a limit.

    ``options`` are those of :func:`~tactful.audit.runs.conduct.conduct`.
    """
    from tactful.audit.estimates.figures import audit_result
    from tactful.audit.runs.gate import checks
    from tactful.audit.runs.store import AnswerStore

    name = name or None
    if name is not None:
        check_name(name)
    try:
        with progress(f"Asking {asker.name}", unit="prompts") as on_progress:
            run = conduct(
                asker, probe, prompts, runs, name=name, on_progress=on_progress, **options
            )
    except KeyboardInterrupt:
        kept = len(AnswerStore(runs, asker.kind, asker.name, asker.fingerprint))
        click.echo(
            f"Stopped; {kept:,} answers are kept. Run the same command again to resume.", err=True
        )
        raise
    result = audit_result([run])
    if output_format == "json":
        echo_json(result.as_json())
    else:
        print_result(result)
        echo_sentence(f"Saved in {runs / run.name}; 'tactful audit report' makes a page of it.")
    close(*(each.failure for each in checks(result.models, fail_on_gap, fail_on_named)))


def check_name(name: str) -> None:
    """Refuse a name that cannot be the name of a new folder."""
    from tactful.audit.runs.conduct import slug
    from tactful.audit.runs.store import FOLDER as ANSWERS
    from tactful.errors import UsageError

    if slug(name) != name or name == ANSWERS:
        raise UsageError(
            f"Found the name '{name}'; expected letters, digits, dots, dashes and underscores, and "
            f"not '{ANSWERS}'."
        )


def close(*breaches: str | None) -> None:
    """Print the limits that were exceeded and exit with 1; do nothing where there are none."""
    said = [sentence for sentence in breaches if sentence]
    for sentence in said:
        echo_sentence(sentence, err=True)
    if said:
        raise click.exceptions.Exit(EXIT_FAILURE)


def print_result(result: "AuditResult") -> None:
    """Print sentences and small tables about every model."""
    from tactful.audit.report.sentences import overall_sentences, summary_sentences
    from tactful.audit.report.words import kind_of, labels
    from tactful.audit.terminal import (
        TEMPLATE_COLUMNS,
        TOP_COLUMNS,
        template_rows,
        top_conditions_rows,
        warnings_of,
    )
    from tactful.words import visible

    names, blocks = labels(result), _can_print_blocks()
    for model in result.models:
        name = names[model.run]
        click.echo(click.style(f"{name} ({kind_of(model.kind)})", bold=True))
        for sentence in summary_sentences(model, name):
            echo_sentence(sentence)
        click.echo()
        for columns, rows in (
            (TEMPLATE_COLUMNS, template_rows(model)),
            (TOP_COLUMNS, top_conditions_rows(model, blocks=blocks)),
        ):
            if rows:
                echo(table(columns, rows))
                click.echo()
        for warning in warnings_of(model):
            echo_sentence(warning, "Note: ", "      ")
    for sentence in overall_sentences(result):
        echo_sentence(sentence)
    for note in result.notes:
        echo_sentence(visible(note), "Note: ", "      ")


def _can_print_blocks() -> bool:
    try:
        "▌█".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
