"""Don't Patronize Me! (Pérez-Almendros et al. 2020): paragraphs with PCL labels, spans, categories.

The SemEval-2022 release has a ``par_id`` column; the paper's own release has none, and the
SemEval test file has no label. Their shape says which of the three a file is.
"""

import hashlib
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

import polars as pl

from tactful.corpora.corpus import Corpus, Source
from tactful.corpora.files.alignment import align
from tactful.corpora.files.delimited import Lines, read_rows
from tactful.corpora.files.problems import ProblemLog, show
from tactful.corpora.files.tables import Column, Layout, TableSpec
from tactful.corpora.releases import Release
from tactful.corpora.schema import SPAN, labels_of, meta_of
from tactful.corpora.stats import Chart, Stat, percent
from tactful.errors import FileFormatError, Severity
from tactful.files import open_text

CATEGORIES = {
    "Unbalanced_power_relations": "pcl.unbalanced_power_relations",
    "Shallow_solution": "pcl.shallow_solution",
    "Presupposition": "pcl.presupposition",
    "Authority_voice": "pcl.authority_voice",
    "Metaphors": "pcl.metaphor",
    "Metaphor": "pcl.metaphor",
    "Compassion": "pcl.compassion",
    "The_poorer_the_merrier": "pcl.the_poorer_the_merrier",
    "Other": "pcl.other",
}
LABEL_ORDER = tuple(name for name in dict.fromkeys(CATEGORIES.values()) if name != "pcl.other")
"""The order of the 7-way label lists of SemEval-2022."""
FIRST_POSITIVE = 2
"""Labels 2, 3 and 4 count as PCL, 0 and 1 do not (section 4.2.1)."""

_TSV = Layout(delimiter="\t", quoted=False, header=False)
_PAR_ID = Column("par_id", "id")
_ART_ID = Column("art_id", "id")
_KEYWORD = Column("keyword", "id")
_COUNTRY = Column("country", "id")
_TEXT = Column("text", empty="note")
_LABEL = Column("label", "integer", low=0, high=4)
_SPAN_COLUMNS = (
    Column("start", "integer", low=0, high=10_000_000),
    Column("end", "integer", low=0, high=10_000_000),
    Column("span"),
    Column("category", "id", allowed=tuple(CATEGORIES)),
    Column("annotators", "integer", low=1, high=2),
)

PARAGRAPHS = TableSpec(
    "paragraphs",
    (_PAR_ID, _ART_ID, _KEYWORD, _COUNTRY, _TEXT, _LABEL),
    ("*pcl*.tsv", "task4_test.tsv"),
    _TSV,
    key=("par_id",),
)
EARLY_PARAGRAPHS = TableSpec(
    "paragraphs", (_ART_ID, _KEYWORD, _COUNTRY, _TEXT, _LABEL), (), _TSV, key=("art_id", "text")
)
TEST_PARAGRAPHS = TableSpec(
    "paragraphs", (_PAR_ID, _ART_ID, _KEYWORD, _COUNTRY, _TEXT), (), _TSV, key=("par_id",)
)
SPANS = TableSpec(
    "spans",
    (_PAR_ID, _ART_ID, _TEXT, _KEYWORD, _COUNTRY, *_SPAN_COLUMNS),
    ("*categories*.tsv",),
    _TSV,
)
EARLY_SPANS = TableSpec("spans", (_ART_ID, _TEXT, _KEYWORD, _COUNTRY, *_SPAN_COLUMNS), (), _TSV)
PART = TableSpec(
    "parts",
    (Column("par_id", "id"), Column("label", "text", required=False, empty="null")),
    ("*parids*.csv",),
    key=("par_id",),
)


