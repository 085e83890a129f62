"""The options that choose what an audit asks of a probe, the same for all its commands."""

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar, cast, get_args

import click

from tactful.audit.probes.render import Selection
from tactful.audit.probes.schema import Phrasing
from tactful.taxonomies.schema import Grammar

F = TypeVar("F", bound=Callable[..., Any])


def with_default(
    flag: str, kind: Any, default: Any, text: str, name: str | None = None
) -> Callable[[F], F]:
    """Return an option whose help shows its default; ``name`` is that of the parameter."""
    names = (flag,) if name is None else (flag, name)
    return click.option(*names, type=kind, default=default, show_default=True, help=text)


def selection_options(command: F) -> F:
    """Add the options that choose prompts; the command gets them as ``selection``."""

    @functools.wraps(command)
    def with_selection(*args: Any, **kwargs: Any) -> Any:
        baseline = not kwargs.pop("no_baseline")
        names = [field.name for field in fields(Selection) if field.name != "baseline"]
        chosen = {name: kwargs.pop(name) for name in names}
        return command(*args, selection=Selection(baseline=baseline, **chosen), **kwargs)

    decorated: Any = with_selection
    for option in (
        click.option(
            "--all-sentiment-templates",
            is_flag=True,
            help="Also ask the sentences outside the default set.",
        ),
        click.option(
            "--no-baseline", is_flag=True, help="Leave out the prompts without a condition."
        ),
        _several("--template", "templates", "Only this template"),
        _several("--question", "questions", "Only this question"),
        _several("--category", "categories", "Only conditions of this category"),
        _several("--condition", "conditions", "Only this condition"),
        with_default(
            "--grammar",
            click.Choice(get_args(Grammar)),
            "corrected",
            "Use corrected forms of the conditions, or the study's with its mistakes.",
        ),
        with_default(
            "--phrasing",
            click.Choice(get_args(Phrasing)),
            "person-first",
            'Ask about "someone who is deaf" or "a deaf person".',
        ),
        click.option(
            "--wording", metavar="NAME", help="A wording of the probe.  [default: its first one]"
        ),
    ):
        decorated = option(decorated)
    return cast(F, decorated)


def _several(flag: str, name: str, what: str) -> Callable[[F], F]:
    return click.option(flag, name, multiple=True, metavar="ID", help=f"{what}; repeatable.")
