"""``tactful frame index``: build a framer from the user's own copy of posts with frames."""

from collections.abc import Sequence
from pathlib import Path

import click

from tactful.cli.options import PATH, force_option, option, refuse_output, several
from tactful.cli.progress import progress
from tactful.errors import UsageError
from tactful.settings import Settings, load_settings
from tactful.words import counted


@click.command("index")
@click.argument("data", required=False, type=PATH)
@option("--output -o", "The folder to write.", PATH, required=True)
@several(
    "--also FILE",
    "Also index the posts of this file: that of Implicit Hate, or a CSV like DATA; repeatable.",
    PATH,
)
@option(
    "--embedding NAME|FOLDER",
    "How similar posts are found: encoder, sentences (multilingual; needs two packages), "
    "a folder with model.onnx and tokenizer.json, or several joined by '+'.",
    default="encoder",
)
@force_option
def index_cli(
    data: Path | None, output: Path, also: tuple[Path, ...], embedding: str, force: bool
) -> None:
    """Build an index of your own copy of posts with frames.

    DATA is the folder of the Social Bias Inference Corpus (or the one above it), the file of
    Implicit Hate with targets and statements, or a CSV of your own with the columns post, group and
    statement; without it, $TACTFUL_DATA. The index holds the posts themselves: it stays with you,
    under the terms of the data.

    \b
    tactful frame index corpora/social_bias -o my-index
    tactful frame --model my-index --text "We shouldn't lower our standards to hire more women."
    """
    settings = load_settings()
    source = data or settings.data
    if source is None:
        raise UsageError(
            "Name the folder with the posts, as in 'tactful frame index DATA -o FOLDER', or set "
            "TACTFUL_DATA."
        )
    refuse_output(output, force)
    places = [each.expanduser() for each in (source, *also)]
    build(places, output, embedding, force, settings)


def build(
    places: Sequence[Path], output: Path, embedding: str, force: bool, settings: Settings
) -> None:
    """Read the posts, build their index and write it."""
    from tactful.frames.embedding import load_embedding
    from tactful.frames.index import build_index, read_index_posts, write_index

    for data in places:
        if not data.exists():
            raise UsageError(f"There is no file or folder '{data}'; expected the posts to index.")
    opened = load_embedding(embedding)
    found = [read_index_posts(data) for data in places]
    posts = [post for part, _ in found for post in part]
    source = " and ".join(dict.fromkeys(name for _, name in found))
    with progress("Embedding posts", len(posts), unit="posts", setting=settings.progress) as shown:
        index = build_index(posts, opened, source, shown.advance)
    write_index(index, output, force)
    click.echo(
        f"Wrote an index of {counted(len(posts), 'post')}, {len(index.with_references):,} of "
        f"them with a group and a statement, to {output}"
    )
    click.echo(f"The index contains the posts; licence: {index.card.licence}")