class DontPatronizeMe(Corpus):
    """Paragraphs of news about vulnerable communities, labelled for condescension."""

    name = "dpm"
    title = "Don't Patronize Me!"
    paper = "Pérez-Almendros, Espinosa-Anke and Schockaert 2020 (COLING)"
    licence = "research use only, on request from the authors"
    lang = "en"
    folder = "dont_patronize_me"
    tables = (PARAGRAPHS, SPANS, PART)
    splits = (("train", "train"), ("dev", "dev"), ("test", "test"))
    stratify = ("pcl", *LABEL_ORDER)
    releases = (
        Release(
            "the training part of SemEval-2022 task 4",
            {"paragraphs": 8_375, "positive": 794},
            "SemEval-2022 task 4",
        ),
        Release(
            "the development part of SemEval-2022 task 4",
            {"paragraphs": 2_094, "positive": 199},
            "SemEval-2022 task 4",
        ),
        Release(
            "the whole SemEval-2022 release",
            {"paragraphs": 10_469, "positive": 993},
            "SemEval-2022 task 4",
        ),
        Release(
            "the release of the paper",
            {"paragraphs": 10_637, "positive": 995, "spans": 3_554},
            "sections 4 and 4.2.1, tables 1 and 2",
        ),
    )
    traps = (
        "Four lines of disclaimer, no header, tabs, no quoting: a CSV reader with quoting on "
        "loses rows.",
        "One text of the full release is empty; it is kept, and noted.",
        "About a quarter of the texts are still quoted as in a CSV file (a leading quote and "
        "doubled quotes inside); they are kept as they are.",
        "No span offset is right: ends are one character too far, sometimes past the text, and in "
        "texts with such quotes offsets count from the text without them. The words are looked up "
        "and the offsets repaired.",
        "The paper's release has no par_id: paragraphs are then known by article and text.",
        "The 7-way label lists are in the order of SemEval, not of the paper's table 2.",
    )

    def resolve(self, path: Path, spec: TableSpec) -> TableSpec:
        """Choose the variant by the shape of the first rows."""
        if spec.name == "parts":
            return spec
        return self._variant(path, spec.name)

    def sniff(self, path: Path) -> TableSpec:
        """Tell paragraphs from spans by the number of fields."""
        return self._variant(path, None)

    def _variant(self, path: Path, table: str | None) -> TableSpec:
        with open_text(path, self.encoding or "utf-8", newline="\n") as handle:
            rows = (row for _, row in read_rows(Lines(handle), PARAGRAPHS))
            head = [row for row in islice(rows, 50) if isinstance(row, list) and len(row) > 1]
        widths = [len(row) for row in head]
        width = max(set(widths), key=widths.count) if widths else 0
        labelled = sum(len(row) == width and row[-1].strip() in "01234" for row in head)
        by_width = {
            6: PARAGRAPHS,
            5: EARLY_PARAGRAPHS if 2 * labelled > len(head) else TEST_PARAGRAPHS,
            10: SPANS,
            9: EARLY_SPANS,
        }
        found = by_width.get(width)
        if found is None or (table is not None and found.name != table):
            raise FileFormatError(
                f"{path}: found rows of {width} tab-separated fields; expected 6 or 5 (paragraphs) "
                "or 10 or 9 (spans); check that this is the authors' file."
            )
        return found

    def split_of(self, path: Path) -> str | None:
        """Only the lists of paragraph ids and the test file state a part."""
        name = path.name.lower()
        return super().split_of(path) if "parids" in name or "test" in name else None

    def check_rows(self, source: Source, batch: pl.DataFrame, log: ProblemLog) -> pl.DataFrame:
        """Give early rows an id, and repair span offsets."""
        if "par_id" not in batch.columns:
            ids = [_early_id(a, t) for a, t in batch.select("art_id", "text").iter_rows()]
            batch = batch.insert_column(0, pl.Series("par_id", ids, pl.String))
        if "label" not in batch.columns and source.spec.name == "paragraphs":
            batch = batch.with_columns(pl.lit(None, dtype=pl.Int64).alias("label"))
        return _align_spans(source.path, batch, log) if source.spec.name == "spans" else batch

    def example_frames(self) -> Iterator[pl.DataFrame]:
        """Yield paragraphs with their spans; categories are absent where no span file is."""
        spans = self._spans_by_paragraph()
        split = dict(self.read("parts").select("par_id", "split").iter_rows())
        seen: set[str] = set()
        for batch in self.batches("paragraphs"):
            frame = batch.join(spans, on="par_id", how="left", maintain_order="left")
            seen.update(batch["par_id"])
            columns = {"pcl": pl.col("label") >= FIRST_POSITIVE}
            for category in LABEL_ORDER if self.has("spans") else ():
                marked = pl.col("categories").list.contains(category).fill_null(value=False)
                columns[category] = pl.when(pl.col("label").is_not_null()).then(marked)
            official = pl.col("par_id").replace_strict(split, default=None, return_dtype=pl.String)
            yield frame.with_columns(**columns).select(
                pl.col("par_id").alias("id"),
                pl.coalesce("split", official).alias("split"),
                pl.col("art_id").alias("group"),
                "text",
                labels_of({name: name for name in columns}),
                "spans",
                meta_of(["art_id", "keyword", "country", "label"]),
            )
        self._refuse_orphans(spans, seen)

    def counts(self) -> dict[str, int]:
        """Count paragraphs, positive paragraphs and spans."""
        paragraphs = self.read("paragraphs")
        counts = {"paragraphs": paragraphs.height}
        if paragraphs["label"].is_not_null().any():
            counts["positive"] = paragraphs.filter(pl.col("label") >= FIRST_POSITIVE).height
        if self.has("spans"):
            counts["spans"] = self.read("spans").height
        return counts

    def stats(self) -> list[Stat]:
        """Compute tables 1 and 2."""
        return dpm_stats(self.read("paragraphs"), self.read("spans"))

    def _spans_by_paragraph(self) -> pl.DataFrame:
        spans = self.read("spans")
        record = pl.struct(
            "start",
            "end",
            pl.col("category").replace_strict(CATEGORIES, default=None).alias("id"),
            pl.col("span").alias("text"),
            "annotators",
        ).cast(SPAN)
        return (
            spans.with_columns(record.alias("record"))
            .group_by("par_id", maintain_order=True)
            .agg(
                pl.col("record").alias("spans"),
                pl.col("category").replace_strict(CATEGORIES, default=None).alias("categories"),
                pl.col("line").first().alias("span_line"),
            )
        )

    def _refuse_orphans(self, spans: pl.DataFrame, seen: set[str]) -> None:
        if not self.has("spans"):
            return
        log = self.start_log("spans without a paragraph")
        path = self.sources_of("spans")[0].path
        for par_id, line, marked in spans.select("par_id", "span_line", "spans").iter_rows():
            if par_id not in seen:
                log.rows_left_out += len(marked)
                expected = "the id of a paragraph in the paragraphs file"
                found, action = f"paragraph {show(par_id)}", "its spans were left out"
                log.report(path, line, "unknown paragraph", found, expected, action)


