"""``tactful corpus split``: cut a corpus into parts."""

from pathlib import Path
from typing import Any

import click

from tactful.cli.corpus.options import (
    source_options,
    strict_option,
    validate_command,
)
from tactful.cli.output import echo, force_option, table
from tactful.cli.problems import say_briefly
from tactful.cli.progress import reading
from tactful.corpora import load_corpus
from tactful.errors import UsageError


@click.command("split")
@source_options
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder to write: one file per part, and split.json.",
)
@click.option("--official", is_flag=True, help="Take the authors' own parts.")
@click.option("--folds", type=int, metavar="K", help="K equal parts for cross-validation.")
@click.option(
    "--parts", metavar="NAME=SHARE,…", help="Parts of your own, such as train=0.8,dev=0.1,test=0.1."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="The same seed gives the same split.",
)
@click.option(
    "--output-format",
    "file_format",
    type=click.Choice(["jsonl", "parquet"]),
    default="jsonl",
    show_default=True,
    help="The format of the parts.",
)
@strict_option
@force_option
def split_cli(
    name: str,
    path: Path | None,
    sample: bool,
    encoding: str | None,
    output: Path,
    official: bool,
    folds: int | None,
    parts: str | None,
    seed: int,
    file_format: str,
    strict: bool,
    force: bool,
) -> None:
    """Cut a corpus into parts; no post, article or comment is in two of them."""
    from tactful.corpora.split import split

    wanted = _wanted_parts(official, folds, parts)
    corpus = load_corpus(name, path, sample=sample, encoding=encoding)
    with reading(corpus, passes=2):
        made = split(
            corpus, output, wanted, seed=seed, file_format=file_format, strict=strict, force=force
        )
    say_briefly(corpus.log, validate_command(name, path, sample, encoding))
    # Parts are few and labels many: parts stand side by side, so that the shares can be compared.
    rows: list[list[Any]] = [
        ["texts", *(p.texts for p in made)],
        ["groups", *(p.groups for p in made)],
    ]
    rows += [[label, *(p.positives[label] for p in made)] for label in made[0].positives]
    echo(table(["", *(p.name for p in made)], rows))
    click.echo(f"Wrote {output}")


def _wanted_parts(
    official: bool, folds: int | None, parts: str | None
) -> list[tuple[str, float]] | None:
    from tactful.corpora.split import parts_by_folds, parts_by_ratio

    if sum([official, folds is not None, parts is not None]) != 1:
        raise UsageError("Choose one way to split: --official, --folds K or --parts NAME=SHARE,…")
    if official:
        return None
    if folds is not None:
        return parts_by_folds(folds)
    ratios = []
    for piece in (parts or "").split(","):
        name, _, share = piece.partition("=")
        try:
            ratios.append((name.strip(), float(share)))
        except ValueError:
            raise UsageError(
                f"--parts: found {piece!r}; expected NAME=SHARE such as train=0.8."
            ) from None
    return parts_by_ratio(ratios)
