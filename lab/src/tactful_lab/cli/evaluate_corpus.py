"""``tactful evaluate corpus``: score a corpus with a detector, in one command."""

from typing import Any

import click

from tactful.cli.options import (
    PATH,
    POSITIVE,
    complete,
    flag,
    force_option,
    given_options,
    option,
    several,
)
from tactful.cli.output import echo, echo_answer, echo_sentence, format_option, table
from tactful.cli.progress import progress
from tactful.errors import UsageError
from tactful_lab.cli.reproduce.shared import answer_file

CORPORA = ("dpm", "ucc", "sbic", "detests", "stereoimmigrants", "detoxis")
TEXTS = ("unseen", "all")


@click.command("corpus")
@click.argument("name", metavar="CORPUS", shell_complete=complete(CORPORA))
@several(
    "--model models NAME|FOLDER",
    "Embedded detector, or the folder of one; repeatable.  [default: default]",
)
@option(
    "--data DIR", "Folder of the corpus, or the folder above it.  [default: $TACTFUL_DATA]", PATH
)
@flag("--sample", "Read the sample that comes with Tactful.")
@option("--split NAME", "Measure only this official part, such as dev.")
@option(
    "--texts",
    "Measure embedded detectors on the texts that they did not learn from, or on all.  "
    "[default: unseen where that is known]",
    TEXTS,
)
@option(
    "--correlate ID",
    "Also correlate this id's probability with each label, over the texts that have any.",
)
@option("--bootstrap N", "Compute 95% intervals from N bootstrap samples.", POSITIVE)
@option("--seed", "Seed of the bootstrap.", default=0)
@option(
    "--submission DIR",
    "dpm: also write task1.txt and task2.txt of SemEval-2022 task 4, for all paragraphs.",
    PATH,
)
@option(
    "--mistakes FILE",
    "Also write the texts where a detector and the annotators differ, as CSV.",
    PATH,
)
@option(
    "--limits FILE",
    "Also write from where on an answer of the detector can be ruled out, for 'tactful check "
    "--abstain'.",
    PATH,
)
@option(
    "--wrong P",
    "--limits: the share of right answers that may be ruled out.",
    click.FloatRange(0, 1, min_open=True, max_open=True),
    0.1,
)
@option("--output -o FILE", "Also write the results to this file: a page as .md, else JSON.", PATH)
@force_option
@format_option
def evaluate_corpus_cli(name: str, output_format: str, **given: Any) -> None:
    """Score a CORPUS with a detector and compare with what its annotators said.

    \b
    tactful evaluate corpus dpm --model default --model open --bootstrap 1000
    tactful evaluate corpus ucc --data DIR --split dev --model my-detector
    tactful evaluate corpus dpm --model default --submission semeval
    tactful evaluate corpus dpm --model default --mistakes mistakes.csv --limits limits.json
    """
    if given["limits"] is None and "wrong" in given_options(click.get_current_context()):
        raise UsageError("--wrong is for --limits; name a file to write, or leave it out.")
    from tactful.corpora import load_corpus
    from tactful_lab.evaluation.corpus_scores import evaluate_corpus

    corpus = load_corpus(name, given.pop("data"), sample=given.pop("sample"))
    models = given.pop("models") or ("default",)
    with answer_file(given.pop("output"), given["force"]) as write:
        with progress("Scoring", unit="texts") as on_progress:
            answer = evaluate_corpus(corpus, models, **given, on_progress=on_progress)
        write(answer, _print)
    echo_answer(output_format, answer, _print)
    for written in ("submission", "mistakes", "limits"):
        if given[written] is not None:
            echo_sentence(f"Wrote {given[written]}.", err=output_format == "json")


def _print(answer: dict[str, Any]) -> None:
    from tactful_lab.evaluation.corpus_scores import MEASURES, describe

    click.echo(f"{describe(answer)}\n")
    several_models = len(answer["models"]) > 1
    head = [*(["model"] if several_models else []), "label", "texts", "positive", *MEASURES]
    rows = [
        [
            *([row["model"]] if several_models else []),
            row["label"],
            f"{row['texts']:,}",
            f"{row['positive']:,}",
            *(_cell(row["measures"][name]) for name in MEASURES),
        ]
        for row in answer["rows"]
    ]
    if rows:
        echo(table(head, rows, whole=head))
        click.echo()
    for row in answer["rows"]:
        if "soft" in row:
            loss, divergence = (_cell(found) for found in row["soft"].values())
            echo_sentence(
                f"{row['model']}, {row['label']}, against the shares of annotators: cross-entropy "
                f"{loss} nats, Jensen-Shannon divergence {divergence} bits.",
                "- ",
                "  ",
            )
    for each in answer["correlations"]:
        found = "undefined" if each["value"] is None else f"{each['value']:.3f}"
        echo_sentence(
            f"{each['model']}, {each['id']} with {each['label']}: Pearson's r {found}, "
            f"{each['texts']:,} texts with any label.",
            "- ",
            "  ",
        )
    for row in answer["rows"]:
        if "limits" in row:
            echo_sentence(_limits_line(row), "- ", "  ")
    for note in answer["notes"]:
        echo_sentence(note, "- ", "  ")


def _cell(found: dict[str, Any]) -> str:
    if found["value"] is None:
        return "undefined"
    if found.get("low") is None:
        return f"{found['value']:.3f}"
    return f"{found['value']:.3f} ({found['low']:.3f}-{found['high']:.3f})"


def _limits_line(row: dict[str, Any]) -> str:
    limits = row["limits"]
    return (
        f"{row['model']}, {row['label']}: 'no' can be ruled out above {limits['no_up_to']:.3f}, "
        f"'yes' below {limits['yes_from']:.3f}; neither for {100 * limits['unsure']:.1f} % of the "
        "texts."
    )
