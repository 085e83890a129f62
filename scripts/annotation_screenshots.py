"""Pictures of the annotation app for the documentation, taken in Chromium from the demo project.

    python scripts/annotation_screenshots.py

Writes ``annotate-work.png`` (an annotator at work) and ``annotate-owner.png`` (the owner's status)
to ``docs/images``. It needs Chromium: Debian's, one that playwright installed, or the path in
``$TACTFUL_CHROMIUM``.
"""

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotation_demo import Demo, open_demo, serving
from pictures import write_picture

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES = Path(__file__).parents[1] / "docs" / "images"
MOST_BYTES = 150_000
WIDTH = 1200
WORK_HEIGHT, OWNER_HEIGHT = 860, 690


def take(output: Path) -> list[Path]:
    """Make the demo, serve it, and take both pictures."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory(prefix="tactful-pictures-") as place:
        demo = open_demo(Path(place, "project"), time.time())
        with demo.project, serving(demo.project, 0) as where, sync_playwright() as playwright:
            path = os.environ.get("TACTFUL_CHROMIUM") or shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            try:
                return [
                    write_picture(
                        output / "annotate-work.png", _work(browser, where, demo), MOST_BYTES
                    ),
                    write_picture(
                        output / "annotate-owner.png", _owner(browser, where, demo), MOST_BYTES
                    ),
                ]
            finally:
                browser.close()


def _work(browser: "Browser", where: str, demo: Demo) -> bytes:
    """Return an annotator's page with the first question answered."""
    person = demo.project.who(demo.annotator)
    if person is None:
        raise click.ClickException("The annotator of the demo is not known.")
    demo.project.consent(person.id, {})
    page = _open(browser, f"{where}/join/{demo.annotator}", WORK_HEIGHT)
    page.wait_for_selector("#questions fieldset")
    page.keyboard.press("b")
    page.keyboard.press("1")
    page.evaluate("scrollTo(0, 0)")
    return page.screenshot()


def _owner(browser: "Browser", where: str, demo: Demo) -> bytes:
    """Return the top of the owner's first page, with a price."""
    page = _open(browser, f"{where}/join/{demo.owner}", OWNER_HEIGHT)
    page.goto(f"{where}/owner?price=0.05")
    return page.screenshot()


def _open(browser: "Browser", address: str, height: int) -> "Page":
    context = browser.new_context(
        viewport={"width": WIDTH, "height": height}, color_scheme="light", reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(address)
    return page


@click.command()
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=IMAGES,
    help="The folder to write to.",
)
def main(output: Path) -> None:
    """Take the pictures of the documentation."""
    for path in take(output):
        click.echo(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
