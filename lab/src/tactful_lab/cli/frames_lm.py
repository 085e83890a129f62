"""``tactful train frames-lm``: teach a causal language model to write Social Bias Frames."""

from typing import Any

import click

from tactful.cli.options import POSITIVE, flag, force_option, option, refuse_output
from tactful.cli.output import echo_sentence
from tactful.cli.progress import progress
from tactful.cli.train.options import (
    command_line,
    data_option,
    interrupted,
    output_option,
    resume_option,
    seed_option,
)
from tactful.errors import MissingExtraError
from tactful.words import counted

_SHARES = {"1/4": 0.25, "1/2": 0.5, "all": 1.0}


class _Share(click.ParamType[float]):
    """A share of the posts: 1/4, 1/2, all, or a number."""

    name = "share"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read a share."""
        try:
            share = _SHARES[value] if value in _SHARES else float(value)
        except ValueError:
            share = 0.0
        if not 0 < share <= 1:
            self.fail(f"found {value!r}; expected 1/4, 1/2, all, or a number up to 1", param, ctx)
        return share


@click.command("frames-lm")
@data_option
@output_option
@option(
    "--base NAME|PATH",
    "Base model: a folder with safetensors or a gguf file, 'smollm2', or a hub name.",
    default="smollm2",
)
@flag("--download", "Download the base model from the hub if needed.")
@flag("--lora", "Train low-rank adapters instead of all weights.")
@option("--epochs", "Number of epochs; the paper tries 1, 2 and 5.", POSITIVE, 1)
@option("--batch", "Batch size.", POSITIVE, 4)
@option(
    "--rate",
    "Learning rate.  [default: 1e-5, as in the paper; 2e-4 with --lora]",
    click.FloatRange(min=0, min_open=True),
)
@option("--share", "Share of the posts to train on: 1/4, 1/2, all, or a number.", _Share(), "all")
@option("--most-posts", "Use at most this many posts; --share is a share of them.", POSITIVE)
@option("--per-post", "Use at most this many lines of each post.", POSITIVE)
@option("--post-tokens", "Cut posts after this many tokens.", POSITIVE, 64)
@seed_option
@resume_option
@force_option
@click.pass_context
def train_frames_lm_cli(ctx: click.Context, /, **options: Any) -> None:
    """Teach a causal language model to write frames; load_framer() opens the folder.

    \b
    tactful train frames-lm --data corpora -o my-framer
    tactful train frames-lm --base ./gpt2 --epochs 5 --data corpora -o my-framer
    """
    train_frames_lm(options, command_line(ctx, "frames-lm"))


def train_frames_lm(options: dict[str, Any], command: str = "") -> None:
    """Train a causal framer, and report progress and results."""
    output, force = options["output"], options["force"]
    refuse_output(output, force)
    try:
        from tactful.training.task_training import clear_work
        from tactful_lab.training.causal import frames as causal_frames
        from tactful_lab.training.causal import language_model as causal_lm
    except ImportError as error:
        raise MissingExtraError("train", "Training a causal language model") from error
    work = output.with_name(f"{output.name}.training")
    if not options["resume"]:
        clear_work(work)
    usual = causal_lm.LORA_RATE if options["lora"] else causal_lm.PAPER_RATE
    chosen = causal_frames.CausalOptions(
        base=options["base"],
        download=options["download"],
        plan=causal_lm.CausalPlan(
            seed=options["seed"],
            epochs=options["epochs"],
            batch=options["batch"],
            rate=usual if options["rate"] is None else options["rate"],
            lora=options["lora"],
        ),
        share=options["share"],
        per_post=options["per_post"],
        most_posts=options["most_posts"],
        post_tokens=options["post_tokens"],
        command=command,
    )
    posts = causal_frames.read_frame_posts(options["data"])
    try:
        with progress("Training", unit="steps") as on_step:
            card = causal_frames.train_causal_framer(
                posts,
                chosen,
                output,
                work,
                force=force,
                on_step=lambda step, total, _: on_step(step, total),
                say=click.echo,
            )
    except KeyboardInterrupt:
        echo_sentence(interrupted(work, "the steps so far"), err=True)
        raise
    loss = card.training.get("validation loss")
    if loss is not None:
        click.echo(
            f"Loss on {counted(card.training['validation lines'], 'validation line')}: {loss:.4f}"
        )
    click.echo(f"Wrote {card.model} to {output}")
