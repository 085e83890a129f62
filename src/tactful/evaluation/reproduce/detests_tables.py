"""Tables 3 and 4 of DETESTS 2022, as data, to compare our systems with."""

from functools import cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, model_validator

FILE = Path(__file__).with_suffix(".yaml")
MEASURES: dict[int, tuple[str, ...]] = {
    1: ("f1",),
    2: ("icm", "hierarchical_f", "propensity_f"),
}
"""Subtask -> what its table has, by the names of ``tactful evaluate``."""
TABLES = {1: "3", 2: "4"}
"""Subtask -> the number of its table."""


class DetestsRow(BaseModel):
    """One system of the tables; None where a table does not have it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

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


class DetestsTables(BaseModel):
    """Both tables."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: str
    paper: str
    place: str
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
    return DetestsTables.model_validate(yaml.safe_load(FILE.read_text(encoding="utf-8")))
