"""The papers' own result tables, as data, to compare a reproduction with."""

from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from tactful.registry import unknown_name

FOLDER = Path(__file__).parent / "tables"


class PaperRow(BaseModel):
    """One model of a table: its numbers for each label, in the order of the metrics."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    name: str
    part: str | None = None
    """The part of the corpus it was measured on, where the table has several."""
    values: dict[str, list[float]]


class PaperTable(BaseModel):
    """One table of a paper; numbers are percent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: str
    paper: str
    place: str
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
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    return PaperTable.model_validate(yaml.safe_load(text))
