"""Load protocols by name or from the path of a file, with the line of every problem."""

import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from tactful.annotation.protocol.hotkeys import APP_KEYS, give_keys, is_key
from tactful.annotation.protocol.records import (
    HALF,
    Condition,
    Entry,
    Option,
    Protocol,
    Quality,
    Question,
    Step,
    WellBeing,
)
from tactful.annotation.protocol.schema import Part, open_protocol, quoted, shown
from tactful.annotation.protocol.wording import Words, list_names, named_list, words
from tactful.errors import FileFormatError
from tactful.files import atomic_path
from tactful.registry import Registry, data_file
from tactful.taxonomies.load import is_taxonomy_path

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


def load_protocol(name_or_path: str | os.PathLike[str]) -> Protocol:
    """Load a protocol by its name, or from the path of its YAML file."""
    if isinstance(name_or_path, str) and not is_taxonomy_path(name_or_path):
        return _named(name_or_path)
    return read_protocol(Path(name_or_path))


def read_protocol(path: Path) -> Protocol:
    """Read a protocol from a YAML file; all problems are one error."""
    part = open_protocol(path)
    values = part.values(Protocol)
    lang = values["lang"]
    if lang and not _LANG.fullmatch(lang):
        part.wrong("lang", lang, "a language such as 'en' or 'es'; correct it")
    values["guideline"] = _guideline(part, path, values["guideline"])
    care = part.part("wellbeing")
    steps = read_steps(part, lang)
    if care is not None:
        _check_harmful(care, steps)
    protocol = Protocol(
        **values,
        steps=steps,
        quality=_quality(part),
        wellbeing=WellBeing() if care is None else WellBeing(**care.values(WellBeing)),
        traits=read_questions(part, "traits", lang, required=False),
        data=part.data,
    )
    part.notes.raise_if_any()
    return protocol


def _check_harmful(part: Part, steps: Sequence[Step]) -> None:
    """Note answers that no question has."""
    known = {
        f"{question.id}={option.value}"
        for step in steps
        for question in step.questions
        for option in question.options
    }
    for index, answer in enumerate(part.data.get("harmful") or ()):
        if isinstance(answer, str) and answer not in known:
            wanted = "a question and one of its answers, such as 'unhealthy=yes'; correct it"
            part.wrong("harmful", answer, wanted, index)


def copy_protocol(name_or_path: str | os.PathLike[str], path: Path) -> Path:
    """Copy a protocol to ``path``, with its guideline beside it, and return ``path``.

    A file with problems is not copied.
    """
    load_protocol(name_or_path)
    is_name = isinstance(name_or_path, str) and not is_taxonomy_path(name_or_path)
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


def _guideline(part: Part, path: Path, text: str) -> str:
    """Return the guideline as Markdown, from the file itself or one beside it."""
    if "\n" in text or not text.endswith(".md"):
        return text
    beside = path.parent / text
    try:
        if not _GUIDELINE_FILE.fullmatch(text):
            raise FileNotFoundError
        with beside.open(encoding="utf-8-sig") as file:
            found = file.read(_MOST_GUIDELINE + 1)
    except (OSError, UnicodeDecodeError):
        wanted = "the name of a file with UTF-8 text in the folder of the protocol"
        action = "put it there or correct the name"
        part.problem("guideline", f"the guideline {shown(text)}", f"{wanted}; {action}")
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
    quality = Quality(**given.values(Quality))
    page_is_known = isinstance(given.data.get("page", 1), int)
    if page_is_known and 0 < quality.tests >= quality.page:
        wanted = "fewer tests than items on a page; correct one of them"
        given.problem("tests", f"{quality.tests} tests on a page of {quality.page}", wanted)
    if quality.least_trust is not None and not quality.tests:
        wanted = "hidden tests that trust is measured by; add 'tests' or remove it"
        given.problem("least_trust", "'least_trust' without tests", wanted)
    return quality


FIVE_POINTS = ("0", "1", "2", "3", "4")
"""The labels that ``dpm_scale`` makes of two answers from 0 to 2."""


def read_steps(part: Part, lang: str) -> tuple[Step, ...]:
    """Read the steps of a protocol."""
    found: dict[str, Step] = {}
    for each in part.parts("steps", "step", required=True):
        each.add_once(found, _step(each, lang, found))
    return tuple(found.values())


def _step(part: Part, lang: str, before: dict[str, Step]) -> Step:
    values = part.values(Step)
    questions = read_questions(part, "questions", lang)
    step = Step(**values, questions=questions, entry=_entry(part, before))
    _check_judgements(part, step)
    _check_combine(part, step)
    if step.discussed and (step.role != "referee" or step.entry is None):
        wanted = "a step with an 'entry' in which a referee decides; remove it"
        part.problem("discussed", f"'discussed' for a step of the role '{step.role}'", wanted)
    return step


