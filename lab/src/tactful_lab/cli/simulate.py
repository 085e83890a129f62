"""``tactful annotate simulate``: estimate the cost and quality of a protocol."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.options import PATH, flag, option
from tactful.cli.output import echo, echo_json, echo_sentence, table
from tactful.cli.progress import progress
from tactful.errors import UsageError
from tactful.words import counted

if TYPE_CHECKING:
    from tactful_lab.simulation.report import QuestionResult, Score, Simulation

REPORT = "simulation.json"


@click.command("simulate")
@click.argument("protocol", metavar="PROTOCOL")
@option("--items", "Number of items to label.", default=500)
@option("--annotators", "Number of annotators.", default=30)
@option("--spammers SHARE", "Share of annotators who do not read the texts.", default=0.15)
@option(
    "--skill SHARE",
    "Probability that a reading annotator sees the right answer of an average item.",
    default=0.75,
)
@option(
    "--fatigue NUMBER",
    "Relative increase in difficulty per hundred items of a session.",
    default=0.1,
)
@flag(
    "--fitted",
    "Let people agree as those of the protocol's paper did, and take time for each kind of "
    "question.",
)
@option("--tests", "Number of hidden tests.  [default: 100, or 0 if the protocol has none]", int)
@option("--price", "Price of one judgement.", float)
@option("--seed", "Seed of the simulated crowd.", default=0)
@option(
    "--ground FILE", "Right answers of items (.csv, .jsonl), or rates of answers (.yaml).", PATH
)
@option("--output -o FOLDER", "Folder for the report (JSON) and the plots.", PATH)
@flag("--plots", "Write plots to the folder of --output.")
@flag("--json as_json", "Print JSON.")
@flag("--force", "Replace an existing folder.")
def simulate_cli(
    protocol: str,
    items: int,
    annotators: int,
    spammers: float,
    skill: float,
    fatigue: float,
    fitted: bool,
    tests: int | None,
    price: float | None,
    seed: int,
    ground: Path | None,
    output: Path | None,
    plots: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Try a protocol with a simulated crowd before you pay for a real one.

    PROTOCOL is the name of a built-in protocol (pcl, unhealthy, frames, stereotypes) or a YAML
    file. The rules are those of a real project; only the people are simulated.

    \b
    tactful annotate simulate unhealthy --items 1000 --annotators 40 --price 0.05
    tactful annotate simulate pcl --items 500 --annotators 2 --spammers 0
    tactful annotate simulate unhealthy --output simulation --plots
    """
    from tactful.annotation.protocol.load import load_protocol
    from tactful.files import atomic_folder
    from tactful_lab.simulation.simulate import Crowd, Plan, simulate_with_record

    if plots and output is None:
        raise UsageError("--plots needs a folder; add --output FOLDER.")
    if plots:
        from tactful.figures import check_figure

        check_figure(Path("plot.svg"))
    crowd = Crowd(annotators=annotators, spammers=spammers, skill=skill, fatigue=fatigue)
    plan = Plan(items, tests, crowd, price, seed, ground, curve=plots, fitted=fitted)
    if output is None:
        with progress("Simulating"):
            answer, _, _ = simulate_with_record(load_protocol(protocol), plan)
    else:
        with atomic_folder(output, force) as folder, progress("Simulating"):
            answer, setting, record = simulate_with_record(load_protocol(protocol), plan)
            text = json.dumps(answer.as_data(), ensure_ascii=False, indent=2)
            (folder / REPORT).write_text(text + "\n", encoding="utf-8")
            if plots:
                from tactful_lab.simulation.plots import write_plots

                write_plots(folder, answer, setting, record)
    if as_json:
        echo_json(answer.as_data())
    else:
        _echo(answer)
        if output is not None:
            echo_sentence(f"Written to {output}.")


def _echo(answer: "Simulation") -> None:
    for sentence in sentences(answer):
        echo_sentence(sentence)
    click.echo()
    # Headings repeat, and a table needs different ones: spaces at the end do not show.
    columns = [
        "question", "accuracy", "equal cost", "3 votes", "F1", "equal cost ", "3 votes ",
        "balanced", "equal cost  ", "alpha",
    ]  # fmt: skip
    rows = [_row(result) for result in answer.questions]
    echo(table(columns, rows, whole=["question"]))
    click.echo()
    echo_sentence(
        "'equal cost': plain majority vote with the same number of judgements, without tests and "
        "removals; '3 votes': plain majority of three votes."
    )
    click.echo()
    kinds = [
        [_DO[each.kind], each.people, each.removed, each.left, each.judgements_before,
         each.most_judgements_before]
        for each in answer.kinds
        if each.people
    ]  # fmt: skip
    heads = ["people who", "number", "removed", "left", "judgements before", "at most"]
    echo(table(heads, kinds))


_DO = {
    "careful": "read",
    "random": "answer at random",
    "constant": "always give one answer",
    "first": "take the first option",
}


def sentences(answer: "Simulation") -> list[str]:
    """Describe the result of a simulation in sentences."""
    found = [
        f"Protocol '{answer.protocol}', {counted(answer.items, 'item')}, "
        f"{counted(answer.annotators, 'annotator')}, seed {answer.seed}: "
        + (
            "all items are labelled."
            if answer.finished
            else f"not finished, {counted(answer.unlabelled, 'item')} without a label."
        ),
        f"Paid for {counted(answer.judgements, 'judgement')}: {answer.counted:,} count, "
        f"{answer.on_tests:,} were hidden tests, {answer.discarded:,} came from people who were "
        f"removed (tests among them), {answer.decisions:,} from a referee's decisions.",
        f"{answer.hours:,.1f} hours of work within {answer.days:,.1f} days"
        + ("." if answer.cost is None else f", at a cost of {answer.cost:,.2f}."),
    ]
    if answer.spammers:
        found.append(
            f"{answer.caught:,} of {answer.spammers:,} people who do not read were removed "
            f"({answer.caught / answer.spammers:.1%}), {answer.wrongly_removed:,} of those who "
            f"read; {answer.reopened:,} finished items were judged again."
        )
    else:
        found.append(
            f"{answer.wrongly_removed:,} people who read were removed; {answer.reopened:,} "
            "finished items were judged again."
        )
    if answer.confidence:
        low, high = answer.confidence[0], answer.confidence[-1]
        found.append(
            f"Labels with a confidence of about {low.confidence:.0%} are right in {low.right:.1%} "
            f"of the cases, those with {high.confidence:.0%} in {high.right:.1%}."
        )
    return found


def _row(result: "QuestionResult") -> list[Any]:
    return [
        result.question,
        *_three(result, "accuracy"),
        *_three(result, "f1"),
        _decimal(result.protocol, "balanced_accuracy"),
        _decimal(result.equal_cost, "balanced_accuracy"),
        None if result.alpha is None else round(result.alpha, 3),
    ]


def _three(result: "QuestionResult", measure: str) -> list[float | None]:
    return [
        _decimal(each, measure) for each in (result.protocol, result.equal_cost, result.three_votes)
    ]


def _decimal(score: "Score", measure: str) -> float | None:
    value = getattr(score, measure)
    return None if value is None else round(value, 4)
