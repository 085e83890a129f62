"""``tactful reproduce``: a paper's table on one's own copy of the data, beside the paper's."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from tactful.cli.corpus.options import force_option
from tactful.cli.output import echo, echo_json, echo_sentence, format_option, table
from tactful.cli.progress import progress
from tactful.errors import UsageError
from tactful.files import atomic_path
from tactful.registry import unknown_name
from tactful.settings import load_settings

if TYPE_CHECKING:
    from tactful.evaluation.reproduce.papers import OnProgress, Reproduction

TABLES = ("dpm-task1", "dpm-task2", "ucc-auc", "sbic-classes")
FRAME_TABLES = ("sbic-frames",)
"""Tables whose rows are framers; they are another command's work."""
DETESTS = "detests"
"""Two tables and the submission files of a shared task; another command's work, too."""
NEGATIVES = ("3to1", "full")
_SHORT = {"precision": "P", "recall": "R", "f1": "F1", "auc": "AUC"}


def _complete_table(ctx: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    return [name for name in (*TABLES, *FRAME_TABLES, DETESTS) if name.startswith(start)]


@click.command("reproduce")
@click.argument("table_name", metavar="TABLE", shell_complete=_complete_table)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of the corpus, or the one above it.  [default: $TACTFUL_DATA]",
)
@click.option(
    "--models",
    default="cheap",
    show_default=True,
    metavar="NAMES",
    help="Rows to run, with commas: random, prior-random, all-ones, all-zeros, svm-wv, svm-bow, "
    "bilstm, bert-base, bert-large, roberta, distilbert, encoder; or cheap, svm, all. Of "
    "sbic-frames: default, majority, or the folder of a framer.  [there: default]",
)
@click.option(
    "--systems",
    default="baselines",
    show_default=True,
    metavar="NAMES",
    help="detests: rows to run, with commas: AllOnes, AllZeros, RandomClassifier, TFIDF+SVC, "
    "FastText+SVC, under-bagging, context and others; or baselines, switches, all.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=2, max=1000),
    default=10,
    show_default=True,
    help="How many folds, where the protocol is cross-validation.",
)
@click.option(
    "--negatives",
    type=click.Choice(NEGATIVES),
    default="3to1",
    show_default=True,
    help="dpm-task1: three negatives for each positive, as the paper seems to have, or all.",
)
@click.option("--grouped", is_flag=True, help="Keep texts of one article or post in one fold.")
@click.option(
    "--trust-weighted",
    is_flag=True,
    help="ucc-auc: weigh the other annotators by trust and count a mean of 0.5 as yes, unlike the "
    "authors' notebook.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="For all that is drawn.",
)
@click.option(
    "--vectors",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Word vectors for svm-wv, bilstm, FastText+SVC (detests) and WMD (sbic-frames): word2vec, "
    "GloVe or fastText.",
)
@click.option("--encoder", metavar="NAME|PATH", help="The model of the row 'encoder'.")
@click.option(
    "--download", is_flag=True, help="Let encoders that are not here be fetched from their hub."
)
@click.option(
    "--grid-search",
    is_flag=True,
    help="Search the settings of the SVM rows in each fold instead of taking the paper's.",
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where each fold's result is kept, so that a stopped run goes on.  "
    "[default: the user's cache directory]",
)
@click.option("--fresh", is_flag=True, help="Use no kept results and keep none.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE|DIR",
    help="Also write the answer to this file, as JSON. Of detests: the folder for the submission "
    "files and the answer.",
)
@force_option
@format_option
@click.pass_context
def reproduce_cli(
    ctx: click.Context,
    table_name: str,
    data: Path | None,
    models: str,
    systems: str,
    folds: int,
    negatives: str,
    grouped: bool,
    trust_weighted: bool,
    seed: int,
    vectors: Path | None,
    encoder: str | None,
    download: bool,
    grid_search: bool,
    cache: Path | None,
    fresh: bool,
    output: Path | None,
    force: bool,
    output_format: str,
) -> None:
    """Run a paper's TABLE on your copy of the data and print ours beside the paper's.

    TABLE is dpm-task1, dpm-task2, ucc-auc, sbic-classes, sbic-frames or detests. A row that cannot
    run here says why.

    \b
    tactful reproduce dpm-task1 --data DIR --models random,svm-bow --negatives full
    tactful reproduce detests --data DIR --output submissions
    """
    if table_name == DETESTS:
        from tactful.cli.reproduce.detests import reproduce_detests_cli

        reproduce_detests_cli(ctx, data, systems, seed, vectors, output, force, output_format)
        return
    if ctx.get_parameter_source("systems") == ParameterSource.COMMANDLINE:
        raise UsageError("--systems is for 'detests'; rows of other tables are chosen by --models.")
    if table_name in FRAME_TABLES:
        from tactful.cli.reproduce.frames import reproduce_frames_cli

        reproduce_frames_cli(ctx, data, models, vectors, output, force, output_format)
        return
    if table_name not in TABLES:
        raise unknown_name("table", table_name, [*TABLES, *FRAME_TABLES, DETESTS])
    from tactful.corpora import CORPORA, load_corpus
    from tactful.evaluation.reproduce.cross_validation import default_cache
    from tactful.evaluation.reproduce.paper_tables import load_table
    from tactful.evaluation.reproduce.papers import reproduce
    from tactful.evaluation.reproduce.protocols import Choices
    from tactful.evaluation.reproduce.rows import chosen_rows

    if trust_weighted and table_name != "ucc-auc":
        raise UsageError(f"--trust-weighted is for 'ucc-auc'; not for '{table_name}'.")
    paper = load_table(table_name)
    names = [name.strip() for name in models.split(",") if name.strip()]
    if not names:
        raise UsageError("Found no name in --models; expected names with commas, or cheap or all.")
    chosen_rows(names)
    if vectors is not None and not vectors.is_file():
        raise UsageError(f"{vectors}: there is no such file; expected word vectors.")
    settings = load_settings()
    below = None if data is None else data / CORPORA.get(paper.corpus).folder
    folder = below if below is not None and below.is_dir() else data
    corpus = load_corpus(paper.corpus, folder, settings=settings)
    with ExitStack() as stack:
        # A file that cannot be written is refused before the work, not after it.
        target = stack.enter_context(atomic_path(output, force)) if output else None
        found = reproduce(
            paper.id,
            corpus,
            names,
            Choices(folds, seed, negatives, grouped, trust_weighted),
            vectors=vectors,
            encoder=encoder,
            download=download,
            grid=grid_search,
            cache=None if fresh else (cache or default_cache()),
            on_progress=stack.enter_context(row_progress(settings.progress)),
        )
        if target is not None:
            text = json.dumps(found.as_json(), ensure_ascii=False, indent=2)
            target.write_text(text + "\n", encoding="utf-8")
    if output_format == "json":
        echo_json(found.as_json())
    else:
        _show(found)


