"""Read the steps of a protocol file."""

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from tactful.annotation.protocol.questions import read_questions
from tactful.annotation.protocol.records import Entry, Question, Role, Step
from tactful.annotation.protocol.schema import Part, shown

COMBINE = ("majority", "trust_weighted", "dpm_scale", "union", "referee")
FIVE_POINTS = ("0", "1", "2", "3", "4")
"""The labels that ``dpm_scale`` makes of two answers from 0 to 2."""

_ROLES: tuple[Role, ...] = get_args(Role)
_RULES: tuple[Literal["label", "disputed"], ...] = ("label", "disputed")


def read_steps(part: Part, lang: str) -> tuple[Step, ...]:
    """Read the steps of a protocol."""
    found: dict[str, Step] = {}
    for each in part.parts("steps", "step", required=True):
        each.add_once(found, _step(each, lang, found))
    return tuple(found.values())


def _step(part: Part, lang: str, before: dict[str, Step]) -> Step:
    part.allow(Step)
    step = Step(
        id=part.id(),
        title=part.text("title", None),
        questions=read_questions(part, "questions", lang),
        role=part.one_of("role", _ROLES, "annotator"),
        judgements=part.whole("judgements", 3, 1, 100) or 3,
        most=part.whole("most", None, 1, 100),
        confidence=part.number("confidence", None, 0.0, 1.0),
        combine=part.one_of("combine", COMBINE, "majority"),
        entry=_entry(part, before),
        context=part.texts("context"),
    )
    _check_judgements(part, step)
    _check_combine(part, step)
    return step


def _check_judgements(part: Part, step: Step) -> None:
    if step.most is not None and step.most < step.judgements:
        part.problem(
            "most",
            f"{step.most} as 'most'",
            f"at least {step.judgements}, as 'judgements' says",
            "correct one of them",
        )
    if (step.most is None) != (step.confidence is None):
        given, missing = ("most", "confidence") if step.most else ("confidence", "most")
        part.problem(
            given,
            f"'{given}' without '{missing}'",
            "both or none",
            f"add '{missing}' or remove '{given}'",
        )


def _check_combine(part: Part, step: Step) -> None:
    kinds = [question.kind for question in step.questions]
    if step.combine == "union" and "spans" not in kinds:
        part.problem(
            "combine", "'union'", "'union' in a step that asks for spans", "choose another way"
        )
    if step.combine == "referee" and step.judgements != 1:
        part.problem(
            "combine",
            f"'referee' with {step.judgements} judgements",
            "the judgement of one referee",
            "write 'judgements: 1'",
        )
    if step.combine == "dpm_scale":
        scales = [
            {option.value for option in question.options}
            for question in step.questions
            if question.kind == "scale"
        ]
        if step.judgements != 2 or {"0", "1", "2"} not in scales:
            part.problem(
                "combine",
                "'dpm_scale'",
                "two judgements of a scale with the options '0', '1' and '2'",
                "correct the step or choose another way",
            )


def _entry(part: Part, before: dict[str, Step]) -> Entry | None:
    given = part.part("entry")
    if given is None:
        return None
    given.allow(Entry)
    entry = Entry(
        given.text("step", None),
        given.one_of("rule", _RULES),
        given.text("question", None),
        given.texts("values"),
    )
    step = before.get(entry.step)
    if step is None:
        if entry.step:
            given.problem(
                "step",
                f"the step '{entry.step}'",
                f"a step before this one: {_names(before)}",
                "correct the name",
            )
        return entry
    question = next((each for each in step.questions if each.id == entry.question), None)
    if question is None:
        if entry.question:
            ids = [each.id for each in step.questions]
            given.problem(
                "question",
                f"the question '{entry.question}'",
                f"one of the step '{step.id}': {_names(ids)}",
                "correct the name",
            )
        return entry
    _check_entry_values(given, entry, step, question)
    return entry


def _check_entry_values(part: Part, entry: Entry, step: Step, question: Question) -> None:
    known = tuple(option.value for option in question.options)
    if not known:
        part.problem(
            "question", f"free text '{question.id}'", "a question with options", "choose another"
        )
        return
    if entry.rule == "label":
        if step.combine == "dpm_scale" and question.kind == "scale":
            known = FIVE_POINTS
        if not entry.values:
            part.problem("values", "no 'values'", "the labels that enter this step", "add them")
        wrong = [value for value in entry.values if value not in known]
        shape = f"one of the labels {_names(known)}"
    else:
        wrong = [value for value in entry.values if not _is_pair(value, known)]
        shape = f"two different answers such as '{known[0]},{known[-1]}', of {_names(known)}"
    for value in wrong:
        part.problem("values", shown(value), shape, "correct it")


def _is_pair(value: str, known: Sequence[str]) -> bool:
    pair = [each.strip() for each in value.split(",")]
    return len(pair) == 2 and pair[0] != pair[1] and all(each in known for each in pair)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "there is none"
