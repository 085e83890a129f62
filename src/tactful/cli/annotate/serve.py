"""``tactful annotate serve``: the web app of a project."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tactful.cli.listening import address, listen, until_stopped
from tactful.cli.output import echo_sentence
from tactful.errors import UsageError
from tactful.service.http.addresses import is_this_machine

if TYPE_CHECKING:
    from tactful.annotation.project.project import Project


@click.command("serve")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8100,
    show_default=True,
    help="The port to listen on; 0 takes a free one.",
)
@click.option(
    "--behind-https",
    is_flag=True,
    help="A proxy with HTTPS stands before it: cookies go by HTTPS only, and others may come in.",
)
@click.option(
    "--receive-timeout",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Cut off a browser whose request takes longer to arrive.",
)
@click.option("--owner-link", is_flag=True, help="Make a new link for an owner, and print it.")
def serve_cli(
    folder: Path,
    host: str,
    port: int,
    behind_https: bool,
    receive_timeout: float,
    owner_link: bool,
) -> None:
    """Serve the pages of the project in FOLDER until Ctrl-C.

    Annotators come in by links of their own, which the owner makes on the page 'People'.

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
    echo_sentence("Stopped. Every answer is kept.")


def check_host(host: str, behind_https: bool) -> None:
    """Refuse an address that others reach, unless HTTPS is before it."""
    if behind_https or is_this_machine(host):
        return
    raise UsageError(
        f"The host '{host}' can be reached by other machines, and invitations and answers would "
        "pass the network in the clear; put a proxy with HTTPS before it and pass --behind-https, "
        "or leave --host out and work on this machine."
    )


def _say_links(project: "Project", where: str, owner_link: bool) -> None:
    people = project.state.people.values()
    has_owner = any(each.role == "owner" and each.status == "active" for each in people)
    click.echo(f"The project '{project.name}' is at {where}")
    if owner_link or not has_owner:
        link = f"{where}/join/{project.invite('owner', 'Owner').token}"
        echo_sentence(f"{link}   (yours, as its owner; it is shown only now)", "Open: ")
    else:
        echo_sentence("Open your link as its owner, or start with --owner-link to get a new one.")
    echo_sentence(
        f"Annotators open {where}/join/TOKEN; make their links on the page 'People'. "
        "Ctrl-C stops it."
    )
