"""``tactful reproduce``: a paper's table on your copy of the data, beside the paper's numbers."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tactful.cli.corpus.options import force_option
from tactful.cli.output import echo, echo_json, format_option, table
from tactful.cli.reproduce.shared import (
    echo_list,
    echo_title,
    given,
    number_cells,
    require_vectors,
    row_progress,
    split_names,
    write_answer,
)
from tactful.errors import UsageError
from tactful.files import atomic_path
from tactful.registry import unknown_name
from tactful.settings import load_settings

if TYPE_CHECKING:
    from tactful.evaluation.reproduce.papers import Reproduction

TABLES = ("dpm-task1", "dpm-task2", "ucc-auc", "sbic-classes")
FRAME_TABLES = ("sbic-frames",)
"""Tables whose rows are framers."""
DETESTS = "detests"
"""Two tables and the submission files of a shared task."""
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
    help="Folder of the corpus, or the folder above it.  [default: $TACTFUL_DATA]",
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
    help="Number of folds, where the protocol is cross-validation.",
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
    help="ucc-auc: weigh annotators by trust and count a mean of 0.5 as yes, unlike the authors' "
    "notebook.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Random seed.",
)
@click.option(
    "--vectors",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Word vectors for svm-wv, bilstm, FastText+SVC (detests) and WMD (sbic-frames): word2vec, "
    "GloVe or fastText.",
)
@click.option("--encoder", metavar="NAME|PATH", help="Model of the row 'encoder'.")
@click.option("--download", is_flag=True, help="Download encoders from the hub if needed.")
@click.option(
    "--grid-search",
    is_flag=True,
    help="Search the settings of the SVM rows in each fold instead of using the paper's.",
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder that keeps the result of each fold, so that an interrupted run resumes.  "
    "[default: the user's cache directory]",
)
@click.option("--fresh", is_flag=True, help="Do not read or write the cache.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE|DIR",
    help="Also write the results to this file, as JSON. detests: folder for the submission files "
    "and the results.",
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
    """Run a paper's TABLE on your data and print our numbers beside the paper's.

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
    if given(ctx, "systems"):
        raise UsageError("--systems is for 'detests'; choose the rows of other tables by --models.")
    if table_name in FRAME_TABLES:
        from tactful.cli.reproduce.frames import reproduce_frames_cli

        reproduce_frames_cli(ctx, data, models, vectors, output, force, output_format)
        return
    if table_name not in TABLES:
        raise unknown_name("table", table_name, [*TABLES, *FRAME_TABLES, DETESTS])
    from tactful.corpora import load_corpus
    from tactful.evaluation.reproduce.cross_validation import default_cache
    from tactful.evaluation.reproduce.paper_tables import load_table
    from tactful.evaluation.reproduce.papers import reproduce
    from tactful.evaluation.reproduce.protocols import Choices
    from tactful.evaluation.reproduce.rows import chosen_rows

    if trust_weighted and table_name != "ucc-auc":
        raise UsageError(f"--trust-weighted is for 'ucc-auc'; not for '{table_name}'.")
    paper = load_table(table_name)
    names = split_names(models, "--models", "names with commas, or cheap or all")
    chosen_rows(names)
    require_vectors(vectors)
    settings = load_settings()
    corpus = load_corpus(paper.corpus, data, settings=settings)
    with ExitStack() as stack:
        # A file that cannot be written is refused before the work starts.
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
        write_answer(found.as_json(), target)
    if output_format == "json":
        echo_json(found.as_json())
    else:
        _show(found)


def _show(found: "Reproduction") -> None:
    paper = found.table
    source = f"{paper.paper}, {paper.place}: {paper.protocol}."
    echo_title(paper.title, paper.id, source, found.notes)
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
            *number_cells(line.paper, paper.metrics, 2),
            *number_cells(line.ours, paper.metrics, 2),
            *number_cells(line.difference, paper.metrics, 2, signed=True),
        ]
        for line in found.lines
        if line.ours is not None or line.paper is not None
    ]
    echo(table(head, body, whole=head))
    reasons = dict.fromkeys(f"{line.name}: {line.reason}" for line in found.lines if line.reason)
    echo_list("Not run:", list(reasons))
