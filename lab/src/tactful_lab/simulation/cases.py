"""The ground truth of a simulation: items with known right answers and a difficulty.

Right answers are drawn from rates (question -> option -> share of the items), by default those of
the papers, or read from a file (:mod:`tactful_lab.simulation.cases`). Questions are
independent of each other, apart from the conditions of the protocol.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

import yaml

from tactful.annotation.answers.answers import check_answers
from tactful.annotation.protocol.records import Protocol, Question, Step
from tactful.annotation.state.votes import applies
from tactful.errors import FileFormatError, InputError, UsageError
from tactful.files import csv_rows, json_lines, open_text

Rates = Mapping[str, Mapping[str, float]]
"""Question -> option -> share of the items with it, among those that are asked the question; for
``spans`` the mean number of such pieces."""
_CLEAR = 0.1
"""Mean difficulty of tests, "clear and definitive examples" (Price et al. 2020, section 3);
ordinary items have 1."""
_SHAPE = 2.0
"""Shape of the gamma distribution of difficulty, whose mean is 1."""
_GOLD_QUESTIONS = 3
"""Number of questions that a test checks."""
_MOST_TEXTS = 2
TEXT = " ".join(["word"] * 30)
"""The text of every drawn item."""


@dataclass(frozen=True, slots=True)
class Case:
    """One item and the truth about it."""

    id: str
    text: str
    truth: Mapping[str, Any]
    """Question -> right answer, of all steps; questions that do not apply are absent."""
    difficulty: float = 1.0
    """0: everybody who reads is right; 1: right with the probability of their skill."""
    gold: Mapping[str, Any] | None = None
    """The right answers of a hidden test."""


def published_rates(protocol: Protocol) -> Rates:
    """Return the rates of the protocol's paper; empty for any other protocol."""
    text = (resources.files(__package__) / "rates.yaml").read_text(encoding="utf-8")
    known: dict[str, Rates] = yaml.safe_load(text)
    return known.get(protocol.id, {})


def complete_rates(protocol: Protocol, given: Rates) -> dict[str, dict[str, float]]:
    """Return a rate for each option of each question; options without one share the rest."""
    questions = [question for step in protocol.steps for question in step.questions]
    unknown = sorted(set(given) - {question.id for question in questions})
    if unknown:
        raise UsageError(
            f"Found rates for '{unknown[0]}'; expected a question of the protocol "
            f"'{protocol.id}': {', '.join(question.id for question in questions)}."
        )
    return {question.id: _complete(question, given.get(question.id, {})) for question in questions}


def _complete(question: Question, given: Mapping[str, float]) -> dict[str, float]:
    values = [option.value for option in question.options]
    unknown = [value for value in given if value not in values]
    if unknown:
        raise UsageError(
            f"Question '{question.id}': found a rate for '{unknown[0]}'; expected one of "
            f"{', '.join(values) or 'no option'}."
        )
    several = question.kind in ("choices", "spans")
    top = None if question.kind == "spans" else 1.0
    total = sum(given.values())
    for value, share in given.items():
        if share < 0 or (top is not None and share > top):
            raise UsageError(
                f"Question '{question.id}': found the rate {share:g} for '{value}'; expected a "
                "share between 0 and 1."
            )
    if not several and total > 1 + 1e-9:
        raise UsageError(
            f"Question '{question.id}': found rates that add up to {total:g}; expected 1 at most."
        )
    if not values:
        return {}
    missing = [value for value in values if value not in given]
    rest = 1 / len(values) if several else (1 - total) / max(len(missing), 1)
    return {value: given.get(value, rest) for value in values}


def draw_cases(protocol: Protocol, rates: Rates, items: int, rng: Random) -> list[Case]:
    """Draw items with their answers and difficulty."""
    drawn = []
    for number in range(1, items + 1):
        truth = draw_truth(protocol, rates, rng)
        difficulty = rng.gammavariate(_SHAPE, 1 / _SHAPE)
        drawn.append(Case(f"item-{number:06d}", TEXT, truth, difficulty))
    return drawn


