"""StereoImmigrants (Sánchez-Junquera et al. 2021): Spanish parliamentary sentences.

The taxonomy that DETESTS builds on, judged by an expert and five annotators.
"""

from collections.abc import Iterator

import polars as pl

from tactful.corpora.corpus import Corpus, Source
from tactful.corpora.files.problems import ProblemLog
from tactful.corpora.files.tables import Column, TableSpec
from tactful.corpora.files.workbook import read_sheet
from tactful.corpora.releases import Release
from tactful.corpora.schema import JUDGEMENT, gather, judgement, labels_of, meta_of
from tactful.corpora.stats import Chart, Stat, percent

CATEGORIES = {
    1: "xenophobia_victims",
    2: "suffering_victims",
    3: "economic_resource",
    4: "collective_threat",
    5: "personal_threat",
}
ANNOTATORS = range(1, 6)
ENOUGH = 3
"""The authors keep a sentence when at least three annotators agree with the expert's category."""
_EXCLUDED = (
    "5201-9", "1105-28", "1682-4", "4743-7", "4752-4", "1105-32", "4711-34", "4743-23", "1105-33",
    "4743-20", "1859-14", "4713-48", "4743-21", "911-1", "4457-6", "834-19", "1105-14", "1105-24",
    "4711-33", "707-9", "4711-36", "4711-79", "4711-88", "1105-29", "4317-3", "778-1", "881-5",
    "2075-1", "2558-35", "4365-1", "4393-23", "4987-8", "899-1", "1003-18", "1337-21", "4393-11",
    "4393-40", "4453-56", "4457-1", "1105-11", "834-1", "552-1", "1118-1", "829-3", "846-3",
    "1434-15", "1859-1",
)  # fmt: skip
"""The texts that the authors' README leaves out for their length and by the expert's judgement."""

_CODES = (Column("speech_code", "id", ("COD_1",)), Column("sentence_code", "id", ("COD_2",)))


def _category(name: str, alias: str) -> Column:
    return Column(name, "integer", (alias,), low=1, high=5)


STEREOTYPES = TableSpec(
    "stereotypes",
    (
        *_CODES,
        Column("sentence", "text", ("SENTENCE",)),
        Column("expert", "id", ("TAX_1",)),
        _category("expert_category", "T_TAX_1"),
        *(Column(f"anno{n}", "id") for n in ANNOTATORS),
        *(_category(f"category{n}", f"T_anno{n}") for n in ANNOTATORS),
        *(Column(f"eva{n}", "integer", low=1, high=3) for n in ANNOTATORS),
    ),
    ("stereotypes.xlsx",),
    key=("speech_code", "sentence_code"),
    open=True,
)
OTHERS = TableSpec(
    "non-stereotypes",
    (*_CODES, Column("sentence", "text", ("SENTENCE",)), Column("expert", "id", ("TAX_1",))),
    ("non-stereotypes.xlsx",),
    key=("speech_code", "sentence_code"),
    open=True,
)


class StereoImmigrants(Corpus):
    """Sentences of the Spanish parliament about immigrants, in five categories."""

    name = "stereoimmigrants"
    title = "StereoImmigrants"
    paper = "Sánchez-Junquera et al. 2021 (Applied Sciences 11, 8)"
    licence = "none stated; for local research only"
    lang = "es"
    folder = "stereoimmigrants"
    tables = (STEREOTYPES, OTHERS)
    stratify = ("stereotype", *(f"stereoimmigrants.{name}" for name in CATEGORIES.values()))
    releases = (
        Release(
            "the published release",
            {"stereotypes": 1_685, "non-stereotypes": 2_019},
            "the authors' README",
        ),
    )
    traps = (
        "Categories 4 and 5 do not follow from the first digit, though the authors' README says "
        "so: codes 4.3, 4.4 and 4.5 are category 5 (personal threat), 4.1, 4.2 and 4.6 category 4 "
        "(collective threat).",
        "The authors' experiments leave out 47 sentences (all of them non-stereotypes) and 12 "
        "stereotypes on which fewer than three annotators agree with the expert; both have "
        "'left_out_by_authors' 1 in the converted file.",
        "Some sentence numbers are not whole numbers ('12A').",
        "eva: 1 pro-immigrant, 2 anti-immigrant, 3 neutral, as the columns POS_EVA, NEG_EVA and "
        "AMB_EVA count them.",
    )

    def raw_batches(self, source: Source, log: ProblemLog) -> Iterator[pl.DataFrame]:
        """Read the Excel sheet."""
        return read_sheet(source.path, source.spec, self.settings.batch_rows)

    def sniff(self, path: object) -> TableSpec:
        """Only the file with annotators holds stereotypes: the names must be the authors'."""
        return STEREOTYPES

    def check_rows(self, source: Source, batch: pl.DataFrame, log: ProblemLog) -> pl.DataFrame:
        """Refuse codes that are not of the taxonomy."""
        if source.spec.name != "stereotypes":
            return batch
        keep = pl.Series([True] * batch.height, dtype=pl.Boolean)
        for name in ("expert", *(f"anno{n}" for n in ANNOTATORS)):
            bad = ~batch[name].str.contains(r"^[1-4](\.[1-6][RN]?)?$|^5$")
            for line, value in batch.filter(bad).select("line", name).iter_rows():
                expected = "a code of the taxonomy such as 4.2 or 4.5R"
                log.report(source.path, line, "value", repr(value), expected, column=name)
            keep &= ~bad
        return batch.filter(keep)

    def example_frames(self) -> Iterator[pl.DataFrame]:
        """Yield sentences, grouped by speech."""
        for table in ("stereotypes", "non-stereotypes"):
            for batch in self.batches(table):
                frame = _examples(batch, table == "stereotypes")
                agreed = _agreeing() >= ENOUGH if table == "stereotypes" else pl.lit(value=True)
                extra = self.extra_columns(batch, table)
                code = pl.concat_str("speech_code", "sentence_code", separator="-")
                yield frame.with_columns(
                    (code.is_in(_EXCLUDED) | ~agreed).cast(pl.Int8).alias("left_out_by_authors")
                ).select(
                    code.alias("id"),
                    "split",
                    pl.col("speech_code").alias("group"),
                    pl.col("sentence").alias("text"),
                    "labels",
                    "judgements",
                    meta_of(
                        ["speech_code", "sentence_code", "expert", "left_out_by_authors", *extra]
                    ),
                )

    def counts(self) -> dict[str, int]:
        """Count the sentences of each file."""
        return {spec.name: self.rows(spec.name) for spec in self.tables if self.has(spec.name)}

    def stats(self) -> list[Stat]:
        """Count categories and agreement with the expert."""
        frame = self.read("stereotypes")
        if not frame.height:
            return []
        kept = frame.filter(_agreeing() >= ENOUGH)
        rows = []
        for number, name in CATEGORIES.items():
            found = frame.filter(pl.col("expert_category") == number).height
            agreed = kept.filter(pl.col("expert_category") == number).height
            rows.append((f"{number} {name}", found, percent(found, frame.height), agreed))
        drawn = {"sentences": [row[1] for row in rows], "agreed": [row[3] for row in rows]}
        rows.append(("all", frame.height, percent(frame.height, frame.height), kept.height))
        return [
            Stat(
                "categories",
                "Sentences per category",
                "computed from the files; the authors' README gives the rule of three annotators",
                ("category", "sentences", "percent", "at least 3 annotators agree"),
                tuple(rows),
                (),
                Chart("bars", list(CATEGORIES.values()), drawn, y_label="sentences"),
            )
        ]


def _agreeing() -> pl.Expr:
    """Count the annotators who chose the expert's category."""
    return pl.sum_horizontal(
        [(pl.col(f"category{n}") == pl.col("expert_category")) for n in ANNOTATORS]
    )


def _examples(batch: pl.DataFrame, stereotype: bool) -> pl.DataFrame:
    flags = {"stereotype": pl.lit(stereotype)} | {
        f"stereoimmigrants.{name}": pl.col("expert_category") == number
        if stereotype
        else pl.lit(value=False)
        for number, name in CATEGORIES.items()
    }
    judgements = [
        judgement(pl.lit(f"anno{n}"), f"stereoimmigrants.{question}", pl.col(label), pl.col(value))
        for n in (ANNOTATORS if stereotype else ())
        for question, label, value in (
            ("category", f"anno{n}", f"category{n}"),
            ("attitude", f"eva{n}", f"eva{n}"),
        )
    ]
    flagged = batch.with_columns(each.alias(f"is {name}") for name, each in flags.items())
    return flagged.with_columns(
        labels_of({name: f"is {name}" for name in flags}),
        gather(judgements, JUDGEMENT, "judgements"),
    )
