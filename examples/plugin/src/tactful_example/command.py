"""A command of its own: count the phrases of the detector in text files."""

from pathlib import Path

import click

from tactful_example.detector import open_mild_words


@click.command("count-phrases")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def count_phrases_cli(files: tuple[Path, ...]) -> None:
    """Count the phrases in FILES that talk down to people."""
    detector = open_mild_words()
    for file in files:
        found = detector.spans(file.read_text(encoding="utf-8"), ["pcl"])
        click.echo(f"{file}: {len(found['pcl'])}")
