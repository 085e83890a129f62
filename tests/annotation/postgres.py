"""A PostgreSQL of our own, in a temporary folder, for as long as it is needed."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_OUR_USER = "tactful"
_START_SECONDS = 120


class NoPostgresError(Exception):
    """Why there can be none here, in a sentence."""


@contextmanager
def postgres() -> Iterator[str]:
    """Start a server; yield its URL without a database."""
    binaries = _binaries()
    if binaries is None:
        raise NoPostgresError("PostgreSQL is not installed: its store is not tested here")
    if os.name != "posix":
        raise NoPostgresError("starting PostgreSQL in a test is written for Unix only")
    # A short path: that of a Unix socket may have about 100 letters.
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        user = _as_other_user(folder)
        if user is None:
            raise NoPostgresError("PostgreSQL does not run as root, and there is no 'postgres'")
        data = folder / "data"
        subprocess.run(
            [*user, binaries / "initdb", "-D", data, "-U", _OUR_USER, "-A", "trust", "-E", "UTF8"],
            check=True,
            capture_output=True,
        )
        port = _free_port()
        log = folder / "server.log"
        with log.open("wb") as output:
            server = subprocess.Popen(
                [
                    *(*user, str(binaries / "postgres"), "-D", str(data), "-p", str(port)),
                    *("-k", str(folder), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=on"),
                ],
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            _wait(binaries / "pg_isready", port, server, log)
            yield f"postgresql+pg8000://{_OUR_USER}@127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(_START_SECONDS)


def make_database(server: str) -> str:
    """Make an empty database on a server; return its URL."""
    import sqlalchemy as sa

    name = f"test_{time.monotonic_ns()}"
    engine = sa.create_engine(f"{server}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return f"{server}/{name}"


def _binaries() -> Path | None:
    """Return the newest folder with PostgreSQL's programs."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    return folders[-1].parent if folders else None


def _version(path: Path) -> int:
    number = path.parents[1].name
    return int(number) if number.isdigit() else 0


def _as_other_user(folder: Path) -> list[str] | None:
    """Return what runs a program as somebody who may run PostgreSQL, who then owns the folder."""
    if os.geteuid() != 0:
        return []
    if shutil.which("runuser") is None or _no_user("postgres"):
        return None
    shutil.chown(folder, "postgres", "postgres")
    return ["runuser", "-u", "postgres", "--"]


def _no_user(name: str) -> bool:
    import pwd

    try:
        pwd.getpwnam(name)
    except KeyError:
        return True
    return False


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait(is_ready: Path, port: int, server: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        # It takes connections before it answers them.
        asked = [str(is_ready), "-q", "-h", "127.0.0.1", "-p", str(port)]
        if subprocess.run(asked, check=False).returncode == 0:
            return
        time.sleep(0.05)
    raise AssertionError(f"PostgreSQL did not start:\n{log.read_text(errors='replace')}")
