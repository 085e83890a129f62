"""What a task learns from: labels, parts without leaks, and tables that cannot be used."""

from importlib import resources
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tactful.corpora import load_corpus
from tactful.errors import InputError, UnknownNameError, UsageError
from tactful.training.task_data import (
    FRAME_IDS,
    UNHEALTHY_IDS,
    TaskData,
    custom_task,
    read_task,
    thinned,
)

SAMPLES = Path(str(resources.files("tactful.corpora"))) / "samples"


@pytest.mark.parametrize(
    ("task", "corpus", "ids"), [("pcl", "dpm", 1), ("pcl-categories", "dpm", 7)]
)
def test_dpm(task: str, corpus: str, ids: int) -> None:
    data = read_task(task, SAMPLES / corpus, 0.3)
    assert data.labels.shape == (len(data.texts), ids)
    assert data.labels.any()
    assert 0 < data.held_out.sum() < len(data.texts)
    assert "research" in data.licence


def test_ucc_and_sbic() -> None:
    assert read_task("unhealthy", SAMPLES / "ucc", 0.3).ids == UNHEALTHY_IDS
    frame = read_task("frame", SAMPLES / "sbic", 0.3)
    assert frame.ids == FRAME_IDS
    # Means are binarised at .5 (Sap et al. 2020, section 4.2); what nobody was asked is a no.
    examples = {each.text: each.labels for each in load_corpus("sbic", sample=True).examples()}
    for text, row in zip(frame.texts, frame.labels, strict=True):
        assert row.tolist() == [examples[text].get(name, 0.0) >= 0.5 for name in FRAME_IDS]
    assert any("frame.group" not in labels for labels in examples.values())


def test_the_folder_of_all_corpora_is_taken_too(tmp_path: Path) -> None:
    (tmp_path / "dont_patronize_me").symlink_to(SAMPLES / "dpm")
    found, expected = read_task("pcl", tmp_path), read_task("pcl", SAMPLES / "dpm")
    assert found.fingerprint() == expected.fingerprint()


def test_an_unknown_task_answers_with_the_list() -> None:
    with pytest.raises(UnknownNameError, match="pcl-categories"):
        read_task("pcl-category", None)


def rows(count: int = 40) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "text": [f"remark number {at // 2}" for at in range(count)],
            "rude": [str(at // 2 % 2) for at in range(count)],
            "thread": [str(at // 8) for at in range(count)],
        }
    )


def test_equal_texts_and_groups_stand_in_one_part() -> None:
    plain = custom_task(rows(), Path("t.csv"), "text", {"my.rude": "rude"}, validation=0.2)
    held_out = {text for text, out in zip(plain.texts, plain.held_out, strict=True) if out}
    assert held_out
    assert not held_out & set(plain.train()[0])
    grouped = custom_task(
        rows(), Path("t.csv"), "text", {"my.rude": "rude"}, group="thread", validation=0.2
    )
    assert all(grouped.held_out[at : at + 8].sum() in (0, 8) for at in range(0, 40, 8))


def test_the_hash_follows_the_data() -> None:
    def hashed(frame: pl.DataFrame, seed: int = 1) -> str:
        labels = {"my.rude": "rude"}
        return custom_task(frame, Path("t.csv"), "text", labels, seed=seed).fingerprint()

    assert hashed(rows()) == hashed(rows())
    changed = rows().with_columns(pl.lit("1").alias("rude"))
    assert len({hashed(rows()), hashed(changed), hashed(rows(38))}) == 3


@pytest.mark.parametrize(("cell", "found"), [("maybe", "'maybe'"), (None, "an empty cell")])
def test_a_label_that_is_neither_yes_nor_no_is_refused(cell: str | None, found: str) -> None:
    frame = pl.DataFrame({"text": ["a", "b"], "rude": ["Yes", cell]})
    with pytest.raises(InputError, match=rf"t\.csv, row 2: column 'rude': found {found}"):
        custom_task(frame, Path("t.csv"), "text", {"rude": "rude"})


def test_an_empty_text_is_refused() -> None:
    frame = pl.DataFrame({"text": ["a", " "], "rude": [True, False]})
    with pytest.raises(InputError, match="row 2: column 'text': found no text"):
        custom_task(frame, Path("t.csv"), "text", {"rude": "rude"})


def test_something_must_be_held_out() -> None:
    with pytest.raises(UsageError, match="--validation 0"):
        custom_task(rows(), Path("t.csv"), "text", {"rude": "rude"}, validation=0)


def test_thinning_leaves_the_measured_part_alone() -> None:
    labels = np.array([[at % 10 == 0] for at in range(100)])
    data = TaskData("custom", ("x",), tuple(map(str, range(100))), labels, np.arange(100) >= 80)
    thin = thinned(data, 3, seed=1)
    assert thin.train()[1].sum() == 8
    assert len(thin.train()[0]) == 32
    assert thin.validation()[0] == data.validation()[0]
    assert len(thinned(data, 0, seed=1).train()[0]) == 8
    assert thinned(data, 99, seed=1).texts == data.texts