def _check_judgements(part: Part, step: Step) -> None:
    if step.most is not None and step.most < step.judgements:
        wanted = f"at least {step.judgements}, as 'judgements' says; correct one of them"
        part.wrong("most", step.most, wanted)
    if (step.most is None) != (step.confidence is None):
        given, missing = ("most", "confidence") if step.most else ("confidence", "most")
        wanted = f"both or none; add '{missing}' or remove '{given}'"
        part.problem(given, f"'{given}' without '{missing}'", wanted)


def _check_combine(part: Part, step: Step) -> None:
    kinds = [question.kind for question in step.questions]
    if step.combine == "union" and "spans" not in kinds:
        wanted = "'union' in a step that asks for spans; choose another way"
        part.problem("combine", "'union'", wanted)
    if step.combine == "referee" and step.judgements != 1:
        wanted = "the judgement of one referee; write 'judgements: 1'"
        part.problem("combine", f"'referee' with {step.judgements} judgements", wanted)
    if step.combine == "mean_threshold":
        for question in step.questions:
            scores = [each.score for each in question.options if each.score is not None]
            both = any(score < HALF for score in scores) and any(score >= HALF for score in scores)
            if question.kind in ("choice", "scale") and not both:
                wanted = "scores from 0.5 on that count as 1, and lower ones that count as 0"
                found = f"'mean_threshold' with the scores of '{question.id}'"
                part.problem("combine", found, f"{wanted}; add them or choose another way")
    if step.combine == "dpm_scale":
        scales = [
            {option.value for option in question.options}
            for question in step.questions
            if question.kind == "scale"
        ]
        if step.judgements != 2 or {"0", "1", "2"} not in scales:
            wanted = "two judgements of a scale with the options '0', '1' and '2'; correct the step"
            part.problem("combine", "'dpm_scale'", f"{wanted} or choose another way")


def _entry(part: Part, before: dict[str, Step]) -> Entry | None:
    given = part.part("entry")
    if given is None:
        return None
    entry = Entry(**given.values(Entry))
    step = before.get(entry.step)
    asked = {} if step is None else {each.id: each for each in step.questions}
    if step is None and entry.step:
        wanted = f"a step before this one: {_names(before)}; correct the name"
        given.problem("step", f"the step '{entry.step}'", wanted)
    elif step is not None and entry.question in asked:
        _check_entry_values(given, entry, step, asked[entry.question])
    elif step is not None and entry.question:
        wanted = f"one of the step '{step.id}': {_names(asked)}; correct the name"
        given.problem("question", f"the question '{entry.question}'", wanted)
    for name in entry.also if step is not None else ():
        if name not in asked or entry.rule != "disputed":
            wanted = f"questions of '{entry.step}' in an entry of rule 'disputed': {_names(asked)}"
            given.problem("also", f"the question '{name}'", f"{wanted}; correct it")
    return entry


def _check_entry_values(part: Part, entry: Entry, step: Step, question: Question) -> None:
    known = tuple(option.value for option in question.options)
    if not known:
        wanted = "a question with options; choose another"
        part.problem("question", f"free text '{question.id}'", wanted)
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


_WITH_OPTIONS = ("choice", "choices", "scale", "spans")
_LISTS = ("choices", "spans", "texts")
_ONLY_FOR = {
    "open": ("choice", "choices"), "gaps": ("spans",), "begins": ("texts",),
    "least": _LISTS, "most": _LISTS,
}  # fmt: skip
_MOVE = "correct the name, or move the question up"
_NUMBER = re.compile(r"-?\d{1,6}(\.\d{1,6})?")


def read_questions(part: Part, key: str, lang: str, required: bool = True) -> tuple[Question, ...]:
    """Read a list of questions; ``required`` is the default of their field."""
    found: dict[str, Question] = {}
    owners: dict[str, str] = {}
    is_trait = key == "traits"
    for each in part.parts(key, "trait" if is_trait else "question", required=required):
        question = _question(each, lang, found, required)
        if is_trait:
            _check_trait(each, question)
        if each.add_once(found, question):
            _check_keys(each, question, owners)
    # Traits have a page of their own and need no keys.
    return tuple(found.values()) if is_trait else give_keys(list(found.values()))


def _question(part: Part, lang: str, before: Mapping[str, Question], required: bool) -> Question:
    name = part.raw("id")
    said = words(name, lang)
    values = part.values(
        Question,
        text=said.question or "",
        help=said.definition,
        example=said.example,
        required=required,
    )
    if not values["text"] and part.data.get("text") is None:
        wanted = f"a question; no taxonomy has one for '{name}' in '{lang}'; write it"
        part.problem("text", "no 'text'", wanted)
    kind = values["kind"]
    question = Question(
        **values,
        options=_options(part, kind, lang, said),
        when=_conditions(part, before),
        per=_per(part, kind, before),
    )
    _check_options(part, question)
    _check_numbers(part, question)
    return question


def _check_trait(part: Part, trait: Question) -> None:
    if trait.required:
        found = f"the trait '{trait.id}' as required"
        part.notes.add((*part.place, "required"), found, "an optional trait; remove 'required'")
    if trait.kind == "spans":
        wanted = "a question about a person; choose another kind"
        part.notes.add((*part.place, "kind"), f"spans for the trait '{trait.id}'", wanted)


