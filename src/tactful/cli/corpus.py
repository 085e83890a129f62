"""``tactful corpus``: read, check, summarise, convert and split the corpora."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.options import (
    NOT_NEGATIVE,
    PATH,
    collect,
    complete,
    flag,
    force_option,
    option,
    several,
    together,
)
from tactful.cli.output import (
    echo,
    echo_json,
    echo_rows,
    echo_sentence,
    format_option,
    loadable,
    table,
)
from tactful.cli.problems import problems_as_data, say_all, say_briefly
from tactful.cli.progress import reading
from tactful.corpora import CORPORA, corpus_path, load_corpus
from tactful.errors import EXIT_FAILURE, UsageError
from tactful.settings import load_settings
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.corpora.corpus import Corpus
    from tactful.corpora.stats import Stat

JSON_VERSION = 1


@dataclass(frozen=True, slots=True)
class Source:
    """Which corpus to read, where it is and how it is encoded."""

    name: str
    path: Path | None
    sample: bool
    encoding: str | None

    def load(self) -> "Corpus":
        """Open the corpus."""
        return load_corpus(self.name, self.path, sample=self.sample, encoding=self.encoding)

    def say_problems(self, corpus: "Corpus") -> None:
        """Say what was left out, and which command lists all problems of the same files."""
        words = ["tactful", "corpus", "validate", self.name]
        words += [str(self.path)] if self.path is not None else []
        words += ["--sample"] if self.sample else []
        words += ["--encoding", self.encoding] if self.encoding is not None else []
        say_briefly(corpus.log, shlex.join(words))


source_options = together(
    click.argument("name", shell_complete=complete(CORPORA)),
    click.argument("path", required=False, type=PATH),
    flag("--sample", "Use the few lines that come with Tactful."),
    option("--encoding", "The encoding of the text files, if not the authors'."),
    collect(Source, "source"),
)
strict_option = flag("--strict", "Fail, and write nothing, if a row has to be left out.")


@click.group("corpus")
def corpus_cli() -> None:
    """Read, check, summarise and convert the corpora.

    NAME is one of those that 'tactful corpus list' shows. PATH is the authors' file or folder;
    without it the corpus is looked for in the folder that TACTFUL_DATA names.
    """


@corpus_cli.command("list")
@format_option
def list_cli(output_format: str) -> None:
    """List the corpora, their languages, papers and terms, and which are here."""
    columns = ("name", "title", "lang", "paper", "licence", "here")
    echo_rows(output_format, list_corpora(), *columns)


@corpus_cli.command("info")
@source_options
@format_option
def info_cli(source: Source, output_format: str) -> None:
    """Say what a corpus is, which files it has, what to mind, and which of them are here."""
    info = corpus_info(source)
    if output_format == "json":
        echo_json(info)
        return
    click.echo(f"{info['title']} ({info['name']}, {info['lang']})")
    click.echo(f"Paper:   {info['paper']}\nLicence: {info['licence']}\n")
    echo(
        table(
            ["table", "files", "columns"],
            [
                [entry["name"], ", ".join(entry["files"]), ", ".join(entry["columns"])]
                for entry in info["tables"]
            ],
        )
    )
    click.echo("\nReleases:" + ("" if info["releases"] else " no counts are known"))
    for release in info["releases"]:
        counts = ", ".join(f"{number:,} {what}" for what, number in release["counts"].items())
        echo_sentence(f"{release['name']}: {counts}, {release['basis']}", "  ", "    ")
    click.echo("\nMind:")
    for trap in info["traps"]:
        echo_sentence(trap, "  - ", "    ")
    click.echo("\nHere: " + (info["where"] or "not found; name a path or set TACTFUL_DATA"))
    for file in info["here"]:
        part = f", {file['split']} part" if file["split"] else ""
        click.echo(f"  {file['file']}: {file['table']}{part}")


@corpus_cli.command("stats")
@source_options
@several("--only ID", "Only this table or figure; repeatable.")
@option(
    "--plots FOLDER",
    "Also draw what can be drawn, into this folder.",
    click.Path(path_type=Path, file_okay=False),
)
@option("--plot-format", "The format of the drawings.", ["png", "svg"], "png")
@strict_option
@force_option
@format_option
def stats_cli(
    source: Source,
    only: tuple[str, ...],
    plots: Path | None,
    plot_format: str,
    strict: bool,
    force: bool,
    output_format: str,
) -> None:
    """Compute the paper's own tables and figures from your files."""
    corpus = source.load()
    with reading(corpus, passes=2):
        stats = corpus_stats(corpus, only)
        verification = corpus.verify()
    if strict:
        corpus.log.raise_errors()
    drawn = draw(stats, corpus.name, plots, plot_format, force) if plots else []
    if output_format == "json":
        echo_json(
            {
                "schema_version": JSON_VERSION,
                "corpus": corpus.name,
                "release": verification.release.name if verification.release else None,
                "matches": verification.matches,
                "statistics": [stat.as_dict() for stat in stats],
                "plots": [str(file) for file in drawn],
                "problems": problems_as_data(corpus.log),
            }
        )
        return
    click.echo("\n".join(verification.lines()) + "\n")
    for stat in stats:
        _echo_stat(stat)
    for file in drawn:
        click.echo(f"Drawn: {file}", err=True)
    source.say_problems(corpus)


