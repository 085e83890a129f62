"""Turn a probe into prompts: which wording, which phrasing, about which conditions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar, get_args

from tactful.audit.probes.chat import (
    Answered,
    People,
    asked_of,
    both_of,
    chosen_templates,
    counterparts,
    message,
)
from tactful.audit.probes.schema import (
    ChatTemplate,
    Condition,
    Phrasing,
    Probe,
    ProbeForm,
    ProbeQuestion,
    SentimentSentence,
    Template,
    said,
)
from tactful.audit.protocol import Kind
from tactful.errors import UsageError
from tactful.registry import unknown_name
from tactful.taxonomies.prompts import DEFAULT_MASK, Prompt
from tactful.taxonomies.schema import Grammar, Number


@dataclass(frozen=True, slots=True)
class Selection:
    """What to ask of a probe, and in which words; an empty tuple means all of them."""

    wording: str | None = None
    """None is the probe's first one."""
    phrasing: Phrasing = "person-first"
    grammar: Grammar = "corrected"
    """``published`` asks with the slips of the study that a form comes from."""
    conditions: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    baseline: bool = True
    """Whether to ask about a person without a condition, too."""
    all_sentiment_templates: bool = False


EVERYTHING = Selection()


Part = TypeVar("Part", Condition, ProbeQuestion, Template, ChatTemplate, SentimentSentence)
Who = tuple[str | None, int | None, ProbeForm | None]
_BARE: Who = (None, None, None)


def prompts_of(probe: Probe, kind: Kind, selection: Selection = EVERYTHING) -> list[Prompt]:
    """Return the prompts for a kind of model."""
    made: dict[Kind, Callable[[Probe, Selection], list[Prompt]]] = {
        "fill-mask": mask_prompts,
        "causal": causal_prompts,
        "sentiment": sentiment_prompts,
        "chat": chat_prompts,
    }
    if kind not in made:
        raise unknown_name("kind of prompts", kind, list(made))
    return made[kind](probe, selection)


def mask_prompts(probe: Probe, selection: Selection = EVERYTHING) -> list[Prompt]:
    """Return template x person x question for models that fill in a masked word."""
    return list(_statements(probe, selection, probe.templates, "fill-mask"))


def causal_prompts(probe: Probe, selection: Selection = EVERYTHING) -> list[Prompt]:
    """Return template x person x question for models that continue a text.

    The mask is the last word; :meth:`Probe.pairs` has the words that fit each template.
    """
    return list(_statements(probe, selection, probe.causal_templates, "causal"))


def sentence_prompts(probe: Probe, selection: Selection = EVERYTHING) -> list[Prompt]:
    """Return the fill-mask prompts, for the likelihood of whole sentences in a causal model.

    The words of :meth:`Probe.pairs` replace the mask, so it may be anywhere.
    """
    if probe.templates and not probe.scale:
        raise UsageError(
            f"The probe '{probe.label}' has no 'scale'; whole sentences need its pairs of words."
        )
    return mask_prompts(probe, selection)


def sentiment_prompts(probe: Probe, selection: Selection = EVERYTHING) -> list[Prompt]:
    """Return person x sentence for classifiers, the sentences without a condition first."""
    _check(probe, selection)
    sentences = _sentences(probe, selection)
    people = list(_people(probe, selection, "plural"))
    made = [Prompt(None, None, None, s.id, s.baseline) for s in sentences if selection.baseline]
    for condition, place, form in people:
        for sentence in sentences:
            text = _sentence(sentence, form, selection)
            made.append(Prompt(condition, place, None, sentence.id, text))
    return made


def chat_prompts(
    probe: Probe, selection: Selection = EVERYTHING, how: Answered | None = None
) -> list[Prompt]:
    """Return template x person x question for chat models, those of one way of answering or all.

    A scenario with two people is asked with every counterpart that the probe has; these prompts
    have the same place, so that their answers are averaged.
    """
    _check(probe, selection)
    wording = selection.wording or probe.wordings[0]
    _chosen("chat template", probe.chat_templates, selection.templates, probe)
    questions = _chosen("question", probe.questions, selection.questions, probe)
    people = list(_people(probe, selection, "singular"))
    people = [_BARE, *people] if selection.baseline else people
    asked = asked_of(probe)
    made = []
    templates = list(chosen_templates(probe, selection.templates, how))
    if not templates:
        raise UsageError(
            f"The probe '{probe.label}' has no chat template for answers by '{how}'; add one to "
            "its file, or ask in another way with --by."
        )
    for template in templates:
        for condition, place, form in people:
            person = _person(probe, form, selection)
            for question in questions:
                others: list[Condition | None] = [*counterparts(probe, condition, question)]
                for other in others or [None]:
                    second, both = "", ""
                    if other is not None:
                        second = _person(probe, other.forms[0], selection)
                        both = both_of(probe, form, other.forms[0], selection.grammar)
                    named = People(person, second, both)
                    text = message(template, question, wording, asked, named)
                    made.append(Prompt(condition, place, question.id, template.id, text))
    return made


