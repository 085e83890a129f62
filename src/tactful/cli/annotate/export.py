"""``tactful annotate export``: write what a project has, and say what a format cannot carry."""

from pathlib import Path

import click

from tactful.words import counted

FORMATS = """\b
jsonl         ours, without loss, with the log to rebuild the project
parquet       the same as tables
csv           a table for a spreadsheet
dpm           Don't Patronize Me! (two TSV files)
ucc           the Unhealthy Comment Corpus (comments and judgements)
sbic          the Social Bias Inference Corpus (annotation rows)
detests       DETESTS 2022 (sentences and annotators)
brat          .txt and .ann with annotation.conf
label-studio  tasks as JSON, with the labelling interface
doccano       JSON Lines with categories and spans
conll         tokens with BIO tags
crowd-kit     task, worker, label"""


@click.command("export", epilog=FORMATS)
@click.argument("project", type=click.Path(path_type=Path))
@click.option("--format", "name", required=True, metavar="NAME", help="One of those below.")
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder to write; it appears when it is whole.",
)
@click.option(
    "--spreadsheet",
    is_flag=True,
    help="Put an apostrophe before cells that a spreadsheet would run, in the papers' CSV files "
    "and crowd-kit's; 'csv' always does.",
)
@click.option(
    "--unfinished",
    is_flag=True,
    help="Also give labels that may still change, in dpm, ucc and detests.",
)
@click.option("--force", is_flag=True, help="Replace an export that is there.")
def export_cli(
    project: Path, name: str, output: Path, spreadsheet: bool, unfinished: bool, force: bool
) -> None:
    """Write the annotations of PROJECT in a format, and list exactly what is lost."""
    from tactful.annotation.formats.load import EXPORTS, export
    from tactful.annotation.project.project import Project

    EXPORTS.get(name)
    with Project.open(project, read_only=True) as opened:
        done = export(
            opened, name, output, spreadsheet=spreadsheet, unfinished=unfinished, force=force
        )
    files = counted(done.files, "file")
    click.echo(f"Wrote {files} to {done.folder}")
    echo_losses(done.losses)


def echo_losses(losses: tuple[object, ...]) -> None:
    """Print what is lost, one line each, or that nothing is."""
    if not losses:
        click.echo("Nothing is lost.")
        return
    click.echo("Not in it:")
    for loss in losses:
        click.echo(f"  {loss}")
