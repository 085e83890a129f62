"""Tables 4, 5 and 7 of Social Bias Frames, as data, to compare framers with."""

from functools import cache

import yaml
from pydantic import BaseModel, ConfigDict, model_validator

from tactful.evaluation.reproduce.paper_tables import FOLDER, PaperRow, load_table

NAME = "sbic-frames"


class FrameTables(BaseModel):
    """The three tables; those of classification share rows with the table ``include`` names."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: str
    paper: str
    place: str
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
    text = (FOLDER / f"{NAME}.yaml").read_text(encoding="utf-8")
    return FrameTables.model_validate(yaml.safe_load(text))