@corpus_cli.command("validate")
@source_options
@strict_option
@format_option
@option("--show N", "How many problems of each kind to list; all are counted.", NOT_NEGATIVE, 10)
@click.pass_context
def validate_cli(
    ctx: click.Context, source: Source, strict: bool, output_format: str, show: int
) -> None:
    """Read everything, report all that is wrong with file and line, and name the release.

    The exit code is 1 when rows had to be left out; with --strict also when the counts are those
    of no known release, where any are known.
    """
    corpus = source.load()
    with reading(corpus, passes=2):
        for _ in corpus.example_batches():
            pass
        verification = corpus.verify()
    strange = verification.release is not None and not verification.matches
    failed = bool(corpus.log.total()) or (strict and strange)
    if output_format == "json":
        release = verification.release
        echo_json(
            {
                "schema_version": JSON_VERSION,
                "corpus": corpus.name,
                "files": _files(corpus),
                "counts": dict(verification.found),
                "release": release.name if release else None,
                "expected": dict(release.counts) if release else None,
                "basis": release.basis() if release else None,
                "matches": verification.matches,
                "problems": problems_as_data(corpus.log),
            }
        )
    else:
        echo(table(["file", "table", "part"], [list(f.values()) for f in _files(corpus)]))
        click.echo("\n" + "\n".join(verification.lines()))
        say_all(corpus.log, show)
    if failed:
        ctx.exit(EXIT_FAILURE)


@corpus_cli.command("convert")
@source_options
@option(
    "--output -o",
    "The file to write; its ending, .jsonl or .parquet, chooses the format.",
    PATH,
    required=True,
)
@option(
    "--table which",
    "A row per text with all that is known of it, or one per judgement or span.",
    ["examples", "judgements", "spans"],
    "examples",
)
@strict_option
@force_option
def convert_cli(source: Source, output: Path, which: Any, strict: bool, force: bool) -> None:
    """Write a corpus in Tactful's one schema, without loss, to JSON Lines or Parquet."""
    from tactful.corpora.convert import convert, writer_for

    writer_for(output)
    corpus = source.load()
    with reading(corpus, passes=2):
        done = convert(corpus, output, which, strict, force)
    source.say_problems(corpus)
    rows = counted(done.rows, which.removesuffix("s"), which)
    click.echo(f"Wrote {rows} of {counted(done.texts, 'text')} to {done.path}")