def _options(part: Part, kind: str, lang: str, said: Words) -> tuple[Option, ...]:
    given = part.data.get("options")
    if isinstance(given, str):
        options = named_list(given, lang)
        if options is None:
            names = quoted(list_names(lang))
            wanted = f"options, or the name of a list: {names}; correct it"
            part.problem("options", f"the list {shown(given)}", wanted)
        return options or ()
    found, scores = [], dict(said.scores)
    for each in part.parts("options", "option", plain="value"):
        value = each.raw("value")
        about = words(value, lang)
        score = scores.get(value, _number(value) if kind == "scale" else None)
        name = about.name or value
        found.append(Option(**each.values(Option, name=name, help=about.definition, score=score)))
    return tuple(found)


def _number(value: str) -> float | None:
    return float(value) if _NUMBER.fullmatch(value) else None


def _conditions(part: Part, before: Mapping[str, Question]) -> tuple[Condition, ...]:
    found = []
    for each in part.parts("when", "condition"):
        condition = Condition(**each.values(Condition))
        name, values = condition.question, condition.values
        if not values and each.data.get("values") in (None, []):
            each.problem("values", "no 'values'", "the answers after which it is asked; add them")
        asked = before.get(name)
        known = [] if asked is None else [option.value for option in asked.options]
        if asked is None and name:
            wanted = f"a question before this one in the step: {_names(before)}; {_MOVE}"
            each.problem("question", f"a condition on '{name}'", wanted)
        elif asked is not None and (asked.per is not None or not known):
            wanted = "a question with options that is asked once; choose another"
            each.problem("question", f"a condition on '{name}'", wanted)
        elif asked is not None:
            for value in [value for value in values if value not in known]:
                wanted = f"one of its options: {_names(known)}; correct it"
                each.problem("values", f"the value {shown(value)} for '{name}'", wanted)
        found.append(condition)
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
        wanted = f"a question before this one of kind 'choices' or 'texts': {_names(fit)}; {_MOVE}"
        part.wrong("per", name, wanted)
        return None
    if kind == "spans":
        part.problem("per", "spans for each answer", "spans that are marked once; remove 'per'")
        return None
    return name


def _check_options(part: Part, question: Question) -> None:
    values = [option.value for option in question.options]
    if question.kind not in _WITH_OPTIONS:
        if part.data.get("options") is not None:
            wanted = "none for free text; remove them or change the kind"
            part.problem("options", f"options for a '{question.kind}'", wanted)
    elif not values and not part.data.get("options"):
        wanted = f"a '{question.kind}' with options; add them or change the kind"
        part.problem("options", "no options", wanted)
    elif len(values) == 1 and question.kind in ("choice", "scale") and not question.open:
        part.problem("options", "one option", "two or more to choose from; add another")
    for index, option in enumerate(question.options):
        place = (*part.place, "options", index)
        if option.value in values[:index]:
            found = f"the option '{option.value}' a second time in {part.title}"
            part.notes.add(place, found, "every value once; remove one of them")
        if question.kind == "scale" and option.value and _number(option.value) is None:
            found = f"the option {shown(option.value)} of a scale in {part.title}"
            part.notes.add(place, found, "a number, in quotes; correct it")


def _check_numbers(part: Part, question: Question) -> None:
    for key, kinds in _ONLY_FOR.items():
        given = part.data.get(key)
        is_given = given is not None and (key, given) != ("open", False)
        if is_given and question.kind not in kinds:
            listed = " or ".join(f"'{kind}'" for kind in kinds)
            found = f"'{key}' for a '{question.kind}'"
            part.problem(key, found, f"'{key}' for {listed} only; remove it")
    if question.most is not None and question.least > question.most:
        wanted = f"at most {question.most}, as 'most' says; correct one of them"
        part.wrong("least", question.least, wanted)
    number = len(question.options)
    if question.kind == "choices" and not question.open and number and question.least > number:
        part.wrong("least", question.least, f"at most {number}, as there are options; correct it")


def _check_keys(part: Part, question: Question, owners: dict[str, str]) -> None:
    for index, option in enumerate(question.options):
        if not option.key:
            continue
        mine = f"'{option.value}' in question '{question.id}'"
        wanted = None
        if option.key in APP_KEYS:
            use = APP_KEYS[option.key]
            wanted = f"a key that the app does not use; it uses this one for '{use}'"
        elif not is_key(option.key):
            wanted = "a digit or a small letter from a to z"
        elif option.key in owners:
            wanted = f"a key for one option of a step; {owners[option.key]} has it"
        if wanted is not None:
            place = (*part.place, "options", index, "key")
            found = f"the key {shown(option.key)} of {mine}"
            part.notes.add(place, found, f"{wanted}; choose another")
        owners.setdefault(option.key, mine)


def _names(names: Sequence[str] | Mapping[str, object]) -> str:
    return quoted(names) or "there is none"
