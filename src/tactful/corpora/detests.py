"""DETESTS 2022 (Ariza-Casabona et al.): sentences of Spanish news comments, racial stereotypes.

``train.csv`` has sentences and labels, ``test.csv`` sentences only, the gold file (the authors'
``test_full.csv``) labels. The authors' files number comments and the sentences in each of them; a
sentence is then known by both (``12_3``), as their own evaluation has it.
The labels of the single annotators, which the authors send on request, are read in two shapes:
wide (``stereotype_a1``, ``stereotype_a2`` …) or long (a column ``annotator``).
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from tactful.corpora.corpus import Corpus, Source
from tactful.corpora.files.problems import ProblemLog, show
from tactful.corpora.files.tables import Column, TableSpec
from tactful.corpora.releases import Release
from tactful.corpora.schema import judgement, labels_of, meta_of
from tactful.corpora.stats import Chart, Stat, here_and_paper, percent
from tactful.errors import FileFormatError
from tactful.files import BROKEN_ARCHIVE

CATEGORIES = (
    "xenophobia", "suffering", "economic", "migration", "culture",
    "benefits", "health", "security", "dehumanisation", "others",
)  # fmt: skip
_SPELLINGS = {
    "dehumanisation": ("dehumanization",),
    "others": ("other",),
    "migration": ("migration_control",),
    "implicitness": ("implicit",),
}
_CANONICAL = {spelling: name for name, others in _SPELLINGS.items() for spelling in others}
EXTRA_LABELS = ("racial_target", "other_target", "implicitness")
LABELS = ("stereotype", *CATEGORIES, *EXTRA_LABELS)


def label_id(label: str) -> str:
    """Return Tactful's id of a column."""
    if label == "stereotype":
        return label
    return "stereotype.implicit" if label == "implicitness" else f"stereotype.{label}"


def _flag(name: str, required: bool = True) -> Column:
    return Column(name, "flag", _SPELLINGS.get(name, ()), required, empty="null")


_SENTENCE_ID = Column("sentence_id", "id")
_PLACE = ("comment_id", "sentence_pos")
"""What names a sentence together, where it has no id of its own."""
_CONTEXT = (
    Column("comment_id", "id"),
    Column("sentence_pos", "id", empty="null"),
    Column("reply_to", "id", required=False, empty="null"),
    Column("sentence"),
)
SENTENCES = TableSpec(
    "sentences",
    (
        _SENTENCE_ID,
        *_CONTEXT,
        *(_flag(name, required=False) for name in LABELS),
    ),
    ("train.csv", "test.csv", "detests_train.csv", "detests_test.csv"),
    key=("sentence_id",),
)
GOLD = TableSpec(
    "gold",
    (
        _SENTENCE_ID,
        *(Column(name, "id", required=False, empty="null") for name in (*_PLACE, "reply_to")),
        Column("sentence", required=False, empty="null"),
        _flag("stereotype"),
        *(_flag(name, required=False) for name in (*CATEGORIES, *EXTRA_LABELS)),
    ),
    ("gold*.csv", "test_gold*.csv", "*gold.csv", "test_full*.csv"),
    key=("sentence_id",),
)
ANNOTATORS = TableSpec(
    "annotators",
    (_SENTENCE_ID, Column("annotator", "id", required=False, empty="null")),
    ("*annotator*.csv", "*preaggregated*.csv", "*disaggregated*.csv"),
    key=("sentence_id", "annotator"),
    open=True,
)
_WIDE = re.compile(r"(?P<label>[a-z_]+?)[_.](?P<annotator>(?:a|ann|annotator)?_?\d+)")


