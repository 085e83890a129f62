"""``tactful audit list``, ``report`` and ``correlate``: the results of the audited models."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.audit.running import runs_option, statistics_options
from tactful.cli.options import PATH, flag, force_option, option
from tactful.cli.output import echo, echo_json, echo_sentence, format_option, table
from tactful.errors import UsageError
from tactful.registry import unknown_name
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.audit.runs.run import Run

_NOTHING = (
    "No model has been audited in '{}' yet; start with 'tactful audit sentiment --model vader'."
)


@click.command("list")
@runs_option
@format_option
def list_cli(runs: Path, output_format: str) -> None:
    """List the models audited so far, each with its difference."""
    from tactful.audit.estimates.figures import audit_result
    from tactful.audit.runs.run import list_runs
    from tactful.pages.text import decimal

    rows: list[dict[str, Any]] = []
    for run in list_runs(runs):
        # The interval is not shown, so one sample is enough.
        gap = audit_result([run], repetitions=1).models[0].gap
        rows.append(
            {
                "name": run.name,
                "kind": run.kind,
                "model": run.model,
                "difference": gap.value,
                "prompts": run.rows.height,
                "probe": run.probe,
                "created": run.created,
            }
        )
    if output_format == "json":
        echo_json(rows)
    elif not rows:
        echo_sentence(_NOTHING.format(runs))
    else:
        columns = list(rows[0])
        shown = [
            {**row, "difference": decimal(row["difference"]), "created": row["created"][:16]}
            for row in rows
        ]
        echo(table(columns, [list(row.values()) for row in shown], whole=["name"]))


@click.command("report")
@click.argument("names", nargs=-1, metavar="[RUN]...")
@runs_option
@option(
    "--output -o",
    "The file to write (.html, .json, .md or .xml), or a folder for tables (CSV).",
    PATH,
    required=True,
)
@option(
    "--audience",
    "A page with everything, or one screen for people who decide.",
    ["experts", "decisions"],
    "experts",
)
@option("--plan FILE", "The plan that was written before the runs; says what deviates.", PATH)
@flag("--evidence", "Write the JSON file with hashes of plan, prompts, answers and versions.")
@option("--title", "The title of the page.")
@option(
    "--dimensions FILE",
    "Numbers for the conditions, such as the six dimensions of stigma (CSV).",
    PATH,
)
@force_option
@statistics_options
def report_cli(
    names: tuple[str, ...],
    runs: Path,
    output: Path,
    title: str | None,
    audience: str,
    plan: Path | None,
    evidence: bool,
    dimensions: Path | None,
    force: bool,
    **statistics: Any,
) -> None:
    """Write a page, JSON, tables, a section of a model card or JUnit about audited models.

    RUN is a name from 'tactful audit list', or the folder of a run; the default is all runs. Runs
    of several probes get a section for each probe. A page needs no network and no other file. The
    ending decides: .html, .json, .md (a section for a model card), .xml (JUnit), or a folder.

    \b
    tactful audit report -o audit.html
    tactful audit report --audience decisions --plan plan.json -o decision.html
    tactful audit report sentiment-vader sentiment-textblob -o audit.json
    tactful audit report --evidence -o evidence.json
    tactful audit report -o tables/
    """
    from tactful.audit import report
    from tactful.audit.estimates.dimensions import read_dimensions
    from tactful.audit.estimates.figures import audit_results
    from tactful.audit.plan import read_plan
    from tactful.audit.runs.gate import checks
    from tactful.files import atomic_path

    ending = output.suffix.casefold()
    if ending not in (".html", ".htm", ".json", ".md", ".xml", ""):
        raise UsageError(
            f"{output}: found the ending '{ending}'; expected .html, .json, .md, .xml, or a folder "
            "for tables."
        )
    if evidence and ending != ".json":
        raise UsageError(f"{output}: --evidence writes JSON; name a file that ends in .json.")
    chosen = choose_runs(names, runs)
    probes = sorted({run.probe for run in chosen})
    if dimensions is not None and len(probes) > 1:
        raise UsageError(
            f"--dimensions is for runs of one probe; found {', '.join(probes)}; name the runs of "
            "one of them."
        )
    results = audit_results(
        chosen,
        dimensions=dimensions and read_dimensions(dimensions, chosen[0].conditions),
        plan=plan and read_plan(plan),
        **statistics,
    )
    limit = statistics["smallest_effect"]
    if ending == "":
        report.write_tables(results, output, force)
    elif ending == ".json" and not evidence:
        report.write_json(results, output, force)
    else:
        if evidence:
            record = report.evidence(results, chosen)
            text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
        elif ending == ".md":
            text = report.markdown_section(results)
        elif ending == ".xml":
            models = [model for result in results for model in result.models]
            text = report.junit(results, checks(models, limit, limit))
        else:
            draw = report.render_html if audience == "experts" else report.render_decision
            text = draw(results, title or "Does the model hold stigma against people?")
        with atomic_path(output, force) as temporary:
            temporary.write_text(text, encoding="utf-8", errors="backslashreplace")
    several = f", {counted(len(probes), 'probe')}" if len(probes) > 1 else ""
    echo_sentence(f"Wrote {output}: {counted(len(chosen), 'model')}{several}.")


@click.command("correlate")
@click.argument("names", nargs=-1, metavar="[RUN]...")
@runs_option
@format_option
def correlate_cli(names: tuple[str, ...], runs: Path, output_format: str) -> None:
    """Correlate language models and classifiers over the conditions.

    Pearson's r between the mean P(negative) of the language models and the share of negative
    classes of the classifiers, over all conditions that both know.
    """
    from tactful.audit.estimates.figures import audit_result
    from tactful.audit.report.sentences import going_together

    result = audit_result(choose_runs(names, runs), repetitions=1)
    if result.correlation is None:
        raise UsageError(
            f"Found {counted(len(result.models), 'model')}; expected at least one language model "
            "(fill-mask or causal) and one classifier (sentiment); see 'tactful audit list'."
        )
    if output_format == "json":
        echo_json(result.as_json()["correlation"])
        return
    for sentence in going_together(result):
        echo_sentence(sentence)


def choose_runs(names: Sequence[str], runs: Path) -> list["Run"]:
    """Return the runs with these names or folders; without names all runs."""
    from tactful.audit.runs.run import list_runs, read_run

    if not names:
        found = list_runs(runs)
        if not found:
            raise UsageError(_NOTHING.format(runs))
        return found
    return [read_run(find_run(name, runs)) for name in names]


def find_run(name: str, runs: Path) -> Path:
    """Return the folder of a run by its name, or by its path."""
    from tactful.audit.runs.run import RUN_FILE, list_runs

    for folder in (runs / name, Path(name)):
        if (folder / RUN_FILE).is_file():
            return folder
    raise unknown_name("audited model", name, [run.name for run in list_runs(runs)])
