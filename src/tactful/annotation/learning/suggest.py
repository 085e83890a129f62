"""The answers that a detector suggests to the questions of a protocol.

A question gets a suggestion where the detector scores its id or those of its options, as a detector
does that was trained on the project, or an embedded one on a protocol of the same taxonomy.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tactful.annotation.learning.targets import Target, targets_of
from tactful.annotation.project.exchange import NewSuggestion
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.records import Question, Step
from tactful.annotation.state.items import Item
from tactful.annotation.state.votes import SINGLE
from tactful.detectors.base import Detector
from tactful.errors import UsageError

_AT_ONCE = 500
_WANTED = ("open", "waiting")


def suggest_with(
    project: Project,
    detector: Detector,
    source: str,
    step: str | None = None,
    *,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> dict[str, list[NewSuggestion]]:
    """Return what a detector suggests for the items that need judgements, by item.

    Hidden tests get suggestions as well: without one, a test would be recognisable.

    Parameters
    ----------
    project
        The project; nothing is recorded.
    detector
        The detector.
    source
        Its name, which is recorded with each suggestion.
    step
        The step; by default all steps of annotators.
    on_progress
        Called with the number of items that were read, and of all that are to be read.

    """
    steps = [
        each
        for each in project.protocol.steps
        if each.role == "annotator" and step in (None, each.id)
    ]
    known = set(detector.card.ids)
    able = {each.id: _questions(each, known) for each in steps}
    if not any(able.values()):
        asked = [target.id for each in steps for target in targets_of(each)]
        raise UsageError(
            f"The detector '{source}' scores {_some(detector.card.ids)}; expected an id that the "
            f"project asks about: {_some(asked)}; name a detector for them with --model."
        )
    with project.lock:
        items = [
            item
            for item in project.state.items.values()
            if item.is_test or any(item.steps[each.id].status in _WANTED for each in steps)
        ]
    found: dict[str, list[NewSuggestion]] = {}
    for start in range(0, len(items), _AT_ONCE):
        part = items[start : start + _AT_ONCE]
        scores = detector.score([item.text for item in part])
        for at, item in enumerate(part):
            own = {name: float(scores[name][at]) for name in scores}
            found[item.id] = [
                NewSuggestion(each.id, answers, source)
                for each in steps
                if (answers := _answers(able[each.id], detector, item, own))
            ]
        on_progress(start + len(part), len(items))
    return {name: given for name, given in found.items() if given}


def without_suggestion(project: Project) -> dict[str, int]:
    """Return how many hidden tests of each step lack a suggestion that other items have.

    Nobody is shown a suggestion in such a step: the tests would be recognisable.
    """
    state = project.state
    missing = {
        step: sum(state.suggestions.of(test, step) is None for test in state.tests(step))
        for step in sorted(state.suggestions.steps)
    }
    return {step: count for step, count in missing.items() if count}


_Able = list[tuple[Question, list[Target]]]


def _questions(step: Step, known: set[str]) -> _Able:
    """Return the questions that the detector can answer, with the targets that it scores."""
    found: _Able = []
    for question in step.questions:
        targets = [each for each in targets_of(step) if each.question == question.id]
        scored = [target for target in targets if target.id in known]
        # One of several options without an order is chosen only if all of them are scored.
        if scored and (question.kind not in SINGLE or len(scored) == len(targets)):
            found.append((question, scored))
    return found


def _answers(
    able: _Able, detector: Detector, item: Item, scores: Mapping[str, float]
) -> dict[str, Any]:
    card = detector.card
    found: dict[str, Any] = {}
    for question, targets in able:
        if any(scores[target.id] != scores[target.id] for target in targets):
            continue  # the detector has no score for this text
        likely = [
            target.id for target in targets if scores[target.id] >= card.report_threshold(target.id)
        ]
        if question.kind == "spans":
            answer: Any = _spans(detector, item.text, likely) if likely else None
        elif question.kind == "choices":
            answer = likely
        elif len(targets) == 1:
            name = targets[0].id
            place = _placed(scores[name], card.report_threshold(name))
            answer = _nearest(targets[0], place)
        else:
            best = max(targets, key=lambda target: scores[target.id])
            answer = max(best.numbers, key=lambda value: best.numbers[value])
        if answer:
            found[question.id] = answer
    return found


def _spans(detector: Detector, text: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"start": span.start, "end": span.end, "value": finding.id}
        for finding in detector.check(text).findings
        if finding.id in ids
        for span in finding.spans
        if span.start < span.end
    ]


def _placed(probability: float, threshold: float) -> float:
    """Return a probability with the threshold moved to one half."""
    if probability < threshold:
        return 0.5 * probability / threshold
    return 0.5 + 0.5 * (probability - threshold) / (1 - threshold) if threshold < 1 else 1.0


def _nearest(target: Target, place: float) -> str:
    # Of two that are equally near, the one further towards yes: the threshold is reached.
    numbers = target.numbers
    return min(numbers, key=lambda value: (abs(numbers[value] - place), -numbers[value]))


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:8])
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown or "nothing"