class Detests(Corpus):
    """Sentences on immigration news, ten categories of racial stereotype in a hierarchy."""

    name = "detests"
    title = "DETESTS 2022"
    paper = "Ariza-Casabona et al. 2022 (IberLEF)"
    licence = "research use only, on request from the authors"
    lang = "es"
    folder = "detests"
    tables = (ANNOTATORS, GOLD, SENTENCES)
    splits = (("train", "train"), ("test", "test"), ("gold", "test"))
    stratify = ("stereotype", *(f"stereotype.{name}" for name in CATEGORIES))
    releases = (
        Release("the training part", {"sentences": 3_817}, "section 4.3"),
        Release("the test part", {"sentences": 1_812}, "section 4.3"),
        Release(
            "the whole corpus", {"sentences": 5_629, "stereotype": 1_359}, "sections 4 and 4.3"
        ),
    )
    traps = (
        "The test file has no labels; they come in a gold file of their own.",
        "Without a sentence_id a sentence is its comment_id and sentence_pos, such as 12_3; in the "
        "training file train_12_3, because each file may number its comments from 1.",
        "Sentences of one comment share their comment_id: a split must keep them together.",
        "The paper calls the 3,817 and 1,812 sentences 'comments' in section 4.3.",
        "A sentence has a stereotype if and only if it has at least one category (section 4.1.1).",
    )

    def resolve(self, path: Path, spec: TableSpec) -> TableSpec:
        """Let a file that numbers sentences within comments do without an id."""
        names = self._header(path, spec)
        if "sentence_id" in names or not set(_PLACE) <= names:
            return spec
        known = {column.name for column in spec.columns}
        added = tuple(Column(name, "id") for name in _PLACE if name not in known)
        columns = tuple(
            replace(column, required=column.name in _PLACE, empty="error")
            if column.name in ("sentence_id", *_PLACE)
            else column
            for column in spec.columns
        )
        return replace(spec, columns=(*columns, *added))

    def raw_batches(self, source: Source, log: ProblemLog) -> Iterator[pl.DataFrame]:
        """Yield rows as text; a sentence without an id is known by its comment and place."""
        for batch in super().raw_batches(source, log):
            if "sentence_id" in batch.columns:
                yield batch
                continue
            place = [pl.col(name).str.strip_chars() for name in _PLACE]
            # The labels of single annotators are of the training part (section 4).
            of_train = source.split == "train" or (
                source.split is None and source.spec.name == "annotators"
            )
            start = [pl.lit("train")] if of_train else []
            yield batch.with_columns(
                pl.concat_str([*start, *place], separator="_").alias("sentence_id")
            )

    def _header(self, path: Path, spec: TableSpec) -> set[str]:
        """Return the names in the first line; the reader reports what is wrong with it."""
        try:
            first = self.first_row(path, spec)
        except (FileFormatError, *BROKEN_ARCHIVE):
            return set()
        return {name.strip().casefold() for name in first} if isinstance(first, list) else set()

    def check_rows(self, source: Source, batch: pl.DataFrame, log: ProblemLog) -> pl.DataFrame:
        """Check single answers, and that categories fit the stereotype label (section 4.1.1)."""
        if source.spec.name == "annotators":
            return _check_answers(source, batch, log)
        return _check_hierarchy(source, batch, log)

    def example_frames(self) -> Iterator[pl.DataFrame]:
        """Yield sentences; test sentences take their labels from the gold file."""
        gold = self.read("gold").select("sentence_id", *LABELS)
        answers = self._answers()
        for batch in self.batches("sentences"):
            frame = _with_gold(batch, gold)
            if answers is not None:
                frame = frame.join(answers, on="sentence_id", how="left", maintain_order="left")
            extra = self.extra_columns(batch, "sentences")
            yield frame.select(
                pl.col("sentence_id").alias("id"),
                "split",
                pl.col("comment_id").alias("group"),
                pl.col("sentence").alias("text"),
                labels_of({label_id(name): name for name in LABELS}),
                *(["judgements"] if answers is not None else []),
                meta_of(["comment_id", "sentence_pos", "reply_to", *extra]),
            )

    def counts(self) -> dict[str, int]:
        """Count sentences and, where every one has a label, stereotypes."""
        labelled = self._labelled()
        counts = {"sentences": labelled.height}
        if labelled.height and labelled["stereotype"].is_not_null().all():
            counts["stereotype"] = int(labelled["stereotype"].sum())
        return counts

    def stats(self) -> list[Stat]:
        """Compute table 2, figure 1 and the co-occurrences of figure 5."""
        labelled = self._labelled().filter(pl.col("stereotype").is_not_null())
        return detests_stats(labelled) if labelled.height else []

    def _labelled(self) -> pl.DataFrame:
        columns = ["sentence_id", *LABELS]
        sentences = self.read("sentences").select(columns)
        gold = self.read("gold").select(columns)
        return _with_gold(sentences, gold).select(columns) if sentences.height else gold

    def _answers(self) -> pl.DataFrame | None:
        """Read the single annotators' labels, wide or long, as judgements per sentence."""
        if not self.has("annotators"):
            return None
        rows = self.read("annotators")
        picked = _answer_columns(rows)
        parts = [
            rows.filter(pl.col(column) != "").select(
                "sentence_id",
                judgement(
                    annotator,
                    label_id(label),
                    pl.col(column),
                    pl.col(column).cast(pl.Float64, strict=False),
                ).alias("judgements"),
            )
            for column, (annotator, label) in picked.items()
        ]
        if not parts:
            return None
        return pl.concat(parts).group_by("sentence_id", maintain_order=True).agg("judgements")


def _with_gold(sentences: pl.DataFrame, gold: pl.DataFrame) -> pl.DataFrame:
    """Fill in the labels that only the gold file has."""
    joined = sentences.join(
        gold, on="sentence_id", how="left", suffix="_gold", maintain_order="left"
    )
    return joined.with_columns(pl.coalesce(name, f"{name}_gold").alias(name) for name in LABELS)


def _answer_columns(rows: pl.DataFrame) -> dict[str, tuple[pl.Expr, str]]:
    """Find the columns with single answers -> who gave them, and to which label."""
    found = {}
    for name in rows.columns:
        match = None if _is_long(rows) else _WIDE.fullmatch(name)
        who = pl.lit(match["annotator"]) if match else pl.col("annotator")
        label = match["label"] if match else name
        label = _CANONICAL.get(label, label)
        if label in LABELS and (match or _is_long(rows)):
            found[name] = (who, label)
    return found