def _show(found: "Reproduction") -> None:
    paper = found.table
    click.echo(f"{paper.title}: {paper.id}")
    echo_sentence(f"{paper.paper}, {paper.place}: {paper.protocol}.")
    for note in found.notes:
        echo_sentence(note, first="- ", others="  ")
    click.echo()
    several = len(paper.labels) > 1
    parts = any(line.part for line in found.lines)
    head = ["model", *(["label"] if several else []), *(["part"] if parts else [])]
    for whose in ("paper", "ours", "diff"):
        head += [f"{whose} {_SHORT[name]}" for name in paper.metrics]
    body = [
        [
            line.name,
            *([paper.labels[line.label]] if several else []),
            *([line.part or ""] if parts else []),
            *_numbers(line.paper, paper.metrics),
            *_numbers(line.ours, paper.metrics),
            *_numbers(line.difference, paper.metrics, signed=True),
        ]
        for line in found.lines
        if line.ours is not None or line.paper is not None
    ]
    echo(table(head, body, whole=head))
    reasons = {(line.name, line.reason): None for line in found.lines if line.reason}
    if reasons:
        click.echo()
        click.echo("Not run:")
    for name, reason in reasons:
        echo_sentence(f"{name}: {reason}", first="- ", others="  ")


def _numbers(
    values: "dict[str, float] | None", metrics: list[str], signed: bool = False
) -> list[str]:
    if values is None:
        return [""] * len(metrics)
    return [f"{values[name]:+.2f}" if signed else f"{values[name]:.2f}" for name in metrics]


@contextmanager
def row_progress(wanted: str) -> "Iterator[OnProgress]":
    """Show how much of a row is done."""
    with progress("Reproducing", setting=wanted) as shown:
        yield lambda title, done, total: shown(done, total, title)
