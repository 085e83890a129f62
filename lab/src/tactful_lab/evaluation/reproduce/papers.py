"""Run a paper's table on the user's copy of the data, and compare our numbers with the paper's."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tactful import __version__
from tactful.corpora.corpus import Corpus
from tactful.errors import TactfulError, UsageError
from tactful.metrics import Measure
from tactful.metrics.detection import f1_score, precision_score, recall_score
from tactful.metrics.human_model import human_model_auc_score
from tactful.metrics.ranking import roc_auc_score
from tactful.words import counted
from tactful_lab.evaluation.corpus_scores import soft_measures
from tactful_lab.evaluation.reproduce.chat_rows import LIMIT
from tactful_lab.evaluation.reproduce.cross_validation import (
    Part,
    PartResult,
    Places,
    ResultCache,
    joined,
    run_parts,
)
from tactful_lab.evaluation.reproduce.disagreement_rows import answers_of
from tactful_lab.evaluation.reproduce.pairs import RowAnswers, RowPair, compare_rows, row_answers
from tactful_lab.evaluation.reproduce.paper_tables import PaperTable, load_table
from tactful_lab.evaluation.reproduce.protocols import (
    Choices,
    Judged,
    Problem,
    Protocol,
    build_protocol,
)
from tactful_lab.evaluation.reproduce.rows import ROWS, Row, RowSettings, chosen_rows, with_vectors
from tactful_lab.evaluation.unseen import unseen_note, unseen_places

HUMAN = "human"
ASKED_AT_ONCE, SCORED_AT_ONCE = 20, 1_000
"""How many texts a chat model, or a model that is trained already, answers before they are kept."""
_PERCENT = 100.0
_INVERTED = "unhealthy"
"""The opposite of UCC's question, whether a comment is healthy."""

