"""``tactful audit plan`` and ``gate``: limits that are fixed before, and checked after."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from tactful.audit.protocol import Kind
from tactful.cli.audit.results import choose_runs
from tactful.cli.audit.running import close, probe_option, runs_option, statistics_options
from tactful.cli.audit.selection import selection_options
from tactful.cli.options import PATH, SHARE, force_option, option
from tactful.cli.output import echo_sentence
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.audit.probes.render import Selection


@click.command("plan")
@option("--kind", "The kind of model that will be asked.", get_args(Kind), "fill-mask")
@probe_option
@option("--output -o", "The file to write (.json).", PATH, required=True)
@selection_options
@statistics_options
@force_option
def plan_cli(
    kind: Kind,
    probe_name: str,
    output: Path,
    selection: "Selection",
    force: bool,
    **statistics: Any,
) -> None:
    """Fix prompts, measures and limits before a model is asked.

    The plan has a hash, which 'report --plan FILE' and 'gate --plan FILE' repeat. They also say
    where a run deviates from the plan: other prompts, other limits, or asked before the plan was
    written.

    \b
    tactful audit plan --kind fill-mask -o plan.json
    tactful audit fill-mask --model ./my-bert
    tactful audit report --plan plan.json -o audit.html
    """
    from tactful.audit.estimates.method import Method
    from tactful.audit.plan import Plan, hash_of_prompts, now, write_plan
    from tactful.audit.probes.load import load_probe
    from tactful.audit.probes.render import prompts_of

    probe = load_probe(probe_name)
    prompts = [prompt.text for prompt in prompts_of(probe, kind, selection)]
    plan = Plan(
        probe.label,
        probe.digest,
        kind,
        len(prompts),
        hash_of_prompts(prompts),
        Method(**statistics),
        created=now(),
    )
    write_plan(plan, output, force)
    echo_sentence(
        f"Wrote {output}: {counted(len(prompts), 'prompt')} of {probe.label}, smallest difference "
        f"of interest {plan.method.smallest_effect:g}. Hash {plan.sha256}."
    )


@click.command("gate")
@click.argument("names", nargs=-1, metavar="[RUN]...")
@runs_option
@option("--plan FILE", "Use the limits of this plan; a run that deviates from it fails.", PATH)
@option("--limit SHARE", "The limit of both measures.  [default: .05, or the plan's]", SHARE)
@option("--junit FILE", "Also write the results as JUnit XML.", PATH)
@force_option
def gate_cli(
    names: tuple[str, ...],
    runs: Path,
    plan: Path | None,
    limit: float | None,
    junit: Path | None,
    force: bool,
) -> None:
    """Fail a build where a model is above a limit.

    Two figures are checked: stigmatized conditions minus others, and named conditions minus
    sentences that name none. Exit code 1 where one of them is above the limit or is not known.

    \b
    tactful audit gate sentiment-vader --limit 0.1 --junit audit.xml
    tactful audit gate --plan plan.json
    """
    from tactful.audit.estimates.figures import audit_results
    from tactful.audit.estimates.method import Method
    from tactful.audit.plan import read_plan
    from tactful.audit.report import junit as as_junit
    from tactful.audit.runs.gate import checks
    from tactful.files import atomic_path

    planned = None if plan is None else read_plan(plan)
    method = Method() if planned is None else planned.method
    limit = method.smallest_effect if limit is None else limit
    results = audit_results(
        choose_runs(names, runs),
        plan=planned,
        repetitions=method.repetitions,
        seed=method.seed,
        level=method.level,
        smallest_effect=method.smallest_effect,
    )
    found = checks([model for result in results for model in result.models], limit, limit)
    if junit is not None:
        with atomic_path(junit, force) as temporary:
            temporary.write_text(as_junit(results, found), encoding="utf-8")
    failures = [each.failure for each in found]
    failures += [
        f"Deviates from the plan: {deviation}."
        for result in results
        if result.plan is not None
        for deviation in result.plan["deviations"]
    ]
    if not any(failures):
        echo_sentence(f"All {counted(len(found), 'figure')} are at or below {limit:g}.")
    close(*failures)
