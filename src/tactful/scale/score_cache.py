"""The scores of texts seen before, so that the model reads equal texts once.

The workers of one machine share a file; each worker of a cluster has its own cache.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.libraries import Library
from tactful.scale.scorer import Scorer

if TYPE_CHECKING:
    import polars as pl
else:
    pl = Library("polars")

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


class ScoreCache:
    """A cache of scores; subclasses say where the rows are."""

    def recall(self, texts: pl.Series, scorer: Scorer) -> CachedScores:
        """Return the cached scores of distinct texts."""
        known = self.rows_of(texts.drop_nulls())
        schema = {name: pl.Float32 if name in scorer.ids else pl.String for name in scorer.columns}
        return CachedScores(
            pl.Series("text", list(known), pl.String),
            pl.DataFrame(list(known.values()), schema=schema, orient="row"),
        )

    def keep(self, texts: pl.Series, added: pl.DataFrame) -> None:
        """Add scores to the cache; texts without a score are left out."""
        scored = added["error"].is_null() & texts.is_not_null()
        self.add_rows(texts.filter(scored), added.filter(scored).iter_rows())

    def rows_of(self, texts: Iterable[str]) -> dict[str, list[Any]]:
        """Return the cached values of distinct texts."""
        texts_of = {_key(text): text for text in texts}
        return {texts_of[key]: json.loads(row) for key, row in self._find(list(texts_of))}

    def add_rows(self, texts: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
        """Add the values of texts; as JSON, which float32 survives unchanged."""
        self._add(list(zip(map(_key, texts), map(json.dumps, rows), strict=True)))

    def _find(self, keys: list[bytes]) -> list[tuple[bytes, str]]:
        raise NotImplementedError

    def _add(self, rows: list[tuple[bytes, str]]) -> None:
        raise NotImplementedError


class ProcessCache(ScoreCache):
    """A cache in the memory of this process, which drops the least recently used texts."""

    def __init__(self, most: int = MOST_KEPT):
        self.most = most
        self._rows: OrderedDict[bytes, str] = OrderedDict()

    def _find(self, keys: list[bytes]) -> list[tuple[bytes, str]]:
        known = [key for key in keys if key in self._rows]
        for key in known:
            self._rows.move_to_end(key)
        return [(key, self._rows[key]) for key in known]

    def _add(self, rows: list[tuple[bytes, str]]) -> None:
        self._rows.update(rows)
        while len(self._rows) > self.most:
            self._rows.popitem(last=False)


class SharedCache(ScoreCache):
    """A cache in a file that all workers of this machine read and write.

    It only saves work: if the file cannot be used, texts are scored again.
    """

    def __init__(self, path: Path):
        self.path = path
        self._connection: sqlite3.Connection | None = None

    def _find(self, keys: list[bytes]) -> list[tuple[bytes, str]]:
        known: list[tuple[bytes, str]] = []
        with contextlib.suppress(sqlite3.Error):
            for start in range(0, len(keys), _ASKED_AT_ONCE):
                part = keys[start : start + _ASKED_AT_ONCE]
                marks = ",".join("?" * len(part))
                # Only question marks are put together here; the keys are bound to them.
                asked = f"SELECT key, row FROM texts WHERE key IN ({marks})"  # noqa: S608
                known += self._open().execute(asked, part)
        return known

    def _add(self, rows: list[tuple[bytes, str]]) -> None:
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


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
