"""Snapshots while a project is served: in a process of its own, so that no annotator waits.

The process reads the log as any reader may, and writes the snapshot; see
:mod:`tactful.annotation.store.snapshots`.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tactful.annotation.project.project import Project

EVERY = 20_000
"""New events after which a snapshot is written."""
POLL_SECONDS = 30.0
_POLITE = 10
"""How much lower the priority of the process is (nice)."""


def main(folder: str) -> int:
    """Write a snapshot of a project that another process may be serving; 1 if it cannot be."""
    with suppress(OSError, AttributeError):  # not on Windows
        os.setpriority(os.PRIO_PROCESS, 0, _POLITE)
    with Project.open(Path(folder), read_only=True) as project:
        return 0 if project.save_snapshot() else 1


class Snapshotter:
    """Writes a snapshot of a project after every ``every`` new events."""

    def __init__(self, project: Project, every: int = EVERY):
        self._project, self._every = project, every
        self._stop = threading.Event()

    def watch(self, poll: float = POLL_SECONDS) -> None:
        """Write snapshots until :meth:`stop` is called."""
        while not self._stop.wait(poll):
            if self._project.unsaved >= self._every:
                self.run()

    def run(self) -> bool:
        """Write a snapshot; say whether it was written."""
        # The process reads all that is on disk when it begins, and maybe more.
        number = self._project.store.last
        folder = str(self._project.folder.resolve())
        with subprocess.Popen(  # noqa: S603 (our own module, without a shell)
            [sys.executable, "-m", __name__, folder],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as child:
            while child.poll() is None:
                if self._stop.is_set():
                    child.terminate()
                with suppress(subprocess.TimeoutExpired):
                    child.wait(0.1)
        if child.returncode == 0:
            self._project.take_snapshot(number)
        return child.returncode == 0

    def stop(self) -> None:
        """End a snapshot that is being written."""
        self._stop.set()


@contextmanager
def snapshots_while_serving(project: Project) -> Iterator[None]:
    """Keep the snapshot of a project fresh."""
    snapshotter = Snapshotter(project)
    thread = threading.Thread(target=snapshotter.watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        snapshotter.stop()
        thread.join()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
