"""Cross-validation whose results are kept, so that an interrupted run can resume.

A result is stored under a hash of the data, the model, the part and the seed. A run
that is interrupted with Ctrl-C loses only the part that was being fitted.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tactful.corpora.split import assign_texts, parts_by_folds
from tactful.errors import InputError
from tactful.files import atomic_path
from tactful.words import counted

CACHE_VERSION = 1
"""Increases when stored results may differ from those of a new run."""

Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64]
Places = NDArray[np.int64]


class Model(Protocol):
    """What a row of a table must be able to do; ``predict`` is used where there is one."""

    def fit(self, texts: Any, labels: Any, /) -> Any:
        """Learn from texts and labels: one for each text, or a row of them."""
        ...

    def predict_proba(self, texts: Any, /) -> Any:
        """Return probabilities in any of the shapes that scikit-learn knows."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """What is learnt and measured: texts, and for each label yes or no."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    groups: tuple[str, ...]
    """Texts of one group are in the same fold, if that is asked for."""
    labels: tuple[str, ...]
    table: Flags
    """One row for each text, one column for each label."""

    def __post_init__(self) -> None:
        if self.table.shape != (len(self.texts), len(self.labels)):
            raise ValueError("one row for each text and one column for each label")

    def fingerprint(self) -> str:
        """Return a hash of all that a result depends on."""
        digest = sha256(json.dumps(self.labels).encode())
        for name, text, row in zip(self.ids, self.texts, self.table, strict=True):
            digest.update(repr((name, text, row.tolist())).encode("utf-8", "backslashreplace"))
        return digest.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The training and test texts, by their places."""

    name: str
    train: Places
    test: Places


@dataclass(frozen=True, slots=True, eq=False)
class PartResult:
    """What a model said about the test texts of one part."""

    name: str
    test: Places
    probabilities: Numbers
    predicted: Flags
    seconds: float
    from_cache: bool = False


def fold_parts(data: Texts, folds: int, seed: int, grouped: bool = False) -> list[Part]:
    """Cut the texts into folds that keep the labels in balance; each is measured on once.

    Identical texts are always in the same fold; with ``grouped`` so are those of one group, such as
    the paragraphs of an article.
    """
    groups = data.groups if grouped else tuple(map(str, range(len(data.texts))))
    parts = parts_by_folds(folds)
    names = assign_texts(data.texts, groups, data.table, parts, seed)
    return [
        Part(name, np.flatnonzero(names != name), np.flatnonzero(names == name))
        for name, _ in parts
    ]


def run_parts(
    make: Callable[[], Model],
    data: Texts,
    parts: Sequence[Part],
    cache: "ResultCache",
    key: Mapping[str, Any],
) -> Iterator[PartResult]:
    """Fit and measure part by part; a part whose result is in the cache is not fitted again."""
    fingerprint = data.fingerprint()
    for part in parts:
        whole = {
            **key,
            "data": fingerprint,
            "part": part.name,
            "train": _hash_places(part.train),
            "test": _hash_places(part.test),
        }
        stored = cache.read(whole, part, len(data.labels))
        if stored is None:
            stored = _fit_and_predict(make(), data, part)
            cache.write(whole, stored)
        yield stored


def joined(results: Sequence[PartResult]) -> PartResult:
    """Return the results of several parts as those of one."""
    return PartResult(
        results[0].name,
        np.concatenate([each.test for each in results]),
        np.concatenate([each.probabilities for each in results]),
        np.concatenate([each.predicted for each in results]),
        sum(each.seconds for each in results),
        all(each.from_cache for each in results),
    )


def _fit_and_predict(model: Model, data: Texts, part: Part) -> PartResult:
    started = time.perf_counter()
    single = len(data.labels) == 1
    labels = data.table[part.train].astype(np.int64)
    test = [data.texts[at] for at in part.test]
    model.fit([data.texts[at] for at in part.train], labels[:, 0] if single else labels)
    probabilities = positive_table(model.predict_proba(test), len(test), len(data.labels))
    predict = getattr(model, "predict", None)
    if predict is None:
        predicted = probabilities >= 0.5
    else:
        predicted = np.asarray(predict(test)).reshape(probabilities.shape) > 0
    seconds = time.perf_counter() - started
    return PartResult(part.name, part.test, probabilities, predicted, seconds)


def positive_table(found: Any, texts: int, labels: int) -> Numbers:
    """Return the probability of yes, one column for each label, from any shape scikit-learn has.

    One label: n numbers, or a column for yes, or a column each for no and yes. Several labels: a
    column for each, or a list of tables with a column each for no and yes.
    """
    if isinstance(found, list) and found and np.ndim(found[0]) == 2:
        table = np.stack([np.asarray(each, dtype=np.float64)[:, -1] for each in found], axis=1)
    else:
        table = np.asarray(found, dtype=np.float64)
        if table.ndim == 1:
            table = table[:, None]
        if labels == 1 and table.shape[1:] == (2,):
            table = table[:, 1:]
    if table.shape != (texts, labels) or not np.isfinite(table).all():
        raise InputError(
            f"Found probabilities of shape {table.shape}, or not all of them numbers; expected "
            f"{labels} for each of {counted(texts, 'text')}."
        )
    return table


class ResultCache:
    """A folder of results, one small file for each part; no text is stored in it."""

    def __init__(self, folder: Path | None):
        self.folder = folder

    def _path(self, key: Mapping[str, Any]) -> Path | None:
        if self.folder is None:
            return None
        whole = json.dumps({**key, "version": CACHE_VERSION}, sort_keys=True, default=str)
        return self.folder / f"{sha256(whole.encode()).hexdigest()[:32]}.json"

    def read(self, key: Mapping[str, Any], part: Part, labels: int) -> PartResult | None:
        """Return the stored result of a part; a file that cannot be read counts as none."""
        path = self._path(key)
        if path is None or not path.is_file():
            return None
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            shape = (len(part.test), labels)
            probabilities = np.array(found["probabilities"], dtype=np.float64).reshape(shape)
            predicted = np.array(found["predicted"], dtype=np.bool_).reshape(shape)
            seconds = float(found["seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return PartResult(part.name, part.test, probabilities, predicted, seconds, from_cache=True)

    def write(self, key: Mapping[str, Any], result: PartResult) -> None:
        """Store the result of a part."""
        path = self._path(key)
        if path is None:
            return
        stored = {
            "key": json.loads(json.dumps(key, default=str)),
            "seconds": result.seconds,
            "probabilities": result.probabilities.tolist(),
            "predicted": result.predicted.astype(int).tolist(),
        }
        with atomic_path(path, force=True) as target:
            target.write_text(json.dumps(stored), encoding="utf-8")


def default_cache(environ: Mapping[str, str] | None = None, platform: str = sys.platform) -> Path:
    """Return the folder for results in the user's cache directory."""
    env = os.environ if environ is None else environ
    if env.get("XDG_CACHE_HOME"):
        base = Path(env["XDG_CACHE_HOME"])
    elif platform == "win32" and env.get("LOCALAPPDATA"):
        base = Path(env["LOCALAPPDATA"])
    elif platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path.home() / ".cache"
    return base / "tactful" / "reproduce"


def _hash_places(places: Places) -> str:
    return sha256(np.asarray(places, dtype="<i8").tobytes()).hexdigest()[:16]
