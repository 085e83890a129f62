"""``tactful audit chat``: ask a chat model behind an endpoint, or in a folder of this machine."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from tactful.audit.chat.asking import ANSWERED, MOST_AT_ONCE, By
from tactful.cli.audit.running import audit, download_option, running_options
from tactful.cli.audit.selection import selection_options
from tactful.cli.options import PATH, POSITIVE, collect, flag, option
from tactful.cli.output import echo_sentence
from tactful.errors import UsageError

if TYPE_CHECKING:
    from tactful.audit.chat.asking import Judge, Manner
    from tactful.audit.chat.cost import Prices
    from tactful.audit.probes.render import Selection
    from tactful.audit.probes.schema import Probe
    from tactful.audit.protocol import Asker
    from tactful.checking.chat import ChatEndpoint
    from tactful.taxonomies.prompts import Prompt

CONTINUATION = "continuation"
_JUDGE = "lexicon"
_LONGEST_SYSTEM = 100_000
"""Characters of a system prompt that are read."""


@dataclass(frozen=True, slots=True)
class Asking:
    """The options that say which model is asked, how, and at what cost."""

    endpoint: str | None
    model: str | None
    key_variable: str | None
    allow_plain_http: bool
    by: Any
    judge: str | None
    judge_endpoint: str | None
    judge_key_variable: str | None
    system: Path | None
    temperature: float
    samples: int
    sampling_seed: int | None
    max_tokens: int | None
    at_once: int
    per_minute: float | None
    timeout: float
    tries: int
    price_in: float
    price_out: float
    dry_run: bool
    download: bool

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.endpoint is None:
            if self.model is None:
                raise UsageError(
                    "Give --endpoint URL, or --model with a folder, a gguf file or 'smollm2'."
                )
            if self.key_variable or self.allow_plain_http or self.per_minute:
                raise UsageError("These options are for an endpoint; give --endpoint URL.")
            if self.by == CONTINUATION:
                raise UsageError(
                    "On this machine, the ends of sentences are weighed by 'tactful audit causal'."
                )
        elif self.download:
            raise UsageError("--download is for a model on this machine; leave --endpoint out.")
        if self.by != "free" and (self.judge or self.judge_endpoint):
            raise UsageError("A judge reads free answers; pass --by free.")

    def opened(self) -> "ChatEndpoint":
        """Return the endpoint, and say where prompts are sent."""
        found = self._open(str(self.endpoint), self.model, self.key_variable)
        echo_sentence(f"Prompts are sent to {found.place}.", err=True)
        return found

    def _open(self, url: str, model: str | None, key_variable: str | None) -> "ChatEndpoint":
        from tactful.checking.chat import open_chat

        return open_chat(
            url,
            model=model,
            key_variable=key_variable,
            allow_plain_http=self.allow_plain_http,
            timeout=self.timeout,
            tries=self.tries,
            patient=True,
        )

    def asker(self, manner: "Manner") -> "Asker":
        """Return the model at the endpoint, or the one on this machine."""
        if self.endpoint is not None:
            from tactful.audit.chat.asking import EndpointAsker

            return EndpointAsker(
                self.opened(), manner, concurrency=self.at_once, per_minute=self.per_minute
            )
        from tactful.audit.chat.local import LocalAsker
        from tactful.audit.hub import open_model

        return LocalAsker(open_model("causal", str(self.model), self.download), manner)

    def manner(self, probe: "Probe") -> "Manner":
        """Return how the model is asked, and how its answers are read."""
        from tactful.audit.chat.asking import Manner
        from tactful.audit.probes.chat import asked_of
        from tactful.checking.chat import Sampling
        from tactful.files import open_text

        judge = self._judge(probe) if self.by == "free" else None
        system = None
        if self.system is not None:
            with open_text(self.system) as file:
                system = file.read(_LONGEST_SYSTEM).strip() or None
        sampling = Sampling(self.temperature, self.samples, self.sampling_seed)
        asked = asked_of(probe)
        return Manner(self.by, asked, probe.language, system, sampling, judge, self.max_tokens)

    def _judge(self, probe: "Probe") -> "Judge":
        if self.judge_endpoint is not None:
            from tactful.audit.chat.judges import ModelJudge

            endpoint = self._open(self.judge_endpoint, self.judge, self.judge_key_variable)
            echo_sentence(f"Answers are sent to {endpoint.place} to be judged.", err=True)
            return ModelJudge(endpoint, probe.language, self.at_once)
        if self.judge is None or self.judge == _JUDGE:
            from tactful.audit.chat.judges import LexiconJudge
            from tactful.audit.runs.conduct import ratings_of

            return LexiconJudge(ratings_of(probe), probe.language)
        from tactful.audit.chat.judges import ClassifierJudge
        from tactful.audit.classifiers import load_classifier

        return ClassifierJudge(load_classifier(self.judge, language=probe.language))


@click.command("chat")
@option(
    "--endpoint URL",
    "Send the prompts to this OpenAI-compatible endpoint, such as http://127.0.0.1:8080/v1.",
)
@option(
    "--model NAME|PATH",
    "The model at the endpoint; without one, a folder, a gguf file, a hub name or 'smollm2'.",
)
@option("--key-variable NAME", "The environment variable that holds the endpoint's API key.")
@flag("--allow-plain-http", "Allow http to an endpoint on another machine.")
@option(
    "--by",
    "Read the letter it answers, the probabilities of the letters, the letter after its reasons, "
    "its own words, or the end of a sentence (completions).",
    [*get_args(By), CONTINUATION],
    "choice",
)
@option(
    "--judge NAME",
    "Who reads free answers: lexicon, any --model of 'audit sentiment', or a model at "
    f"--judge-endpoint.  [default: {_JUDGE}]",
)
@option("--judge-endpoint URL", "Send free answers to this endpoint to be judged.")
@option("--judge-key-variable NAME", "The environment variable with the key of that endpoint.")
@option("--system FILE", "A file with the system prompt.  [default: none]", PATH)
@option("--temperature", "How freely answers are drawn.", click.FloatRange(0, 2), 0.0)
@option("--samples", "Answers to each prompt.", click.IntRange(1, 100), 1)
@option("--sampling-seed", "The seed of drawn answers, for endpoints that take one.", int)
@option(
    "--max-tokens", "Tokens of one answer.  [default: 12 by choice, 120 in own words]", POSITIVE
)
@option("--at-once", "Requests at a time.", click.IntRange(1, MOST_AT_ONCE), 4)
@option("--per-minute", "At most this many requests a minute.", click.FloatRange(0.1, 1e6))
@option("--timeout SECONDS", "How long to wait for one answer.", click.FloatRange(0.1, 3600), 120.0)
@option("--tries", "How often to ask an endpoint that is busy or fails.", click.IntRange(1, 20), 6)
@option(
    "--price-in", "Money for a million tokens sent, for the estimate.", click.FloatRange(0), 0.0
)
@option(
    "--price-out",
    "Money for a million tokens received, for the estimate.",
    click.FloatRange(0),
    0.0,
)
@flag("--dry-run", "Only say what asking would cost.")
@download_option
@selection_options
@running_options
@collect(Asking, "asking")
def chat_cli(
    asking: Asking, probe_name: str, selection: "Selection", name: str | None, **options: Any
) -> None:
    """Audit a chat model behind an endpoint or in a folder.

    The questions of the Social Distance Scale are asked in four forms, with answers to choose from.
    P(negative) is how far the answers reject the person, from 0 to 1. A refusal is neither a yes
    nor a no: it is counted by itself. Each answer is saved as it comes: run the same command again
    to resume an interrupted audit. Nothing is sent unless --endpoint names an address.

    \b
    tactful audit chat --endpoint http://127.0.0.1:8080/v1 --model qwen --dry-run
    tactful audit chat --endpoint http://127.0.0.1:8080/v1 --model qwen --by logprobs
    tactful audit chat --model smollm2 --by logprobs --probe stigma_scenarios
    """
    from tactful.audit.probes.load import load_probe

    asking.check()
    probe = load_probe(probe_name)
    ask = _by_continuation if asking.by == CONTINUATION else _by_chat
    ask(asking, probe, selection, name, options)


def _by_continuation(
    asking: Asking,
    probe: "Probe",
    selection: "Selection",
    name: str | None,
    options: dict[str, Any],
) -> None:
    from tactful.audit.chat.continuation import ContinuationAsker
    from tactful.audit.probes.render import causal_prompts
    from tactful.audit.runs.conduct import run_name

    prompts = causal_prompts(probe, selection)
    pairs = probe.pairs()
    texts = {prompt.text: len(pairs[prompt.template]) * 2 for prompt in prompts}
    echo_sentence(f"To ask: at most {sum(texts.values()):,} requests.", err=True)
    if asking.dry_run:
        return
    asker = ContinuationAsker(
        asking.opened(), pairs, concurrency=asking.at_once, per_minute=asking.per_minute
    )
    name = name or f"{run_name(asker)}-endpoint"
    settings = {"by": CONTINUATION}
    audit(asker, probe, prompts, selection=selection, name=name, settings=settings, **options)


def _by_chat(
    asking: Asking,
    probe: "Probe",
    selection: "Selection",
    name: str | None,
    options: dict[str, Any],
) -> None:
    from tactful.audit.chat.cost import Prices, estimate
    from tactful.audit.probes.render import chat_prompts
    from tactful.audit.runs.conduct import run_name
    from tactful.audit.runs.store import AnswerStore

    prices = Prices(asking.price_in, asking.price_out)
    prompts = chat_prompts(probe, selection, ANSWERED[asking.by])
    manner = asking.manner(probe)
    if asking.dry_run:
        echo_sentence(estimate(prompts, manner, prices).sentence(before=True))
        return
    asker = asking.asker(manner)
    store = AnswerStore(options["runs"], asker.kind, asker.name, asker.fingerprint)
    open_ones = [prompt for prompt in prompts if prompt.text not in store]
    if asking.endpoint is not None:
        echo_sentence(estimate(open_ones, manner, prices).sentence(before=True), err=True)
    name = name or f"{run_name(asker)}-{asking.by}"
    try:
        settings = manner.settings()
        audit(asker, probe, prompts, selection=selection, name=name, settings=settings, **options)
    finally:
        if asking.endpoint is not None:
            echo_sentence(_spent(asker, prompts, options["runs"], prices), err=True)


def _spent(asker: "Asker", prompts: Sequence["Prompt"], runs: Path, prices: "Prices") -> str:
    from tactful.audit.chat.cost import spent
    from tactful.audit.runs.store import AnswerStore

    store = AnswerStore(runs, asker.kind, asker.name, asker.fingerprint)
    texts = {prompt.text for prompt in prompts if prompt.text in store}
    return spent((store[text] for text in texts), prices).sentence(before=False)