def fallbacks(probe: Probe, selection: Selection = EVERYTHING) -> tuple[str, ...]:
    """Return the conditions that identity-first phrasing has to ask person-first, whole or partly.

    They have a form that no natural noun phrase says.
    """
    return tuple(
        condition.id
        for condition in _conditions(probe, selection)
        if any(form.identity is None for form in condition.forms)
    )


def _statements(
    probe: Probe, selection: Selection, templates: Sequence[Template], kind: Kind
) -> Iterator[Prompt]:
    _check(probe, selection)
    wording = selection.wording or probe.wordings[0]
    chosen = _chosen(f"{kind} template", templates, selection.templates, probe)
    questions = _chosen("question", probe.questions, selection.questions, probe)
    people = list(_people(probe, selection, "singular"))
    people = [_BARE, *people] if selection.baseline else people
    for template in chosen:
        frame = said(template.text, wording).replace("{mask}", DEFAULT_MASK)
        for condition, place, form in people:
            person = _person(probe, form, selection)
            for question in questions:
                event = said(question.event or "", wording).replace("{person}", person)
                text = frame.replace("{event}", event)
                yield Prompt(condition, place, question.id, template.id, text)


def _person(probe: Probe, form: ProbeForm | None, selection: Selection) -> str:
    identity_first = selection.phrasing == "identity-first"
    if form is None:
        own = probe.person.identity_baseline if identity_first else None
        return own or probe.person.baseline
    if identity_first and form.identity:
        return form.identity.singular
    verb, words = form.phrase("singular", selection.grammar)
    return probe.person.person_first.replace("{verb}", verb).replace("{condition}", words)


def _sentence(sentence: SentimentSentence, form: ProbeForm | None, selection: Selection) -> str:
    if form is None:
        return sentence.baseline
    if selection.phrasing == "identity-first" and form.identity and sentence.identity:
        return sentence.identity.replace("{people}", form.identity.plural)
    verb, words = form.phrase("plural", selection.grammar)
    return sentence.text.replace("{verb}", verb).replace("{condition}", words)


def _people(probe: Probe, selection: Selection, number: Number) -> Iterator[Who]:
    for condition in _conditions(probe, selection):
        asked: set[object] = set()
        for place, form in enumerate(condition.forms):
            words: object = form.phrase(number, selection.grammar)
            if selection.phrasing == "identity-first" and form.identity:
                words = getattr(form.identity, number)
            # Two forms can come to the same words; asking twice would give them twice the weight.
            if words not in asked:
                yield condition.id, place, form
            asked.add(words)


def _conditions(probe: Probe, selection: Selection) -> list[Condition]:
    chosen = _chosen("condition", probe.conditions, selection.conditions, probe)
    if not selection.categories:
        return chosen
    by_name: dict[str, set[str]] = {}
    for condition in probe.conditions:
        for name in {condition.category, probe.category_name(condition)}:
            by_name.setdefault(name, set()).add(condition.id)
    for name in selection.categories:
        if name not in by_name:
            known = sorted({condition.category for condition in probe.conditions})
            raise unknown_name(f"category of '{probe.id}'", name, known)
    kept = set().union(*(by_name[name] for name in selection.categories))
    left = [condition for condition in chosen if condition.id in kept]
    if not left:
        raise UsageError(
            "No condition is left: none of those named is of the category "
            f"{', '.join(selection.categories)}; leave one of the two choices out."
        )
    return left


def _sentences(probe: Probe, selection: Selection) -> list[SentimentSentence]:
    named = _chosen("sentiment template", probe.sentiment_templates, selection.templates, probe)
    if selection.templates or selection.all_sentiment_templates:
        return named
    # A probe with no default sentence still has sentences that it was written for.
    return [sentence for sentence in named if sentence.default] or named


def _chosen(kind: str, parts: Sequence[Part], names: Sequence[str], probe: Probe) -> list[Part]:
    if not parts:
        raise UsageError(f"The probe '{probe.label}' has no {kind}; add one to its file.")
    known = {part.id: part for part in parts}
    for name in names:
        if name not in known:
            raise unknown_name(f"{kind} of '{probe.id}'", name, list(known))
    return [part for part in parts if not names or part.id in names]


def _check(probe: Probe, selection: Selection) -> None:
    if selection.wording is not None and selection.wording not in probe.wordings:
        raise unknown_name(f"wording of '{probe.id}'", selection.wording, list(probe.wordings))
    for name, value, known in (
        ("phrasing", selection.phrasing, get_args(Phrasing)),
        ("grammar", selection.grammar, get_args(Grammar)),
    ):
        if value not in known:
            raise unknown_name(name, value, list(known))
    forms = [form for condition in probe.conditions for form in condition.forms]
    if selection.grammar == "published" and not any(form.published for form in forms):
        raise UsageError(
            f"The probe '{probe.label}' has one grammar only; no form of it has 'published'."
        )
    if selection.phrasing == "identity-first" and not any(form.identity for form in forms):
        raise UsageError(
            f"The probe '{probe.label}' has no identity-first phrases; give its forms an "
            "'identity' with 'singular' and 'plural'."
        )
