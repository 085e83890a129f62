"""The three files of DETESTS as the task needs them: training part, test part, gold.

A row of the training part that cannot be used is left out and reported. In the test part and in
gold nothing may be left out: a submission has every sentence, and a measure is of all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from tactful.corpora import load_corpus
from tactful.corpora.corpus import Corpus, Source
from tactful.corpora.detests import CATEGORIES, label_id
from tactful.detectors.stereotype_labels import LABELS, ROOT, consistent
from tactful.errors import BadRowsError, FileFormatError, InputError, Problem, Severity
from tactful.settings import Settings
from tactful.types import Example
from tactful.words import counted

_COLUMNS = ("stereotype", *CATEGORIES)
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class DetestsData:
    """The training part, the test part and the gold labels."""

    train: tuple[Example, ...]
    test: tuple[Example, ...]
    """Without labels and judgements, so that no system can use them."""
    gold: tuple[frozenset[str], ...] | None
    """The labels of the test part, in its order; None where there is no gold."""
    gold_has_categories: bool
    notes: tuple[str, ...]

    def train_labels(self) -> list[set[str]]:
        """Return the consistent label set of each training sentence."""
        return [labels_of(example) for example in self.train]


def labels_of(example: Example) -> set[str]:
    """Return what an example is labelled with, made consistent."""
    return consistent(name for name in LABELS if example.labels.get(name))


def read_detests(data: Path | None, settings: Settings | None = None) -> DetestsData:
    """Read the user's copy: the folder of the corpus, or the one above it."""
    corpus = load_corpus("detests", data, settings=settings)
    _require_parts(corpus)
    sentences, gold = corpus.read("sentences"), corpus.read("gold")
    _refuse_bad_rows(corpus)
    train = sentences.filter(pl.col("split") == "train")
    test = sentences.filter(pl.col("split") == "test")
    _require_labels(corpus, train)
    examples = list(corpus.examples())
    golden, full, gold_notes = _gold(corpus, test, gold)
    said = " ".join(line.strip() for line in corpus.verify().lines())
    notes = [f"Data: {said}", *_train_notes(corpus, train), *gold_notes]
    return DetestsData(
        tuple(example for example in examples if example.split == "train"),
        tuple(
            replace(example, labels={}, judgements=())
            for example in examples
            if example.split == "test"
        ),
        golden,
        full,
        tuple(notes),
    )


def _require_parts(corpus: Corpus) -> None:
    parts = {source.split for source in corpus.sources_of("sentences")}
    for part in ("train", "test"):
        if part not in parts:
            there = ", ".join(source.path.name for source in corpus.sources)
            raise FileFormatError(
                f"{corpus.path}: found {there}, and no {part} part; expected train.csv and "
                "test.csv (and, to measure, the gold file); name the folder that holds them."
            )


def _file(corpus: Corpus, table: str, part: str | None = None) -> Path:
    return next(s.path for s in corpus.sources_of(table) if part in (None, s.split))


def _refuse_bad_rows(corpus: Corpus) -> None:
    whole = {
        source.path.name
        for source in corpus.sources
        if source.spec.name == "gold" or _is_test(source)
    }
    bad = [problem for problem in corpus.log.of(Severity.ERROR) if problem.file in whole]
    if bad:
        raise BadRowsError(bad, len({(problem.file, problem.line) for problem in bad}))


def _is_test(source: Source) -> bool:
    return source.spec.name == "sentences" and source.split == "test"


def _require_labels(corpus: Corpus, train: pl.DataFrame) -> None:
    path = _file(corpus, "sentences", "train")
    if not train.height:
        problems = corpus.log.of(Severity.ERROR)
        raise (
            BadRowsError(problems, corpus.log.rows_left_out)
            if problems
            else FileFormatError(f"{path}: found no sentences; expected those of the train part.")
        )
    absent = [name for name in _COLUMNS if train[name].is_null().all()]
    if absent:
        extra = corpus.extra_columns(train, "sentences")
        unknown = f" (and, unknown, {', '.join(map(repr, extra))})" if extra else ""
        raise FileFormatError(
            f"{path}, line 1: found no labels of {', '.join(absent)}{unknown}; expected a column "
            f"of 0 and 1 for stereotype and each of {len(CATEGORIES)} categories; use the authors' "
            "training file as it is."
        )
    _refuse_empty(path, train, _COLUMNS)


