"""Folds, shapes of probabilities, and results that are kept."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tactful.errors import InputError
from tactful_lab.evaluation.reproduce.cross_validation import (
    Part,
    ResultCache,
    Texts,
    default_cache,
    fold_parts,
    positive_table,
    run_parts,
)

NUMBER = 60


def data(labels: int = 1) -> Texts:
    table = np.stack([np.arange(NUMBER) % (3 + at) == 0 for at in range(labels)], axis=1)
    return Texts(
        tuple(f"t{at}" for at in range(NUMBER)),
        tuple(f"text {at // 2}" for at in range(NUMBER)),
        tuple(f"g{at // 6}" for at in range(NUMBER)),
        tuple(f"label{at}" for at in range(labels)),
        table,
    )


class Counting:
    """A model that counts how often it was fitted, and answers the share of positives."""

    fits = 0

    def fit(self, texts: list[str], labels: Any) -> "Counting":
        type(self).fits += 1
        self.mean = np.mean(labels, axis=0)
        return self

    def predict_proba(self, texts: list[str]) -> Any:
        return np.tile(self.mean, (len(texts), 1)) if np.ndim(self.mean) else np.full(
            len(texts), self.mean)  # fmt: skip


@pytest.fixture(autouse=True)
def _start_counting() -> None:
    Counting.fits = 0


def test_every_text_is_measured_once_and_equal_texts_stay_together() -> None:
    texts = data()
    parts = fold_parts(texts, 5, seed=1)
    tested = np.concatenate([part.test for part in parts])
    assert sorted(tested) == list(range(NUMBER))
    for part in parts:
        assert not set(part.train) & set(part.test)
        assert {texts.texts[at] for at in part.train}.isdisjoint(
            texts.texts[at] for at in part.test
        )
        assert texts.table[part.test].mean() == pytest.approx(1 / 3, abs=0.1)


def test_groups_stay_together_if_asked_for() -> None:
    texts = data()
    for part in fold_parts(texts, 5, seed=1, grouped=True):
        train = {texts.groups[at] for at in part.train}
        assert train.isdisjoint(texts.groups[at] for at in part.test)


def test_seeds_make_other_folds() -> None:
    one, same, other = (fold_parts(data(), 5, seed=seed) for seed in (1, 1, 2))
    assert all((a.test == b.test).all() for a, b in zip(one, same, strict=True))
    assert any(set(a.test) != set(b.test) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    ("found", "labels", "expected"),
    [
        ([0.1, 0.9], 1, [[0.1], [0.9]]),
        ([[0.1], [0.9]], 1, [[0.1], [0.9]]),
        ([[0.9, 0.1], [0.1, 0.9]], 1, [[0.1], [0.9]]),
        ([[0.9, 0.1], [0.1, 0.9]], 2, [[0.9, 0.1], [0.1, 0.9]]),
        ([np.array([[0.9, 0.1], [0.1, 0.9]])] * 2, 2, [[0.1, 0.1], [0.9, 0.9]]),
    ],
)
def test_any_shape_of_scikit_learn_is_understood(found: Any, labels: int, expected: Any) -> None:
    given = found if isinstance(found[0], np.ndarray) else np.array(found)
    assert positive_table(given, 2, labels).tolist() == expected


@pytest.mark.parametrize("found", [[0.1], [[0.1, 0.2, 0.7]] * 2, [np.nan, 0.1]])
def test_other_shapes_are_refused(found: Any) -> None:
    with pytest.raises(InputError, match="expected 1 for each of 2 texts"):
        positive_table(np.array(found), 2, 1)


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    texts, cache = data(), ResultCache(tmp_path / "cache")
    parts = fold_parts(texts, 5, seed=1)
    running = run_parts(Counting, texts, parts, cache, {"model": "a"})
    first = [next(running), next(running)]
    running.close()  # type: ignore[attr-defined]
    assert Counting.fits == 2
    results = list(run_parts(Counting, texts, parts, cache, {"model": "a"}))
    assert Counting.fits == 5
    assert [result.from_cache for result in results] == [True, True, False, False, False]
    assert (results[0].probabilities == first[0].probabilities).all()
    assert (results[1].predicted == first[1].predicted).all()


def test_what_changes_a_result_changes_its_key(tmp_path: Path) -> None:
    texts, cache = data(), ResultCache(tmp_path)
    parts = fold_parts(texts, 5, seed=1)[:1]
    list(run_parts(Counting, texts, parts, cache, {"model": "a"}))
    list(run_parts(Counting, texts, parts, cache, {"model": "b"}))
    other = Texts(texts.ids, ("new", *texts.texts[1:]), texts.groups, texts.labels, texts.table)
    list(run_parts(Counting, other, parts, cache, {"model": "a"}))
    moved = [Part(parts[0].name, parts[0].train[1:], parts[0].test)]
    list(run_parts(Counting, texts, moved, cache, {"model": "a"}))
    assert Counting.fits == 4
    list(run_parts(Counting, texts, parts, cache, {"model": "a"}))
    assert Counting.fits == 4


@pytest.mark.parametrize("content", ["", "{", "[]", '{"probabilities": [1], "predicted": [1]}'])
def test_a_broken_file_of_the_cache_is_fitted_again(tmp_path: Path, content: str) -> None:
    texts, cache = data(2), ResultCache(tmp_path)
    parts = fold_parts(texts, 3, seed=1)[:1]
    list(run_parts(Counting, texts, parts, cache, {}))
    (path,) = tmp_path.iterdir()
    path.write_text(content)
    (result,) = run_parts(Counting, texts, parts, cache, {})
    assert not result.from_cache
    assert Counting.fits == 2


def test_no_text_is_kept(tmp_path: Path) -> None:
    texts = data()
    parts = fold_parts(texts, 3, seed=1)
    list(run_parts(Counting, texts, parts, ResultCache(tmp_path), {}))
    assert not any("text 1" in path.read_text() for path in tmp_path.iterdir())


def test_without_a_folder_nothing_is_kept() -> None:
    texts = data()
    parts = fold_parts(texts, 3, seed=1)
    for _ in range(2):
        assert not any(
            r.from_cache for r in run_parts(Counting, texts, parts, ResultCache(None), {})
        )
    assert Counting.fits == 6


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({"XDG_CACHE_HOME": "/c"}, "linux", "/c/tactful/reproduce"),
        ({"LOCALAPPDATA": "/l"}, "win32", "/l/tactful/reproduce"),
        ({}, "linux", "~/.cache/tactful/reproduce"),
        ({}, "darwin", "~/Library/Caches/tactful/reproduce"),
    ],
)
def test_the_cache_is_in_the_users_own_place(
    environ: dict[str, str], platform: str, expected: str
) -> None:
    assert default_cache(environ, platform) == Path(expected).expanduser()
