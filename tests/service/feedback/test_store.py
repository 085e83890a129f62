"""The feedback store on SQLite and on PostgreSQL: what is stored, found and deleted."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tactful.errors import InputError, OutputError, UsageError
from tactful.service.feedback.records import SECRET_VARIABLE, Kind, Record
from tactful.service.feedback.store import FeedbackStore, open_feedback

DAY = 24 * 3600.0


def record(store: FeedbackStore, id: str, text: str, kind: Kind = "thumb", **more: Any) -> Record:
    values = {"at": 1000.0, "item": store.secret.item(text), "text": text, **more}
    return Record(id, kind, **values)


def test_what_is_added_comes_back_as_it_was_and_in_order(store: FeedbackStore) -> None:
    first = record(store, "one", "Ñandú 😀 'quoted'", lang="es", key="k_1", author="hash",
                   data={"labels": {"pcl": 1.0}, "note": "¿por qué?"})  # fmt: skip
    second = record(store, "two", "Another.", kind="queued", at=999.0)
    store.add([first])
    store.add([second])
    assert store.records() == [first, second]
    assert store.records(item=second.item) == [second]
    assert store.records(kind="thumb") == [first]
    assert store.records(newest=1) == [second]
    assert store.count() == {"thumb": 1, "queued": 1}
    assert store.known(["one", "three"]) == {"one"}


def test_the_same_id_is_stored_once_also_within_a_batch(store: FeedbackStore) -> None:
    store.add([record(store, "one", "First."), record(store, "one", "Again.")])
    store.add([record(store, "one", "Third."), record(store, "two", "Second.")])
    assert [(each.id, each.text) for each in store.records()] == [
        ("one", "First."),
        ("two", "Second."),
    ]


def test_an_opened_store_has_what_another_process_wrote(store_url: str) -> None:
    with open_feedback(store_url) as store:
        store.add([record(store, "one", "First.")])
    with open_feedback(store_url, create=False) as again, open_feedback(store_url) as third:
        third.add([record(third, "two", "Second.")])
        assert [each.id for each in again.records()] == ["one", "two"]


def test_the_queue_has_undecided_texts_the_most_reported_first(store: FeedbackStore) -> None:
    store.add(
        [
            record(store, "1", "Old.", at=1.0),
            record(store, "2", "New.", at=2.0, lang="en"),
            record(store, "3", "Twice.", at=3.0),
            record(store, "4", " Twice. ", kind="suggested", at=4.0),
            record(store, "5", "Decided.", at=0.0),
            record(store, "6", "Decided.", kind="decided", at=5.0),
            replace(record(store, "7", "Hashed.", at=0.0), text=None),
        ]
    )
    waiting = store.queue()
    assert [(each.text.strip(), each.reports, each.since) for each in waiting] == [
        ("Twice.", 2, 3.0),
        ("Old.", 1, 1.0),
        ("New.", 1, 2.0),
    ]
    assert [each.text.strip() for each in store.queue(most=1)] == ["Twice."]
    store.delete(id="6")
    assert "Decided." in [each.text for each in store.queue()]


def test_feedback_is_deleted_by_author_key_text_and_age(store: FeedbackStore) -> None:
    author = store.secret.author("user-17")
    store.add(
        [
            record(store, "1", "One.", author=author, key="k_1"),
            record(store, "2", "Two.", author=author, key="k_2"),
            record(store, "3", "Three.", key="k_2"),
            record(store, "4", "Four.", key="k_3", at=10 * DAY),
            record(store, "5", "One.", key="k_3", at=10 * DAY),
        ]
    )
    assert store.delete(author="user-18") == 0
    assert store.delete(author="user-17", key="k_1") == 1
    assert store.delete(text=" One.\n") == 1
    assert store.delete(key="k_2") == 2
    assert [each.id for each in store.records()] == ["4"]
    assert store.expire(5, now=14 * DAY) == 0
    assert store.expire(3, now=14 * DAY) == 1
    with pytest.raises(UsageError, match="expected one"):
        store.delete()


def test_a_deleted_text_is_in_no_file_of_sqlite(tmp_path: Path) -> None:
    marker = "zebrafish-marker"
    with open_feedback(f"sqlite:///{tmp_path / 'f.db'}") as store:
        store.add([record(store, "1", f"{marker} {'x' * 5000}"), record(store, "2", "Stays.")])
        assert any(marker.encode() in path.read_bytes() for path in tmp_path.iterdir())
        store.delete(id="1")
        assert not any(marker.encode() in path.read_bytes() for path in tmp_path.iterdir())


def test_hashes_depend_on_the_secret_and_another_secret_is_refused(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_feedback(store_url) as store:
        mine = store.secret.item("A text.")
        assert mine != store.secret.author("A text.")
    monkeypatch.setenv(SECRET_VARIABLE, "quite another secret")
    with pytest.raises(InputError, match="another secret"):
        open_feedback(store_url)
    monkeypatch.setenv(SECRET_VARIABLE, "short")
    with pytest.raises(UsageError, match="at least 16"):
        open_feedback(store_url)


def test_the_secret_of_an_sqlite_store_is_a_private_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SECRET_VARIABLE)
    url = f"sqlite:///{tmp_path / 'f.db'}"
    with pytest.raises(InputError, match="found no feedback"):
        open_feedback(url, create=False)
    with open_feedback(url) as store:
        item = store.secret.item("A text.")
    file = tmp_path / "f.db.secret"
    assert os.name != "posix" or file.stat().st_mode & 0o777 == 0o600
    with open_feedback(url) as again:
        assert again.secret.item("A text.") == item
    file.unlink()
    with pytest.raises(InputError, match="restore it"):
        open_feedback(url, create=False)


def test_a_server_without_a_secret_is_refused_before_it_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(SECRET_VARIABLE)
    with pytest.raises(UsageError, match=SECRET_VARIABLE):
        open_feedback("postgresql://nobody@127.0.0.1:9/none")


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database at all")
    with pytest.raises(InputError, match="not an SQLite database"):
        open_feedback(f"sqlite:///{file}")
    with pytest.raises(UsageError, match="mysql"):
        open_feedback("mysql://host/name")


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with open_feedback(f"sqlite:///{tmp_path / 'f.db'}") as store:
        kept = record(store, "1", "One.")
        with store._engine.begin() as connection:
            connection.exec_driver_sql("DROP TABLE feedback")
        with pytest.raises(OutputError, match="could not be written"):
            store.add([kept])
