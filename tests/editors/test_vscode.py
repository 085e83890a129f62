"""The VS Code extension in a real VS Code, with the real language server and in a real browser.

code-server is VS Code with its extension host on a server: the extension, its language client and
the protocol run as they do on a desktop. Not covered are the desktop's own window and processes,
Windows and macOS.
"""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.editors.code_server import PATIENCE, CodeServer, code_server
from tests.editors.letter import MARKED_LINE, TERM, repaired, write_letter

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.editors

MARK = ".squiggly-warning, .squiggly-info, .squiggly-hint"


@pytest.fixture(scope="module")
def vscode(browser: "Browser", vsix: Path) -> Iterator[CodeServer]:
    """Serve VS Code with the extension; the browser is asked for first, as it may be missing."""
    with code_server(vsix) as running:
        yield running


def set_in_workspace(workspace: Path, **settings: Any) -> None:
    path = workspace / ".vscode" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({f"tactful.{name}": value for name, value in settings.items()}))


def open_quick_fixes(page: "Page") -> "Locator":
    """Go to the mark as with the keyboard, and return the quick fixes that are offered there."""
    page.locator(".view-line", has_text="neighbour").click()
    page.keyboard.press("F8")
    page.wait_for_selector(".marker-widget")
    page.keyboard.press("Escape")
    page.wait_for_selector(".marker-widget", state="detached")
    page.keyboard.press("Control+.")
    return page.locator(".action-widget .monaco-list-row")


def marked(page: "Page") -> None:
    page.wait_for_selector(MARK, state="attached")


def unmarked(page: "Page") -> None:
    page.wait_for_selector(MARK, state="detached")


def wait_for_content(page: "Page", path: Path, content: str) -> None:
    """Wait until a file has this content, with the window alive."""
    end = time.monotonic() + PATIENCE
    while (found := path.read_text(encoding="utf-8")) != content:
        assert time.monotonic() < end, found
        page.wait_for_timeout(100)


def run_command(page: "Page", title: str) -> None:
    page.keyboard.press("F1")
    page.locator(".quick-input-widget input").first.fill(f">{title}")
    page.locator(".quick-input-list .monaco-list-row", has_text=title).first.click()


def test_a_term_is_marked_and_listed_and_its_quick_fix_replaces_it(
    vscode: CodeServer, browser: "Browser", tmp_path: Path
) -> None:
    path = write_letter(tmp_path)
    vscode.set_up(vscode.command("tactful-lsp")[0])
    with vscode.window(browser, path) as page:
        marked(page)
        page.keyboard.press("Control+Shift+M")
        problems = page.locator(".markers-panel .monaco-list-row", has_text="tactful")
        problems.first.wait_for()
        places = [re.search(r"Ln (\d+)", text) for text in problems.all_inner_texts()]
        assert {place and place[1] for place in places} == {str(MARKED_LINE)}
        open_quick_fixes(page).filter(has_text=TERM).first.click()
        unmarked(page)
        page.keyboard.press("Control+S")
        wait_for_content(page, path, repaired())


def test_changed_settings_reach_the_server_without_a_restart(
    vscode: CodeServer, browser: "Browser", tmp_path: Path
) -> None:
    path = write_letter(tmp_path)
    command, starts = vscode.command("tactful-lsp")
    vscode.set_up(command)
    set_in_workspace(tmp_path)
    with vscode.window(browser, path) as page:
        marked(page)
        set_in_workspace(tmp_path, terms="off")
        unmarked(page)
        set_in_workspace(tmp_path)
        marked(page)
    assert starts.read_text(encoding="utf-8").splitlines() == ["start"]


def test_the_command_restarts_the_server(
    vscode: CodeServer, browser: "Browser", tmp_path: Path
) -> None:
    path = write_letter(tmp_path)
    command, starts = vscode.command("tactful-lsp")
    vscode.set_up(command)
    set_in_workspace(tmp_path)
    with vscode.window(browser, path) as page:
        marked(page)
        run_command(page, "Tactful: Restart the language server")
        wait_for_content(page, starts, "start\nstart\n")
        set_in_workspace(tmp_path, terms="off")
        unmarked(page)
        set_in_workspace(tmp_path)
        marked(page)  # by the second server


def test_a_command_that_does_not_start_is_explained_and_can_be_repaired(
    vscode: CodeServer, browser: "Browser", tmp_path: Path
) -> None:
    path = write_letter(tmp_path)
    command, _ = vscode.command("tactful-lsp")
    vscode.set_up(command, is_trusted=True)
    set_in_workspace(tmp_path, command=["no-such-tactful", "lsp"])
    with vscode.window(browser, path) as page:
        message = page.locator(".notification-toast", has_text="Tactful could not be started")
        message.wait_for()
        assert 'pip install "tactful[lsp,research]"' in message.inner_text()
        set_in_workspace(tmp_path, command=command)
        marked(page)


def test_a_workspace_that_is_not_trusted_does_not_choose_the_command(
    vscode: CodeServer, browser: "Browser", tmp_path: Path
) -> None:
    path = write_letter(tmp_path)
    trusted, starts = vscode.command("tactful-lsp")
    other, other_starts = vscode.command("other-lsp")
    set_in_workspace(tmp_path, command=other)
    vscode.set_up(trusted)
    with vscode.window(browser, path) as page:
        marked(page)
    assert starts.read_text(encoding="utf-8").splitlines() == ["start"]
    assert other_starts.read_text(encoding="utf-8") == ""