@corpus_cli.command("split")
@source_options
@option(
    "--output -o", "The folder to write: one file per part, and split.json.", PATH, required=True
)
@flag("--official", "Take the authors' own parts.")
@option("--folds K", "K equal parts for cross-validation.", int)
@option("--parts NAME=SHARE,…", "Parts of your own, such as train=0.8,dev=0.1,test=0.1.")
@option("--seed", "The same seed gives the same split.", NOT_NEGATIVE, 1)
@option("--output-format file_format", "The format of the parts.", ["jsonl", "parquet"], "jsonl")
@strict_option
@force_option
def split_cli(
    source: Source,
    output: Path,
    official: bool,
    folds: int | None,
    parts: str | None,
    **options: Any,
) -> None:
    """Cut a corpus into parts; no post, article or comment is in two of them."""
    from tactful.corpora.split import split

    wanted = _wanted_parts(official, folds, parts)
    corpus = source.load()
    with reading(corpus, passes=2):
        made = split(corpus, output, wanted, **options)
    source.say_problems(corpus)
    # Parts are few and labels many: each part is a column, so that the shares can be compared.
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


def list_corpora() -> list[dict[str, Any]]:
    """Return one row per corpus; ``here`` says whether the data folder has it.

    Plug-ins that cannot be loaded are left out, with a warning.
    """
    data = load_settings().data
    return [
        _about(kind)
        | {"name": name, "here": "yes" if data and (data / kind.folder).is_dir() else "no"}
        for name, kind in loadable(CORPORA, CORPORA.get)
    ]


def _about(kind: "type[Corpus]") -> dict[str, Any]:
    return {name: getattr(kind, name) for name in ("name", "title", "lang", "paper", "licence")}


def corpus_info(source: Source) -> dict[str, Any]:
    """Return what there is to know about a corpus, and its files if they can be found."""
    kind = CORPORA.get(source.name)
    settings = load_settings()
    corpus = None
    if source.sample or source.path is not None or settings.data is not None:
        where = corpus_path(kind, source.path, source.sample, settings)
        # Without a path of the user's, a corpus that is not there is no mistake.
        if source.path is not None or where.exists():
            corpus = source.load()
    return {
        **_about(kind),
        "tables": [
            {
                "name": spec.name,
                "files": list(spec.patterns),
                "columns": [column.name for column in spec.columns],
            }
            for spec in kind.tables
        ],
        "releases": [
            {"name": r.name, "counts": dict(r.counts), "basis": r.basis()} for r in kind.releases
        ],
        "traps": list(kind.traps),
        "where": str(corpus.path) if corpus else None,
        "here": _files(corpus) if corpus else [],
    }


def corpus_stats(corpus: "Corpus", only: tuple[str, ...]) -> "list[Stat]":
    """Return all statistics, or those asked for."""
    from tactful.registry import unknown_name

    stats = corpus.stats()
    if not stats:
        raise UsageError(
            f"{corpus.path}: found no file that the statistics of {corpus.title} are computed "
            f"from; expected {', '.join(corpus.expected_files())}."
        )
    known = [stat.id for stat in stats]
    for wanted in only:
        if wanted not in known:
            raise unknown_name("statistic", wanted, known)
    return [stat for stat in stats if not only or stat.id in only]


def draw(stats: "list[Stat]", name: str, folder: Path, plot_format: str, force: bool) -> list[Path]:
    """Draw the statistics that have a chart; return the files."""
    from tactful.corpora.plots import write_plot

    files = {f"{name}-{stat.id}.{plot_format}": stat for stat in stats if stat.chart is not None}
    there = [str(folder / file) for file in files if (folder / file).exists()]
    if there and not force:
        raise UsageError(
            f"{', '.join(there)}: {'they exist' if len(there) > 1 else 'it exists'} already; "
            "name another folder or pass --force."
        )
    for file, stat in files.items():
        write_plot(stat, folder / file, force)
    return [folder / file for file in files]


def _files(corpus: "Corpus") -> list[dict[str, Any]]:
    return [
        {"file": source.path.name, "table": source.spec.name, "split": source.split}
        for source in corpus.sources
    ]


def _echo_stat(stat: "Stat") -> None:
    click.secho(f"{stat.title}  ", bold=True, nl=False)
    click.echo(f"({stat.source})")
    echo(table(stat.columns, stat.rows))
    for note in stat.notes:
        echo_sentence(note)
    click.echo()
