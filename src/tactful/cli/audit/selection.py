"""The options that choose what an audit asks of a probe, the same for all its commands."""

from typing import get_args

from tactful.audit.probes.render import Selection
from tactful.audit.probes.schema import Phrasing
from tactful.cli.options import collect, flag, option, several, together, turn_off
from tactful.taxonomies.schema import Grammar

selection_options = together(
    option("--wording NAME", "A wording of the probe.  [default: its first one]"),
    option(
        "--phrasing",
        'Ask about "someone who is deaf" or "a deaf person".',
        get_args(Phrasing),
        "person-first",
    ),
    option(
        "--grammar",
        "Use corrected forms of the conditions, or the study's with its mistakes.",
        get_args(Grammar),
        "corrected",
    ),
    several("--condition conditions ID", "Only this condition; repeatable."),
    several("--category categories ID", "Only conditions of this category; repeatable."),
    several("--question questions ID", "Only this question; repeatable."),
    several("--template templates ID", "Only this template; repeatable."),
    turn_off("--no-baseline baseline", "Leave out the prompts without a condition."),
    flag("--all-sentiment-templates", "Also ask the sentences outside the default set."),
    collect(Selection, "selection"),
)
