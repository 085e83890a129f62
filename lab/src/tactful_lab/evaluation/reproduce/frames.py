"""Run framers on held-out posts, and compare them with tables 4, 5 and 7 of the paper."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tactful import __version__
from tactful.corpora import load_corpus
from tactful.errors import TactfulError
from tactful.frames.posts import Post, read_posts
from tactful.frames.schema import GROUPS, STATEMENTS
from tactful.metrics import Measure, read_word_vectors
from tactful.metrics.word_movers import words_of
from tactful.settings import Settings
from tactful.types import Frame
from tactful_lab.evaluation.frame_measures import (
    QUESTIONS,
    broken_constraints_share,
    evaluate_frames,
    measure_name,
)
from tactful_lab.evaluation.reproduce.frame_runs import (
    FramerRun,
    OnProgress,
    measured_part,
    run_framer,
)
from tactful_lab.evaluation.reproduce.paper_tables import FrameTables, PaperRow, load_frame_tables

SHARES = ("precision", "recall", "f1")
TEXTS = ("bleu_2", "rouge_l", "word_movers")
"""What table 5 has."""
FURTHER_TEXTS = ("mean_sentence_bleu_2", "best_reference_bleu_2", "exact_match", "blank")
TITLES = {
    "4": "Table 4: classification",
    "5": "Table 5: generation",
    "7": "Table 7: classification, with and without constraints",
}


@dataclass(frozen=True, slots=True)
class FrameLine:
    """One model and one variable: the paper's numbers, or ours, or why there are none."""

    table: str
    variable: str
    everywhere: bool
    """All posts, where the paper's own way leaves some out."""
    whose: str
    """``paper`` or ``ours``."""
    model: str
    part: str
    values: Mapping[str, float | None] = field(default_factory=dict)
    """Percent, but for word_movers; None where the measure is undefined."""
    items: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class FrameReproduction:
    """The paper's tables and ours."""

    tables: FrameTables
    lines: tuple[FrameLine, ...]
    notes: tuple[str, ...]
    absent: Mapping[str, str]
    """Model -> why it did not run."""
    settings: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the answer as ``--format json`` prints it."""
        return {
            **self.tables.about(),
            "unit": "percent, but for word_movers",
            "settings": self.settings,
            "notes": list(self.notes),
            "not_run": dict(self.absent),
            "rows": [_line_json(line) for line in self.lines],
        }


def reproduce_frames(
    data: Path | None,
    models: Sequence[str],
    *,
    vectors: Path | None = None,
    settings: Settings | None = None,
    key_variable: str | None = None,
    on_progress: OnProgress = lambda *_: None,
) -> FrameReproduction:
    """Measure framers, by name or folder; one that cannot run does not stop the others."""
    tables = load_frame_tables()
    posts = read_posts(data, settings)
    part, measured = measured_part(posts)
    known = {id(post) for post in measured}
    rest = [post for post in posts if id(post) not in known]
    runs: list[FramerRun] = []
    absent: dict[str, str] = {}
    for name in dict.fromkeys(models):
        try:
            runs.append(run_framer(name, measured, rest, on_progress, key_variable))
        except TactfulError as error:
            absent[name] = str(error)
    gold = [post.frame for post in measured]
    words = None
    if vectors is not None:
        said = [*gold, *(frame for run in runs for frame in run.frames)]
        texts = (t for frame in said for t in (*frame.target_groups, *frame.implied_statements))
        words = read_word_vectors(vectors, words_of(texts))
    lines = _paper_lines(tables)
    run_notes = []
    for run in runs:
        found = evaluate_frames(gold, run.frames, words)
        lines += _our_lines(run.model, part, found, ("4", "5", "7"))
        run_notes.append(_run_note(run, found))
        if run.alone is not None:
            lines += _our_lines(
                f"{run.model}, each answer alone", part, evaluate_frames(gold, run.alone), ("7",)
            )
    notes = (
        *_part_notes(part, measured, data, settings),
        *_measure_notes(tables, gold),
        *run_notes,
    )
    asked = {
        "models": list(dict.fromkeys(models)),
        "part": part,
        "posts": len(measured),
        "vectors": vectors.name if vectors else None,
        "tactful": __version__,
    }
    return FrameReproduction(tables, tuple(lines), notes, absent, asked)


def _paper_lines(tables: FrameTables) -> list[FrameLine]:
    lines: list[FrameLine] = []
    shares, texts = (SHARES, QUESTIONS), (TEXTS, (GROUPS, STATEMENTS))
    for table, rows, (measures, variables) in (
        ("4", tables.table_4(), shares),
        ("5", tables.texts, texts),
        ("7", tables.table_7(), shares),
    ):
        lines += [
            _paper_line(table, row, variable, measures) for row in rows for variable in variables
        ]
    return lines


def _paper_line(table: str, row: PaperRow, variable: str, measures: Sequence[str]) -> FrameLine:
    numbers = row.values.get(variable)
    line = FrameLine(table, variable, False, "paper", row.name, row.part or "")
    if numbers is None:
        return replace(line, reason="never predicted")
    return replace(line, values=dict(zip(measures, numbers, strict=True)))


def _our_lines(
    model: str, part: str, found: Mapping[str, Measure], tables: Sequence[str]
) -> list[FrameLine]:
    lines = []
    for table in tables:
        variables = (GROUPS, STATEMENTS) if table == "5" else QUESTIONS
        measures = (*TEXTS, *FURTHER_TEXTS) if table == "5" else SHARES
        for variable in variables:
            for everywhere in (False, True):
                names = {each: measure_name(variable, each, everywhere) for each in measures}
                each = {short: found[name] for short, name in names.items() if name in found}
                if each:
                    line = FrameLine(table, variable, everywhere, "ours", model, part)
                    lines.append(_with_values(line, each))
    return lines


def _with_values(line: FrameLine, found: Mapping[str, Measure]) -> FrameLine:
    values = {
        name: measure.value
        if measure.value is None or name == "word_movers"
        else 100 * measure.value
        for name, measure in found.items()
    }
    items = next((m.items for name, m in found.items() if name != "word_movers"), None)
    reasons = {
        f"{name}: {measure.reason}"
        for name, measure in found.items()
        if measure.value is None and measure.reason
    }
    return replace(line, values=values, items=items, reason="; ".join(sorted(reasons)) or None)


def _run_note(run: FramerRun, found: Mapping[str, Measure]) -> str:
    broken = 100 * float(found["broken_constraints"])
    note = f"{run.model}: {broken:.2f} % of its frames break a constraint"
    if run.alone is not None:
        before = broken_constraints_share((), run.alone)
        note += f" ({100 * float(before):.2f} % with each answer taken alone)"
    if run.speed is not None:
        note += f"; {run.speed:.1f} posts a second of processor time"
    return note + "."


def _part_notes(
    part: str, measured: Sequence[Post], data: Path | None, settings: Settings | None
) -> list[str]:
    corpus = load_corpus("sbic", data, settings=settings)
    verified = corpus.verify()
    notes = [f"Data: {' '.join(verified.lines())}"]
    if part == "test":
        notes.append(
            f"Part: ours is the official test part ({len(measured):,} posts) of this version, "
            "which is not the paper's first one."
        )
    else:
        notes.append(
            f"Part: ours is {len(measured):,} posts, 8 of 100 of those that are here, which no "
            "embedded model learnt from; the paper's are its development and its test part, and "
            "its models learnt from the whole training part. Other posts, and far fewer to learn "
            "from: the numbers are not comparable one to one. With SBIC.v2.tst.csv in the folder "
            "the test part is used."
        )
    notes.append("An index that was built from these very posts has seen them; build it without.")
    if not corpus.has("annotations"):
        notes.append(
            "Truth: the authors' means, yes from 0.5. In these a 'maybe' is half a yes; section "
            "4.2 takes it as a whole one, which needs the annotation rows."
        )
    return notes


def _measure_notes(tables: FrameTables, gold: Sequence[Frame]) -> list[str]:
    shares = []
    for name, paper in tables.positive.items():
        said = [frame.answers[name] for frame in gold if name in frame.answers]
        if said:
            here = 100 * sum(answer == "yes" for answer in said) / len(said)
            shares.append(f"{name.removeprefix('frame.')} {paper:.1f} % there, {here:.1f} % here")
    return [
        f"Positive answers (of the paper: development part): {'; '.join(shares)}.",
        "group and in-group are measured where annotators were asked; 'all posts' counts a "
        "question that nobody was asked as a no.",
        "Groups and statements are measured where annotators wrote one, and a blank scores 0; in "
        "'all posts' also where only the model wrote one, which scores 0. Two blanks earn nothing, "
        "and a blank has no distance of words. BLEU is corpus-level BLEU-2 over all references; "
        "the paper says neither how it took the mean, so two others are given, nor how it counted "
        "blanks.",
    ]


def _line_json(line: FrameLine) -> dict[str, Any]:
    return {
        "table": line.table,
        "variable": line.variable,
        "all_posts": line.everywhere,
        "whose": line.whose,
        "model": line.model,
        "part": line.part,
        "posts": line.items,
        "values": {
            name: None if value is None else round(value, 4) for name, value in line.values.items()
        },
        "reason": line.reason,
    }
