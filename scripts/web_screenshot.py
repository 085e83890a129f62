"""The picture of the web app for the README and the documentation, taken in Chromium.

    python scripts/web_screenshot.py

Writes ``web-app.png`` to ``docs/images``. It needs Chromium: Debian's, one that playwright
installed, or the path in ``$TACTFUL_CHROMIUM``.
"""

import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from pictures import write_picture

IMAGES = Path(__file__).parents[1] / "docs" / "images"
MOST_BYTES = 200_000
WIDTH, HEIGHT = 1280, 860
STARTS_WITHIN = 90
"""Seconds until the detectors must be open."""


@contextmanager
def serving() -> Iterator[str]:
    """Serve the web app on a free port until the end of the block; yield where."""
    import uvicorn

    from tactful.service.app import create_app
    from tactful.service.settings import ServiceSettings

    with socket.create_server(("127.0.0.1", 0)) as listening:
        where = f"http://127.0.0.1:{listening.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(create_app(ServiceSettings()), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        limit = time.monotonic() + STARTS_WITHIN
        while not _is_ready(where):
            if time.monotonic() > limit:
                raise click.ClickException("The service did not get ready.")
            time.sleep(0.2)
        yield where
        server.should_exit = True
        thread.join(15)


def _is_ready(where: str) -> bool:
    import httpx

    try:
        return httpx.get(f"{where}/readyz").status_code == 200
    except httpx.TransportError:
        return False


def take(output: Path) -> Path:
    """Open the example, open its first finding, and take the picture."""
    from playwright.sync_api import sync_playwright

    with serving() as where, sync_playwright() as playwright:
        path = os.environ.get("TACTFUL_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            context = browser.new_context(
                viewport={"width": WIDTH, "height": HEIGHT},
                color_scheme="light",
                locale="en-GB",
                reduced_motion="reduce",
            )
            page = context.new_page()
            page.goto(where)
            page.click("#example")
            page.wait_for_selector(".finding")
            page.keyboard.press("F8")
            page.mouse.move(0, 0)
            page.evaluate("scrollTo(0, 0)")
            return write_picture(output / "web-app.png", page.screenshot(), MOST_BYTES)
        finally:
            browser.close()


@click.command()
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=IMAGES,
    help="The folder to write to.",
)
def main(output: Path) -> None:
    """Take the picture of the documentation."""
    path = take(output)
    click.echo(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
