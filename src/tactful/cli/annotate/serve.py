"""``tactful annotate serve``: the web app of a project."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tactful.cli.listening import address, listen, until_stopped
from tactful.cli.options import PATH, flag, option
from tactful.cli.output import echo_sentence
from tactful.errors import UsageError
from tactful.service.http.addresses import is_this_machine

if TYPE_CHECKING:
    from tactful.annotation.project.project import Project


@click.command("serve")
@click.argument("folder", type=PATH, default=Path())
@option("--host", "Address to listen on.", default="127.0.0.1")
@option("--port", "Port to listen on; 0 picks a free one.", click.IntRange(0, 65535), 8100)
@flag(
    "--behind-https",
    "Run behind an HTTPS proxy: send cookies over HTTPS only, and accept other machines.",
)
@option(
    "--receive-timeout SECONDS",
    "Close a connection whose request takes longer to arrive.",
    click.FloatRange(0.1, 3600),
    10.0,
)
@flag("--owner-link", "Create and print a new link for an owner.")
def serve_cli(
    folder: Path,
    host: str,
    port: int,
    behind_https: bool,
    receive_timeout: float,
    owner_link: bool,
) -> None:
    """Serve the pages of the project in FOLDER until Ctrl-C.

    Annotators sign in with personal links, which the owner creates on the page 'People'.

    \b
    tactful annotate serve my-project
    tactful annotate serve my-project --host 0.0.0.0 --behind-https
    """
    import uvicorn

    from tactful.annotation.project.project import Project
    from tactful.annotation.web.app import create_app
    from tactful.service.http.protocol import PatientProtocol
    from tactful.service.stopping import stopped_by_signals

    check_host(host, behind_https)
    with Project.open(folder) as project, listen(host, port) as listening, until_stopped():
        PatientProtocol.head_seconds = receive_timeout
        config = uvicorn.Config(
            create_app(project, secure=behind_https, receive_seconds=receive_timeout),
            http=PatientProtocol,
            ws="none",
            log_level="warning",
            # The address of an invitation holds its token, which belongs in no log.
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=5,
        )
        server = uvicorn.Server(config)
        with stopped_by_signals(server):
            _say_links(project, address(host, listening.getsockname()[1]), owner_link)
            server.run(sockets=[listening])
    echo_sentence("Stopped. All answers are saved.")


def check_host(host: str, behind_https: bool) -> None:
    """Refuse an address that other machines reach, unless HTTPS protects it."""
    if behind_https or is_this_machine(host):
        return
    raise UsageError(
        f"The host '{host}' can be reached by other machines, and invitations and answers would "
        "cross the network unencrypted; put an HTTPS proxy in front and pass --behind-https, or "
        "leave out --host to work on this machine only."
    )


def _say_links(project: "Project", where: str, owner_link: bool) -> None:
    people = project.state.people.values()
    has_owner = any(each.role == "owner" and each.status == "active" for each in people)
    click.echo(f"The project '{project.name}' is at {where}")
    if owner_link or not has_owner:
        link = f"{where}/join/{project.invite('owner', 'Owner').token}"
        echo_sentence(f"{link}   (your owner link, shown only once)", "Open: ")
    else:
        echo_sentence("Open your owner link, or restart with --owner-link to get a new one.")
    echo_sentence(
        f"Annotators open {where}/join/TOKEN; create their links on the page 'People'. "
        "Press Ctrl-C to stop."
    )
