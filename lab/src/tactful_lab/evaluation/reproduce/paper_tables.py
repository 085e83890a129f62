"""The papers' own result tables, as data, to compare a reproduction with."""

from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, model_validator

from tactful.registry import unknown_name
from tactful.taxonomies.schema import Record

FOLDER = Path(__file__).parent / "tables"
FRAMES = "sbic-frames"
DETESTS = "detests"
SCHEMA_VERSION = 1
MEASURES: dict[int, tuple[str, ...]] = {
    1: ("f1",),
    2: ("icm", "hierarchical_f", "propensity_f"),
}
"""Subtask of DETESTS -> what its table has, by the names of ``tactful evaluate``."""


class Published(Record):
    """Where tables were published."""

    id: str
    title: str
    paper: str
    place: str

    def about(self) -> dict[str, Any]:
        """Return what the JSON of every reproduction begins with."""
        return {
            "schema_version": SCHEMA_VERSION,
            "table": self.id,
            "title": self.title,
            "paper": self.paper,
            "place": self.place,
        }


class PaperRow(Record):
    """One model of a table: its numbers for each label, in the order of the metrics."""

    model: str
    name: str
    part: str | None = None
    """The part of the corpus it was measured on, where the table has several."""
    values: dict[str, list[float]]


class PaperTable(Published):
    """One table of a paper; numbers are percent."""

    corpus: str
    protocol: str
    metrics: list[str] = Field(min_length=1)
    labels: dict[str, str] = Field(min_length=1)
    """Taxonomy id -> how the paper writes it."""
    rows: list[PaperRow]

    @model_validator(mode="after")
    def _whole(self) -> "PaperTable":
        for row in self.rows:
            for label, numbers in row.values.items():
                if label not in self.labels or len(numbers) != len(self.metrics):
                    raise ValueError(f"{row.name}: {label} needs {len(self.metrics)} numbers")
                if not all(0 <= number <= 100 for number in numbers):
                    raise ValueError(f"{row.name}: {label} has a number outside 0 to 100")
        return self


def table_names() -> list[str]:
    """Return the names of the tables that can be reproduced."""
    return ["dpm-task1", "dpm-task2", "ucc-auc", "sbic-classes"]


@cache
def load_table(name: str) -> PaperTable:
    """Return a table by its name."""
    if name not in table_names():
        raise unknown_name("table", name, table_names())
    return PaperTable.model_validate(_read(name))


class FrameTables(Published):
    """Tables 4, 5 and 7 of Social Bias Frames; 4 has the rows of the table ``include`` names."""

    corpus: str
    include: str
    positive: dict[str, float]
    """Variable -> the share of the positive class in the paper's development part, in percent."""
    more_classes: list[PaperRow]
    texts: list[PaperRow]

    @model_validator(mode="after")
    def _three_numbers_each(self) -> "FrameTables":
        for row in (*self.more_classes, *self.texts):
            for variable, numbers in row.values.items():
                if len(numbers) != 3:
                    raise ValueError(f"{row.name}: {variable} needs 3 numbers")
        return self

    def table_4(self) -> list[PaperRow]:
        """Return the rows of the paper's main table of classification."""
        return load_table(self.include).rows

    def table_7(self) -> list[PaperRow]:
        """Return the rows of the complete table; each decoding is before its constrained form."""
        rows = [*self.table_4(), *self.more_classes]
        order = [(row.part, row.name) for row in self.texts]
        return sorted(rows, key=lambda row: order.index((row.part, row.name)))


@cache
def load_frame_tables() -> FrameTables:
    """Read the tables that come with Tactful."""
    return FrameTables.model_validate(_read(FRAMES))


class DetestsRow(Record):
    """One system of DETESTS; None where a table does not have it."""

    name: str
    kind: Literal["gold", "participant", "baseline"]
    f1: float | None = None
    rank_1: int | None = None
    icm: float | None = None
    hierarchical_f: float | None = None
    propensity_f: float | None = None
    rank_2: int | None = None

    @model_validator(mode="after")
    def _whole(self) -> "DetestsRow":
        of_table_4 = [getattr(self, name) is None for name in MEASURES[2]]
        if any(of_table_4) and not all(of_table_4):
            raise ValueError(f"{self.name}: table 4 needs {len(of_table_4)} numbers")
        return self

    def values(self, subtask: int) -> dict[str, float] | None:
        """Return the numbers of a subtask's table; None where the row is not in it."""
        found = {name: getattr(self, name) for name in MEASURES[subtask]}
        return None if None in found.values() else found


class DetestsTables(Published):
    """Tables 3 and 4 of DETESTS 2022."""

    items: int
    """How many sentences the test part has (section 4.3)."""
    rows: list[DetestsRow]

    def of(self, subtask: int) -> list[DetestsRow]:
        """Return the rows of a subtask's table in its order: best first, gold before all."""
        rows = [row for row in self.rows if row.values(subtask) is not None]
        main = MEASURES[subtask][0]
        return sorted(rows, key=lambda row: (row.kind != "gold", -float(getattr(row, main))))


@cache
def load_detests_tables() -> DetestsTables:
    """Read the tables that come with Tactful."""
    return DetestsTables.model_validate(_read(DETESTS))


def _read(name: str) -> Any:
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
