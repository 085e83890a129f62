"""Ranking while a project is served: in a process of its own, so that no annotator waits.

The process reads the log as any reader may, and prints an order; the server records it.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakKeyDictionary, ref

from tactful.annotation.project.project import Project
from tactful.errors import TactfulError

POLL_SECONDS = 2.0
POLITE = 10
"""How much lower the priority of the process is (nice)."""
_MOST_SECONDS = 3600


class Ranker:
    """Ranks a project on request, and after every ``rank_every`` new judgements."""

    def __init__(self, project: Project):
        self._opened = ref(project)
        self._running = threading.Lock()
        self._child: subprocess.Popen[str] | None = None
        self._stopped = False
        self.problem = ""
        """Why the last ranking failed; empty if it did not."""

    @property
    def _project(self) -> Project:
        found = self._opened()
        if found is None:
            raise ReferenceError("the project was closed")
        return found

    @property
    def is_running(self) -> bool:
        """Whether a ranking is being made."""
        return self._running.locked()

    def start(self) -> bool:
        """Begin a ranking in a thread; False if one is being made already."""
        if self.is_running:
            return False
        threading.Thread(target=self.run, daemon=True).start()
        return True

    def run(self) -> bool:
        """Make a ranking and record it; say whether it could be made."""
        if self._stopped or not self._running.acquire(blocking=False):
            return False
        try:
            made = self._make()
            if not self._stopped:
                self._project.rank(made.pop("first"), made.pop("by"), made)
            self.problem = ""
        except (TactfulError, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            self.problem = str(error)
        finally:
            self._running.release()
        return not self.problem

    def watch(self, stop: threading.Event, poll: float = POLL_SECONDS) -> None:
        """Rank after every ``rank_every`` new judgements, until ``stop`` is set."""
        seen = self._judgements()
        while not stop.wait(poll):
            every = self._project.state.settings["rank_every"]
            if every is not None and self._judgements() - seen >= every:
                seen = self._judgements()
                self.run()

    def stop(self) -> None:
        """End a ranking that is being made."""
        self._stopped = True
        child = self._child
        if child is not None:
            with suppress(OSError):
                child.terminate()

    def _judgements(self) -> int:
        with self._project.lock:
            return sum(self._project.state.judgements.values())

    def _make(self) -> dict[str, Any]:
        by = self._project.state.settings["rank_by"]
        folder = str(self._project.folder.resolve())
        command = [sys.executable, "-m", "tactful", "annotate", "rank", "--by", by]
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        self._child = subprocess.Popen(  # noqa: S603 (our own command, without a shell)
            [*command, "--dry-run", "--json", "--", folder],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, **one_thread},
        )
        with self._child as child:
            with suppress(OSError, AttributeError):  # not on Windows
                os.setpriority(os.PRIO_PROCESS, child.pid, POLITE)
            try:
                told, problem = child.communicate(timeout=_MOST_SECONDS)
            except BaseException:  # an interrupt, too, must not leave the child running
                child.kill()
                raise
        if child.returncode:
            raise ValueError(problem.strip().removeprefix("Error: ") or "The ranking was stopped.")
        found: dict[str, Any] = json.loads(told)
        found.pop("schema_version", None)
        return found


_RANKERS: "WeakKeyDictionary[Project, Ranker]" = WeakKeyDictionary()


def ranker_of(project: Project) -> Ranker:
    """Return the one ranker of an open project."""
    return _RANKERS.setdefault(project, Ranker(project))


@contextmanager
def ranked_while_serving(project: Project) -> Iterator[Ranker]:
    """Keep a project ranked as its settings say."""
    ranker, stop = ranker_of(project), threading.Event()
    thread = threading.Thread(target=ranker.watch, args=(stop,), daemon=True)
    thread.start()
    try:
        yield ranker
    finally:
        stop.set()
        ranker.stop()
        thread.join()