def draw_tests(protocol: Protocol, rates: Rates, tests: int, rng: Random) -> list[Case]:
    """Draw hidden tests: clear cases whose right answers are never all the same."""
    if not tests:
        return []
    questions = _testable(protocol)
    drawn = []
    for number in range(1, tests + 1):
        asked = rng.sample(questions, min(_GOLD_QUESTIONS, len(questions)))
        wanted = {}
        for place, question in enumerate(asked):
            nothing = neutral(question, rates)
            others = [option.value for option in question.options if option.value != nothing]
            # One positive and one negative, so that a constant answer is never right.
            rare = place == 0 or (place > 1 and rng.random() < 1 / 2)
            wanted[question.id] = rng.choice(others) if rare and others else nothing
        truth = draw_truth(protocol, rates, rng, wanted)
        gold = {name: truth[name] for name in wanted}
        difficulty = _CLEAR * rng.gammavariate(_SHAPE, 1 / _SHAPE)
        drawn.append(Case(f"item-t{number:05d}", TEXT, truth, difficulty, gold))
    return drawn


def draw_truth(
    protocol: Protocol, rates: Rates, rng: Random, fixed: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the right answers to the questions of all steps that apply."""
    truth: dict[str, Any] = {}
    for step in protocol.steps:
        if not _comes_in(protocol, step, truth):
            continue
        for question in step.questions:
            if question.id in truth or not applies(question, truth):
                continue
            if fixed and question.id in fixed:
                truth[question.id] = fixed[question.id]
            elif question.per is None:
                truth[question.id] = _draw(question, rates[question.id], rng)
            elif given := truth.get(question.per):
                each = given if isinstance(given, list) else [given]
                truth[question.id] = {
                    answer: _draw(question, rates[question.id], rng) for answer in each
                }
    return truth


def _comes_in(protocol: Protocol, step: Step, truth: Mapping[str, Any]) -> bool:
    """Say whether an item with these right answers enters a step."""
    entry = step.entry
    if entry is None or entry.rule == "disputed":
        return True
    answer = truth.get(entry.question)
    if answer is not None and protocol.step(entry.step).combine == "dpm_scale":
        # Two right answers are the same: the label is their sum.
        return f"{2 * float(answer):g}" in entry.values
    given = answer if isinstance(answer, list) else [answer]
    return any(each in entry.values for each in given)


def _draw(question: Question, rates: Mapping[str, float], rng: Random) -> Any:
    if question.kind in ("choice", "scale"):
        return rng.choices(list(rates), list(rates.values()))[0] if rates else _some_text(rng)
    if question.kind == "choices" and rates:
        ticked = [value for value, share in rates.items() if rng.random() < share]
        if len(ticked) < question.least and not ticked:
            ticked = rng.choices(list(rates), list(rates.values()))
        return ticked[: question.most]
    if question.kind == "spans":
        return _draw_spans(rates, rng)
    if question.kind == "text":
        return _some_text(rng)
    least = max(question.least, 1)
    most = max(least, min(question.most or _MOST_TEXTS, _MOST_TEXTS))
    return [_some_text(rng) for _ in range(rng.randint(least, most))]


def _draw_spans(rates: Mapping[str, float], rng: Random) -> list[dict[str, Any]]:
    """Draw spans of each category, with its rate as the mean, and at least one in total."""
    named = [
        value
        for value, mean in rates.items()
        for _ in range(int(mean) + (rng.random() < mean - int(mean)))
    ]
    if not named and rates:
        named = rng.choices(list(rates), list(rates.values()))
    spans = {}
    for value in named:
        start, end = rng.choice(words(TEXT))
        spans[start, value] = {"start": start, "end": end, "value": value}
    return [spans[key] for key in sorted(spans)]


@lru_cache(maxsize=1024)
def words(text: str) -> list[tuple[int, int]]:
    """Return where each word of a text begins and ends."""
    return [match.span() for match in re.finditer(r"\S+", text)]


def _some_text(rng: Random) -> str:
    return f"statement {rng.randrange(1_000_000)}"


def neutral(question: Question, rates: Rates) -> str | None:
    """Return the neutral answer: "no", the lowest score, or the most common one.

    None if there are no options.
    """
    values = [option.value for option in question.options]
    if "no" in values or not values:
        return "no" if values else None
    scores = {each.value: each.score for each in question.options if each.score is not None}
    if len(scores) == len(values):
        return min(scores, key=scores.__getitem__)
    shares = rates[question.id]
    return max(values, key=shares.__getitem__)


def _testable(protocol: Protocol) -> Sequence[Question]:
    for step in protocol.steps:
        if step.role == "annotator":
            closed = [
                question
                for question in step.questions
                if question.kind in ("choice", "scale") and question.options and not question.when
            ]
            if closed:
                return closed
    raise UsageError(
        f"The protocol '{protocol.id}' has no single-choice question; simulated hidden "
        "tests need one."
    )


def random_for(seed: int, part: str) -> Random:
    """Return the random numbers of one part of a simulation.

    Parts are independent: one more item does not change the people.
    """
    return Random(f"{seed} {part}")  # noqa: S311 - nothing secret depends on it


_OWN = ("id", "text", "difficulty")


def read_rates(path: Path) -> Rates:
    """Read the rates of answers from a YAML file."""
    try:
        with open_text(path) as handle:
            data = yaml.safe_load(handle)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f", line {mark.line + 1}"
        problem = getattr(error, "problem", None) or "not readable"
        raise FileFormatError(
            f"{path}{line}: found a mistake ({problem}); expected YAML; correct it."
        ) from None
    if not isinstance(data, dict) or not all(isinstance(each, dict) for each in data.values()):
        raise FileFormatError(
            f"{path}: found no questions with options; expected "
            "'question: {option: share}' for each question."
        )
    rates: dict[str, dict[str, float]] = {}
    for question, shares in data.items():
        for option, share in shares.items():
            if isinstance(share, bool) or not isinstance(share, int | float):
                raise FileFormatError(
                    f"{path}: question '{question}': found {share!r} for '{option}'; expected a "
                    "number between 0 and 1."
                )
            rates.setdefault(str(question), {})[str(option)] = float(share)
    return rates


def read_cases(path: Path, protocol: Protocol) -> list[Case]:
    """Read items with their right answers from a CSV or JSONL file."""
    cases: dict[str, Case] = {}
    for line, row in _rows(path):
        case = _case(path, line, row, protocol, f"item-{len(cases) + 1:06d}")
        if case.id in cases:
            raise InputError(
                f"{path}, line {line}: found the id '{case.id}' again; expected each once."
            )
        cases[case.id] = case
    if not cases:
        raise FileFormatError(f"{path}: found no item; expected one row for each.")
    return list(cases.values())


def _case(path: Path, line: int, row: Mapping[str, Any], protocol: Protocol, name: str) -> Case:
    text = str(row.get("text") or TEXT)
    given = {
        key: value for key, value in row.items() if key not in _OWN and value not in (None, "")
    }
    truth: dict[str, Any] = {}
    known: set[str] = set()
    for step in protocol.steps:
        names = {question.id for question in step.questions}
        known |= names
        mine = {key: value for key, value in given.items() if key in names}
        if not mine:
            continue
        try:
            truth |= check_answers(step, mine, text)
        except InputError as error:
            raise InputError(f"{path}, line {line}: {error}") from None
    unknown = sorted(set(given) - known)
    if unknown:
        raise InputError(
            f"{path}, line {line}: found the column '{unknown[0]}'; expected "
            f"{', '.join(_OWN)} or a question of '{protocol.id}': {', '.join(sorted(known))}."
        )
    return Case(str(row.get("id") or name), text, truth, _difficulty(path, line, row))


def _difficulty(path: Path, line: int, row: Mapping[str, Any]) -> float:
    found = row.get("difficulty")
    if found in (None, ""):
        return 1.0
    try:
        value = float(str(found))
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise InputError(
            f"{path}, line {line}: found the difficulty {found!r}; expected a number, 0 or more."
        )
    return value


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if path.suffix.lower() != ".csv":
        yield from json_lines(path)
        return
    with open_text(path) as handle:
        rows = csv_rows(path, handle)
        _, header = next(rows, (1, []))
        for line, cells in rows:
            if len(cells) != len(header):
                raise FileFormatError(
                    f"{path}, line {line}: found {len(cells)} fields; expected {len(header)}, as "
                    "in the first line."
                )
            yield line, {name: _cell(value) for name, value in zip(header, cells, strict=True)}


def _cell(value: str) -> Any:
    """Parse a cell that holds a JSON list or mapping; anything else is text."""
    if value.startswith(("[", "{")):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def check_ground(path: Path) -> str:
    """Return ``rates`` or ``cases``, by the ending of the file."""
    ending = path.suffix.lower()
    if ending in (".yaml", ".yml"):
        return "rates"
    if ending in (".csv", ".jsonl"):
        return "cases"
    raise UsageError(
        f"{path}: found the ending '{path.suffix}'; expected .csv or .jsonl with the right answers "
        "of items, or .yaml with rates."
    )
