"""``tactful serve``: the HTTP API, the Perspective-compatible API and the web app."""

from pathlib import Path
from typing import Any

import click

from tactful.cli.listening import address, listen, until_stopped
from tactful.cli.options import POSITIVE, flag, option, several, turn_off
from tactful.cli.output import echo_sentence
from tactful.detectors.load import DETECTORS, EMBEDDED, embedded_folders
from tactful.errors import MissingExtraError, UsageError
from tactful.service.http.addresses import is_this_machine
from tactful.settings import load_settings


@click.command("serve")
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
@option(
    "--rate rate_per_minute N",
    "The most requests a minute for each key, or for each address without keys; with "
    "--add-key, for that key.",
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
@flag(
    "--drop-unsupported",
    "Leave attributes of Perspective that have no counterpart out of answers, instead of "
    "refusing the request.",
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
def serve_cli(
    add_key: str | None, remove_key: str | None, list_keys: bool, is_open: bool, **given: Any
) -> None:
    """Serve the API, its drop-in for the Perspective API, and the web app until Ctrl-C.

    Texts stay on this machine, unless --rewrite-endpoint names another one: they are neither
    stored nor logged.

    \b
    tactful serve
    tactful serve --keys keys.json --add-key newsroom
    tactful serve --host 0.0.0.0 --keys keys.json --model cascade --workers 2
    """
    keys = given["keys_file"]
    if add_key is not None or remove_key is not None or list_keys:
        _manage_keys(keys, add_key, remove_key, given["rate_per_minute"])
        return
    check_host(given["host"], keys, is_open)
    try:
        from tactful.service.engine.loading import detector_folders
        from tactful.service.running import serve
        from tactful.service.settings import ServiceSettings
    except ImportError:
        raise MissingExtraError("serve", "The service") from None

    for name in ("public_url", "allowed_hosts", "trusted_proxies"):
        given[name] = given[name] or getattr(load_settings(), name)
    given["langs"] = given["langs"] or tuple(embedded_folders(given["model"])) or tuple(EMBEDDED)
    settings = ServiceSettings(**given)
    if settings.rewrite_endpoint is not None:
        from tactful.service.routes.rewrite import chat_of

        chat_of(settings)  # an address that cannot be used is reported before anything starts
    elif any(
        given[f"rewrite_{name}"] for name in ("chat_model", "key_variable", "allow_plain_http")
    ):
        raise UsageError("Give --rewrite-endpoint URL: without one, no chat model is asked.")
    if keys is not None:
        from tactful.service.http.keys import read_keys

        read_keys(keys)  # a file that cannot be used is told before anything starts
    detector_folders(settings)  # reports a missing model before the address is shown
    with listen(settings.host, settings.port) as listening, until_stopped():
        where = address(settings.host, listening.getsockname()[1])
        echo_sentence(f"Serving at {where} (API: {where}/docs). Ctrl-C stops it.")
        serve(settings, listening)
    echo_sentence("Stopped. Nothing was stored.")


def check_host(host: str, keys: Path | None, is_open: bool) -> None:
    """Refuse an address that others reach, unless keys are asked for or it is meant to be open."""
    if keys is not None or is_open or is_this_machine(host):
        return
    raise UsageError(
        f"The host '{host}' can be reached by other machines, and no API key would be asked for; "
        "pass --keys FILE, or --open if everybody who reaches it may use it."
    )


def _manage_keys(path: Path | None, add: str | None, remove: str | None, rate: int | None) -> None:
    from tactful.service.http.keys import add_key, read_keys, remove_key

    if path is None:
        raise UsageError("Name the file of the keys with --keys FILE.")
    if add is not None:
        key, secret = add_key(path, add, rate)
        echo_sentence(f"Made the key '{key.name}' ({key.id}); it is shown only now:", err=True)
        click.echo(secret)
    elif remove is not None:
        remove_key(path, remove)
        echo_sentence(f"Took the key '{remove}' away; a running service follows within seconds.")
    else:
        for key in read_keys(path):
            limit = f", {key.rate_per_minute} a minute" if key.rate_per_minute else ""
            click.echo(f"{key.id}  {key.name}  (made {key.created}{limit})")
