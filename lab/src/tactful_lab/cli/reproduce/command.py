"""``tactful reproduce``: a paper's table on your copy of the data, beside the paper's numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.options import (
    NOT_NEGATIVE,
    PATH,
    POSITIVE,
    complete,
    flag,
    force_option,
    given_options,
    option,
)
from tactful.cli.output import echo, echo_answer, echo_sentence, format_option, table
from tactful.errors import UsageError
from tactful.figures import check_figure
from tactful.files import refuse_existing
from tactful.registry import unknown_name
from tactful.settings import load_settings
from tactful_lab.cli.reproduce.shared import (
    TRAINING,
    answer_file,
    echo_comparison,
    echo_list,
    echo_title,
    require_vectors,
    row_progress,
    split_names,
)

if TYPE_CHECKING:
    from tactful_lab.evaluation.reproduce.papers import Reproduction

TABLES = ("dpm-task1", "dpm-task2", "ucc-auc", "sbic-classes")
FRAME_TABLES = ("sbic-frames",)
"""Tables whose rows are framers."""
DETESTS = "detests"
"""Two tables and the submission files of a shared task."""
NEGATIVES = ("3to1", "full")
DEVICES = ("auto", "cpu", "cuda", "mps")
_SHORT = {"precision": "P", "recall": "R", "f1": "F1", "auc": "AUC"}


@click.command("reproduce")
@click.argument(
    "table_name", metavar="TABLE", shell_complete=complete((*TABLES, *FRAME_TABLES, DETESTS))
)
@option(
    "--data DIR", "Folder of the corpus, or the folder above it.  [default: $TACTFUL_DATA]", PATH
)
@option(
    "--models NAMES",
    "Rows to run, with commas: random, prior-random, all-ones, all-zeros, svm-wv, svm-bow, "
    "logreg, logreg-soft, annotators, bilstm, bert-base, bert-large, roberta, distilbert, encoder; "
    "the embedded detectors (default, open, …), detector:FOLDER and chat:URL#MODEL; or cheap, "
    "svm, embedded, all. NAME@N learns from N texts, for a learning curve. "
    "Of sbic-frames: default, majority, or the folder of a framer.  [there: default]",
    default="cheap",
)
@option(
    "--systems NAMES",
    "detests: rows to run, with commas: AllOnes, AllZeros, RandomClassifier, TFIDF+SVC, "
    "FastText+SVC, under-bagging, context and others; or baselines, switches, encoders, all.",
    default="baselines",
)
@option(
    "--folds",
    "Number of folds, where the protocol is cross-validation.",
    click.IntRange(min=2, max=1000),
    10,
)
@option(
    "--negatives",
    "dpm-task1: three negatives for each positive, as the paper seems to have, or all.",
    NEGATIVES,
    "3to1",
)
@flag("--grouped", "Keep texts of one article or post in one fold.")
@flag(
    "--trust-weighted",
    "ucc-auc: weigh annotators by trust and count a mean of 0.5 as yes, unlike the authors' "
    "notebook.",
)
@option("--seed", "Random seed.", NOT_NEGATIVE, 1)
@option(
    "--vectors FILE",
    "Word vectors for svm-wv, bilstm, FastText+SVC (detests) and WMD (sbic-frames): word2vec, "
    "GloVe or fastText.",
    PATH,
)
@option("--encoder NAME|PATH", "Model of the row 'encoder', or of detests' encoders.")
@option("--epochs", "Epochs of bilstm and encoders.  [default: the paper's]", POSITIVE)
@option("--batch", "Texts of a step of bilstm and encoders.  [default: the paper's]", POSITIVE)
@option(
    "--lr rate RATE",
    "Learning rate of bilstm and encoders.  [default: the paper's, or 2e-5]",
    click.FloatRange(min=0, min_open=True),
)
@option("--max-length max_tokens N", "Tokens that encoders read at once.  [default: 128]", POSITIVE)
@option("--accumulate N", "Compute a step of bilstm and encoders in N pieces.", POSITIVE)
@option("--device", "Where bilstm and encoders are trained.  [default: auto]", DEVICES)
@option("--shots N", "Examples that chat models see before a question.", NOT_NEGATIVE, 0)
@option("--limit N", "Texts that chat models are asked about.  [default: 200]", POSITIVE)
@option("--key-variable NAME", "The environment variable with the API key of a chat endpoint.")
@flag("--download", "Download encoders from the hub if needed.")
@flag(
    "--grid-search",
    "Search the settings of the SVM rows in each fold instead of using the paper's.",
)
@option(
    "--cache DIR",
    "Folder that keeps the result of each fold, so that an interrupted run resumes.  "
    "[default: the user's cache directory]",
    PATH,
)
@flag("--fresh", "Do not read or write the cache.")
@option("--curves FILE", "Also draw the ROC curves of each label, as .png or .svg.", PATH)
@option(
    "--output -o FILE|DIR",
    "Also write the results to this file: a page as .md, else JSON. detests: folder for the "
    "submission files and the results.",
    PATH,
)
@force_option
@format_option
@click.pass_context
def reproduce_cli(ctx: click.Context, /, **options: Any) -> None:
    """Run a paper's TABLE on your data and print our numbers beside the paper's.

    TABLE is dpm-task1, dpm-task2, ucc-auc, sbic-classes, sbic-frames or detests. A row that cannot
    run here says why.

    \b
    tactful reproduce dpm-task1 --data DIR --models random,svm-bow --negatives full
    tactful reproduce ucc-auc --data DIR --models svm-bow@1000,svm-bow@5000,svm-bow --folds 2
    tactful reproduce detests --data DIR --output submissions
    """
    table_name = options["table_name"]
    if table_name == DETESTS:
        from tactful_lab.cli.reproduce.detests import reproduce_detests_cli

        reproduce_detests_cli(ctx, options)
        return
    if "systems" in given_options(ctx):
        raise UsageError("--systems is for 'detests'; choose the rows of other tables by --models.")
    if table_name in FRAME_TABLES:
        from tactful_lab.cli.reproduce.frames import reproduce_frames_cli

        reproduce_frames_cli(ctx, options)
        return
    if table_name not in TABLES:
        raise unknown_name("table", table_name, [*TABLES, *FRAME_TABLES, DETESTS])
    from tactful.corpora import load_corpus
    from tactful_lab.evaluation.reproduce.cross_validation import default_cache
    from tactful_lab.evaluation.reproduce.paper_tables import load_table
    from tactful_lab.evaluation.reproduce.papers import reproduce
    from tactful_lab.evaluation.reproduce.protocols import Choices
    from tactful_lab.evaluation.reproduce.rows import chosen_rows

    if options["trust_weighted"] and table_name != "ucc-auc":
        raise UsageError(f"--trust-weighted is for 'ucc-auc'; not for '{table_name}'.")
    paper = load_table(table_name)
    names = split_names(options["models"], "--models", "names with commas, or cheap or all")
    chosen_rows(names)
    require_vectors(options["vectors"])
    if options["curves"] is not None:
        check_figure(options["curves"])
        refuse_existing(options["curves"], options["force"])
    settings = load_settings()
    corpus = load_corpus(paper.corpus, options["data"], settings=settings)
    chosen = ("folds", "seed", "negatives", "grouped", "trust_weighted")
    with answer_file(options["output"], options["force"]) as write:
        with row_progress(settings.progress) as on_progress:
            found = reproduce(
                paper.id,
                corpus,
                names,
                Choices(**{name: options[name] for name in chosen}),
                vectors=options["vectors"],
                encoder=options["encoder"],
                download=options["download"],
                grid=options["grid_search"],
                **{name: options[name] for name in ("shots", "limit", "key_variable")},
                training={name: options[name] for name in TRAINING if options[name] is not None},
                cache=None if options["fresh"] else (options["cache"] or default_cache()),
                on_progress=on_progress,
            )
        write(found, _show)
    if options["curves"] is not None:
        _draw(found, options["curves"], options["force"])
    echo_answer(options["output_format"], found, _show)


def _draw(found: "Reproduction", path: Path, force: bool) -> None:
    from tactful_lab.evaluation.plots import write_roc_curves

    panels = found.curves()
    if panels:
        write_roc_curves(panels, path, force)
    else:
        echo_sentence("No row was measured, so no curves are drawn.", err=True)


def _show(found: "Reproduction") -> None:
    paper = found.table
    source = f"{paper.paper}, {paper.place}: {paper.protocol}."
    echo_title(paper.title, paper.id, source, found.notes)
    click.echo()
    several = len(paper.labels) > 1
    parts = any(line.part for line in found.lines)
    first = ["model", *(["label"] if several else []), *(["part"] if parts else [])]
    rows = [
        (
            [
                line.name,
                *([paper.labels[line.label]] if several else []),
                *([line.part or ""] if parts else []),
            ],
            line,
        )
        for line in found.lines
    ]
    echo_comparison(paper.metrics, _SHORT, 2, first, rows)
    _show_pairs(found, names={line.model: line.name for line in found.lines})
    _show_soft(found)
    reasons = dict.fromkeys(f"{line.name}: {line.reason}" for line in found.lines if line.reason)
    echo_list("Not run:", list(reasons))


def _p_value(value: float | None) -> str:
    if value is None:
        return ""
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def _show_soft(found: "Reproduction") -> None:
    several = len(found.table.labels) > 1
    rows = [
        [
            line.name,
            *([found.table.labels[line.label]] if several else []),
            *(
                "undefined" if each["value"] is None else f"{each['value']:.4f}"
                for each in line.soft.values()
            ),
        ]
        for line in found.lines
        if line.soft is not None
    ]
    if rows:
        click.echo("\nAgainst the shares of annotators: cross-entropy (nats), divergence (bits)")
        names = ["cross-entropy", "Jensen-Shannon"]
        head = ["model", *(["label"] if several else []), *names]
        echo(table(head, rows, whole=head))


def _show_pairs(found: "Reproduction", names: Mapping[str, str]) -> None:
    if not found.pairs:
        return
    several = len(found.table.labels) > 1
    parts = any(pair.part for pair in found.pairs)
    measure = _SHORT[found.pairs[0].measure]
    head = [
        "first", "second", *(["label"] if several else []), *(["part"] if parts else []),
        "texts", f"diff {measure}", "p", "p (Holm)",
    ]  # fmt: skip
    rows = [
        [
            names[pair.first],
            names[pair.second],
            *([found.table.labels[pair.label]] if several else []),
            *([pair.part or ""] if parts else []),
            f"{pair.texts:,}",
            "" if pair.difference is None else f"{pair.difference:+.2f}",
            *map(_p_value, (pair.p_value, pair.adjusted)),
        ]
        for pair in found.pairs
    ]
    click.echo("\nEvery pair of rows, on the texts that both were measured on, all folds together")
    echo(table(head, rows, whole=head))