def _is_long(rows: pl.DataFrame) -> bool:
    return rows["annotator"].is_not_null().any()


def _check_answers(source: Source, batch: pl.DataFrame, log: ProblemLog) -> pl.DataFrame:
    columns = _answer_columns(batch)
    if not columns:
        raise FileFormatError(
            f"{source.path}, line 1: found no column with an annotator's answers; expected columns "
            "such as stereotype_a1, or a column 'annotator' beside the labels."
        )
    keep = pl.Series([True] * batch.height, dtype=pl.Boolean)
    if _is_long(batch):
        keep = batch["annotator"].is_not_null()
        for line in batch.filter(~keep)["line"]:
            log.report(
                source.path, line, "empty cell", "nothing", "an identifier", column="annotator"
            )
    for name in columns:
        bad = ~batch[name].str.strip_chars().is_in(["0", "1", "0.0", "1.0", ""])
        for line, value in batch.filter(bad).select("line", name).iter_rows():
            log.report(source.path, line, "value", show(value), "0 or 1", column=name)
        keep &= ~bad
    return batch.filter(keep)


def _check_hierarchy(source: Source, batch: pl.DataFrame, log: ProblemLog) -> pl.DataFrame:
    some = pl.any_horizontal([pl.col(name) == 1 for name in CATEGORIES])
    known = pl.all_horizontal([pl.col(name).is_not_null() for name in CATEGORIES])
    orphan = (pl.col("stereotype") == 0) & some
    bare = (pl.col("stereotype") == 1) & known & ~some
    for line in batch.filter(orphan)["line"]:
        found, expected = "a category without a stereotype", "stereotype 1 wherever a category is 1"
        log.report(source.path, line, "hierarchy", found, expected, column="stereotype")
    for line in batch.filter(bare)["line"]:
        found = "a stereotype without a category"
        expected = "at least one category, if only 'others'"
        log.note(source.path, line, "hierarchy", found, expected, "stereotype")
    return batch.filter(~orphan.fill_null(value=False))


# ---- the tables of the paper --------------------------------------------------------------------

PAPER = {
    "xenophobia": (21, 1.55),
    "suffering": (113, 8.31),
    "economic": (62, 4.56),
    "migration": (553, 40.69),
    "culture": (265, 19.50),
    "benefits": (315, 23.18),
    "health": (37, 2.72),
    "security": (376, 27.67),
    "dehumanisation": (100, 7.36),
    "others": (90, 6.62),
}
_SOURCE = "Ariza-Casabona et al. 2022"


def detests_stats(labelled: pl.DataFrame) -> list[Stat]:
    """Describe the sentences that have at least one stereotype."""
    positive = labelled.filter(pl.col("stereotype") == 1).with_columns(
        [pl.col(name).fill_null(0) for name in PAPER]
    )
    note = (
        f"{positive.height:,} of {labelled.height:,} labelled sentences have a stereotype "
        f"({percent(positive.height, labelled.height)} %); in the paper 1,359 of 5,629 (24.14 %)."
    )
    return [_table_2(positive, note), _figure_1(positive), _figure_5(positive)]


def _table_2(positive: pl.DataFrame, note: str) -> Stat:
    rows = []
    for name, (count, share) in PAPER.items():
        found = int(positive[name].sum())
        rows.append((name, found, percent(found, positive.height), count, share))
    return Stat(
        "table-2",
        "Categories of the sentences with a stereotype",
        f"{_SOURCE}, table 2",
        ("category", "sentences", "percent", "paper sentences", "paper percent"),
        tuple(rows),
        (note, "A sentence can have several categories, so the shares add up to more than 100 %."),
        here_and_paper(list(PAPER), rows, 2, 4, "percent of sentences with a stereotype"),
    )


def _figure_1(positive: pl.DataFrame) -> Stat:
    per_sentence = positive.select(pl.sum_horizontal(list(PAPER)).alias("n"))["n"]
    counted = dict(per_sentence.value_counts().iter_rows())
    most = max([1, *counted])
    rows = tuple((number, counted.get(number, 0)) for number in range(most + 1))
    return Stat(
        "figure-1",
        "Number of categories per sentence with a stereotype",
        f"{_SOURCE}, figure 1",
        ("categories", "sentences"),
        rows,
        ("The paper gives this figure without numbers.",),
        Chart(
            "bars",
            [str(number) for number, _ in rows],
            {"sentences": [count for _, count in rows]},
            "categories in one sentence",
            "sentences",
        ),
    )


def _figure_5(positive: pl.DataFrame) -> Stat:
    names = list(PAPER)
    matrix = positive.select(names).to_numpy().astype(int)
    cells = (matrix.T @ matrix).tolist()
    return Stat(
        "figure-5",
        "Categories that occur in one sentence",
        f"{_SOURCE}, figure 5 (appendix A)",
        ("category", *names),
        tuple((name, *row) for name, row in zip(names, cells, strict=True)),
        ("The diagonal counts the sentences with that category.",),
        Chart("heatmap", names, dict(zip(names, cells, strict=True))),
    )