def _early_id(art_id: str, text: str | None) -> str:
    return f"{art_id}-{hashlib.sha256((text or '').encode()).hexdigest()[:12]}"


_REPAIRS = {
    "trimmed": ("span end", "offsets that reach past the words", "they were trimmed"),
    "moved": ("span moved", "offsets that cut out other words", "they were moved to the words"),
    "unquoted": (
        "span quoted",
        "words in the quotes of a CSV file",
        "the quotes were taken off and the offsets set to the words",
    ),
}


def _align_spans(path: Path, batch: pl.DataFrame, log: ProblemLog) -> pl.DataFrame:
    starts, ends, words, keep = [], [], [], []
    columns = batch.select("text", "start", "end", "span", "line")
    for text, start, end, span, line in columns.iter_rows():
        aligned = align(text or "", start, end, span)
        keep.append(aligned is not None)
        if aligned is None:
            found = f"offsets {start} to {end}"
            log.report(path, line, "span offsets", found, "offsets whose text is the span")
            continue
        starts.append(aligned.start)
        ends.append(aligned.end)
        words.append(text[aligned.start : aligned.end])
        if aligned.how != "exact":
            code, found, action = _REPAIRS[aligned.how]
            log.report(
                path,
                line,
                code,
                f"{found} ({start} to {end})",
                "offsets that cut out exactly the words",
                f"{action} ({aligned.start} to {aligned.end})",
                Severity.REPAIRED,
            )
    return batch.filter(pl.Series(keep, dtype=pl.Boolean)).with_columns(
        pl.Series("start", starts, pl.Int64),
        pl.Series("end", ends, pl.Int64),
        pl.Series("span", words, pl.String),
    )


# ---- the tables of the paper --------------------------------------------------------------------

KEYWORDS = (
    "disabled", "homeless", "hopeless", "immigrant", "in-need",
    "migrant", "poor-families", "refugee", "vulnerable", "women",
)  # fmt: skip
COUNTRIES = {
    "au": "Australia", "bd": "Bangladesh", "ca": "Canada", "gh": "Ghana", "hk": "Hong Kong",
    "ie": "Ireland", "in": "India", "jm": "Jamaica", "ke": "Kenya", "lk": "Sri Lanka",
    "my": "Malaysia", "ng": "Nigeria", "nz": "New Zealand", "ph": "Philippines", "pk": "Pakistan",
    "sg": "Singapore", "tz": "Tanzania", "gb": "UK", "us": "United States", "za": "South Africa",
}  # fmt: skip
CATEGORY_COLUMNS = {
    "Unbalanced_power_relations": "unb",
    "Compassion": "com",
    "Presupposition": "pre",
    "Authority_voice": "aut",
    "Shallow_solution": "sha",
    "Metaphors": "met",
    "The_poorer_the_merrier": "merr",
}
PAPER_KEYWORD_TOTALS = (1116, 1088, 1014, 1085, 1089, 1103, 914, 1071, 1082, 1075, 10637)
PAPER_CATEGORY_TOTALS = (1307, 888, 347, 327, 302, 319, 64, 3554)
PAPER_AGREEMENT = {
    "unb": 58.43, "com": 66.40, "pre": 52.94, "aut": 48.34, "sha": 56.50, "met": 52.72,
    "merr": 66.72, "unb, sha": 63.02, "pre, aut": 57.21, "com, met, merr": 66.99,
}  # fmt: skip
"""Of each category and each of the three groups, in percent."""
_LAST_ROW = "The last row is the paper's, whose release is larger."


