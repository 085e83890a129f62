"""A real Neovim without a window, which runs the steps of a test."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

SESSION = Path(__file__).with_name("neovim_session.lua")
PATIENCE = 900.0
"""Seconds after which a Neovim that hangs fails the test; its steps give up before."""


class Neovim:
    """Starts Neovim in a folder, with a configuration of the test's own and no other.

    Parameters
    ----------
    folder
        Where the documents of the test are; Neovim keeps its own files here, too.
    program
        The path of Neovim.
    """

    def __init__(self, folder: Path, program: str):
        self.folder = folder
        self.program = program

    def run(self, init: str, steps: str, *files: str) -> Any:
        """Start with ``init`` as the user's configuration; return what the Lua ``steps`` return."""
        own = self.folder / ".neovim"
        own.mkdir(exist_ok=True)
        (own / "init.lua").write_text(f"dofile([[{SESSION}]])\n{init}", encoding="utf-8")
        (own / "steps.lua").write_text(f"local session = ...\n{steps}", encoding="utf-8")
        answer = own / "answer.json"
        kept = {f"XDG_{name}_HOME": str(own) for name in ("CACHE", "CONFIG", "DATA", "STATE")}
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        done = subprocess.run(
            [self.program, "--headless", "-u", str(own / "init.lua"), "-i", "NONE", "-n", *files],
            cwd=self.folder,
            env={
                **os.environ,
                **kept,
                "PATH": path,
                "SESSION_STEPS": str(own / "steps.lua"),
                "SESSION_ANSWER": str(answer),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert answer.is_file(), done.stderr
        found = json.loads(answer.read_text(encoding="utf-8"))
        assert "error" not in found, found
        return found.get("answer")
