"""``kill -9`` of the server in the middle of the work: everything acknowledged is there."""

import asyncio
import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.annotation.web.load import Tally, crowd, work_together
from tests.annotation.web.load_check import problems, read_log
from tests.annotation.web.load_server import Server, make_project, serving

from tactful.annotation.store.engine import _NUMBER

SEED = 8


def kill_again_and_again(
    folder: Path, store: str | None, *, rounds: int, people: int, seconds: float
) -> Tally:
    """Load, kill, start again, and hold the log against what was acknowledged, each time."""
    guests = make_project(folder, people, store=store, items=2000, most_per_day=None)
    annotators = crowd(guests, SEED, 0.02)
    rng, tally = random.Random(SEED), Tally()
    for _ in range(rounds):
        server = Server(folder)
        moment = rng.uniform(0, seconds)
        before = tally.count("saved")
        try:
            # They go on until the server is gone, and nobody waits for its end before the next.
            asyncio.run(
                work_together(annotators, server.port, 60, tally, after=(moment, server.kill))
            )
            with serving(folder) as heir:
                assert problems(read_log(folder), tally) == []
                # What was on its way is sent once more, as a browser does, and counts once.
                asyncio.run(work_together(annotators, heir.port, 0, tally))
        finally:
            server.kill()
            server.bury()
        assert tally.count("saved") > before
        assert problems(read_log(folder), tally) == []
    assert tally.count("unknown") == 0
    assert tally.lost >= rounds
    return tally


def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path / "project", None, rounds=2, people=10, seconds=1)


@pytest.mark.slow
def test_what_was_acknowledged_is_there_after_twenty_kills(store_url: str, tmp_path: Path) -> None:
    tally = kill_again_and_again(tmp_path / "project", store_url, rounds=20, people=20, seconds=2)
    assert tally.count("saved") > 1000


def test_a_server_waits_for_the_lock_of_a_dead_one(
    tmp_path: Path, new_database: Callable[[], str]
) -> None:
    """PostgreSQL may need a moment to see that a client is dead: its lock is there until then."""
    url = new_database()
    make_project(tmp_path / "project", 1, store=url, items=7, tests=1)
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as dead:
        dead.execute(sa.select(sa.func.pg_advisory_lock(_NUMBER)))
        # The new server needs most of a second before it asks for the lock.
        leaving = threading.Timer(1.5, dead.invalidate)
        leaving.start()
        with serving(tmp_path / "project") as server:
            assert not leaving.is_alive()
            assert server.port
        leaving.join()
    engine.dispose()
