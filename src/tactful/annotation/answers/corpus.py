"""The judgements of a corpus as answers to the questions of a protocol.

Both use the ids of the taxonomies; what only one of them has is counted as lost. Answers that
belong together (the rows of group and statement in SBIC) stay together.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tactful.annotation.answers.answers import check_answers
from tactful.annotation.formats.losses import Loss, Lost, as_losses
from tactful.annotation.project.exchange import NewAnswer
from tactful.annotation.protocol.records import Protocol, Question, Step
from tactful.errors import InputError
from tactful.types import Example, Judgement

_NEAR = 0.01
"""Some files have rounded scores (0.33, 0.66)."""
_NOT_ASKED = "the protocol does not ask it"
_NO_OPTION = "it is not one of the options"
_TWICE = "the same person gave a different one"
_OUT_OF_PLACE = "the question does not apply, given the answers before it"
_ALONE = "it is unclear which answer they belong to"
_WRONG = "an answer does not fit its question"


class CorpusAnswers:
    """Turns the judgements of examples into answers, and counts what is lost."""

    def __init__(self, protocol: Protocol):
        self.protocol = protocol
        self.lost: Lost = Counter()
        self._traits: set[str] = set()
        self._asked: dict[str, tuple[Step, Question]] = {}
        self._options: dict[str, tuple[Step, Question]] = {}
        for step in protocol.steps:
            for question in step.questions if step.role == "annotator" else ():
                self._asked.setdefault(question.id, (step, question))
                for option in question.options if question.kind == "choices" else ():
                    self._options.setdefault(option.value, (step, question))

    def of(self, example: Example) -> tuple[NewAnswer, ...]:
        """Return what each annotator said about a text."""
        people: dict[str, list[Judgement]] = {}
        for judgement in example.judgements:
            people.setdefault(judgement.annotator, []).append(judgement)
        self._traits.update(name for name, traits in example.traits.items() if traits)
        found = []
        for person, given in people.items():
            answers = [
                NewAnswer(person, step, each)
                for step, each in self._answers(given, example.text).items()
            ]
            trusted = any(judgement.trust is not None for judgement in given)
            self.lost["trust of judgements", "a project computes its own"] += bool(
                answers and trusted
            )
            found += answers
        return tuple(found)

    def losses(self) -> list[Loss]:
        """Return what was lost, how often, and why."""
        why = "people state their traits themselves when they consent"
        return as_losses({**self.lost, ("people's traits", why): len(self._traits)})

    def _answers(self, given: Iterable[Judgement], text: str) -> dict[str, dict[str, Any]]:
        """Return the answers of one person by step."""
        answers: dict[str, dict[str, Any]] = {}
        rows: dict[int | None, dict[str, str]] = {}
        for judgement in given:
            name, label = judgement.question, judgement.label
            if label is None:
                continue
            if name in self._asked:
                step, question = self._asked[name]
                if question.kind in ("choice", "scale") and question.per is None:
                    self._choose(answers.setdefault(step.id, {}), question, judgement)
                else:
                    rows.setdefault(judgement.row, {})[name] = label
            elif name in self._options:
                step, question = self._options[name]
                chosen = answers.setdefault(step.id, {}).setdefault(question.id, [])
                if judgement.value:
                    chosen.append(name)
            else:
                self.lost[f"answers to '{name}'", _NOT_ASKED] += 1
        for row in rows.values():
            self._write(answers, row)
        cleaned = {step: self._cleaned(step, each, text) for step, each in answers.items()}
        return {step: each for step, each in cleaned.items() if each}

    def _choose(self, answers: dict[str, Any], question: Question, judgement: Judgement) -> None:
        value = _option(question, judgement)
        if value is None:
            self.lost[f"answers to '{question.id}'", _NO_OPTION] += 1
        elif answers.setdefault(question.id, value) != value:
            self.lost[f"answers to '{question.id}'", _TWICE] += 1

    def _write(self, answers: dict[str, dict[str, Any]], row: Mapping[str, str]) -> None:
        """Take what somebody wrote in one row."""
        for name, words in row.items():
            step, question = self._asked[name]
            here = answers.setdefault(step.id, {})
            if question.per is None and question.kind in ("choices", "texts"):
                here.setdefault(name, []).append(words)
            elif question.per is None:
                if here.setdefault(name, words) != words:
                    self.lost[f"answers to '{name}'", _TWICE] += 1
            elif question.per in row:
                here.setdefault(name, {}).setdefault(row[question.per], []).append(words)
            else:
                self.lost[f"answers to '{name}'", _ALONE] += 1

    def _cleaned(self, step: str, answers: dict[str, Any], text: str) -> dict[str, Any]:
        """Return the answers that can be kept; the others are counted."""
        rule = self.protocol.step(step)
        try:
            cleaned = check_answers(rule, answers, text, loose=True)
        except InputError:
            self.lost["judgements", _WRONG] += 1
            return {}
        for name, given in answers.items():
            # Files say no where a question was not asked; nothing is lost.
            if name not in cleaned and given and not _is_no(rule.question(name), given):
                self.lost[f"answers to '{name}'", _OUT_OF_PLACE] += 1
        return cleaned


def _option(question: Question, judgement: Judgement) -> str | None:
    """Return the option of an answer, by value, name or score."""
    label = str(judgement.label).casefold()
    for option in question.options:
        if label in (option.value.casefold(), option.name.casefold()):
            return option.value
    for option in question.options:
        known = option.score is not None and judgement.value is not None
        if known and abs(option.score - judgement.value) < _NEAR:  # type: ignore[operator]
            return option.value
    return None


def _is_no(question: Question, given: Any) -> bool:
    return any(option.value == given and option.score == 0 for option in question.options)
