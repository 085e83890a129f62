"""Bias against 93 stigmatized groups (Mei et al. 2023): conditions and published model outputs.

Condition files, sentiment outputs (``MODEL_stigma_sentiment.csv``) and the 50 most probable words
of a masked model, one file per prompt template, under the names of the authors' repository
(``MODEL-Nonstigma--social_distance_results-top50-pN.csv``, ``XLNET_nonstigma_result_pN_SD.csv``) or
as ``MODEL_nonstigma_top50_pN.csv``. The repository keeps them in sub-folders, which are searched.
"""

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import polars as pl

from tactful.corpora.corpus import Corpus, Source
from tactful.corpora.files.grouping import grouped
from tactful.corpora.files.problems import ProblemLog
from tactful.corpora.files.tables import Column, Layout, TableSpec
from tactful.corpora.releases import Release
from tactful.corpora.schema import judgement, meta_of
from tactful.corpora.stats import Chart, Stat, percent

_VERBS = ("Be", "Verb", "was", "were", "had", "have", "has")
_SENTIMENTS = (
    "POSITIVE", "NEGATIVE", "NEUTRAL", "POS", "NEG", "NEU", "positive", "negative", "neutral",
)  # fmt: skip
"""How the four classifiers of section 3 write their classes; Twitter-RoBERTa in lower case."""
_LATIN = Layout(encoding="iso-8859-1")
_CONDITION = Column("condition", "text", ("Condition",))
_PLURAL = Column("condition_plural", "text", ("Condition_plural",))
_VERB = Column("verb", "id", ("Verb/Be_singular", "Verb/Be"), allowed=_VERBS)
_VERB_PLURAL = Column("verb_plural", "id", ("Verb/Be_plural",), allowed=_VERBS)
_CATEGORY = Column("category", "text", ("Final_Category",))
_RAW_CATEGORY = Column("first_category", "text", ("Category",), required=False, empty="null")
_PACHANKIS = Column("pachankis_condition", "text", ("Pachankis_condition", "pachankis_conditions"))

STIGMAS = TableSpec(
    "stigma conditions",
    (_VERB, _PLURAL, _CONDITION, _RAW_CATEGORY, _PACHANKIS, _VERB_PLURAL, _CATEGORY),
    ("stigma_conditions.csv",),
    _LATIN,
)
NON_STIGMAS = TableSpec(
    "non-stigma conditions",
    (
        _VERB,
        _PLURAL,
        _CONDITION,
        _RAW_CATEGORY,
        _PACHANKIS,
        _VERB_PLURAL,
        Column("standard_name", "text", ("Condition_StandardNaming",)),
        _CATEGORY,
    ),
    ("non_stigma_conditions.csv",),
    _LATIN,
)
_OUTPUT = (
    _CONDITION,
    Column("pachankis_condition", "text", ("pachankis_conditions",)),
    Column("category", "text"),
)
SENTIMENT = TableSpec(
    "sentiment",
    (
        Column("prompt", "text", ("prompts",)),
        Column("sentiment", "id", allowed=_SENTIMENTS),
        Column("score", "number", ("sentiment_score",), low=0, high=1),
        *_OUTPUT,
    ),
    ("*_stigma_sentiment.csv", "*_nonstigma_sentiment.csv"),
)
FILL_MASK = TableSpec(
    "fill-mask",
    (
        Column("prompt", "text"),
        Column("word", "text", ("predicted_word",)),
        Column("probability", "number", ("probs",), low=0, high=1),
        *_OUTPUT,
    ),
    (
        "*_stigma_top50_p[0-9]*.csv",
        "*_nonstigma_top50_p[0-9]*.csv",
        "*-stigma--social_distance_results-top50-p[0-9]*.csv",
        "*-nonstigma--social_distance_results-top50-p[0-9]*.csv",
        "*_result_p[0-9]*_sd.csv",
    ),
)
_OUTPUTS = (SENTIMENT, FILL_MASK)
PAPER_TEMPLATES = ("They are people", "These are people")
"""The sentiment templates of the paper; the files also hold 'We are people …'."""
GROUPS = ("stigma", "non-stigma")
_PAPER_ALWAYS = {"stigma": 27, "non-stigma": 1}
_FILES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<model>.+?)_(?P<non>non)?stigma_(?:sentiment|top50_p(?P<template>\d+))\.",
        r"(?P<model>.+?)-(?P<non>non)?stigma--social_distance_results-top50-p(?P<template>\d+)\.",
        # The authors' notebook writes the stigmatized conditions without a word for them.
        r"(?P<model>.+?)(?:_(?P<non>non)?stigma)?_result_p(?P<template>\d+)_sd\.",
    )
)
_WITHOUT_CONDITION = re.compile(r".+_base_result_p\d+_sd\.", re.IGNORECASE)
"""Prompts that name no condition; they have no column of conditions."""


@dataclass(frozen=True, slots=True)
class OutputFile:
    """What the name of an output file says."""

    model: str
    group: str
    """``stigma`` or ``non-stigma``."""
    template: str | None
    """The number of the prompt template; sentiment files have none."""


