"""The log: the same promises on SQLite and on PostgreSQL."""

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from tactful.annotation.store.engine import migrate
from tactful.annotation.store.events import KINDS, Event
from tactful.annotation.store.log import open_store
from tactful.annotation.store.tables import HEAD, metadata
from tactful.errors import InputError, OutputError, TactfulError, UsageError

ODD_TEXT = (
    "¿Qué? 🙂 e\u0301 \u202eabc\u202c <script>{{ 7 * 7 }}</script> '; DROP TABLE events; --\x00"
)


def answered(number: int, key: str | None = None) -> Event:
    return Event(
        "answered", 100.0 + number, f"t{number}", "a1", "one", {"answers": {"q": "1"}}, key
    )


def test_events_come_back_as_they_were(store_url: str) -> None:
    given = [
        Event("imported", 1.5, "t1", data={"text": ODD_TEXT, "meta": {"half": "\ud83d"}}),
        Event(
            "answered", 1234567890.123456, "t1", "a1", "one", {"answers": {"q": ["a", None]}}, "k"
        ),
        *(Event(kind, 2.0) for kind in KINDS),  # type: ignore[arg-type]
    ]
    with open_store(store_url) as store:
        kept = store.append(given)
        assert [event.number for event in kept] == list(range(1, len(given) + 1))
    with open_store(store_url) as store:
        found = list(store.read())
        assert found == kept
        assert list(store.read(after=3)) == kept[3:]
        assert store.last == len(given)


def test_a_key_counts_once(store_url: str) -> None:
    with open_store(store_url) as store:
        assert len(store.append([answered(1, "k"), answered(2, "k"), answered(3)])) == 2
        assert store.append([answered(4, "k")]) == []
        again = store.append([answered(5, "k"), answered(6, "new")])
        assert [(event.item, event.number) for event in again] == [("t6", 3)]
        assert [event.item for event in store.read()] == ["t1", "t3", "t6"]


def test_many_keys_at_once(store_url: str) -> None:
    with open_store(store_url) as store:
        many = [answered(at, f"k{at}") for at in range(1201)]
        assert len(store.append(many)) == len(many)
        assert store.append(many) == []
        assert store.last == len(many)


def test_nothing_of_a_bad_batch_is_kept(store_url: str) -> None:
    with open_store(store_url) as store:
        for bad in (
            Event("answered", 1.0, data={"answers": {1, 2}}),
            Event("answered", 1.0, data={"seconds": float("nan")}),
            Event("answered", 1.0, item="zero\x00byte"),
            Event("answered", 1.0, annotator="half \ud83d"),
        ):
            with pytest.raises(InputError, match="Found"):
                store.append([answered(1), bad])
        assert list(store.read()) == []
        assert store.append([]) == []


REFUSE = {
    "sqlite": """\
CREATE TRIGGER refuse BEFORE INSERT ON events WHEN NEW.item = 't12000'
BEGIN SELECT RAISE(ABORT, 'no'); END""",
    "postgresql": "ALTER TABLE events ADD CONSTRAINT refuse CHECK (item <> 't12000')",
}


def test_a_long_batch_is_kept_whole_or_not_at_all(store_url: str) -> None:
    """More than is written at once, of which a late one fails."""
    with open_store(store_url) as store:
        store.append([answered(1)])
        engine = sa.create_engine(store_url)
        with engine.begin() as connection:
            connection.exec_driver_sql(REFUSE[engine.dialect.name])
        engine.dispose()
        with pytest.raises(OutputError, match="send them again"):
            store.append([answered(number) for number in range(12_500)])
        assert [event.item for event in store.read()] == ["t1"]
        assert len(store.append([answered(number) for number in range(11_000)])) == 11_000
        assert store.last == 11_001
        assert sum(1 for _ in store.read()) == 11_001


def test_known_and_new_keys_in_one_batch(store_url: str) -> None:
    """Also one that is twice in the batch: the first is kept, and numbers have no gap."""
    with open_store(store_url) as store:
        store.append([answered(1, "k1"), answered(2)])
        keys = ["k1", "k2", None, "k2", "k3"]
        kept = store.append([answered(number, key) for number, key in enumerate(keys)])
        assert [(event.number, event.key) for event in kept] == [(3, "k2"), (4, None), (5, "k3")]
        assert [event.number for event in store.read()] == [1, 2, 3, 4, 5]


def test_a_failure_of_the_database_leaves_nothing(store_url: str) -> None:
    """Break the table from outside: the batch is rolled back, and the store heals by itself."""
    with open_store(store_url) as store:
        store.append([answered(1)])
        engine = sa.create_engine(store_url)
        with engine.begin() as connection:
            connection.exec_driver_sql("ALTER TABLE events RENAME TO away")
        with pytest.raises(OutputError, match="send them again"):
            store.append([answered(2), answered(3)])
        with engine.begin() as connection:
            connection.exec_driver_sql("ALTER TABLE away RENAME TO events")
        engine.dispose()
        assert [event.number for event in store.append([answered(4)])] == [2]
        assert [event.item for event in store.read()] == ["t1", "t4"]


def test_a_second_writer_is_refused_and_a_reader_is_not(store_url: str) -> None:
    with open_store(store_url) as store:
        store.append([answered(1)])
        with pytest.raises(InputError, match="another process is writing to this project"):
            open_store(store_url)
        with open_store(store_url, read_only=True) as reader:
            assert [event.item for event in reader.read()] == ["t1"]
            store.append([answered(2)])
            assert reader.last == 2
            with pytest.raises(OutputError, match="for reading only"):
                reader.append([answered(3)])
    with open_store(store_url) as store:
        assert store.last == 2