def dpm_stats(paragraphs: pl.DataFrame, spans: pl.DataFrame) -> list[Stat]:
    """Count paragraphs per keyword and country, and spans per keyword, category and annotators."""
    stats = [_table_1(paragraphs)]
    if spans.height:
        spans = spans.with_columns(pl.col("category").replace({"Metaphor": "Metaphors"}))
        stats += [_table_2(spans), _section_4_2(spans)]
    return stats


def _table_1(paragraphs: pl.DataFrame) -> Stat:
    countries = [*COUNTRIES, *_others(paragraphs["country"], COUNTRIES)]
    keywords = [*KEYWORDS, *_others(paragraphs["keyword"], KEYWORDS)]
    cells = _cross(paragraphs, "country", "keyword", countries, keywords)
    names = [COUNTRIES.get(country, country) for country in countries]
    paper = PAPER_KEYWORD_TOTALS if len(keywords) == len(KEYWORDS) else ()
    return Stat(
        "table-1",
        "Paragraphs per keyword and country",
        "Pérez-Almendros et al. 2020, table 1",
        ("country", *keywords, "total"),
        _with_totals(names, cells, paper),
        (_LAST_ROW,),
        Chart("heatmap", keywords, dict(zip(names, cells, strict=True)), "keyword"),
    )


def _table_2(spans: pl.DataFrame) -> Stat:
    keywords = [*KEYWORDS, *_others(spans["keyword"], KEYWORDS)]
    categories = [*CATEGORY_COLUMNS, *_others(spans["category"], CATEGORY_COLUMNS)]
    cells = _cross(spans, "keyword", "category", keywords, categories)
    paper = PAPER_CATEGORY_TOTALS if len(categories) == len(CATEGORY_COLUMNS) else ()
    short = [CATEGORY_COLUMNS.get(category, category) for category in categories]
    return Stat(
        "table-2",
        "Spans per keyword and category",
        "Pérez-Almendros et al. 2020, table 2",
        ("keyword", *short, "total"),
        _with_totals(keywords, cells, paper),
        (
            "unb: unbalanced power relations, com: compassion, pre: presupposition, "
            "aut: authority voice, sha: shallow solution, met: metaphor, "
            "merr: the poorer, the merrier.",
            _LAST_ROW,
        ),
        Chart("heatmap", categories, dict(zip(keywords, cells, strict=True)), "category"),
    )


def _section_4_2(spans: pl.DataFrame) -> Stat:
    short = spans["category"].replace(CATEGORY_COLUMNS)
    body: list[tuple[object, ...]] = []
    for name, paper in PAPER_AGREEMENT.items():
        marked = spans["annotators"].filter(short.is_in(name.split(", ")))
        both, one = int((marked == 2).sum()), int((marked == 1).sum())
        body.append((name, both, one, percent(2 * both, 2 * both + one), paper))
    return Stat(
        "section-4.2",
        "Agreement on spans, by category and by group of categories",
        "Pérez-Almendros et al. 2020, section 4.2.2",
        ("category", "by both", "by one", "percent", "paper percent"),
        tuple(body),
        (
            "Percent: the share of the marks that the other annotator made, too; a span marked by "
            "both has two marks. The paper does not say how it measures agreement.",
        ),
    )


def _others(column: pl.Series, known: Collection[str]) -> list[str]:
    return sorted(value for value in set(column.drop_nulls()) if value not in known)


def _cross(
    frame: pl.DataFrame, row: str, column: str, rows: list[str], columns: list[str]
) -> list[list[int]]:
    counted = {(r, c): n for r, c, n in frame.group_by(row, column).len().iter_rows()}
    return [[counted.get((r, c), 0) for c in columns] for r in rows]


def _with_totals(
    names: list[str], cells: list[list[int]], paper: tuple[int, ...]
) -> tuple[tuple[object, ...], ...]:
    body: list[tuple[object, ...]] = [
        (name, *row, sum(row)) for name, row in zip(names, cells, strict=True)
    ]
    sums = [sum(column) for column in zip(*cells, strict=True)]
    body.append(("Total", *sums, sum(sums)))
    if paper:
        body.append(("Paper", *paper))
    return tuple(body)
