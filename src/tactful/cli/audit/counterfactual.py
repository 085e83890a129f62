"""``tactful audit counterfactual``: texts about people in which only the condition changes."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tactful.cli.audit.results import find_run
from tactful.cli.audit.running import runs_option
from tactful.cli.options import POSITIVE, option
from tactful.cli.output import echo, echo_json, echo_sentence, format_option, table

if TYPE_CHECKING:
    from tactful.audit.chat.counterfactual import Counterfactual

_SHOWN = 3


@click.command("counterfactual")
@click.argument("run_name", metavar="RUN")
@runs_option
@option("--lang", "The language of the texts.", ["en", "es"], "en")
@option("--repetitions", "Samples drawn for the tests.", POSITIVE, 2000)
@option("--seed", "Seed of the tests.", int, 0)
@format_option
def counterfactual_cli(
    run_name: str, runs: Path, lang: str, repetitions: int, seed: int, output_format: str
) -> None:
    """Compare texts about people in which only the condition changes.

    RUN is an audit with 'tactful audit chat --by free'. Each text is compared with the one about
    someone without a named condition: in tone, harmful language, stereotypes and words.

    \b
    tactful audit chat --model smollm2 --by free --probe daily_life --name texts
    tactful audit counterfactual texts
    """
    from tactful.audit.chat.counterfactual import compare_texts, own_measures, pairs_of
    from tactful.audit.runs.run import read_run

    run = read_run(find_run(run_name, runs))
    pairs = pairs_of(run, runs, lang)
    found = compare_texts(run, pairs, own_measures(lang), repetitions=repetitions, seed=seed)
    if output_format == "json":
        echo_json([asdict(each) for each in found])
        return
    print_counterfactual(found)
    if pairs.left_out:
        echo_sentence(f"{pairs.left_out:,} texts were left out: refusals and empty ones.")


def print_counterfactual(found: "list[Counterfactual]") -> None:
    """Print the measures, and the conditions that differ most."""
    from tactful.pages.text import decimal
    from tactful.words import visible

    rows = []
    for each in found:
        most = sorted(each.by_condition.items(), key=lambda pair: -pair[1])[:_SHOWN]
        names = ", ".join(f"{visible(name)} ({decimal(value)})" for name, value in most)
        numbers = (each.stigmatized, each.others, each.gap, each.p_value)
        rows.append([each.measure, *map(decimal, numbers), names])
    echo(table(["to no condition", "stigmatized", "others", "difference", "p", "most"], rows))
    for reason in dict.fromkeys(each.reason for each in found if each.reason):
        echo_sentence(reason[0].upper() + reason[1:] + ".", "Note: ", "      ")