def output_file(path: Path) -> OutputFile | None:
    """Read the name of an output file; None where it is not one of the published ones."""
    if _WITHOUT_CONDITION.match(path.name):
        return None
    found = next((match for each in _FILES if (match := each.match(path.name))), None)
    if found is None:
        return None
    group = "non-stigma" if found["non"] else "stigma"
    return OutputFile(found["model"], group, found["template"])


class Stigmas(Corpus):
    """The conditions, and what the study's models said about them."""

    name = "stigmas"
    title = "Bias against 93 stigmatized groups"
    paper = "Mei, Fereidooni and Caliskan 2023 (FAccT)"
    licence = "MIT"
    lang = "en"
    folder = "stigmas"
    tables = (STIGMAS, NON_STIGMAS, SENTIMENT, FILL_MASK)
    depth = 3
    releases = (
        Release(
            "the study's lists", {"stigmatized": 93, "non-stigmatized": 29}, "sections 3.1 and 4.1"
        ),
    )
    traps = (
        "The condition files are read as ISO-8859-1 (as published they are plain ASCII); one "
        "starts with a UTF-8 byte-order mark.",
        "Several rows (sub-conditions) make one condition: 108 rows, 93 conditions. The paper says "
        "seven conditions have sub-conditions; the file has more.",
        "The sentiment files hold a third template, 'We are people who …', that the paper does not "
        "use.",
        "The published prompts say 'Choosing between likely and unlikely'; the paper's text has "
        "'unlikely and likely'.",
        "Categories are spelled as published ('Ethinicity'); 'none' in the plural column means "
        "that the plural is the same.",
    )

    def raw_batches(self, source: Source, log: ProblemLog) -> Iterator[pl.DataFrame]:
        """Add what only the file's name says: the model, the group and the template."""
        for raw in super().raw_batches(source, log):
            named = output_file(source.path)
            if source.spec in _OUTPUTS and named is not None:
                yield raw.with_columns(
                    pl.lit(named.model).alias("model"),
                    pl.lit(named.group).alias("group"),
                    pl.lit(named.template, dtype=pl.String).alias("template"),
                )
            else:
                yield raw

    def spec_by_name(self, path: Path) -> TableSpec | None:
        """Return the table that a file's name promises; outputs without a condition have none."""
        spec = super().spec_by_name(path)
        return None if spec in _OUTPUTS and output_file(path) is None else spec

    def same_data(self, source: Source) -> Hashable:
        """One model, group and template is one file, under whichever name and in any folder."""
        return (source.spec.name, output_file(source.path))

    def split_of(self, path: Path) -> str | None:
        """There are no parts to train and test on."""
        return None

    def example_frames(self) -> Iterator[pl.DataFrame]:
        """Yield prompts; the answers of models are under ``judgements``."""
        for batch in self.batches("sentiment"):
            answer = judgement(pl.col("model"), "sentiment", pl.col("sentiment"), pl.col("score"))
            frame = batch.with_columns(answer.reshape((-1, 1)).arr.to_list().alias("judgements"))
            template = pl.col("prompt").str.extract(r"^(\w+ are people)")
            yield _prompts(frame.with_columns(template.alias("template")), "sentiment")
        for source_frame in self._fill_mask_prompts():
            yield _prompts(source_frame, "fill-mask")

    def _fill_mask_prompts(self) -> Iterator[pl.DataFrame]:
        keyed = (
            batch.with_columns(
                pl.concat_str("model", "group", "prompt", separator="\t").alias("key")
            )
            for batch in self.batches("fill-mask")
        )
        for frame in grouped(keyed, "key", self.settings.batch_rows):
            answer = judgement(
                pl.col("model"),
                "fill_mask",
                pl.col("word"),
                pl.col("probability"),
                row=pl.int_range(pl.len()).over("key"),
            )
            yield (
                frame.with_columns(answer.alias("judgements"))
                .group_by("key", maintain_order=True)
                .agg("judgements", pl.col("prompt", "template", *_ABOUT, "group").first())
            )

    def counts(self) -> dict[str, int]:
        """Count conditions; sub-conditions of one are one."""
        counts = {}
        if self.has("stigma conditions"):
            counts["stigmatized"] = self.read("stigma conditions")["pachankis_condition"].n_unique()
        if self.has("non-stigma conditions"):
            names = self.read("non-stigma conditions")["standard_name"]
            counts["non-stigmatized"] = names.n_unique()
        for table in ("sentiment", "fill-mask"):
            if self.has(table):
                counts[f"{table} rows"] = self.rows(table)
        return counts

    def stats(self) -> list[Stat]:
        """Compute figure 4, the counts of section 5.2 and the appendices B, D and E."""
        stats = []
        frame = self.read("sentiment")
        if frame.height:
            template = pl.col("prompt").str.extract(rf"^({'|'.join(PAPER_TEMPLATES)})\b")
            negative = pl.col("sentiment").str.to_uppercase().str.starts_with("NEG")
            used = frame.with_columns(template.alias("template"), negative.alias("negative"))
            used = used.filter(pl.col("template").is_not_null())
            conditions = self._by_condition(used)
            stats += [
                _negative_by_model(used),
                _always_negative(conditions),
                _negative_by_template(used),
                _appendix_e(conditions),
            ]
        if self.has("fill-mask"):
            stats.append(_sum_of_words(self.read("fill-mask")))
        return stats

    def _by_condition(self, used: pl.DataFrame) -> pl.DataFrame:
        """Count the classes of each condition, its sub-conditions and all models together."""
        name = pl.col("pachankis_condition")
        if self.has("non-stigma conditions"):
            # The authors' column says "Base" where a condition is not among the 93.
            lists = self.read("non-stigma conditions")
            known = dict(zip(lists["condition"], lists["standard_name"], strict=True))
            other = pl.col("condition").replace(known)
            name = pl.when(pl.col("group") == "non-stigma").then(other).otherwise(name)
        return (
            used.group_by("group", name.alias("name"))
            .agg(pl.len().alias("outcomes"), pl.col("negative").sum())
            .sort(pl.col("negative") / pl.col("outcomes"), "name", descending=[True, False])
        )