Values = dict[str, float]
OnProgress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Line:
    """One model and one label: what the paper has, what we have, or why we have nothing."""

    label: str
    part: str | None = None
    model: str = ""
    name: str = ""
    paper: Values | None = None
    ours: Values | None = None
    spread: Values | None = None
    """The standard deviation over the folds."""
    reason: str | None = None
    """Why there are no numbers of ours."""
    soft: dict[str, Any] | None = None
    """How far the probabilities are from the shares of annotators, where these disagree."""
    answers: "RowAnswers | None" = field(default=None, repr=False, compare=False)

    @property
    def difference(self) -> Values | None:
        """Ours minus the paper's, in percentage points."""
        if self.paper is None or self.ours is None:
            return None
        return {name: self.ours[name] - self.paper[name] for name in self.paper}


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A table of a paper and ours."""

    table: PaperTable
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    pairs: tuple[RowPair, ...] = ()
    """The tests of all pairs of rows that were run."""
    settings: dict[str, Any] = field(default_factory=dict)

    def curves(self) -> dict[str, dict[str, tuple[Any, Any]]]:
        """Return gold and probabilities by label and model, all folds together, for ROC curves."""
        found: dict[str, dict[str, tuple[Any, Any]]] = {}
        for line in self.lines:
            if line.answers is not None:
                title = self.table.labels[line.label] + (f", {line.part}" if line.part else "")
                answers = (line.answers.gold, line.answers.probabilities)
                found.setdefault(title, {})[line.name] = answers
        return found

    def as_json(self) -> dict[str, Any]:
        """Return the answer as ``--format json`` prints it."""
        return {
            **self.table.about(),
            "protocol": self.table.protocol,
            "unit": "percent",
            "metrics": list(self.table.metrics),
            "settings": self.settings,
            "notes": list(self.notes),
            "rows": [_line_json(line) for line in self.lines],
            "pairs": [pair.as_json() for pair in self.pairs],
        }


def reproduce(
    table_name: str,
    corpus: Corpus,
    models: Sequence[str] = ("cheap",),
    choices: Choices | None = None,
    *,
    vectors: Path | None = None,
    encoder: str | None = None,
    download: bool = False,
    grid: bool = False,
    training: Mapping[str, Any] | None = None,
    shots: int = 0,
    limit: int | None = None,
    key_variable: str | None = None,
    cache: Path | None = None,
    on_progress: OnProgress = lambda *_: None,
) -> Reproduction:
    """Run the chosen rows; a row that cannot run gives the reason and does not stop the others.

    ``training`` changes settings of the networks, such as ``{"epochs": 2, "device": "cpu"}``.
    ``cache`` is the folder that keeps the result of each fold, so that an interrupted run resumes.
    """
    table, choices = load_table(table_name), choices or Choices()
    rows = {row.name: row for row in chosen_rows(models)}
    wanted = list(rows)
    examples = list(corpus.examples())
    protocol = build_protocol(table, examples, choices)
    settings = RowSettings(
        choices.seed,
        table=table.id,
        grid=grid,
        vectors_file=vectors,
        encoder=encoder,
        download=download,
        training=dict(training or {}),
        shots=shots,
        limit=limit,
        key_variable=key_variable,
        answers=answers_of(examples) if any(row.asks_each for row in rows.values()) else {},
    )
    notes = [*_data_notes(corpus), *protocol.notes]
    if vectors is not None and {"svm-wv", "bilstm"} & {row.model for row in rows.values()}:
        texts = {text for problem in protocol.problems for text in problem.data.texts}
        settings, note = with_vectors(settings, vectors, sorted(texts))
        notes.append(note)
    found: dict[str, list[Line] | str] = {}
    if any(row.embedded for row in rows.values()):
        notes.append(_embedded_note(protocol, rows.values()))
    if any(row.chat for row in rows.values()):
        notes.append(
            f"Chat models: {shots or 'zero'}-shot, on at most {limit or LIMIT:,} "
            f"texts of each part, drawn with seed {choices.seed}."
        )
    for name, row in rows.items():
        measured = _row_lines(
            row, table, protocol, settings, choices, ResultCache(cache), on_progress
        )
        try:
            found[name] = row.reason_not_to_run(settings) or list(measured)
        except TactfulError as error:
            found[name] = str(error)
    lines = tuple(_lines(table, protocol, found, choices, rows))
    pairs = tuple(compare_rows(lines, table.metrics, choices.seed))
    asked = {
        "models": wanted,
        "folds": choices.folds,
        "negatives": choices.negatives if table.id == "dpm-task1" else None,
        "grouped": choices.grouped,
        "trust_weighted": choices.trust_weighted if table.id == "ucc-auc" else None,
        "seed": choices.seed,
        "grid": grid,
        "vectors": vectors.name if vectors else None,
        "encoder": encoder,
        "training": dict(training or {}),
        "shots": shots,
        "limit": limit,
        "tactful": __version__,
    }
    return Reproduction(table, lines, tuple(notes), pairs, asked)


def _data_notes(corpus: Corpus) -> list[str]:
    """Say which release was read, and what was left out of it."""
    notes = [f"Data: {' '.join(map(str.strip, corpus.verify().lines()))}"]
    if corpus.log.rows_left_out:
        notes.append(f"{counted(corpus.log.rows_left_out, 'row')} of the files could not be used.")
    return notes


def _embedded_note(protocol: Protocol, rows: Iterable[Row]) -> str:
    texts = {text for problem in protocol.problems for text in _measured_texts(problem)}
    kept = len(unseen_places(sorted(texts)))
    return unseen_note([row.name for row in rows if row.embedded], kept, len(texts))


def _measured_texts(problem: Problem) -> Iterator[str]:
    return (problem.data.texts[at] for part in problem.parts for at in part.test)


def _parts_of(row: Row, problem: Problem, settings: RowSettings) -> tuple[Part, ...]:
    """Return what a row is fitted on and measured on; what is trained already has no folds."""
    if row.learns_from is not None:
        return tuple(_smaller(part, row.learns_from, settings.seed) for part in problem.parts)
    if not row.ready and not row.chat:
        return problem.parts
    places = np.sort(np.concatenate([part.test for part in problem.parts]))
    if row.chat:
        rng = np.random.default_rng(settings.seed)
        drawn = np.sort(rng.permutation(places)[: settings.limit or LIMIT])
        # Where folds are measured, all other texts may be examples; else the training part.
        folds = len(problem.parts) > 1
        others = places if folds else problem.parts[0].train
        return _pieces("chat", np.setdiff1d(others, drawn), drawn, ASKED_AT_ONCE)
    if row.embedded:
        places = places[unseen_places([problem.data.texts[at] for at in places])]
    if not places.size:
        raise UsageError(
            "no text of this part is one that the embedded detectors did not learn from"
        )
    return _pieces("ready", np.zeros(0, dtype=np.int64), places, SCORED_AT_ONCE)


def _pieces(name: str, train: Places, test: Places, size: int) -> tuple[Part, ...]:
    """Cut what is measured: each piece is kept when it is done, and all are measured together."""
    starts = range(0, len(test), size)
    return tuple(Part(f"{name} {at}", train, test[at : at + size]) for at in starts)


def _smaller(part: Part, size: int, seed: int) -> Part:
    """Return a part that learns from fewer texts; each size holds the texts of the smaller ones."""
    if size > len(part.train):
        raise UsageError(
            f"there are {len(part.train):,} texts to learn from; expected at least {size:,}"
        )
    drawn = np.random.default_rng(seed).permutation(part.train)[:size]
    return replace(part, train=np.sort(drawn))


def _row_lines(
    row: Row,
    table: PaperTable,
    protocol: Protocol,
    settings: RowSettings,
    choices: Choices,
    cache: ResultCache,
    on_progress: OnProgress,
) -> Iterator[Line]:
    """Yield what was measured of a row, label by label."""
    parts = [_parts_of(row, problem, settings) for problem in protocol.problems]
    total = sum(map(len, parts))
    done = 0
    on_progress(row.title, done, total)
    for problem, chosen in zip(protocol.problems, parts, strict=True):
        results = []
        asked = replace(settings, labels=problem.data.labels)
        make, key = partial(row.make, asked), _key(row, asked)
        for result in run_parts(make, problem.data, chosen, cache, key):
            results.append(result)
            done += 1
            on_progress(row.title, done, total)
        if row.ready or row.chat:
            results = [joined(results)]
        for at in range(len(problem.data.labels)):
            line = _measure(table, problem, at, results, choices)
            answers = row_answers(problem.data, at, results)
            shares = problem.shares[list(answers.ids), at]
            soft = None
            if ((shares > 0) & (shares < 1)).any():
                soft = soft_measures(shares, answers.probabilities)
            yield replace(line, answers=answers, soft=soft)


def _key(row: Row, settings: RowSettings) -> dict[str, Any]:
    """Return all that a result depends on beside the data and the part."""
    made = row.make(settings)
    parameters: dict[str, Any] = getattr(made, "get_params", dict)()
    file = settings.vectors_file
    state = None if file is None else (file.name, file.stat().st_size, file.stat().st_mtime_ns)
    return {
        "tactful": __version__,
        "model": type(made).__name__,
        "parameters": {k: v for k, v in parameters.items() if k != "vectors"},
        "vectors": state if "vectors" in parameters else None,
    }


def _measure(
    table: PaperTable,
    problem: Problem,
    column: int,
    results: Sequence[PartResult],
    choices: Choices,
) -> Line:
    """Measure one label on every part and take the mean."""
    label = problem.data.labels[column]
    judged = (problem.judged or {}).get(label)
    if "auc" in table.metrics and judged is not None:
        return _against_humans(problem, column, results, judged, choices)
    per_part: list[Values] = []
    for result in results:
        gold = problem.data.table[result.test, column]
        if "auc" in table.metrics:
            auc = roc_auc_score(gold, result.probabilities[:, column]).value
            # A fold without both classes has no AUC; the mean is over the others.
            per_part += [] if auc is None else [{"auc": auc}]
            continue
        guess = result.predicted[:, column]
        measures = {"precision": precision_score, "recall": recall_score, "f1": f1_score}
        # 0 for what is undefined, as scikit-learn has it, which the papers used.
        per_part.append(
            {name: float(score(gold, guess, undefined=0.0)) for name, score in measures.items()}
        )
    line = Line(label, problem.measured)
    if not per_part:
        return replace(line, reason="no part has both classes")
    mean = {n: _PERCENT * float(np.mean([p[n] for p in per_part])) for n in table.metrics}
    spread = {n: _PERCENT * float(np.std([p[n] for p in per_part])) for n in table.metrics}
    return replace(line, ours=mean, spread=spread if len(per_part) > 1 else None)


def _against_humans(
    problem: Problem,
    column: int,
    results: Sequence[PartResult],
    judged: Judged,
    choices: Choices,
) -> Line:
    """Measure as table 3 of Price et al.: the truth is what all but one annotator said."""
    scores = {
        problem.data.ids[at]: float(value)
        for result in results
        for at, value in zip(result.test, result.probabilities[:, column], strict=True)
    }
    label = problem.data.labels[column]
    return _auc_line(label, problem, _human_model(label, judged, scores, choices))


def _auc_line(label: str, problem: Problem, found: Measure | None) -> Line:
    if found is None or found.value is None:
        reason = "the answers have one class only" if found is None else found.reason
        return Line(label, problem.measured, reason=reason)
    return Line(label, problem.measured, ours={"auc": _PERCENT * found.value})


def _human_model(label: str, judged: Judged, scores: dict[str, float], choices: Choices) -> Measure:
    """Measure a model and a held-out annotator, by the authors' notebook unless asked otherwise."""
    # The notebook takes a mean above 0.5 as yes, and asks about "healthy": a tie is no there, and
    # yes for its opposite.
    tie_is_yes = choices.trust_weighted or label == _INVERTED
    return human_model_auc_score(
        judged.item,
        judged.annotator,
        judged.answer,
        scores,
        trust=judged.trust if choices.trust_weighted else None,
        ties="positive" if tie_is_yes else "negative",
        seed=choices.seed,
    )


