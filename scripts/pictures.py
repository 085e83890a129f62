"""Pictures of pages, small enough to be kept with the documentation."""

import io
from pathlib import Path

import click

COLOURS = 256


def write_picture(path: Path, picture: bytes, most_bytes: int) -> Path:
    """Write a picture with few colours, which text and flat areas do not miss."""
    from PIL import Image

    small = Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS)
    small.save(path, optimize=True)
    if path.stat().st_size > most_bytes:
        raise click.ClickException(f"{path}: {path.stat().st_size:,} bytes; expected fewer.")
    return path
