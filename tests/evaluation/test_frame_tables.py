"""Tables 4, 5 and 7 of Sap et al. 2020, number by number as printed."""

import pytest
from pydantic import ValidationError

from tactful_lab.evaluation.frame_measures import QUESTIONS
from tactful_lab.evaluation.reproduce.paper_tables import FrameTables, load_frame_tables

# As table 7 prints them: F1, precision, recall of offensive, intent, lewd, group, in-group.
TABLE_7 = """
dev SBF-GPT1-gdy 75.2 88.3 65.5 74.4 89.8 63.6 75.2 78.2 72.5 62.3 74.6 53.4
dev SBF-GPT1-gdy-constr 75.2 88.3 65.5 74.4 89.8 63.6 75.2 78.2 72.5 62.3 74.6 53.4
dev SBF-GPT2-gdy 77.2 88.3 68.6 76.3 89.5 66.5 77.6 81.2 74.3 66.9 67.9 65.8 24.0 85.7 14.0
dev SBF-GPT2-gdy-constr 77.2 88.3 68.6 76.3 89.5 66.5 77.6 81.2 74.3 66.9 67.9 65.8 25.9 63.6 16.3
dev SBF-GPT2-smp 80.5 84.3 76.9 75.3 89.9 64.7 78.6 80.6 76.6 66.0 67.6 64.5
dev SBF-GPT2-smp-constr 80.4 84.3 76.8 75.3 89.9 64.7 78.5 80.6 76.5 66.0 67.6 64.5
test SBF-GPT2-gdy 78.8 89.8 70.2 78.6 90.8 69.2 80.7 84.5 77.3 69.9 70.5 69.4
test SBF-GPT2-gdy-constr 78.8 89.8 70.2 78.6 90.8 69.2 80.7 84.5 77.3 69.9 70.5 69.4
"""
# As table 5 prints them: BLEU, ROUGE-L, WMD of the group and of the statement.
TABLE_5 = """
dev SBF-GPT1-gdy 69.9 60.3 1.01 49.9 40.2 2.97
dev SBF-GPT1-gdy-constr 69.2 64.7 1.05 49.0 42.8 3.02
dev SBF-GPT2-gdy 74.2 64.6 0.90 49.8 41.4 2.96
dev SBF-GPT2-gdy-constr 73.4 68.2 0.89 49.6 43.5 2.96
dev SBF-GPT2-smp 83.2 33.7 0.62 44.3 17.8 3.31
dev SBF-GPT2-smp-constr 83.0 33.7 0.63 44.1 17.9 3.31
test SBF-GPT2-gdy 77.0 71.3 0.76 52.2 46.5 2.81
test SBF-GPT2-gdy-constr 77.9 68.7 0.74 52.6 44.9 2.79
"""
MAIN = ("SBF-GPT1-gdy", "SBF-GPT2-gdy", "SBF-GPT2-smp")


def printed(table: str) -> list[tuple[str, str, list[list[float]]]]:
    rows = []
    for line in table.strip().splitlines():
        part, name, *cells = line.split()
        numbers = [float(cell) for cell in cells]
        rows.append((part, name, [numbers[at : at + 3] for at in range(0, len(numbers), 3)]))
    return rows


def test_table_7_is_as_printed() -> None:
    rows = load_frame_tables().table_7()
    for (part, name, triples), row in zip(printed(TABLE_7), rows, strict=True):
        assert (row.part, row.name) == (part, name)
        found = [row.values[variable] for variable in QUESTIONS if variable in row.values]
        assert found == [[precision, recall, f1] for f1, precision, recall in triples]


def test_table_4_has_the_rows_without_constraints() -> None:
    found = load_frame_tables()
    expected = [(row.part, row.name, row.values) for row in found.table_7() if row.name in MAIN]
    assert [(row.part, row.name, row.values) for row in found.table_4()] == expected


def test_table_5_is_as_printed() -> None:
    for (part, name, triples), row in zip(printed(TABLE_5), load_frame_tables().texts, strict=True):
        assert (row.part, row.name) == (part, name)
        assert list(row.values) == ["frame.target_group", "frame.implied_statement"]
        assert list(row.values.values()) == triples


def test_the_positive_shares_are_those_of_table_4() -> None:
    shares = load_frame_tables().positive
    assert list(shares) == list(QUESTIONS)
    assert list(shares.values()) == [42.2, 44.8, 3.0, 66.6, 5.1]


def test_f1_follows_from_precision_and_recall() -> None:
    """A slip of the pen would show: nothing is averaged in table 7."""
    for row in load_frame_tables().table_7():
        for precision, recall, f1 in row.values.values():
            assert 2 * precision * recall / (precision + recall) == pytest.approx(f1, abs=0.25)


def test_a_row_that_does_not_fit_is_refused() -> None:
    data = load_frame_tables().model_dump()
    data["texts"][0]["values"]["frame.target_group"] = [1.0, 2.0]
    with pytest.raises(ValidationError, match="needs 3 numbers"):
        FrameTables.model_validate(data)
