"""The server as people start it, in a process of its own, and a project for many people."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project

_STOP_SECONDS = 120


@dataclass(frozen=True)
class Guest:
    """Somebody with an invitation."""

    person: str
    token: str


def make_project(
    folder: Path,
    guests: int,
    *,
    store: str | None = None,
    items: int = 3000,
    tests: int = 400,
    most_per_day: int | None = 350,
) -> list[Guest]:
    """Make a project of the protocol ``unhealthy``: a comment says itself whether it is hostile."""
    with Project.create(folder, "unhealthy", store=store) as project:
        project.add_items(_item(number, number >= items) for number in range(items + tests))
        project.change({"most_per_day": most_per_day})
        invited = [project.invite("annotator", f"Guest {number}") for number in range(guests)]
    return [Guest(each.person, each.token) for each in invited]


def _item(number: int, is_test: bool) -> NewItem:
    is_rude = number % 3 == 0
    text = f"Comment {number}: a {'rude' if is_rude else 'friendly'} remark about trains."
    gold = {"unhealthy.hostile": "yes" if is_rude else "no"} if is_test else None
    return NewItem(f"c{number}", text, gold=gold)


class Server:
    """``tactful annotate serve`` at work on a free port."""

    def __init__(self, folder: Path):
        self._errors = TemporaryFile()  # noqa: SIM115 (closed when the server has ended)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tactful", "annotate", "serve", str(folder), "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        assert self._process.stdout is not None
        self.port = 0
        for line in self._process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found[1])
                break
        if not self.port:
            self._process.wait(_STOP_SECONDS)
            raise AssertionError(f"the server did not start: {self._end()}")

    def stop(self) -> None:
        """End it as Ctrl-C does; it must end well."""
        self._process.send_signal(signal.SIGINT)
        code = self._process.wait(_STOP_SECONDS)
        said = self._end()
        assert code == 0, f"the server ended with {code}: {said}"

    def kill(self) -> None:
        """End it as a power cut does; nobody waits for it, so that its traces are still there."""
        self._process.kill()

    def bury(self) -> None:
        """Wait for the end of a server that was killed."""
        assert self._process.wait(_STOP_SECONDS) == -signal.SIGKILL
        self._end()

    def _end(self) -> str:
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace")
        self._errors.close()
        return said


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Serve a project, and stop when the work is done; after an error nothing stays behind."""
    server = Server(folder)
    try:
        yield server
    except BaseException:
        server.kill()
        server.bury()
        raise
    server.stop()
