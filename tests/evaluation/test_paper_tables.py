"""The papers' tables: numbers as printed, laws that they keep, and unknown names."""

import pytest
from pydantic import ValidationError

from tactful.errors import UnknownNameError
from tactful.taxonomies import find_entry
from tactful_lab.evaluation.reproduce.paper_tables import (
    FOLDER,
    PaperTable,
    load_table,
    table_names,
)


def value(table: str, name: str, label: str, part: str | None = None) -> list[float]:
    rows = [r for r in load_table(table).rows if r.name == name and r.part == part]
    assert len(rows) == 1
    return rows[0].values[label]


@pytest.mark.parametrize(
    ("table", "name", "label", "part", "numbers"),
    [
        # Pérez-Almendros et al. 2020, section 5, table 3
        ("dpm-task1", "Random", "pcl", None, [24.82, 50.65, 33.31]),
        ("dpm-task1", "SVM-WV", "pcl", None, [46.53, 57.80, 47.10]),
        ("dpm-task1", "SVM-BoW", "pcl", None, [49.95, 40.48, 40.59]),
        ("dpm-task1", "BiLSTM", "pcl", None, [62.61, 54.43, 57.75]),
        ("dpm-task1", "RoBERTa", "pcl", None, [73.08, 68.51, 70.63]),
        ("dpm-task1", "BERT-large", "pcl", None, [57.06, 51.50, 53.91]),
        # table 4
        ("dpm-task2", "SVM-BoW", "pcl.unbalanced_power_relations", None, [80.02, 78.91, 79.21]),
        ("dpm-task2", "BERT-large", "pcl.authority_voice", None, [54.24, 52.65, 53.06]),
        ("dpm-task2", "Random", "pcl.the_poorer_the_merrier", None, [4.40, 55.58, 8.08]),
        ("dpm-task2", "DistilBERT", "pcl.metaphor", None, [65.15, 27.60, 37.93]),
        ("dpm-task2", "RoBERTa", "pcl.compassion", None, [78.83, 77.67, 78.1]),
        # Price et al. 2020, section 5, table 3
        ("ucc-auc", "Human", "unhealthy.sarcastic", None, [72]),
        ("ucc-auc", "BERT", "unhealthy", None, [69]),
        ("ucc-auc", "BERT", "unhealthy.hostile", None, [84]),
        # Sap et al. 2020, table 4 (F1, precision, recall there)
        ("sbic-classes", "SBF-GPT2-gdy", "frame.in_group", "dev", [85.7, 14.0, 24.0]),
        ("sbic-classes", "SBF-GPT2-gdy", "frame.offensive", "test", [89.8, 70.2, 78.8]),
        ("sbic-classes", "SBF-GPT1-gdy", "frame.group", "dev", [74.6, 53.4, 62.3]),
    ],
)
def test_numbers_are_as_printed(
    table: str, name: str, label: str, part: str | None, numbers: list[float]
) -> None:
    assert value(table, name, label, part) == numbers


@pytest.mark.parametrize("part", ["dev", "test"])
def test_f1_of_table_4_is_the_mean_of_its_precision_and_recall(part: str) -> None:
    """Where nothing is averaged over folds, F1 must follow from the other two columns."""
    for row in load_table("sbic-classes").rows:
        if row.part == part:
            for precision, recall, f1 in row.values.values():
                assert 2 * precision * recall / (precision + recall) == pytest.approx(f1, abs=0.25)


def test_the_bow_row_of_table_3_is_a_mean_over_folds() -> None:
    """Its F1 is not the harmonic mean of its precision and recall, so folds were averaged."""
    precision, recall, f1 = value("dpm-task1", "SVM-BoW", "pcl")
    assert 2 * precision * recall / (precision + recall) > f1 + 3


@pytest.mark.parametrize("name", table_names())
def test_every_label_is_an_id_of_a_taxonomy(name: str) -> None:
    table = load_table(name)
    assert table.id == name
    for label in table.labels:
        if label not in ("pcl", "unhealthy"):
            find_entry(label)


def test_every_file_is_a_table() -> None:
    assert {path.stem for path in FOLDER.glob("*.yaml")} == {
        *table_names(),
        "sbic-frames",
        "detests",
    }


def test_an_unknown_table_answers_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'dpm-task1'"):
        load_table("dpm-tsk1")


@pytest.mark.parametrize("values", [{"pcl": [1.0]}, {"pcl": [1.0, 2.0, 101.0]}, {"x": [1, 2, 3]}])
def test_a_row_that_does_not_fit_is_refused(values: dict[str, list[float]]) -> None:
    table = load_table("dpm-task1").model_dump()
    table["rows"][0]["values"] = values
    with pytest.raises(ValidationError):
        PaperTable.model_validate(table)
