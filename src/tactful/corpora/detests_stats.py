"""Table 2 and figures 1 and 5 of the DETESTS overview."""

import polars as pl

from tactful.corpora.stats import Chart, Stat, percent

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
        Chart(
            "bars",
            list(PAPER),
            {"here": [row[2] for row in rows], "paper": [row[4] for row in rows]},
            y_label="percent of sentences with a stereotype",
        ),
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
