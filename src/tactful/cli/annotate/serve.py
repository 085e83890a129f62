"""``tactful annotate serve``: the web app of one or several projects."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
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
@click.argument("folders", nargs=-1, type=PATH, metavar="[FOLDER]...")
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
@option(
    "--webhook URL",
    "Address that gets events about closed items, removed people and finished projects; set "
    "TACTFUL_WEBHOOK_SECRET, which signs the events.",
)
@flag("--owner-link", "Create and print a new link for an owner.")
def serve_cli(
    folders: tuple[Path, ...],
    host: str,
    port: int,
    behind_https: bool,
    receive_timeout: float,
    webhook: str | None,
    owner_link: bool,
) -> None:
    """Serve the pages of the project in FOLDER until Ctrl-C, or of several projects.

    FOLDER is a project, or a folder of projects; without one it is the current folder. Annotators
    sign in with personal links, which the owner creates on the page 'People'.

    \b
    tactful annotate serve my-project
    tactful annotate serve first-project second-project
    tactful annotate serve my-project --host 0.0.0.0 --behind-https
    """
    import uvicorn

    from tactful.annotation.learning.background import ranked_while_serving
    from tactful.annotation.project.live import announced
    from tactful.annotation.project.project import Project
    from tactful.annotation.project.snapshotting import snapshots_while_serving
    from tactful.annotation.web.home import addresses, create_site
    from tactful.service.http.protocol import PatientProtocol
    from tactful.service.stopping import stopped_by_signals
    from tactful.webhooks import Sender

    check_host(host, behind_https)
    sender = None if webhook is None else Sender(webhook, logging.getLogger("tactful.annotation"))
    found = projects_in(folders or (Path(),))
    with ExitStack() as opened, until_stopped():
        projects = addresses([opened.enter_context(Project.open(folder)) for folder in found])
        listening = opened.enter_context(listen(host, port))
        PatientProtocol.head_seconds = receive_timeout
        config = uvicorn.Config(
            create_site(
                projects, secure=behind_https, receive_seconds=receive_timeout, webhook=sender
            ),
            http=PatientProtocol,
            ws="none",
            log_level="warning",
            # The address of an invitation holds its token, which belongs in no log.
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=5,
        )
        server = uvicorn.Server(config)
        server_address = address(host, listening.getsockname()[1])
        for at, project in projects.items():
            opened.enter_context(announced(project.folder, f"{server_address}{at}"))
            opened.enter_context(ranked_while_serving(project))
            opened.enter_context(snapshots_while_serving(project))
        with stopped_by_signals(server):
            _say_links(projects, server_address, owner_link)
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


def projects_in(folders: Sequence[Path]) -> list[Path]:
    """Return the projects that folders name: each is one, or contains some."""
    from tactful.annotation.project.files import PROJECT_FILE

    found: list[Path] = []
    for folder in folders:
        inside = sorted(path.parent for path in folder.glob(f"*/{PROJECT_FILE}"))
        is_one = (folder / PROJECT_FILE).is_file() or not inside
        found += [folder] if is_one else inside
    twice = [str(each) for each in found if sum(each.samefile(other) for other in found) > 1]
    if twice:
        raise UsageError(f"Found the project '{twice[0]}' twice; expected each once.")
    return found


def _say_links(projects: "Mapping[str, Project]", server: str, owner_link: bool) -> None:
    for at, project in projects.items():
        where = f"{server}{at}"
        people = project.state.people.values()
        has_owner = any(each.role == "owner" and each.status == "active" for each in people)
        click.echo(f"The project '{project.name}' is at {where}")
        if owner_link or not has_owner:
            link = f"{where}/join/{project.invite('owner', 'Owner').token}"
            echo_sentence(f"{link}   (your owner link, shown only once)", "Open: ")
        else:
            echo_sentence("Open your owner link, or restart with --owner-link to get a new one.")
    path = f"{server}/join/TOKEN" if "" in projects else f"{server}/p/PROJECT/join/TOKEN"
    echo_sentence(
        f"Annotators open {path}; create their links on the page 'People'. Press Ctrl-C to stop."
    )