def test_threads_may_append_at_once(store_url: str) -> None:
    with open_store(store_url) as store:

        def work(at: int) -> None:
            for each in range(10):
                store.append([answered(each, f"{at}-{each}"), answered(each)])

        threads = [threading.Thread(target=work, args=(at,)) for at in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = list(store.read())
    assert [event.number for event in found] == list(range(1, 161))
    assert len({event.key for event in found if event.key}) == 80


def test_more_than_one_chunk_is_read(store_url: str) -> None:
    with open_store(store_url) as store:
        store.append([answered(at) for at in range(20_001)])
        assert [event.number for event in store.read()] == list(range(1, 20_002))


# ---- tables and their versions ------------------------------------------------------------------


def test_the_migrations_make_the_tables_of_the_code(store_url: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    open_store(store_url).close()
    engine = sa.create_engine(store_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert context.get_current_revision() == HEAD
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_a_store_of_a_newer_version_is_refused(store_url: str) -> None:
    open_store(store_url).close()
    engine = sa.create_engine(store_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    engine.dispose()
    for read_only in (False, True):
        with pytest.raises(InputError, match="made by a newer Tactful"):
            open_store(store_url, read_only=read_only)


def test_a_failed_migration_leaves_nothing(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(connection: sa.Connection, where: str) -> None:
        migrate(connection, where)
        raise InputError("stopped in the middle")

    monkeypatch.setattr("tactful.annotation.store.log.migrate", half)
    with pytest.raises(InputError, match="stopped in the middle"):
        open_store(store_url)
    engine = sa.create_engine(store_url)
    with engine.connect() as connection:
        assert sa.inspect(connection).get_table_names() == []
    engine.dispose()


# ---- what cannot be opened ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "expected sqlite:///events.db"),
        ("events.db", "expected sqlite:///events.db"),
        ("sqlte:///events.db", "of the kind 'sqlte'"),
        ("mysql://host/db", "of the kind 'mysql'"),
        ("postgresql+psycopg2://host/db", r"of the kind 'postgresql\+psycopg2'"),
        ("sqlite://", "which names no file"),
        ("sqlite:///:memory:", "which names no file"),
        ("sqlite://events.db", "which names no file"),
        ("postgresql://user:geheim@host", "without the name of a database"),
        ("postgresql://user:geheim@host:port/db", "expected sqlite"),
    ],
)
def test_a_url_with_a_typo_is_one_sentence(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as found:
        open_store(url)
    assert "geheim" not in str(found.value)


def test_a_server_that_is_not_running_is_one_sentence() -> None:
    with pytest.raises(InputError, match="check that the server runs") as found:
        open_store("postgresql://user:geheim@127.0.0.1:9/db")
    assert "geheim" not in str(found.value)
    assert "\n" not in str(found.value)


def test_a_database_that_is_not_there_is_one_sentence(postgres_server: str) -> None:
    with pytest.raises(InputError, match='database "nowhere" does not exist'):
        open_store(f"{postgres_server}/nowhere")


def test_files_that_are_no_store(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found no folder"):
        open_store(f"sqlite:///{tmp_path}/none/events.db")
    with pytest.raises(InputError, match="found a folder"):
        open_store(f"sqlite:///{tmp_path}")
    with pytest.raises(InputError, match="found no store"):
        open_store("sqlite:///events.db", base=tmp_path, read_only=True)
    other = tmp_path / "other.db"
    other.write_text("this is a text, and no database", encoding="utf-8")
    with pytest.raises(InputError, match="not an SQLite database"):
        open_store(f"sqlite:///{other}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.db"]


def test_an_empty_database_is_no_store_to_read(store_url: str) -> None:
    engine = sa.create_engine(store_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE something (number INTEGER)")
    engine.dispose()
    with pytest.raises(InputError, match="without events"):
        open_store(store_url, read_only=True)


# ---- durability ---------------------------------------------------------------------------------

WRITER = """\
import sys
from tactful.annotation.store.events import Event
from tactful.annotation.store.log import open_store

store = open_store(sys.argv[1])
print("ready", flush=True)
at = store.last
while True:
    kept = store.append([Event("answered", 1.0, "t", "a", "one", {"at": at}, f"key-{at}")])
    print(kept[0].number, flush=True)
    at += 1
"""


def killed_writer(url: str, seconds: float) -> int:
    """Write until ``kill -9``; return the last number that was acknowledged."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, url], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    killer = threading.Timer(seconds, os.kill, (writer.pid, signal.SIGKILL))
    killer.start()
    lines = writer.stdout.read().splitlines(keepends=True)
    writer.wait()
    writer.stdout.close()
    killer.join()
    assert writer.returncode == -signal.SIGKILL
    return max((int(line) for line in lines if line.endswith("\n")), default=0)


@pytest.mark.parametrize("times", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_what_was_acknowledged_survives_a_kill(store_url: str, times: int) -> None:
    rng = random.Random(8)
    acknowledged = 0
    for _ in range(times):
        acknowledged = max(acknowledged, killed_writer(store_url, rng.uniform(0.02, 0.4)))
        with open_store(store_url) as store:
            numbers = [event.number for event in store.read()]
        # One event may be there whose acknowledgement was cut off; none may be missing.
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) in (acknowledged, acknowledged + 1)
        acknowledged = len(numbers)
    assert acknowledged > times


def test_a_lost_connection_is_made_again(
    new_database: Callable[[], str],
) -> None:
    url = new_database()
    with open_store(url) as store:
        store.append([answered(1)])
        engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        engine.dispose()
        with pytest.raises(TactfulError):
            store.append([answered(2, "k")])
        assert [event.number for event in store.append([answered(2, "k")])] == [2]
