"""Load protocols by name or from the path of a file, with the line of every problem."""

import math
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from tactful.annotation.protocol.hotkeys import APP_KEYS, give_keys, is_key
from tactful.annotation.protocol.records import (
    Condition,
    Entry,
    Option,
    Protocol,
    Quality,
    Question,
    QuestionKind,
    Role,
    Step,
    WellBeing,
)
from tactful.annotation.protocol.schema import Part, open_protocol, quoted, shown
from tactful.annotation.protocol.wording import Words, list_names, named_list, words
from tactful.errors import FileFormatError
from tactful.files import atomic_path
from tactful.registry import Registry, data_file

_FOLDER = Path(__file__).parents[1] / "protocols"

PROTOCOLS: Registry[Path] = Registry(
    "protocol",
    {
        "pcl": _FOLDER / "pcl.yaml",
        "unhealthy": _FOLDER / "unhealthy.yaml",
        "frames": _FOLDER / "frames.yaml",
        "stereotypes": _FOLDER / "stereotypes.yaml",
    },
    group="protocols",
    accept=data_file,
)
"""The file of each protocol; its guideline is beside it."""

_LANG = re.compile(r"[a-z]{2,3}(-[A-Z]{2})?")
_GUIDELINE_FILE = re.compile(r"[\w-][\w.-]*\.md")
_MOST_GUIDELINE = 200_000
_LEASE = (1.0, 7 * 24 * 60.0)
"""Minimum and maximum in minutes."""


def load_protocol(name_or_path: str | os.PathLike[str]) -> Protocol:
    """Load a protocol by its name, or from the path of its YAML file."""
    if isinstance(name_or_path, str) and not _is_path(name_or_path):
        return _named(name_or_path)
    return read_protocol(Path(name_or_path))


def read_protocol(path: Path) -> Protocol:
    """Read a protocol from a YAML file; all problems are one error."""
    part = open_protocol(path)
    part.allow(Protocol)
    lang = part.text("lang", None)
    if lang and not _LANG.fullmatch(lang):
        part.problem(
            "lang", f"{shown(lang)} as 'lang'", "a language such as 'en' or 'es'; correct it"
        )
    protocol = Protocol(
        id=part.id(),
        name=part.text("name", None),
        version=part.text("version", None),
        lang=lang,
        summary=part.text("summary", None),
        source=part.text("source", None),
        steps=read_steps(part, lang),
        guideline=_guideline(part, path),
        quality=_quality(part),
        wellbeing=_wellbeing(part),
        traits=_traits(part, lang),
        lease_minutes=part.number("lease_minutes", 30.0, *_LEASE) or 30.0,
        data=part.data,
    )
    part.notes.raise_if_any()
    return protocol


def copy_protocol(name_or_path: str | os.PathLike[str], path: Path) -> Path:
    """Copy a protocol to ``path``, with its guideline beside it, and return ``path``.

    A file with problems is not copied.
    """
    load_protocol(name_or_path)
    is_name = isinstance(name_or_path, str) and not _is_path(name_or_path)
    source = PROTOCOLS.get(str(name_or_path)) if is_name else Path(name_or_path)
    guideline = open_protocol(source).data.get("guideline", "")
    if _GUIDELINE_FILE.fullmatch(str(guideline).strip()):
        name = str(guideline).strip()
        with atomic_path(path.parent / name) as temporary:
            temporary.write_bytes((source.parent / name).read_bytes())
    with atomic_path(path) as temporary:
        temporary.write_bytes(source.read_bytes())
    return path


@cache
def _named(name: str) -> Protocol:
    return read_protocol(PROTOCOLS.get(name))


def _is_path(name: str) -> bool:
    return name.lower().endswith((".yaml", ".yml")) or "/" in name or os.sep in name


def _guideline(part: Part, path: Path) -> str:
    """Return the guideline as Markdown, from the file itself or one beside it."""
    text = part.text("guideline")
    if "\n" in text or not text.endswith(".md"):
        return text
    beside = path.parent / text
    try:
        if not _GUIDELINE_FILE.fullmatch(text):
            raise FileNotFoundError
        with beside.open(encoding="utf-8-sig") as file:
            found = file.read(_MOST_GUIDELINE + 1)
    except (OSError, UnicodeDecodeError):
        part.problem(
            "guideline",
            f"the guideline {shown(text)}",
            "the name of a file with UTF-8 text in the folder of the protocol; put it there or "
            "correct the name",
        )
        return ""
    if len(found) > _MOST_GUIDELINE:
        raise FileFormatError(
            f"{beside}: found more than {_MOST_GUIDELINE:,} characters; expected a "
            "readable page; shorten it."
        )
    return found


