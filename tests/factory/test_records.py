import os
from collections import Counter
from pathlib import Path

import pytest
from factory.records import (
    IDS,
    PCL_TARGETS,
    Record,
    fingerprint,
    read_records,
    read_unlabelled,
)

needs_data = pytest.mark.skipif(
    not os.environ.get("TACTFUL_DATA"), reason="$TACTFUL_DATA names no folder with the corpora"
)


def record(name: str, corpus: str, targets: dict[str, float], **others: object) -> Record:
    gold = {key: int(value >= 0.5) for key, value in targets.items()}
    return Record(name, f"text {name}", corpus, "train", targets, gold, **others)  # type: ignore[arg-type]


def test_the_five_points_of_dpm_keep_their_side() -> None:
    # Pérez-Almendros et al. 2020, section 4.2: labels 2, 3 and 4 are PCL, 0 and 1 are not.
    assert [PCL_TARGETS[label] >= 0.5 for label in "01234"] == [False, False, True, True, True]
    assert list(PCL_TARGETS.values()) == sorted(PCL_TARGETS.values())


def test_equal_data_has_an_equal_hash() -> None:
    first = [record("a", "ucc", {"unhealthy": 0.2})]
    assert fingerprint(first) == fingerprint([record("a", "ucc", {"unhealthy": 0.2})])
    assert fingerprint(first) != fingerprint([record("a", "ucc", {"unhealthy": 0.3})])


def test_unlabelled_texts_may_be_absent(tmp_path: Path) -> None:
    assert read_unlabelled(tmp_path) == []


def test_unlabelled_texts_are_read(tmp_path: Path) -> None:
    (tmp_path / "unhealthy_comments").mkdir()
    comments = tmp_path / "unhealthy_comments" / "train_comments_text_only.txt"
    comments.write_text("A mild remark.\n\nAnother one.\n", encoding="utf-8")
    (tmp_path / "social_bias").mkdir()
    posts = tmp_path / "social_bias" / "SBIC_train_partial_offensive_only.csv"
    posts.write_text("text,n_rows,offensive_mean,offensive\nA post.,3,0.5,1\n", encoding="utf-8")
    found = read_unlabelled(tmp_path)
    assert [each.corpus for each in found] == ["comment", "comment", "post"]
    assert found[-1].targets == {"auxiliary.offensive": 0.5}


@needs_data
@pytest.mark.data
def test_the_corpora_give_soft_targets_and_a_part_held_out() -> None:
    records = read_records(Path(os.environ["TACTFUL_DATA"]))
    parts = Counter((each.corpus, each.part) for each in records)
    for corpus in ("dpm", "ucc", "sbic"):
        whole = parts[corpus, "train"] + parts[corpus, "validation"]
        assert 0.06 < parts[corpus, "validation"] / whole < 0.10
    assert {name for each in records for name in each.targets} == set(IDS)
    assert all(0 <= value <= 1 for each in records for value in each.targets.values())
    train = {each.text.strip() for each in records if each.part == "train"}
    assert not any(each.text.strip() in train for each in records if each.part == "validation")
