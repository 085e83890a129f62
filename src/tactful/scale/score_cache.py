"""The scores of texts seen before, so that the model reads equal texts once.

The workers of one machine share a file; each worker of a cluster has its own cache.
"""

import contextlib
import json
import sqlite3
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import polars as pl

from tactful.scale.scorer import Scorer

MOST_KEPT = 200_000
"""The number of texts in the cache of a process (about 100 MB); the oldest are dropped first."""
_ASKED_AT_ONCE = 500
_PATIENCE = 60.0
"""Seconds that a worker waits for another one to finish writing."""
_TABLE = "CREATE TABLE IF NOT EXISTS texts (key BLOB PRIMARY KEY, row TEXT) WITHOUT ROWID"


@dataclass(frozen=True, slots=True)
class CachedScores:
    """Texts in the cache, and the columns that were added to them."""

    texts: pl.Series
    added: pl.DataFrame


class ProcessCache:
    """A cache in the memory of this process, which drops the least recently used texts."""

    def __init__(self, most: int = MOST_KEPT):
        self.most = most
        self._rows: OrderedDict[bytes, str] = OrderedDict()

    def recall(self, texts: pl.Series, scorer: Scorer) -> CachedScores:
        """Return the cached scores of distinct texts."""
        known: dict[str, str] = {}
        for text in texts.drop_nulls():
            row = self._rows.get(_key(text))
            if row is not None:
                self._rows.move_to_end(_key(text))
                known[text] = row
        return _recalled(known, scorer)

    def keep(self, texts: pl.Series, added: pl.DataFrame) -> None:
        """Add scores to the cache; texts without a score are left out."""
        for text, row in _rows(texts, added):
            self._rows[_key(text)] = row
        while len(self._rows) > self.most:
            self._rows.popitem(last=False)


class SharedCache:
    """A cache in a file that all workers of this machine read and write.

    It only saves work: if the file cannot be used, texts are scored again.
    """

    def __init__(self, path: Path):
        self.path = path
        self._connection: sqlite3.Connection | None = None

    def recall(self, texts: pl.Series, scorer: Scorer) -> CachedScores:
        """Return the cached scores of distinct texts."""
        texts_of = {_key(text): text for text in texts.drop_nulls()}
        keys = list(texts_of)
        known: dict[str, str] = {}
        with contextlib.suppress(sqlite3.Error):
            for start in range(0, len(keys), _ASKED_AT_ONCE):
                part = keys[start : start + _ASKED_AT_ONCE]
                marks = ",".join("?" * len(part))
                # Only question marks are put together here; the keys are bound to them.
                asked = f"SELECT key, row FROM texts WHERE key IN ({marks})"  # noqa: S608
                for key, row in self._open().execute(asked, part):
                    known[texts_of[key]] = row
        return _recalled(known, scorer)

    def keep(self, texts: pl.Series, added: pl.DataFrame) -> None:
        """Add scores to the cache; texts without a score are left out."""
        rows = [(_key(text), row) for text, row in _rows(texts, added)]
        with contextlib.suppress(sqlite3.Error), self._open() as connection:
            connection.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(self.path, timeout=_PATIENCE)
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                # A power cut may lose rows, which are scored again, but must not mix them up.
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute(_TABLE)
            except sqlite3.Error:
                connection.close()
                raise
            self._connection = connection
        return self._connection


ScoreCache = ProcessCache | SharedCache


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _rows(texts: pl.Series, added: pl.DataFrame) -> Iterable[tuple[str, str]]:
    """Yield each text that has a score, with its row as JSON; float32 survives that unchanged."""
    scored = added["error"].is_null() & texts.is_not_null()
    rows = added.filter(scored)
    return zip(texts.filter(scored), map(json.dumps, rows.iter_rows()), strict=True)


def _recalled(known: dict[str, str], scorer: Scorer) -> CachedScores:
    schema = {name: pl.Float32 if name in scorer.ids else pl.String for name in scorer.columns}
    rows = [json.loads(row) for row in known.values()]
    return CachedScores(
        pl.Series("text", list(known), pl.String), pl.DataFrame(rows, schema=schema, orient="row")
    )