def _quality(part: Part) -> Quality:
    given = part.part("quality")
    if given is None:
        return Quality()
    given.allow(Quality)
    quality = Quality(
        page=given.whole("page", 1, 1, 100) or 1,
        tests=given.whole("tests", 0, 0, 99) or 0,
        least_trust=given.number("least_trust", None, 0.0, 1.0),
        least_tests=given.whole("least_tests", 5, 1, 1000) or 5,
        rows_remain_finalized=given.flag("rows_remain_finalized", False),
    )
    page_is_known = isinstance(given.data.get("page", 1), int)
    if page_is_known and 0 < quality.tests >= quality.page:
        given.problem(
            "tests",
            f"{quality.tests} tests on a page of {quality.page}",
            "fewer tests than items on a page; correct one of them",
        )
    if quality.least_trust is not None and not quality.tests:
        given.problem(
            "least_trust",
            "'least_trust' without tests",
            "hidden tests that trust is measured by; add 'tests' or remove it",
        )
    return quality


def _wellbeing(part: Part) -> WellBeing:
    given = part.part("wellbeing")
    if given is None:
        return WellBeing()
    given.allow(WellBeing)
    return WellBeing(
        consent=given.text("consent"),
        blur=given.flag("blur", True),
        most_per_day=given.whole("most_per_day", None, 1),
        break_after=given.whole("break_after", None, 1, 24 * 60),
        help=given.text("help"),
    )


def _traits(part: Part, lang: str) -> tuple[Question, ...]:
    traits = read_questions(part, "traits", lang, required=False)
    for place, trait in enumerate(traits):
        if trait.required:
            part.notes.add(
                ("traits", place, "required"),
                f"the trait '{trait.id}' as required",
                "an optional trait; remove 'required'",
            )
        if trait.kind == "spans":
            part.notes.add(
                ("traits", place, "kind"),
                f"spans for the trait '{trait.id}'",
                "a question about a person; choose another kind",
            )
    return traits


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
            f"at least {step.judgements}, as 'judgements' says; correct one of them",
        )
    if (step.most is None) != (step.confidence is None):
        given, missing = ("most", "confidence") if step.most else ("confidence", "most")
        part.problem(
            given,
            f"'{given}' without '{missing}'",
            f"both or none; add '{missing}' or remove '{given}'",
        )


def _check_combine(part: Part, step: Step) -> None:
    kinds = [question.kind for question in step.questions]
    if step.combine == "union" and "spans" not in kinds:
        part.problem(
            "combine", "'union'", "'union' in a step that asks for spans; choose another way"
        )
    if step.combine == "referee" and step.judgements != 1:
        part.problem(
            "combine",
            f"'referee' with {step.judgements} judgements",
            "the judgement of one referee; write 'judgements: 1'",
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
                "two judgements of a scale with the options '0', '1' and '2'; correct the step or "
                "choose another way",
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
                f"a step before this one: {_names(before)}; correct the name",
            )
        return entry
    question = next((each for each in step.questions if each.id == entry.question), None)
    if question is None:
        if entry.question:
            ids = [each.id for each in step.questions]
            given.problem(
                "question",
                f"the question '{entry.question}'",
                f"one of the step '{step.id}': {_names(ids)}; correct the name",
            )
        return entry
    _check_entry_values(given, entry, step, question)
    return entry


def _check_entry_values(part: Part, entry: Entry, step: Step, question: Question) -> None:
    known = tuple(option.value for option in question.options)
    if not known:
        part.problem(
            "question", f"free text '{question.id}'", "a question with options; choose another"
        )
        return
    if entry.rule == "label":
        if step.combine == "dpm_scale" and question.kind == "scale":
            known = FIVE_POINTS
        if not entry.values:
            part.problem("values", "no 'values'", "the labels that enter this step; add them")
        wrong = [value for value in entry.values if value not in known]
        shape = f"one of the labels {_names(known)}"
    else:
        wrong = [value for value in entry.values if not _is_pair(value, known)]
        shape = f"two different answers such as '{known[0]},{known[-1]}', of {_names(known)}"
    for value in wrong:
        part.problem("values", shown(value), f"{shape}; correct it")


