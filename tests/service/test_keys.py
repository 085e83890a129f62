import json
import os
import stat
from pathlib import Path

import pytest

from tactful.errors import FileFormatError, UsageError
from tactful.service.http import keys
from tactful.service.http.keys import KeyRing, RateLimits, add_key, hash_of, read_keys, remove_key


def test_a_key_is_kept_as_a_hash_in_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    key, secret = add_key(path, "newsroom", 60)
    assert secret not in path.read_text()
    assert key.sha256 == hash_of(secret)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_keys(path) == [key]
    _, other = add_key(path, "forum")
    assert other != secret
    assert len(read_keys(path)) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_can_be_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    first, _ = add_key(path, "one")
    add_key(path, "two")
    remove_key(path, first.id)
    remove_key(path, "two")
    assert read_keys(path) == []
    with pytest.raises(UsageError, match="no key named 'two'"):
        remove_key(path, "two")


def test_wrong_names_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    add_key(path, "one")
    with pytest.raises(UsageError, match="already"):
        add_key(path, "one")
    for name in ("", "a" * 61, "a\nb"):
        with pytest.raises(UsageError, match="name of a key"):
            add_key(path, name)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"keys": [{"id": "a"}]}', '{"keys": 3}'])
def test_a_damaged_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "keys.json"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=r"keys\.json"):
        read_keys(path)


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--add-key"):
        KeyRing(tmp_path / "keys.json")


def test_a_running_service_follows_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "keys.json"
    _, old = add_key(path, "old")
    ring = KeyRing(path)
    monkeypatch.setattr(keys, "_LOOK_AGAIN_SECONDS", -1.0)
    assert ring.find(old) is not None
    assert ring.find("wrong") is None
    _, new = add_key(path, "new")
    remove_key(path, "old")
    assert ring.find(new) is not None
    assert ring.find(old) is None
    path.write_text(json.dumps("damaged"))
    os.utime(path, (0, 0))
    assert ring.find(new) is not None


def test_a_bucket_lets_bursts_pass_and_holds_a_stream() -> None:
    limits = RateLimits()
    found = [limits.wait_for("a", 60, now=100.0) for _ in range(12)]
    assert found[:10] == [0.0] * 10
    assert found[10] == pytest.approx(1.0)
    assert limits.wait_for("b", 60, now=100.0) == 0
    assert limits.wait_for("a", 60, now=101.5) == 0
    stream = [limits.wait_for("c", 60, now=100 + n / 10) == 0 for n in range(1200)]
    assert 125 <= sum(stream) <= 131  # ten at once, and one a second for two minutes


def test_workers_share_a_rate() -> None:
    limits = RateLimits(share=2)
    assert sum(limits.wait_for("a", 60, now=0.0) == 0 for _ in range(12)) == 5


def test_callers_are_forgotten_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_MOST_BUCKETS", 3)
    limits = RateLimits()
    for n in range(10):
        limits.wait_for(str(n), 6, now=0.0)
    assert list(limits._buckets) == ["7", "8", "9"]
