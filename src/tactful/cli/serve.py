"""``tactful serve``: the HTTP API, the Perspective-compatible API and the web app."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.listening import address, listen, until_stopped
from tactful.cli.options import POSITIVE, flag, given_options, option, several, turn_off
from tactful.cli.output import echo_sentence
from tactful.detectors.load import DETECTORS, EMBEDDED, embedded_folders
from tactful.errors import MissingExtraError, UsageError
from tactful.service.http.addresses import is_this_machine

if TYPE_CHECKING:
    from tactful.service.settings import ServiceSettings


@click.command("serve")
@option(
    "--config FILE",
    "Read settings from the table [serve] of this file.  [default: tactful.toml in this folder, "
    "if it is there]",
    click.Path(path_type=Path, dir_okay=False),
)
@flag("--print-config", "Show all settings and where they come from, and exit.")
@option("--host", "The address to listen on.", default="127.0.0.1")
@option("--port", "The port to listen on; 0 takes a free one.", click.IntRange(0, 65535), 8000)
@option(
    "--model NAME|FOLDER", f"The detector: {', '.join(DETECTORS)}, or a folder.", default="default"
)
@several(
    "--lang langs",
    "Serve only this language; repeatable. The first one is used where the language is "
    "unclear.  [default: all]",
    list(EMBEDDED),
)
@option(
    "--workers", "How many processes share the port and the weights.", click.IntRange(1, 256), 1
)
@option(
    "--keys keys_file FILE",
    "Require an API key from this file.",
    click.Path(path_type=Path, dir_okay=False),
)
@option("--add-key NAME", "Create a key, print it once, and exit.")
@option("--remove-key NAME", "Remove a key and exit.")
@flag("--list-keys", "List the names of the keys and exit.")
@flag("--reviewer", "With --add-key: the key may open /review.")
@option(
    "--rate rate_per_minute N",
    "The most requests a minute for each key, or for each address without keys; with "
    "--add-key, for that key.",
    POSITIVE,
)
@option(
    "--token-rate tokens_per_minute N",
    "The most tokens a minute that are read for each key, or for each address without keys; "
    "with --add-key, for that key.",
    POSITIVE,
)
@flag("--open is_open", "Allow other machines to connect without a key.")
@several(
    "--cors-origin cors_origins ORIGIN",
    "Allow pages of this site to call the API from a browser; repeatable.",
)
@option(
    "--max-queue",
    "How many texts may wait in a process; further requests get status 429.",
    POSITIVE,
    256,
)
@option(
    "--max-batch",
    "How many texts of different requests are scored together.",
    click.IntRange(1, 1024),
    32,
)
@option(
    "--max-tokens",
    "How many tokens a document may have; 4,096 are about 3,100 words and cost up to 2 s.",
    click.IntRange(min=256),
    4096,
)
@turn_off("--no-batching micro_batching", "Score every text on its own; slower.")
@option(
    "--timeout timeout_seconds SECONDS",
    "Cancel a request that takes longer.",
    click.FloatRange(0.1, 3600),
    30.0,
)
@option(
    "--receive-timeout receive_seconds SECONDS",
    "Close a connection whose request takes longer to arrive.",
    click.FloatRange(0.1, 3600),
    10.0,
)
@option(
    "--log-format",
    "The format of the log, which never contains a text or a key.",
    ["text", "json"],
    "text",
)
@option(
    "--public-url URL",
    "The address by which clients reach the service, such as https://tactful.example.org; "
    "needed behind a proxy.  [env: TACTFUL_PUBLIC_URL]",
    default="",
)
@several(
    "--allowed-host allowed_hosts NAME",
    "Without --public-url: a host that may be given to clients as the address of the "
    "service; repeatable.  [env: TACTFUL_ALLOWED_HOSTS]",
)
@several(
    "--trusted-proxy trusted_proxies ADDRESS|NETWORK",
    "Trust X-Forwarded-For, -Proto and -Host from this proxy; repeatable.  "
    "[env: TACTFUL_TRUSTED_PROXIES]",
)
@option(
    "--root-path PATH",
    "The path prefix that a proxy removes, such as /tactful.  [default: that of --public-url]",
    default="",
)
@turn_off("--no-web web", "Serve the API without the web app.")
@option(
    "--unsupported",
    "What clients of Perspective get for attributes that cannot be scored: null in place of the "
    "score, an answer without them, or an error.",
    ["null", "omit", "refuse"],
    "null",
)
@flag("--drop-unsupported", "Deprecated: the same as --unsupported omit.")
@option(
    "--scale NAME|FILE",
    "What the scores of the Perspective API mean: perspective (thresholds mean about what they "
    "meant there), probability, or a file from 'tactful calibrate --write-scale'.",
    default="perspective",
)
@flag(
    "--fail-closed",
    "Answer clients of Perspective and of OpenAI's moderation with 'needs review' where a text "
    "cannot be judged, because many of them publish it after an error.",
)
@option("--annotation URL", "The address of 'tactful annotate serve'; /annotate redirects there.")
@option(
    "--audits FOLDER",
    "A folder of audit reports for the web app to list.",
    click.Path(path_type=Path, exists=True, file_okay=False),
)
@option(
    "--rewrite-endpoint URL",
    "Answer POST /v1/rewrite with rewrites by this chat endpoint, which gets sentences of "
    "users; it must be compatible with OpenAI's, such as http://127.0.0.1:8080/v1.",
)
@option("--rewrite-chat-model NAME", "The model to ask, if the endpoint has several.")
@option(
    "--rewrite-key-variable NAME",
    "The environment variable that holds the API key of the endpoint.",
)
@flag("--rewrite-allow-plain-http", "Allow http to an endpoint on another machine.")
@option(
    "--feedback URL",
    "Store feedback and moderators' decisions here: sqlite:///feedback.db or "
    "postgresql://user@host/database. It opens /v1/feedback and /review.",
)
@option(
    "--feedback-texts",
    "Whether the feedback store keeps texts, or only a keyed hash of each.",
    ["keep", "hash"],
    "keep",
)
@option("--feedback-days DAYS", "Delete feedback that is older than this.", POSITIVE, 90)
@option(
    "--shadow MODEL",
    "Compare this detector on a sample of the scored texts; GET /v1/shadow has the differences.",
)
@option(
    "--shadow-share SHARE",
    "The share of the texts to compare.",
    click.FloatRange(0, 1, min_open=True),
    0.1,
)
@option(
    "--webhook URL",
    "Send signed events to this address: scores above thresholds, and decisions of moderators.",
)
@several(
    "--webhook-threshold webhook_thresholds ID=P",
    "Send an event from this probability on; repeatable.  [default: as a check reports]",
)
@flag("--webhook-texts", "Put the text into events.")
@click.pass_context
def serve_cli(
    ctx: click.Context,
    /,
    config: Path | None,
    print_config: bool,
    add_key: str | None,
    remove_key: str | None,
    list_keys: bool,
    reviewer: bool,
    is_open: bool,
    drop_unsupported: bool,
    **given: Any,
) -> None:
    """Serve the API, its drop-in for the Perspective API, and the web app until Ctrl-C.

    Texts stay on this machine, unless --rewrite-endpoint, --webhook-texts or a database for
    --feedback send them on. They are never logged, and stored only where --feedback asks for it,
    when a client sends feedback about them.

    \b
    tactful serve
    tactful serve --keys keys.json --add-key newsroom
    tactful serve --host 0.0.0.0 --keys keys.json --model cascade --workers 2
    TACTFUL_SERVE_WORKERS=2 tactful serve --config forum.toml --print-config
    """
    try:
        from tactful.service.configuration import OPEN, merged, read_sources, shown
    except ImportError:
        raise MissingExtraError("serve", "The service") from None

    named = {OPEN if name == "is_open" else name for name in given_options(ctx)}
    values = merged({**given, OPEN: is_open}, named, read_sources(config))
    given = {name: each.value for name, each in values.items()}
    is_open = given.pop(OPEN)
    keys = given["keys_file"]
    if add_key is not None or remove_key is not None or list_keys:
        limits = {name: given[name] for name in ("rate_per_minute", "tokens_per_minute")}
        _manage_keys(keys, add_key, remove_key, {**limits, "review": reviewer})
        return
    if print_config:
        click.echo(shown(values), nl=False)
        return
    check_host(given["host"], keys, is_open)
    try:
        from tactful.service.running import serve
        from tactful.service.settings import ServiceSettings
    except ImportError:
        raise MissingExtraError("serve", "The service") from None

    given["langs"] = given["langs"] or tuple(embedded_folders(given["model"])) or tuple(EMBEDDED)
    if drop_unsupported:
        echo_sentence("--drop-unsupported is deprecated; use --unsupported omit.", err=True)
        given["unsupported"] = "omit"
    settings = ServiceSettings(**given)
    _check_parts(settings, is_open)
    with listen(settings.host, settings.port) as listening, until_stopped():
        where = address(settings.host, listening.getsockname()[1])
        echo_sentence(f"Serving at {where} (API: {where}/docs). Ctrl-C stops it.")
        serve(settings, listening)
    echo_sentence("Stopped." if settings.feedback else "Stopped. Nothing was stored.")


def _check_parts(settings: "ServiceSettings", is_open: bool) -> None:
    """Report what cannot be used before anything starts and the address is shown."""
    from tactful.service.engine.loading import read_cards, shadow_folders
    from tactful.service.perspective.scale import load_scale

    if settings.rewrite_endpoint is not None:
        from tactful.service.routes.rewrite import chat_of

        chat_of(settings)
    elif any(
        getattr(settings, f"rewrite_{name}")
        for name in ("chat_model", "key_variable", "allow_plain_http")
    ):
        raise UsageError("Give --rewrite-endpoint URL: without one, no chat model is asked.")
    if settings.keys_file is not None:
        from tactful.service.http.keys import read_keys

        read_keys(settings.keys_file)
    if settings.webhook is not None:
        from tactful.service.webhooks import read_thresholds
        from tactful.webhooks import checked_address, read_secret

        checked_address(settings.webhook)
        read_secret()
        read_thresholds(settings.webhook_thresholds)
    elif settings.webhook_thresholds or settings.webhook_texts:
        raise UsageError("Give --webhook URL: without one, no event is sent.")
    if settings.shadow is not None:
        shadow_folders(settings)
    if settings.feedback is not None:
        _check_feedback(settings.feedback, settings.keys_file, is_open)
    cards = read_cards(settings).values()
    scale = load_scale(settings.scale, [card.model for card in cards])
    for card in cards:
        if "toxicity" in card.ids and scale.models and card.model not in scale.models:
            echo_sentence(
                f"There is no scale for {card.model}: clients of Perspective get probabilities, on "
                "which old thresholds are too high. See 'tactful calibrate --write-scale'.",
                err=True,
            )


def _check_feedback(url: str, keys: Path | None, is_open: bool) -> None:
    """Report a store that cannot be used, and make a new one, before anything starts."""
    if is_open and keys is None:
        raise UsageError(
            "With --feedback, /review shows texts of users to everybody who reaches the service; "
            "pass --keys FILE, and make a key with --add-key NAME --reviewer."
        )
    try:
        from tactful.service.feedback.store import open_feedback
    except ImportError:
        raise MissingExtraError("annotate", "A feedback store") from None
    open_feedback(url).close()


def check_host(host: str, keys: Path | None, is_open: bool) -> None:
    """Refuse an address that others reach, unless keys are asked for or it is meant to be open."""
    if keys is not None or is_open or is_this_machine(host):
        return
    raise UsageError(
        f"The host '{host}' can be reached by other machines, and no API key would be asked for; "
        "pass --keys FILE, or --open if everybody who reaches it may use it."
    )


def _manage_keys(
    path: Path | None, add: str | None, remove: str | None, rights: dict[str, Any]
) -> None:
    from tactful.service.http.keys import add_key, read_keys, remove_key

    if path is None:
        raise UsageError("Name the file of the keys with --keys FILE.")
    if add is not None:
        key, secret = add_key(path, add, **rights)
        echo_sentence(f"Created the key '{key.name}' ({key.id}); it is shown only now:", err=True)
        click.echo(secret)
    elif remove is not None:
        remove_key(path, remove)
        echo_sentence(f"Removed the key '{remove}'; a running service refuses it within seconds.")
    else:
        for key in read_keys(path):
            limit = f", {key.rate_per_minute} a minute" if key.rate_per_minute else ""
            if key.tokens_per_minute:
                limit += f", {key.tokens_per_minute} tokens a minute"
            may = ", may review" if key.review else ""
            click.echo(f"{key.id}  {key.name}  (made {key.created}{limit}{may})")
