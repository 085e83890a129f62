"""``tactful serve``: the HTTP API, the Perspective-compatible API and the web app."""

from pathlib import Path

import click

from tactful.cli.listening import address, listen, until_stopped
from tactful.cli.output import echo_sentence
from tactful.detectors.load import DETECTORS, EMBEDDED, embedded_folders
from tactful.errors import MissingExtraError, UsageError
from tactful.service.http.addresses import is_this_machine
from tactful.settings import load_settings


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port to listen on; 0 takes a free one.",
)
@click.option(
    "--model",
    default="default",
    show_default=True,
    metavar="NAME|FOLDER",
    help=f"The detector: {', '.join(DETECTORS)}, or a folder.",
)
@click.option(
    "--lang",
    "langs",
    multiple=True,
    type=click.Choice(list(EMBEDDED)),
    help="Serve only this language; repeatable. The first one is used where the language is "
    "unclear.  [default: all]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="How many processes share the port and the weights.",
)
@click.option(
    "--keys",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Require an API key from this file.",
)
@click.option("--add-key", metavar="NAME", help="Create a key, print it once, and exit.")
@click.option("--remove-key", metavar="NAME", help="Remove a key and exit.")
@click.option("--list-keys", is_flag=True, help="List the names of the keys and exit.")
@click.option(
    "--rate",
    type=click.IntRange(min=1),
    metavar="N",
    help="The most requests a minute for each key, or for each address without keys; with "
    "--add-key, for that key.",
)
@click.option(
    "--open", "is_open", is_flag=True, help="Allow other machines to connect without a key."
)
@click.option(
    "--cors-origin",
    multiple=True,
    metavar="ORIGIN",
    help="Allow pages of this site to call the API from a browser; repeatable.",
)
@click.option(
    "--max-queue",
    type=click.IntRange(min=1),
    default=256,
    show_default=True,
    help="How many texts may wait in a process; further requests get status 429.",
)
@click.option(
    "--max-batch",
    type=click.IntRange(1, 1024),
    default=32,
    show_default=True,
    help="How many texts of different requests are scored together.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=256),
    default=4096,
    show_default=True,
    help="How many tokens a document may have; 4,096 are about 3,100 words and cost up to 2 s.",
)
@click.option("--no-batching", is_flag=True, help="Score every text on its own; slower.")
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 3600),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Cancel a request that takes longer.",
)
@click.option(
    "--receive-timeout",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Close a connection whose request takes longer to arrive.",
)
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="The format of the log, which never contains a text or a key.",
)
@click.option(
    "--public-url",
    default="",
    metavar="URL",
    help="The address by which clients reach the service, such as https://tactful.example.org; "
    "needed behind a proxy.  [env: TACTFUL_PUBLIC_URL]",
)
@click.option(
    "--allowed-host",
    multiple=True,
    metavar="NAME",
    help="Without --public-url: a host that may be given to clients as the address of the "
    "service; repeatable.  [env: TACTFUL_ALLOWED_HOSTS]",
)
@click.option(
    "--trusted-proxy",
    multiple=True,
    metavar="ADDRESS|NETWORK",
    help="Trust X-Forwarded-For, -Proto and -Host from this proxy; repeatable.  "
    "[env: TACTFUL_TRUSTED_PROXIES]",
)
@click.option(
    "--root-path",
    default="",
    metavar="PATH",
    help="The path prefix that a proxy removes, such as /tactful.  [default: that of --public-url]",
)
@click.option("--no-web", is_flag=True, help="Serve the API without the web app.")
@click.option(
    "--drop-unsupported",
    is_flag=True,
    help="Leave attributes of Perspective that have no counterpart out of answers, instead of "
    "refusing the request.",
)
@click.option(
    "--annotation",
    metavar="URL",
    help="The address of 'tactful annotate serve'; /annotate redirects there.",
)
@click.option(
    "--audits",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="A folder of audit reports for the web app to list.",
)
@click.option(
    "--rewrite-endpoint",
    metavar="URL",
    help="Answer POST /v1/rewrite with rewrites by this chat endpoint, which gets sentences of "
    "users; it must be compatible with OpenAI's, such as http://127.0.0.1:8080/v1.",
)
@click.option(
    "--rewrite-chat-model", metavar="NAME", help="The model to ask, if the endpoint has several."
)
@click.option(
    "--rewrite-key-variable",
    metavar="NAME",
    help="The environment variable that holds the API key of the endpoint.",
)
@click.option(
    "--rewrite-allow-plain-http",
    is_flag=True,
    help="Allow http to an endpoint on another machine.",
)
def serve_cli(
    host: str,
    port: int,
    model: str,
    langs: tuple[str, ...],
    workers: int,
    keys: Path | None,
    add_key: str | None,
    remove_key: str | None,
    list_keys: bool,
    rate: int | None,
    is_open: bool,
    cors_origin: tuple[str, ...],
    max_queue: int,
    max_batch: int,
    max_tokens: int,
    no_batching: bool,
    timeout: float,
    receive_timeout: float,
    log_format: str,
    public_url: str,
    allowed_host: tuple[str, ...],
    trusted_proxy: tuple[str, ...],
    root_path: str,
    no_web: bool,
    drop_unsupported: bool,
    annotation: str | None,
    audits: Path | None,
    rewrite_endpoint: str | None,
    rewrite_chat_model: str | None,
    rewrite_key_variable: str | None,
    rewrite_allow_plain_http: bool,
) -> None:
    """Serve the API, its drop-in for the Perspective API, and the web app until Ctrl-C.

    Texts stay on this machine, unless --rewrite-endpoint names another one: they are neither
    stored nor logged.

    \b
    tactful serve
    tactful serve --keys keys.json --add-key newsroom
    tactful serve --host 0.0.0.0 --keys keys.json --model cascade --workers 2
    """
    if add_key is not None or remove_key is not None or list_keys:
        _manage_keys(keys, add_key, remove_key, rate)
        return
    check_host(host, keys, is_open)
    try:
        from tactful.service.engine.loading import detector_folders
        from tactful.service.running import serve
        from tactful.service.settings import ServiceSettings
    except ImportError:
        raise MissingExtraError("serve", "The service") from None

    of_the_environment = load_settings()
    settings = ServiceSettings(
        model=model,
        langs=langs or tuple(embedded_folders(model)) or tuple(EMBEDDED),
        host=host,
        port=port,
        workers=workers,
        max_queue=max_queue,
        max_batch=max_batch,
        max_tokens=max_tokens,
        micro_batching=not no_batching,
        timeout_seconds=timeout,
        receive_seconds=receive_timeout,
        keys_file=keys,
        cors_origins=cors_origin,
        rate_per_minute=rate,
        log_format="json" if log_format == "json" else "text",
        public_url=public_url or of_the_environment.public_url,
        allowed_hosts=allowed_host or of_the_environment.allowed_hosts,
        trusted_proxies=trusted_proxy or of_the_environment.trusted_proxies,
        root_path=root_path,
        web=not no_web,
        drop_unsupported=drop_unsupported,
        annotation=annotation,
        audits=audits,
        rewrite_endpoint=rewrite_endpoint,
        rewrite_chat_model=rewrite_chat_model,
        rewrite_key_variable=rewrite_key_variable,
        rewrite_allow_plain_http=rewrite_allow_plain_http,
    )
    if rewrite_endpoint is not None:
        from tactful.service.routes.rewrite import chat_of

        chat_of(settings)  # an address that cannot be used is reported before anything starts
    elif rewrite_chat_model or rewrite_key_variable or rewrite_allow_plain_http:
        raise UsageError("Give --rewrite-endpoint URL: without one, no chat model is asked.")
    if keys is not None:
        from tactful.service.http.keys import read_keys

        read_keys(keys)  # a file that cannot be used is told before anything starts
    detector_folders(settings)  # reports a missing model before the address is shown
    with listen(host, port) as listening, until_stopped():
        where = address(host, listening.getsockname()[1])
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