def _human(protocol: Protocol, choices: Choices) -> list[Line] | str:
    """Measure the held-out annotators, which do not depend on a model."""
    found = []
    for problem in protocol.problems:
        if problem.judged is None:
            return "needs the single judgements: unhealthy_full.csv beside the comments"
        for label, judged in problem.judged.items():
            scores = dict.fromkeys(judged.item, 0.0)
            human = _human_model(label, judged, scores, choices).parts.get("human")
            known = None if human is None or human.value is None else human
            found.append(_auc_line(label, problem, known))
    return found


def _lines(
    table: PaperTable,
    protocol: Protocol,
    found: dict[str, list[Line] | str],
    choices: Choices,
    rows: Mapping[str, Row],
) -> Iterator[Line]:
    """Yield the paper's rows, each beside ours, then the rows that only we have."""
    if any(row.model == HUMAN for row in table.rows):
        found = {**found, HUMAN: _human(protocol, choices)}
    shown = set()
    for row in table.rows:
        shown.add(row.model)
        answer = found.get(row.model, _why_absent(row.model))
        for label in table.labels:
            numbers = row.values.get(label)
            paper = None if numbers is None else dict(zip(table.metrics, numbers, strict=True))
            ours = _of(answer, label, row.part)
            part = row.part or ours.part
            yield replace(ours, model=row.model, name=row.name, part=part, paper=paper)
    for name, answer in found.items():
        if name not in shown:
            alone = [_of(answer, label) for label in table.labels]
            for each in alone if isinstance(answer, str) else answer:
                yield replace(each, model=name, name=rows[name].title)


def _of(answer: list[Line] | str, label: str, part: str | None = None) -> Line:
    if isinstance(answer, str):
        return Line(label, part, reason=answer)
    fitting = (each for each in answer if each.label == label and part in (None, each.part))
    return next(fitting, Line(label, part, reason="not in this data"))


def _why_absent(model: str) -> str:
    row = ROWS.get(model)
    if row is None:
        return "writes whole frames; it is no row of this ladder"
    needs = f"; needs {row.needs}" if row.needs else ""
    return f"not asked for: --models {model}{needs}"


def _line_json(line: Line) -> dict[str, Any]:
    whose = ("ours", "spread", "difference")
    return {
        **{name: getattr(line, name) for name in ("model", "name", "label", "part", "paper")},
        **{name: _rounded(getattr(line, name)) for name in whose},
        "texts": None if line.answers is None else len(line.answers.ids),
        "soft": line.soft,
        "reason": line.reason,
    }


def _rounded(values: Values | None) -> Values | None:
    return None if values is None else {name: round(value, 4) for name, value in values.items()}
