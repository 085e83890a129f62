"""npm, where a test needs what only npm installs."""

import shutil
import subprocess
from typing import Any

import pytest

PATIENCE = 900.0
"""Seconds after which a download that hangs fails the test."""
_NO_NETWORK = ("EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ENETUNREACH", "ENOTFOUND", "ETIMEDOUT")


def run_with_npm(command: list[str], **options: Any) -> str:
    """Run a command that downloads packages; skip the test where there is no npm or no network."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    done: subprocess.CompletedProcess[str] = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=PATIENCE, **options
    )
    if done.returncode and any(code in done.stderr for code in _NO_NETWORK):
        pytest.skip("npm does not reach its registry")
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout
