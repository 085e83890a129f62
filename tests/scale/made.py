"""Small scorers whose texts say what they get, and tables and files that are scored with them."""

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tactful.scale.job import Job
from tactful.scale.local.engine import run_local
from tactful.scale.progress import Watch
from tactful.scale.scorer import Columns, Scorer
from tactful.scale.scoring import Scored, TableScorer, Wanted
from tactful.scale.summary import Outcome, Summary, summarise
from tactful.scale.tables.formats import Format, format_of

IDS = ("kind", "kind.fine", "other")
THRESHOLDS = {"kind": 0.5, "kind.fine": 0.3}
Row = tuple[str | None, str | None]
"""A text and its source."""


def read_numbers() -> "ReadsNumbers":
    """Open the scorer."""
    return ReadsNumbers()


class ReadsNumbers:
    """Takes the first words of a text as probabilities; ``-`` is none, letters an error."""

    def __call__(self, texts: list[str]) -> Columns:
        words = [text.split()[: len(IDS)] for text in texts]
        return {
            name: np.array([_number(row[at]) for row in words], dtype=np.float32)
            for at, name in enumerate(IDS)
        }


def _number(word: str) -> float:
    return float("nan") if word == "-" else float(word)


SCORER = Scorer(
    load=read_numbers, ids=IDS, model="numbers 1", fingerprint="f", thresholds=THRESHOLDS
)


def scored(rows: Sequence[Row], wanted: Wanted) -> Scored:
    """Score rows of texts and sources."""
    table = pl.DataFrame(
        {"text": [text for text, _ in rows], "source": [source for _, source in rows]},
        schema={"text": pl.String, "source": pl.String},
    )
    return TableScorer(SCORER, wanted)(table)


def counted(
    rows: Sequence[Row],
    extremes: int = 3,
    by: tuple[str, ...] = ("source",),
    source: str = "",
    scorer: Scorer = SCORER,
) -> Summary:
    """Summarise rows of texts and sources."""
    wanted = Wanted(by=by)
    return summarise(scored(rows, wanted), scorer, wanted, extremes, source)


def read_words() -> "ReadsWords":
    """Open the scorer of words."""
    return ReadsWords()


class ReadsWords:
    """Makes numbers of any text: the same for the same text, and different for most others."""

    def __call__(self, texts: list[str]) -> Columns:
        if any("raise" in text for text in texts):
            raise ValueError("these words cannot be read\nnot at all")
        digests = [
            blake2b(text.encode("utf-8", "replace"), digest_size=6).digest() for text in texts
        ]
        numbers = np.array(
            [[int.from_bytes(d[at : at + 2]) / 65536 for at in (0, 2, 4)] for d in digests],
            dtype=np.float32,
        ).reshape(len(texts), 3)
        numbers[[at for at, text in enumerate(texts) if "nothing" in text]] = np.nan
        return dict(zip(IDS, numbers.T, strict=True))


WORDS = Scorer(
    load=read_words, ids=IDS, model="words 1", fingerprint="w", thresholds=dict.fromkeys(IDS, 0.5)
)


def job(inputs: Path | Sequence[Path | str], output: Path | str, **options: Any) -> Job:
    """Return a job that scores files with the scorer of words; formats are as the names tell."""
    names = [str(each) for each in ([inputs] if isinstance(inputs, Path) else inputs)]
    wanted = {name: options.pop(name) for name in Wanted.__slots__ if name in options}
    told = format_of(names[0]) or Format("csv")
    named = format_of(str(output))
    read = options.pop("input_format", told)
    write = options.pop("output_format", named or read)
    defaults: dict[str, Any] = {"scorer": WORDS, "merged": named is not None or output == "-"}
    return Job(
        tuple(names), str(output), read, write, wanted=Wanted(**wanted), **(defaults | options)
    )


def scored_file(inputs: Path | Sequence[Path | str], output: Path, **options: Any) -> Outcome:
    """Score files with the scorer of words, in this process."""
    again = {name: options.pop(name) for name in ("restart", "force") if name in options}
    return run_local(job(inputs, output, **options), Watch(), **again)
