"""``tactful train frames-lm``: teach a causal language model to write Social Bias Frames."""

import shlex
from pathlib import Path
from typing import Any

import click

from tactful.cli.corpus.options import force_option
from tactful.cli.output import echo_sentence
from tactful.cli.progress import progress
from tactful.errors import MissingExtraError, UsageError
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
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="The folder with the corpora, or that of SBIC.  [default: $TACTFUL_DATA]",
)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The folder.")
@click.option(
    "--base",
    default="smollm2",
    show_default=True,
    metavar="NAME|PATH",
    help="A folder with safetensors or a gguf file, 'smollm2', or a name on the hub.",
)
@click.option("--download", is_flag=True, help="Fetch the base from the hub if needed.")
@click.option("--lora", is_flag=True, help="Learn low-rank adapters instead of all weights.")
@click.option(
    "--epochs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How often all lines are seen; the paper tries 1, 2 and 5.",
)
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    help="How many lines are seen at a time.",
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    help="The learning rate.  [default: 1e-5, as in the paper; 2e-4 with --lora]",
)
@click.option(
    "--share",
    type=_Share(),
    default="all",
    show_default=True,
    help="Of the posts: 1/4, 1/2, all, or a number.",
)
@click.option(
    "--most-posts", type=click.IntRange(min=1), help="Take at most so many posts as 'all'."
)
@click.option(
    "--per-post", type=click.IntRange(min=1), help="Take at most so many lines of each post."
)
@click.option(
    "--post-tokens",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    help="Cut longer posts to so many tokens.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="For what is random."
)
@click.option(
    "--resume/--fresh",
    default=True,
    show_default=True,
    help="Go on where a run was stopped, or start anew.",
)
@force_option
def train_frames_lm_cli(**options: Any) -> None:
    """Teach a causal language model to write frames; load_framer() opens the folder.

    \b
    tactful train frames-lm --data corpora -o my-framer
    tactful train frames-lm --base ./gpt2 --epochs 5 --data corpora -o my-framer
    """
    train_frames_lm(options)


def train_frames_lm(options: dict[str, Any]) -> None:
    """Train a causal framer, saying what happens."""
    output, force = options["output"], options["force"]
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output}: found a file; expected the name of a folder to write.")
    if output.is_dir() and any(output.iterdir()) and not force:
        raise UsageError(f"{output}: it exists already; name another place or pass --force.")
    try:
        from tactful.training.causal import frames as causal_frames
        from tactful.training.causal import language_model as causal_lm
        from tactful.training.loop import CHECKPOINT_FILE
    except ImportError as error:
        raise MissingExtraError("train", "Training a causal language model") from error
    work = output.with_name(f"{output.name}.training")
    if not options["resume"]:
        causal_frames.clear_work(work)
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
        command=_command_line(options),
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
        kept = (work / CHECKPOINT_FILE).is_file()
        echo_sentence(
            f"Stopped; what was learnt stays in {work}. Run the same command again to go on, or "
            "with --fresh to start anew."
            if kept
            else "Stopped before anything was kept; nothing was written.",
            err=True,
        )
        raise
    loss = card.training.get("validation loss")
    if loss is not None:
        click.echo(
            f"Loss on {counted(card.training['validation lines'], 'validation line')}: {loss:.4f}"
        )
    click.echo(f"Wrote {card.model} to {output}")


def _command_line(options: dict[str, Any]) -> str:
    """Return the command line of these options, for the card."""
    words = ["tactful", "train", "frames-lm"]
    for parameter in train_frames_lm_cli.params:
        value = options.get(parameter.name or "")
        if value is None or not isinstance(parameter, click.Option):
            continue
        if parameter.is_flag:
            words += [parameter.opts[-1]] if value and not parameter.secondary_opts else []
        else:
            words += [parameter.opts[-1], str(value)]
    return shlex.join(words)
