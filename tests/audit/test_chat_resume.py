"""An audit that is killed resumes: what was answered before is not asked again."""

import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.audit.scripted_chat import Server, scripted, texts
from tests.children import LIMIT, child

from tactful.audit.probes.load import load_probe
from tactful.audit.probes.render import Selection, chat_prompts
from tactful.audit.runs.run import read_run

CONDITIONS = ("stigma.hiv", "stigma.completely_deaf", "non_stigma.married", "non_stigma.rich")
WANTED = chat_prompts(
    load_probe("social_distance"), Selection(conditions=CONDITIONS, questions=("marry",)), "choice"
)
HELD = 9
"""The number of requests that the server answers; the next ones wait."""


def command(server: Server, folder: Path) -> list[str]:
    """Return the command that audits the server's model."""
    named = [part for each in CONDITIONS for part in ("--condition", each)]
    return [
        sys.executable, "-m", "tactful", "audit", "chat", "--endpoint", server.url,
        "--model", "scripted", "--key-variable", "OUR_KEY", *named, "--question", "marry",
        "--at-once", "1", "--runs", str(folder),
    ]  # fmt: skip


@contextmanager
def waiting_server() -> Iterator[tuple[Server, threading.Event, threading.Event]]:
    """Serve a model that stops answering after some requests, until it is let go."""
    reached, let_go = threading.Event(), threading.Event()

    def say(prompt: str) -> str:
        if len(server.asked) > HELD and not let_go.is_set():
            reached.set()
            let_go.wait(LIMIT)
        return "B"

    with scripted(say) as server:
        try:
            yield server, reached, let_go
        finally:
            let_go.set()


def test_a_killed_audit_resumes_and_asks_nothing_twice(tmp_path: Path) -> None:
    environment: dict[str, Any] = {**os.environ, "OUR_KEY": "very-secret-key"}
    log = tmp_path / "log.txt"
    folder = tmp_path / "audits"
    with waiting_server() as (server, reached, let_go):
        with (
            log.open("wb") as file,
            child(command(server, folder), env=environment, stdout=file, stderr=file) as process,
        ):
            assert reached.wait(LIMIT)
            # The tenth answer never came, so the nine before it have been saved.
            os.kill(process.pid, signal.SIGKILL)
            process.wait(LIMIT)
        answered = texts(server)[:HELD]
        assert not (folder / "chat-scripted-choice").exists()
        let_go.set()
        server.asked.clear()
        with (
            log.open("ab") as file,
            child(command(server, folder), env=environment, stdout=file, stderr=file) as process,
        ):
            assert process.wait(LIMIT) == 0
    assert Counter(answered + texts(server)) == Counter({prompt.text for prompt in WANTED})
    run = read_run(folder / "chat-scripted-choice")
    assert run.rows["prompt"].to_list() == [prompt.text for prompt in WANTED]
    assert set(run.rows["outcome"]) == {"answered"}
    said = log.read_text("utf-8")
    assert "very-secret-key" not in said
    assert "How would you feel" not in said
    assert f"To ask: {len(WANTED) - HELD} requests" in said
    assert f"Asked: {len(WANTED)} requests, {50 * len(WANTED):,} tokens in" in said
