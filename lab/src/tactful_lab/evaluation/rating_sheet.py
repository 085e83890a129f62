"""A sheet on which people rate predicted frames without knowing who wrote them, and its results.

Automatic measures compare words; whether a statement is implied, only readers can say. A sheet has
statements of one or two systems and of the corpus' annotators, in random order. Raters fill in
three columns. Which row is whose is in a key beside the sheet, which raters should not open.
"""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tactful.errors import FileFormatError, InputError, UsageError
from tactful.files import atomic_path, open_text
from tactful.resampling import percentile_interval, resampled_means
from tactful.types import Frame

PEOPLE = "people"
QUESTIONS: dict[str, Mapping[str, float]] = {
    "group_right": {"yes": 1.0, "partly": 0.5, "no": 0.0},
    "implied": {str(points): (points - 1) / 4 for points in range(1, 6)},
    "specific": {"yes": 1.0, "no": 0.0},
}
"""Column -> its answers, and what each counts. 1 to 5: not at all, hardly, maybe, likely, yes."""
COLUMNS = ("item", "text", "group", "statement", *QUESTIONS)
DEFAULT_POSTS = 50
REPETITIONS, LEVEL = 1_000, 0.95
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "'")


@dataclass(frozen=True, slots=True)
class Rated:
    """The ratings of one source's frames."""

    source: str
    rows: int
    means: Mapping[str, tuple[float, float, float]]
    """Question -> mean from 0 to 1, and the 95 % interval."""


def write_sheet(
    path: Path,
    texts: Sequence[str],
    gold: Sequence[Frame],
    systems: Mapping[str, Sequence[Frame]],
    *,
    posts: int = DEFAULT_POSTS,
    seed: int = 0,
) -> int:
    """Write a sheet and its key; return the number of rows to rate.

    Parameters
    ----------
    path
        The CSV to write; the key is ``NAME.key.json`` beside it. Existing files are refused.
    texts
        The posts.
    gold
        The frames of the annotators; of several statements one is drawn.
    systems
        Name of a system -> its frames, in the order of the posts.
    posts
        How many posts to draw, of those with a statement on every side.
    seed
        Seed of all that is drawn.

    """
    rng = np.random.default_rng(seed)
    sides = {PEOPLE: gold, **systems}
    whole = [
        at
        for at in range(len(texts))
        if all(side[at].implied_statements for side in sides.values())
    ]
    if not whole:
        raise InputError(
            "Found no post with a statement of every system and of the annotators; expected some "
            "to rate; check the predictions."
        )
    chosen = rng.permutation(whole)[:posts]
    rows = []
    for at in chosen:
        for source, frames in sides.items():
            frame = frames[at]
            drawn = int(rng.integers(len(frame.implied_statements))) if source == PEOPLE else 0
            rows.append(
                (source, texts[at], frame.target_groups[0], frame.implied_statements[drawn])
            )
    order = rng.permutation(len(rows))
    key = {str(number): rows[at][0] for number, at in enumerate(order, 1)}
    with atomic_path(path) as target, target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for number, at in enumerate(order, 1):
            cells = [_harmless(" ".join(cell.split())) for cell in rows[at][1:]]
            writer.writerow([number, *cells, *([""] * len(QUESTIONS))])
    with atomic_path(key_of(path)) as target:
        target.write_text(json.dumps({"seed": seed, "sources": key}, indent=2) + "\n", "utf-8")
    return len(rows)


def key_of(path: Path) -> Path:
    """Return where the key of a sheet is."""
    return path.with_name(f"{path.name}.key.json")


def read_sheet(path: Path, seed: int = 0) -> list[Rated]:
    """Read a sheet that was filled in; return the means of each source.

    Rows without any answer are left out; a row with some answers needs all of them.
    """
    sources = _key(key_of(path))
    found: dict[str, list[list[float]]] = {}
    with open_text(path) as file:
        reader = csv.DictReader(file, strict=True)
        missing = [name for name in ("item", *QUESTIONS) if name not in (reader.fieldnames or ())]
        if missing:
            raise FileFormatError(
                f"{path}: found no column '{missing[0]}'; expected a sheet that 'tactful evaluate "
                "frames --sheet' wrote; restore the column."
            )
        try:
            for row in reader:
                values = _answers(row, f"{path}, line {reader.line_num}")
                item = (row["item"] or "").strip()
                if values is None:
                    continue
                if item not in sources:
                    raise FileFormatError(
                        f"{path}, line {reader.line_num}: found the item '{item}', which the key "
                        "does not have; expected the sheet that belongs to it."
                    )
                found.setdefault(sources[item], []).append(values)
        except csv.Error as error:
            raise FileFormatError(
                f"{path}, line {reader.line_num}: found no row of a CSV ({error}); repair the line."
            ) from None
    if not found:
        raise UsageError(
            f"{path}: found no answers yet; fill in {', '.join(QUESTIONS)}, or give --sheet "
            "another name to write a new one."
        )
    return [_rated(source, rows, seed) for source, rows in sorted(found.items())]


def ratings_as_data(path: Path, rated: Sequence[Rated]) -> dict[str, Any]:
    """Return the results of a sheet as plain data."""
    return {
        "schema_version": 1,
        "sheet": str(path),
        "sources": [
            {
                "source": each.source,
                "rows": each.rows,
                "questions": {
                    name: {"mean": mean, "low": low, "high": high}
                    for name, (mean, low, high) in each.means.items()
                },
            }
            for each in rated
        ],
    }


def _rated(source: str, rows: Sequence[Sequence[float]], seed: int) -> Rated:
    values = np.array(rows)
    drawn = resampled_means(values, repetitions=REPETITIONS, seed=seed)
    means = {}
    for at, name in enumerate(QUESTIONS):
        mean = float(values[:, at].mean())
        means[name] = (mean, *(percentile_interval(drawn[:, at], LEVEL) or (mean, mean)))
    return Rated(source, len(rows), means)


def _answers(row: Mapping[str, Any], place: str) -> list[float] | None:
    given = {name: str(row[name] or "").strip().lower() for name in QUESTIONS}
    if not any(given.values()):
        return None
    for name, answer in given.items():
        if answer not in QUESTIONS[name]:
            raise InputError(
                f"{place}: found '{answer}' under {name}; expected one of "
                f"{', '.join(QUESTIONS[name])}."
            )
    return [QUESTIONS[name][answer] for name, answer in given.items()]


def _key(path: Path) -> dict[str, str]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {str(item): str(source) for item, source in data["sources"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise FileFormatError(
            f"{path}: found no key; expected the file written beside the sheet; restore it."
        ) from None


def _harmless(cell: str) -> str:
    """Put an apostrophe before a cell that a spreadsheet would run as a formula."""
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell
