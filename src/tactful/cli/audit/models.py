"""``tactful audit fill-mask``, ``causal`` and ``sentiment``: ask a model and save its answers."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from tactful.cli.audit.running import audit, download_option, running_options
from tactful.cli.audit.selection import selection_options
from tactful.cli.options import PATH, POSITIVE, flag, option
from tactful.errors import UsageError

if TYPE_CHECKING:
    from tactful.audit.probes.render import Selection


@click.command("fill-mask")
@option(
    "--model NAME|PATH",
    "The folder of a masked language model, or its name on the hub.",
    required=True,
)
@option("--top", "Rate this many of the most probable words.", POSITIVE, 50)
@option("--pieces", "Also rate words of up to this many tokens.", click.IntRange(1, 3), 1)
@option(
    "--ratings FILE",
    "Use these rated words (columns word, attitude) instead of the probe's or Tactful's.",
    PATH,
)
@option("--batch", "Prompts per batch.  [default: 64]", POSITIVE)
@download_option
@selection_options
@running_options
def fill_mask_cli(
    model: str,
    top: int,
    pieces: int,
    ratings: Path | None,
    batch: int | None,
    download: bool,
    probe_name: str,
    selection: "Selection",
    **options: Any,
) -> None:
    """Audit a masked language model by the words it fills in.

    Each condition is put into seven sentences in four wordings, such as "It is [MASK] for me to
    rent a room in my home to someone who is deaf." The words that the model fills in are rated,
    and P(negative) is the share of the negative ones. Answers are saved batch by batch: run the
    same command again to resume an interrupted audit.

    \b
    tactful audit fill-mask --model ./my-bert
    tactful audit fill-mask --model distilbert-base-uncased --download --wording paper
    tactful audit fill-mask --model ./my-bert --phrasing identity-first --name my-bert-identity
    """
    from tactful.audit.hub import open_model
    from tactful.audit.masked.asking import BATCH, MaskedAsker
    from tactful.audit.probes.load import load_probe
    from tactful.audit.probes.render import mask_prompts
    from tactful.audit.runs.conduct import ratings_of

    probe = load_probe(probe_name)
    prompts = mask_prompts(probe, selection)
    attitudes = ratings_of(probe, ratings)
    wanted = [word for word, rated in attitudes.words.items() if rated != "irrelevant"]
    opened = open_model("masked", model, download)
    asker = MaskedAsker(opened, top, batch or BATCH, pieces, wanted)
    audit(
        asker,
        probe,
        prompts,
        selection=selection,
        attitudes=attitudes,
        settings={"top": top, "pieces": pieces},
        **options,
    )


@click.command("causal")
@option(
    "--model NAME|PATH",
    "The folder of a causal language model, its name on the hub, or 'smollm2' (PyPI).",
    required=True,
)
@option(
    "--by",
    "Weigh the words at the end of a sentence, or whole sentences with each word.",
    ["continuation", "sentence"],
    "continuation",
)
@option("--batch", "Approximate number of prompts per batch.", POSITIVE)
@download_option
@selection_options
@running_options
def causal_cli(
    model: str,
    by: Literal["continuation", "sentence"],
    batch: int | None,
    download: bool,
    probe_name: str,
    selection: "Selection",
    name: str | None,
    **options: Any,
) -> None:
    """Audit a causal language model by how it weighs pairs of words.

    The pairs are those of the probe's scale: unlikely and likely, unacceptable and acceptable, …
    P(negative) is the share of the negative word in what the model gives to both, averaged over
    the pairs. By continuation, the words end the sentence; by sentence, each word is put into the
    sentence and the likelihood of the whole counts, which takes several times longer.

    \b
    tactful audit causal --model smollm2
    tactful audit causal --model ./my-llama --by sentence --template template_2
    """
    from tactful.audit.causal.asking import CausalAsker
    from tactful.audit.hub import open_model
    from tactful.audit.probes.load import load_probe
    from tactful.audit.probes.render import causal_prompts, sentence_prompts
    from tactful.audit.runs.conduct import run_name

    probe = load_probe(probe_name)
    made = sentence_prompts if by == "sentence" else causal_prompts
    prompts = made(probe, selection)
    opened = open_model("causal", model, download)
    asker = CausalAsker(opened, probe.pairs(), by=by, batch=batch)
    # Both ways of asking one model can be kept side by side.
    name = name or run_name(asker) + ("-sentence" if by == "sentence" else "")
    audit(asker, probe, prompts, selection=selection, name=name, settings={"by": by}, **options)


@click.command("sentiment")
@option(
    "--model NAME",
    "vader, textblob, tactful:default, a folder or hub name, module:function, or a URL.",
    required=True,
)
@option(
    "--labels NAME=CLASS,…",
    "Meaning of the model's classes, such as LABEL_0=negative,LABEL_1=positive.",
)
@flag("--allow-network", "Allow sending texts to an endpoint (http, https).")
@option(
    "--endpoint-shape",
    "Shape of requests: {'texts': […]} or, as for Hugging Face, {'inputs': […]}.",
    ["texts", "inputs"],
    "texts",
)
@option("--token-env VARIABLE", "Environment variable with the endpoint's token.")
@flag("--allow-plain-http", "Allow an endpoint without encryption.")
@option("--batch", "Texts per batch.", POSITIVE)
@download_option
@selection_options
@running_options
def sentiment_cli(
    model: str,
    labels: str | None,
    allow_network: bool,
    endpoint_shape: str,
    token_env: str | None,
    allow_plain_http: bool,
    batch: int | None,
    download: bool,
    probe_name: str,
    selection: "Selection",
    **options: Any,
) -> None:
    """Audit a sentiment classifier, or anything that sorts texts into classes.

    Each condition is put into sentences that say nothing else, such as "They are people who have
    depression." The result is the share of them that is called negative.

    \b
    tactful audit sentiment --model vader
    tactful audit sentiment --model mypackage.models:classify
    tactful audit sentiment --model http://localhost:8080/predict --allow-network
    """
    from tactful.audit.classifiers import load_classifier, parse_labels
    from tactful.audit.probes.load import load_probe
    from tactful.audit.probes.render import sentiment_prompts

    if token_env is not None and not allow_network:
        raise UsageError("--token-env is for an endpoint; pass --allow-network, too.")
    probe = load_probe(probe_name)
    prompts = sentiment_prompts(probe, selection)
    asker = load_classifier(
        model,
        labels=None if labels is None else parse_labels(labels),
        download=download,
        allow_network=allow_network,
        endpoint_shape=endpoint_shape,
        token_env=token_env,
        allow_plain_http=allow_plain_http,
        batch=batch,
        language=probe.language,
    )
    audit(asker, probe, prompts, selection=selection, **options)
