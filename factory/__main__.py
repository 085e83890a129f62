"""``python -m factory``: one command for each set of weights."""

import os
from collections.abc import Callable
from pathlib import Path

import click

DATA = os.environ.get("TACTFUL_DATA", "data")
FOLDER = click.Path(path_type=Path)


@click.group()
def main() -> None:
    """Make the weights that Tactful ships."""


@main.group()
def english() -> None:
    """Make the English models."""


@english.command()
@click.option(
    "--base", default="all-MiniLM-L6-v2", show_default=True, help="The pretrained encoder."
)
@click.option("--tier", type=click.Choice(["research", "open"]), default="research")
@click.option("--data", type=FOLDER, default=DATA, help="The corpora.")
@click.option("--work", type=FOLDER, required=True, help="Keeps checkpoints.")
@click.option("--epochs", default=1, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=1, show_default=True, help="Of batches, dropout and new heads.")
@click.option("--rate", default=5e-5, show_default=True, help="The top layer's learning rate.")
@click.option("--start", type=FOLDER, help="Continue from what a network learnt before.")
@click.option("--finish", is_flag=True, help="Stress our own texts and quiet prose; with --start.")
@click.option("--mine", default="", help="A detector: see the prose that it is least quiet on.")
@click.option("--fraction", default=1.0, show_default=True, help="The part of the corpora to see.")
@click.option("--threads", default=2, show_default=True, type=click.IntRange(1))
@click.option("--bfloat16", is_flag=True, help="Faster on processors that multiply bfloat16.")
def train(
    base: str,
    tier: str,
    data: Path,
    work: Path,
    epochs: int,
    seed: int,
    rate: float,
    start: Path | None,
    finish: bool,
    mine: str,
    fraction: float,
    threads: int,
    bfloat16: bool,
) -> None:
    """Train a network on all corpora; run the same command again to resume."""
    import torch

    from factory.english.train import train_network
    from factory.learning import Settings

    torch.set_num_threads(threads)
    settings = Settings(seed=seed, epochs=epochs, rate=rate, bfloat16=bfloat16)
    train_network(base, tier, data, work, settings, start, finish, mine, fraction)


@english.command()
@click.argument("parts", nargs=-1, required=True, metavar="NETWORK=SHARE...")
@click.option(
    "--base", default="all-MiniLM-L6-v2", show_default=True, help="The pretrained encoder."
)
@click.option("--work", type=FOLDER, required=True, help="Keeps the pretrained encoder.")
@click.option("-o", "--output", type=FOLDER, required=True, help="The folder of the new network.")
def mix(parts: tuple[str, ...], base: str, work: Path, output: Path) -> None:
    """Write the weighted mean of networks: folders of trainings, or model.onnx of encoders."""
    from factory.english.train import mix_networks

    shares: dict[Path, float] = {}
    for part in parts:
        path, _, share = part.rpartition("=")
        try:
            shares[Path(path)] = float(share)
        except ValueError:
            raise click.UsageError(
                f"Found '{part}'; expected a network, '=' and its share, such as stages/one=0.4."
            ) from None
    mix_networks(base, shares, work, output)


def _pipeline_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add what the pipelines of the first edition share."""
    for option in (
        click.option("--work", type=FOLDER, required=True, help="Keeps the finished stages."),
        click.option("-o", "--output", type=FOLDER, required=True, help="The folder of weights."),
        click.option("--data", type=FOLDER, default=DATA, help="The corpora."),
    ):
        command = option(command)
    return command


@english.command()
@click.option("--base", default="all-MiniLM-L6-v2", show_default=True, help="What was trained.")
@click.option("--tier", type=click.Choice(["research", "open"]), default="research")
@click.option("--seed", default=1, show_default=True, help="Of the training.")
@_pipeline_options
def detectors(base: str, tier: str, seed: int, data: Path, output: Path, work: Path) -> None:
    """Write the detectors of a trained network: encoder, fast, default and cascade."""
    from factory.english.detectors import make_detectors

    make_detectors(base, tier, data, work, output, click.echo, seed)


def _finished_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add what the commands on finished English detectors share."""
    for option in (
        click.option("--tier", type=click.Choice(["research", "open"]), default="research"),
        click.option("-o", "--output", type=FOLDER, required=True, help="The folder of weights."),
        click.option("--data", type=FOLDER, default=DATA, help="The corpora."),
    ):
        command = option(command)
    return command


@english.command()
@_finished_options
def thresholds(tier: str, data: Path, output: Path) -> None:
    """Choose again from which probability on a check reports what finished detectors find."""
    from factory.english.detectors import choose_report_thresholds

    choose_report_thresholds(tier, data, output, click.echo)


@english.command()
@_finished_options
def cascade(tier: str, data: Path, output: Path) -> None:
    """Choose again which texts the cascade of finished detectors reads with the default."""
    from factory.english.detectors import choose_bands

    choose_bands(tier, data, output, click.echo)


@main.command()
@_pipeline_options
@click.option("--keep-encoder", is_flag=True, help="Only make what is beside the encoder again.")
def spanish(data: Path, output: Path, work: Path, keep_encoder: bool) -> None:
    """Train the Spanish network, and write its detectors."""
    from factory.spanish.detectors import make_detectors, make_encoder
    from factory.spanish.train import WEIGHTS, train_network

    if not keep_encoder:
        if not (work / WEIGHTS).is_file():
            train_network(data, work, click.echo)
        make_encoder(data, work, output, click.echo)
    make_detectors(data, work, output, click.echo)


@main.command()
@_pipeline_options
@click.option("--base", type=FOLDER, help="The encoder to start from.")
@click.option("--epochs", default=8, show_default=True, type=click.IntRange(1))
@click.option("--threads", default=2, show_default=True, type=click.IntRange(1))
def frames(
    data: Path, output: Path, work: Path, base: Path | None, epochs: int, threads: int
) -> None:
    """Train the framer, which reads with the open encoder in the same folder."""
    import torch

    from factory.frames.default import train_frames
    from factory.frames.fitting import DecoderSettings

    torch.set_num_threads(threads)
    train_frames(data, output, work, base, click.echo, recipe=DecoderSettings(epochs=epochs))


@main.command()
@_pipeline_options
@click.option("--steps", default=300, show_default=True, type=click.IntRange(1))
@click.option("--threads", default=1, show_default=True, type=click.IntRange(1))
@click.option("--bfloat16", is_flag=True, help="Faster on processors that multiply bfloat16.")
def masked(steps: int, threads: int, bfloat16: bool, data: Path, output: Path, work: Path) -> None:
    """Give MPNet a head that guesses words: a subject for `tactful audit`, not shipped."""
    import torch

    from factory.bases import base_folder
    from factory.masked import BASE, MaskedSettings, make_masked, read_texts
    from tactful.errors import TactfulError

    torch.set_num_threads(threads)
    settings = MaskedSettings(steps=steps, bfloat16=bfloat16)
    try:
        encoder = base_folder(BASE, work / "models")
        make_masked(encoder, read_texts(data), work / "masked", output, settings, click.echo)
    except TactfulError as error:
        raise click.ClickException(str(error)) from None


@main.command()
@click.argument("folders", nargs=-1, required=True, type=FOLDER, metavar="WEIGHTS...")
def audit(folders: tuple[Path, ...]) -> None:
    """Audit finished English detectors, and write what was found into their cards."""
    from factory.audit import audit_cards

    audit_cards(folders, click.echo)


if __name__ == "__main__":
    main()