def _refuse_empty(path: Path, rows: pl.DataFrame, columns: Sequence[str]) -> None:
    faults = [
        Problem(path.name, line, "empty cell", "nothing", "0 or 1", "nothing was run", column=name)
        for name in columns
        for line in rows.filter(pl.col(name).is_null())["line"]
    ]
    if faults:
        raise BadRowsError(faults, len({fault.line for fault in faults}))


def _gold(
    corpus: Corpus, test: pl.DataFrame, gold: pl.DataFrame
) -> tuple[tuple[frozenset[str], ...] | None, bool, list[str]]:
    """Return the gold label sets in the order of the test part, and whether they have categories.

    A test file that has labels itself is its own gold. A stereotype without a category stays as it
    is, as in the organisers' evaluation, and a note counts them.
    """
    test_file = _file(corpus, "sentences", "test")
    if corpus.has("gold"):
        path, rows = _file(corpus, "gold"), gold
        _refuse_other_sentences(test_file, test, path, rows)
    elif test.height and test["stereotype"].is_not_null().any():
        path, rows = test_file, test
    else:
        return None, False, []
    given = [name for name in CATEGORIES if rows[name].is_not_null().any()]
    full = bool(given)
    absent = [name for name in CATEGORIES if name not in given]
    if full and absent:
        raise FileFormatError(
            f"{path}, line 1: found no labels of {', '.join(absent)}; expected all ten categories, "
            "or none of them for subtask 1 alone."
        )
    _refuse_empty(path, rows, _COLUMNS if full else _COLUMNS[:1])
    place = {row["sentence_id"]: row for row in rows.iter_rows(named=True)}
    found = [
        frozenset(label_id(name) for name in _COLUMNS if place[sentence][name])
        for sentence in test["sentence_id"]
    ]
    bare = sum(labels == {ROOT} for labels in found) if full else 0
    notes = []
    if bare:
        notes.append(
            f"{path.name}: {counted(bare, 'stereotype')} without a category "
            f"{'counts' if bare == 1 else 'count'} as a stereotype of no category, as in the "
            "organisers' evaluation."
        )
    return tuple(found), full, notes


def _refuse_other_sentences(
    test_file: Path, test: pl.DataFrame, gold_file: Path, gold: pl.DataFrame
) -> None:
    for here, rows, there, others in (
        (gold_file, gold, test_file, test),
        (test_file, test, gold_file, gold),
    ):
        lonely = rows.filter(~pl.col("sentence_id").is_in(others["sentence_id"].implode()))
        if lonely.height:
            first = list(lonely.select("line", "sentence_id").head(_SHOWN).iter_rows())
            shown = ", ".join(f"{name!r} on line {line}" for line, name in first)
            more = f" and {lonely.height - len(first):,} more" if lonely.height > _SHOWN else ""
            raise InputError(
                f"{here}: found sentences that {there.name} does not have ({shown}{more}); "
                "expected the same sentences in both; use files of one release."
            )


def _train_notes(corpus: Corpus, train: pl.DataFrame) -> Iterator[str]:
    path = _file(corpus, "sentences", "train")
    bad = [problem for problem in corpus.log.of(Severity.ERROR) if problem.file == path.name]
    for problem in bad[:_SHOWN]:
        yield str(problem)
    lines = {problem.line for problem in bad}
    if len(bad) > _SHOWN:
        yield (
            f"{path.name}: left out, because they could not be used: "
            f"{counted(len(lines), 'row')} in all."
        )
    bare = train.filter(
        (pl.col("stereotype") == 1) & ~pl.any_horizontal([pl.col(c) == 1 for c in CATEGORIES])
    )
    if bare.height:
        yield (
            f"{path.name}: {counted(bare.height, 'stereotype')} without a category "
            f"{'is' if bare.height == 1 else 'are'} learnt as 'others'."
        )