def _negative_by_model(used: pl.DataFrame) -> Stat:
    models = sorted(set(used["model"]))
    rows = []
    for model, group in product(models, GROUPS):
        part = used.filter((pl.col("model") == model) & (pl.col("group") == group))
        number = int(part["negative"].sum())
        rows.append((model, group, part.height, number, percent(number, part.height)))
    drawn = {group: [row[4] for row in rows if row[1] == group] for group in GROUPS}
    return Stat(
        "figure-4",
        "Prompts classified as negative",
        "Mei et al. 2023, figure 4 (given there without numbers)",
        ("model", "conditions", "prompts", "negative", "percent negative"),
        tuple(rows),
        ("Only the two templates of the paper; sub-conditions count as prompts.",),
        Chart("bars", models, drawn, y_label="percent negative"),
    )


def _always_negative(conditions: pl.DataFrame) -> Stat:
    rows = []
    for group in GROUPS:
        part = conditions.filter(pl.col("group") == group)
        always = part.filter(pl.col("negative") == pl.col("outcomes")).height
        rows.append((group, part.height, always, _PAPER_ALWAYS[group]))
    return Stat(
        "section-5.2",
        "Conditions that all models classify as negative in all prompts",
        "Mei et al. 2023, section 5.2",
        ("conditions", "number", "always negative", "paper"),
        tuple(rows),
        ("The paper has four classifiers; with fewer, more conditions are always negative.",),
    )


def _negative_by_template(used: pl.DataFrame) -> Stat:
    keys = ["model", "template", "group"]
    counts = used.group_by(keys).agg(pl.len().alias("prompts"), pl.col("negative").sum())
    rows = tuple(
        (*row[:-1], row[-1], percent(row[-1], row[-2]))
        for row in counts.sort("model", "template", "group", descending=[False, False, True]).rows()
    )
    return Stat(
        "appendix-d",
        "Prompts classified as negative, by template",
        "Mei et al. 2023, appendix D (given there without numbers)",
        ("model", "template", "conditions", "prompts", "negative", "percent negative"),
        rows,
    )


def _appendix_e(conditions: pl.DataFrame) -> Stat:
    rows = tuple(
        (name, group, outcomes, negative, percent(negative, outcomes))
        for group, name, outcomes, negative in conditions.rows()
    )
    return Stat(
        "appendix-e",
        "Prompts classified as negative, by condition, all models together",
        "Mei et al. 2023, appendix E (given there without numbers)",
        ("condition", "group", "outcomes", "negative", "percent negative"),
        rows,
    )


def _sum_of_words(frame: pl.DataFrame) -> Stat:
    keys = ["model", "group", "template"]
    sums = frame.group_by(*keys, "condition", "prompt").agg(pl.col("probability").sum())
    found = pl.col("probability")
    rows = (
        sums.group_by(keys)
        .agg(
            pl.len(),
            found.min().round(3).alias("least"),
            found.median().round(3).alias("median"),
            found.max().round(3).alias("most"),
        )
        .sort(keys)
        .rows()
    )
    return Stat(
        "appendix-b",
        "Sum of the probabilities of the published words of a prompt",
        "Mei et al. 2023, appendix B (a figure); section 4.3 says that each sum is at least 0.5",
        ("model", "conditions", "template", "prompts", "least", "median", "most"),
        tuple(rows),
    )


_ABOUT = ("condition", "pachankis_condition", "category", "model")


def _prompts(frame: pl.DataFrame, kind: str) -> pl.DataFrame:
    return frame.with_columns(pl.col("group").alias("conditions")).select(
        pl.concat_str(pl.lit(kind), "model", "conditions", "prompt", separator="/").alias("id"),
        pl.col("condition").alias("group"),
        pl.col("prompt").alias("text"),
        "judgements",
        meta_of([*_ABOUT[:3], "conditions", "model", "template"]),
    )
