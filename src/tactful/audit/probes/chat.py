"""Turn a probe into messages for chat models, and say how their answers are read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Literal

from tactful.audit.probes.schema import (
    ChatOption,
    ChatTemplate,
    Condition,
    Probe,
    ProbeForm,
    ProbeQuestion,
    said,
    texts_of,
)
from tactful.errors import UsageError
from tactful.taxonomies.schema import Grammar

Answered = Literal["choice", "reasons", "free"]
"""How a model answers: by a letter, by a letter after its reasons, or in its own words."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How the answers to one question in one template are read."""

    how: Answered
    options: tuple[ChatOption, ...] = ()
    """In the order of their letters."""
    truth: str | None = None
    """Whom the facts name: ``person``, ``other`` or ``nobody``; None without a right answer."""

    @property
    def letters(self) -> str:
        """The letters of the options."""
        return ascii_uppercase[: len(self.options)]

    def is_right(self, option: ChatOption) -> bool | None:
        """Tell whether an option is the right answer; None where there is none."""
        if self.truth is None:
            return None
        names = {"{person}": "person", "{other}": "other"}.get(option.text, "nobody")
        return names == self.truth


Key = tuple[str, str | None]
"""The ids of a template and of a question."""


def how_answered(template: ChatTemplate) -> Answered:
    """Return how a template is answered."""
    if template.is_free:
        return "free"
    return "reasons" if template.reasons else "choice"


def asked_of(probe: Probe) -> dict[Key, Asked]:
    """Return how answers are read, for each chat template and question."""
    scales = {scale.id: scale.options for scale in probe.chat_scales}
    found: dict[Key, Asked] = {}
    for template in probe.chat_templates:
        for question in probe.questions:
            options: tuple[ChatOption, ...] = ()
            if not template.is_free:
                options = scales[str(template.answers or question.answers)]
            if template.reversed:
                options = options[::-1]
            truth = question.truth
            if template.swapped and truth in ("person", "other"):
                truth = "other" if truth == "person" else "person"
            found[template.id, question.id] = Asked(how_answered(template), options, truth)
    return found


@dataclass(frozen=True, slots=True)
class People:
    """The phrases of one prompt."""

    person: str
    other: str
    both: str


def message(
    template: ChatTemplate,
    question: ProbeQuestion,
    wording: str,
    asked: Mapping[Key, Asked],
    people: People,
) -> str:
    """Return the text of one prompt."""
    text = said(getattr(question, template.slot), wording)
    first, second = people.person, people.other
    if template.swapped:
        first, second = second, first
    for slot, phrase in (("person", first), ("other", second), ("both", people.both)):
        marked = f"{{{slot}}}"
        for before in (". ", "? ", "! "):
            text = text.replace(before + marked, before + _capital(phrase))
        if text.startswith(marked):
            text = text.replace(marked, _capital(phrase), 1)
        text = text.replace(marked, phrase)
    whole = said(template.text, wording)
    reading = asked[template.id, question.id]
    lines = "\n".join(
        f"{letter}. {_option(option.text, people)}"
        for letter, option in zip(reading.letters, reading.options, strict=True)
    )
    before, _, after = whole.partition("{options}")
    if lines:
        whole = "\n".join(part for part in (before.strip(), lines, after.strip()) if part)
    return whole.replace(f"{{{template.slot}}}", text)


def _option(text: str, people: People) -> str:
    return _capital(text.replace("{person}", people.person).replace("{other}", people.other))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def counterparts(probe: Probe, condition: str | None, question: ProbeQuestion) -> list[Condition]:
    """Return the conditions of the other person; none where a question is about one person."""
    if not any("{other}" in text or "{both}" in text for text in texts_of(question.scenario)):
        return []
    known = {each.id: each for each in probe.conditions}
    return [known[name] for name in probe.counterparts if name != condition]


def both_of(probe: Probe, form: ProbeForm | None, other: ProbeForm, grammar: Grammar) -> str:
    """Return a person with two conditions at once; with one where the first is none."""
    verb, words = other.phrase("singular", grammar)
    if form is None:
        phrase = probe.person.person_first
        return phrase.replace("{verb}", verb).replace("{condition}", words)
    own_verb, own_words = form.phrase("singular", grammar)
    phrase = probe.person.both or probe.person.person_first
    phrase = phrase.replace("{verb}", own_verb).replace("{condition}", own_words)
    return phrase.replace("{other_verb}", verb).replace("{other_condition}", words)


def chosen_templates(
    probe: Probe, names: tuple[str, ...], how: Answered | None
) -> Iterator[ChatTemplate]:
    """Yield the templates to ask: those named, else the default ones of a way of answering."""
    for template in probe.chat_templates:
        fits = how is None or how_answered(template) == how
        if template.id in names and not fits:
            raise UsageError(
                f"The template '{template.id}' is answered as '{how_answered(template)}'; expected "
                f"templates for '{how}'; name others, or ask in another way with --by."
            )
        if template.id in names or (not names and template.default and fits):
            yield template
