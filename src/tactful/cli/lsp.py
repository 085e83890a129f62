"""``tactful lsp``: a language server for editors, on standard input and output."""

from pathlib import Path

import click

from tactful.checking.options import LANGUAGES, LEAST
from tactful.cli.listening import until_stopped
from tactful.cli.options import SHARE, flag, option
from tactful.detectors.load import DETECTORS, detector_names, is_detector_name
from tactful.errors import MissingExtraError
from tactful.registry import unknown_name


@click.command("lsp")
@option(
    "--model NAME|FOLDER", f"The detector: {', '.join(DETECTORS)}, or a folder.  [default: default]"
)
@option(
    "--lang",
    "The language of the texts; auto tells English from Spanish.  [default: auto]",
    LANGUAGES,
)
@option(
    "--least P", f"Mark only findings with at least this confidence.  [default: {LEAST}]", SHARE
)
@flag("--stdio", "Talk on standard input and output; always so.")
@click.pass_context
def lsp_cli(
    ctx: click.Context, model: str | None, lang: str | None, least: float | None, stdio: bool
) -> None:
    """Mark patronizing, stereotyping and unhealthy language in an editor while it is written.

    An editor starts this command and talks to it on standard input and output; see docs/editors.md
    for VS Code, Neovim and Helix. The editor's own settings win over the options here, and both
    over the project's tactful.toml.
    """
    try:
        import pygls.lsp.server  # noqa: F401 (to tell a missing extra from a broken one)
    except ImportError:
        raise MissingExtraError("lsp", "The language server") from None
    if model is not None and not is_detector_name(model) and not Path(model).expanduser().is_dir():
        raise unknown_name("detector", model, detector_names())
    from tactful.service.lsp.server import serve
    from tactful.service.lsp.settings import EditorSettings

    code = 0
    with until_stopped():
        code = serve(EditorSettings(model=model, lang=lang, least=least))
    ctx.exit(code)
