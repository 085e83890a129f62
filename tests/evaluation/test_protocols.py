"""Which texts, labels and parts a table is run on, and what is said where they differ."""

from dataclasses import replace

import pytest

from tactful.corpora import load_corpus
from tactful.errors import InputError
from tactful.types import Example
from tactful_lab.evaluation.reproduce.paper_tables import load_table
from tactful_lab.evaluation.reproduce.protocols import Choices, Protocol, build_protocol


def paragraphs(positive: int = 10, negative: int = 90) -> list[Example]:
    labels = dict.fromkeys(load_table("dpm-task2").labels, 0.0)
    return [
        Example(
            f"p{at}", f"paragraph {at}", "dpm", "en", f"article {at // 2}",
            labels={"pcl": float(at < positive), **labels,
                    "pcl.compassion": float(at < positive and at % 2 == 0)},
        )
        for at in range(positive + negative)
    ]  # fmt: skip


def build(table: str, examples: list[Example], **choices: object) -> Protocol:
    return build_protocol(load_table(table), examples, Choices(**choices))  # type: ignore[arg-type]


def test_three_negatives_are_drawn_for_each_positive() -> None:
    """Table 3 of DPM: guesses of 50 % have 24.82 % precision, one in four."""
    (problem,) = build("dpm-task1", paragraphs(), folds=5).problems
    assert len(problem.data.texts) == 40
    assert problem.data.table.sum() == 10
    (other,) = build("dpm-task1", paragraphs(), folds=5, seed=2).problems
    assert set(problem.data.ids) != set(other.data.ids)


def test_the_full_set_is_the_full_set_and_the_output_says_which() -> None:
    drawn = build("dpm-task1", paragraphs(), folds=5)
    full = build("dpm-task1", paragraphs(), folds=5, negatives="full")
    assert len(full.problems[0].data.texts) == 100
    assert "Negatives: 30 of 90, 3 for each positive one, drawn with seed 1" in drawn.notes[0]
    assert "Negatives: 90 of 90, all of them" in full.notes[0]


def test_categories_are_learnt_on_positive_paragraphs_only() -> None:
    protocol = build("dpm-task2", paragraphs(), folds=5)
    (problem,) = protocol.problems
    assert len(problem.data.texts) == 10
    assert problem.data.labels == tuple(load_table("dpm-task2").labels)
    column = problem.data.labels.index("pcl.compassion")
    assert problem.data.table[:, column].sum() == 5
    assert "the 10 paragraphs with PCL" in protocol.notes[0]


def test_categories_need_the_file_of_spans() -> None:
    bare = [replace(each, labels={"pcl": each.labels["pcl"]}) for each in paragraphs()]
    with pytest.raises(InputError, match=r"dontpatronizeme_categories\.tsv"):
        build("dpm-task2", bare)


def test_no_labels_are_an_error_that_says_so() -> None:
    bare = [replace(each, labels={}) for each in paragraphs()]
    with pytest.raises(InputError, match="no text with a label of pcl"):
        build("dpm-task1", bare)


def test_official_parts_are_taken_where_they_are() -> None:
    examples = list(load_corpus("ucc", sample=True).examples())
    protocol = build("ucc-auc", examples)
    assert "the official ones (train 30, test 12 texts)" in protocol.notes[-1]
    assert {problem.measured for problem in protocol.problems} == {"test"}
    assert all(problem.judged for problem in protocol.problems)
    for problem in protocol.problems:
        (part,) = problem.parts
        assert not set(part.train) & set(part.test)


def test_one_part_alone_is_cross_validated_and_the_output_says_so() -> None:
    examples = [e for e in load_corpus("ucc", sample=True).examples() if e.split == "val"]
    examples = [replace(each, judgements=()) for each in examples]
    protocol = build("ucc-auc", examples, folds=3)
    assert len(protocol.problems[0].parts) == 3
    said = " ".join(protocol.notes)
    assert "train, test has no labelled texts" in said
    assert "is cross-validated" in said
    assert "needs the single judgements" in said


def test_frames_are_measured_on_dev_and_test_where_a_question_was_answered() -> None:
    examples = list(load_corpus("sbic", sample=True).examples())
    protocol = build("sbic-classes", examples)
    assert {problem.measured for problem in protocol.problems} == {"dev", "test"}
    for problem in protocol.problems:
        known = {e.id for e in examples if all(label in e.labels for label in problem.data.labels)}
        assert set(problem.data.ids) == known
    together = {problem.data.labels for problem in protocol.problems}
    assert sum(map(len, together)) == 5
