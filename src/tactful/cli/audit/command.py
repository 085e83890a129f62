"""``tactful audit``: ask a model about people, and estimate its bias."""

import click

from tactful.cli.main import LAB, LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "fill-mask": (
        "tactful.cli.audit.models:fill_mask_cli",
        "Audit a masked language model by the words it fills in.",
    ),
    "causal": (
        "tactful.cli.audit.models:causal_cli",
        "Audit a causal language model by how it weighs pairs of words.",
    ),
    "sentiment": (
        "tactful.cli.audit.models:sentiment_cli",
        "Audit a sentiment classifier, or anything that sorts texts.",
    ),
    "chat": (
        "tactful.cli.audit.chat:chat_cli",
        "Audit a chat model behind an endpoint or in a folder.",
    ),
    "replay": (LAB, "Compute the estimates from the study's own published outputs."),
    "plan": (
        "tactful.cli.audit.plan:plan_cli",
        "Fix prompts, measures and limits before a model is asked.",
    ),
    "gate": ("tactful.cli.audit.plan:gate_cli", "Fail a build where a model is above a limit."),
    "list": ("tactful.cli.audit.results:list_cli", "List the models audited so far."),
    "report": (
        "tactful.cli.audit.results:report_cli",
        "Write a page, JSON, tables, a card section or JUnit about audited models.",
    ),
    "correlate": (
        "tactful.cli.audit.results:correlate_cli",
        "Correlate language models and classifiers.",
    ),
    "compare": (
        "tactful.cli.audit.compare:compare_cli",
        "Compare audits, before and after a change or over versions.",
    ),
    "counterfactual": (
        "tactful.cli.audit.counterfactual:counterfactual_cli",
        "Compare texts about people in which only the condition changes.",
    ),
    "probe": ("tactful.cli.audit.probe:probe_cli", "Show, check and create probes."),
}


@click.group("audit", cls=LazyGroup, table=COMMANDS, noun="audit command", path="audit")
def audit_cli() -> None:
    """Ask a model how it treats people: 93 stigmatized conditions against 29 others.

    Each audited model is saved in a folder in 'audits'; 'tactful audit report' shows them.

    \b
    tactful audit sentiment --model vader
    tactful audit fill-mask --model ./my-bert
    tactful audit report -o report.html
    """