def _is_pair(value: str, known: Sequence[str]) -> bool:
    pair = [each.strip() for each in value.split(",")]
    return len(pair) == 2 and pair[0] != pair[1] and all(each in known for each in pair)


KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)
_WITH_OPTIONS = ("choice", "choices", "scale", "spans")
_LISTS = ("choices", "spans", "texts")
_ONLY_FOR = {"open": ("choice", "choices"), "gaps": ("spans",), "least": _LISTS, "most": _LISTS}
_LARGEST_SCORE = 1e9
_NUMBER = re.compile(r"-?\d{1,6}(\.\d{1,6})?")


def read_questions(part: Part, key: str, lang: str, required: bool = True) -> tuple[Question, ...]:
    """Read a list of questions; ``required`` is the default of their field."""
    found: dict[str, Question] = {}
    for each in part.parts(key, "question" if key == "questions" else "trait", required=required):
        each.add_once(found, _question(each, lang, found, required))
    questions = list(found.values())
    _check_keys(part, key, questions)
    # Traits have a page of their own and need no keys.
    return give_keys(questions) if key == "questions" else tuple(questions)


def _question(part: Part, lang: str, before: Mapping[str, Question], required: bool) -> Question:
    part.allow(Question)
    name = part.id()
    kind = part.one_of("kind", KINDS)
    said = words(name, lang)
    text = part.text("text", said.question or "")
    if not text and part.data.get("text") is None:
        part.problem(
            "text",
            "no 'text'",
            f"a question; no taxonomy has one for '{name}' in '{lang}'; write it",
        )
    options = _options(part, kind, lang, said)
    least = part.whole("least", 0, 0, 100) or 0
    most = part.whole("most", None, 1, 500)
    question = Question(
        id=name,
        kind=kind,
        text=text,
        help=part.text("help", said.definition),
        options=options,
        required=part.flag("required", required),
        when=_conditions(part, before),
        least=least,
        most=most,
        per=_per(part, kind, before),
        open=part.flag("open", False),
        example=part.text("example", said.example),
        gaps=part.flag("gaps", True),
    )
    _check_options(part, question)
    _check_numbers(part, question)
    return question


def _options(part: Part, kind: str, lang: str, said: Words) -> tuple[Option, ...]:
    given = part.data.get("options")
    if isinstance(given, str):
        options = named_list(given, lang)
        if options is None:
            part.problem(
                "options",
                f"the list {shown(given)}",
                f"options, or the name of a list: {quoted(list_names(lang))}; correct it",
            )
        return options or ()
    by_place: dict[int, Option] = {}
    scores = dict(said.scores)

    def plain(index: int, value: str) -> None:
        about = words(value, lang)
        score = scores.get(value, _number(value) if kind == "scale" else None)
        by_place[index] = Option(value, about.name or value, about.definition, score=score)

    for each in part.parts("options", "option", plain=plain):
        each.allow(Option)
        value = each.text("value", None)
        about = words(value, lang)
        score = scores.get(value, _number(value) if kind == "scale" else None)
        by_place[int(each.place[-1])] = Option(
            value,
            each.text("name", about.name or value),
            each.text("help", about.definition),
            each.text("key"),
            each.number("score", score, -_LARGEST_SCORE, _LARGEST_SCORE),
        )
    return tuple(by_place[index] for index in sorted(by_place))


def _number(value: str) -> float | None:
    number = float(value) if _NUMBER.fullmatch(value) else math.nan
    return number if math.isfinite(number) else None


def _conditions(part: Part, before: Mapping[str, Question]) -> tuple[Condition, ...]:
    found = []
    for each in part.parts("when", "condition"):
        each.allow(Condition)
        name = each.text("question", None)
        values = each.texts("values")
        if not values and each.data.get("values") in (None, []):
            each.problem("values", "no 'values'", "the answers after which it is asked; add them")
        asked = before.get(name)
        if asked is None:
            if name:
                each.problem(
                    "question",
                    f"a condition on '{name}'",
                    f"a question before this one in the step: {_names(before)}; correct the name, "
                    "or move the question up",
                )
            continue
        known = [option.value for option in asked.options]
        if asked.per is not None or not known:
            each.problem(
                "question",
                f"a condition on '{name}'",
                "a question with options that is asked once; choose another",
            )
            continue
        for value in values:
            if value not in known:
                each.problem(
                    "values",
                    f"the value {shown(value)} for '{name}'",
                    f"one of its options: {_names(known)}; correct it",
                )
        found.append(Condition(name, values))
    return tuple(found)


