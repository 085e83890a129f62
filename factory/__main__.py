"""``python -m factory``: one command for each set of weights."""

import os
from pathlib import Path

import click

DATA = os.environ.get("TACTFUL_DATA", "data")


@click.group()
def main() -> None:
    """Make the weights that Tactful ships."""


@main.group()
def english() -> None:
    """Make the English models."""


@english.command()
@click.option("--base", default="gte-small", show_default=True, help="The pretrained encoder.")
@click.option("--tier", type=click.Choice(["research", "open"]), default="research")
@click.option("--data", type=click.Path(path_type=Path), default=DATA, help="The corpora.")
@click.option("--work", type=click.Path(path_type=Path), required=True, help="Keeps checkpoints.")
@click.option("--epochs", default=1, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=1, show_default=True, help="Of batches, dropout and new heads.")
@click.option("--threads", default=2, show_default=True, type=click.IntRange(1))
@click.option("--bfloat16", is_flag=True, help="Faster on processors that multiply bfloat16.")
def teacher(
    base: str,
    tier: str,
    data: Path,
    work: Path,
    epochs: int,
    seed: int,
    threads: int,
    bfloat16: bool,
) -> None:
    """Train a teacher; run the same command again to go on after a stop."""
    import torch

    from factory.english.teacher import train_teacher
    from factory.learning import Settings

    torch.set_num_threads(threads)
    train_teacher(base, tier, data, work, Settings(seed=seed, epochs=epochs, bfloat16=bfloat16))


if __name__ == "__main__":
    main()
