"""``tactful annotate export``: write what a project has, and say what a format cannot carry."""

from pathlib import Path

import click

from tactful.annotation.formats.load import EXPORTS, FORMATS, export
from tactful.cli.options import PATH, flag, option
from tactful.words import counted

_EPILOG = "\b\n" + "\n".join(f"{each.name:<14}{each.title}: {each.about}" for each in FORMATS)


@click.command("export", epilog=_EPILOG)
@click.argument("project", type=PATH)
@option("--format name NAME", "One of the formats listed below.", required=True)
@option(
    "--output -o", "Folder to write; it appears once the export is complete.", PATH, required=True
)
@flag(
    "--spreadsheet",
    "Put an apostrophe before cells that a spreadsheet would run as formulas, in ucc, sbic, "
    "detests and crowd-kit; csv always has it.",
)
@flag("--unfinished", "Include labels that may still change, in dpm, ucc and detests.")
@flag("--force", "Replace an existing export.")
def export_cli(
    project: Path, name: str, output: Path, spreadsheet: bool, unfinished: bool, force: bool
) -> None:
    """Export the annotations of PROJECT, and list what the format cannot hold."""
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
    """Print what the format could not hold, one line each."""
    if not losses:
        click.echo("Nothing was lost.")
        return
    click.echo("Lost:")
    for loss in losses:
        click.echo(f"  {loss}")