def _per(part: Part, kind: str, before: Mapping[str, Question]) -> str | None:
    name = part.text("per")
    if not name:
        return None
    base = before.get(name)
    if base is None or base.per is not None or base.kind not in ("choices", "texts"):
        fit = [
            each.id
            for each in before.values()
            if each.per is None and each.kind in ("choices", "texts")
        ]
        part.problem(
            "per",
            f"'{name}' as 'per'",
            f"a question before this one of kind 'choices' or 'texts': {_names(fit)}; correct the "
            "name, or move the question up",
        )
        return None
    if kind == "spans":
        part.problem("per", "spans for each answer", "spans that are marked once; remove 'per'")
        return None
    return name


def _check_options(part: Part, question: Question) -> None:
    values = [option.value for option in question.options]
    if question.kind not in _WITH_OPTIONS:
        if part.data.get("options") is not None:
            part.problem(
                "options",
                f"options for a '{question.kind}'",
                "none for free text; remove them or change the kind",
            )
    elif not values and not part.data.get("options"):
        part.problem(
            "options",
            "no options",
            f"a '{question.kind}' with options; add them or change the kind",
        )
    elif len(values) == 1 and question.kind in ("choice", "scale") and not question.open:
        part.problem("options", "one option", "two or more to choose from; add another")
    for index, option in enumerate(question.options):
        if option.value in values[:index]:
            part.notes.add(
                (*part.place, "options", index),
                f"the option '{option.value}' a second time in {part.title}",
                "every value once; remove one of them",
            )
        if question.kind == "scale" and option.value and _number(option.value) is None:
            part.notes.add(
                (*part.place, "options", index),
                f"the option {shown(option.value)} of a scale in {part.title}",
                "a number, in quotes; correct it",
            )


def _check_numbers(part: Part, question: Question) -> None:
    for key, kinds in _ONLY_FOR.items():
        given = part.data.get(key)
        is_given = given is not None and (key, given) != ("open", False)
        if is_given and question.kind not in kinds:
            listed = " or ".join(f"'{kind}'" for kind in kinds)
            found = f"'{key}' for a '{question.kind}'"
            part.problem(key, found, f"'{key}' for {listed} only; remove it")
    if question.most is not None and question.least > question.most:
        part.problem(
            "least",
            f"{question.least} as 'least'",
            f"at most {question.most}, as 'most' says; correct one of them",
        )
    number = len(question.options)
    if question.kind == "choices" and not question.open and number and question.least > number:
        part.problem(
            "least",
            f"{question.least} as 'least'",
            f"at most {number}, as there are options; correct it",
        )


def _check_keys(part: Part, key: str, questions: Sequence[Question]) -> None:
    owners: dict[str, str] = {}
    places = {question.id: _place_of(part, key, question.id) for question in questions}
    for question in questions:
        for index, option in enumerate(question.options):
            if not option.key:
                continue
            place = (*part.place, key, places[question.id], "options", index, "key")
            found = f"the key {shown(option.key)} of '{option.value}' in question '{question.id}'"
            if option.key in APP_KEYS:
                part.notes.add(
                    place,
                    found,
                    f"a key that the app does not use; it uses this one "
                    f"for '{APP_KEYS[option.key]}'; choose another",
                )
            elif not is_key(option.key):
                part.notes.add(
                    place, found, "a digit or a small letter from a to z; choose another"
                )
            elif option.key in owners:
                part.notes.add(
                    place,
                    found,
                    f"a key for one option of a step; {owners[option.key]} has it; choose another",
                )
            owners.setdefault(option.key, f"'{option.value}' in question '{question.id}'")


def _place_of(part: Part, key: str, name: str) -> int:
    items = part.data[key]
    return next(
        place
        for place, item in enumerate(items)
        if isinstance(item, dict) and str(item.get("id") or "").strip() == name
    )


def _names(names: Sequence[str] | Mapping[str, object]) -> str:
    return quoted(names) or "there is none"
