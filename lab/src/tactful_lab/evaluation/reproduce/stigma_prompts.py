"""Render the prompts of the stigma study (Mei et al. 2023, section 4.2 and Appendix A).

They are the study's own: the tests of the audit compare with them what it asks.
"""

from collections.abc import Iterable, Iterator

from tactful.errors import UsageError
from tactful.taxonomies.probe import Wording, load_social_distance
from tactful.taxonomies.prompts import DEFAULT_MASK, Prompt, conditions
from tactful.taxonomies.schema import Grammar, Number


def fill_mask_prompts(
    condition_ids: Iterable[str] | None = None,
    *,
    wording: Wording = "published",
    grammar: Grammar = "corrected",
    mask: str = DEFAULT_MASK,
    baseline: bool = False,
) -> Iterator[Prompt]:
    """Yield a prompt for each combination of template, condition, form and question.

    Parameters
    ----------
    condition_ids
        The ids of the conditions; all conditions if None.
    wording
        ``published`` for the wording of the authors' files, ``paper`` for that of the paper.
    grammar
        ``corrected`` for our corrected forms of the conditions, ``published`` for the authors'.
    mask
        The mask token of the model.
    baseline
        Whether to yield prompts without a condition, too; they come first.

    Yields
    ------
    Prompt
        The prompt and where it comes from.

    """
    _check(wording, grammar)
    probe = load_social_distance()
    people = list(_people(condition_ids, "singular", grammar))
    bare: list[tuple[str | None, int | None, str, str]] = [(None, None, "", "")]
    for template in probe.templates:
        frame = getattr(template.text, wording).replace("{mask}", mask)
        for condition, form, verb, words in [*bare, *people] if baseline else people:
            who = probe.person.baseline if condition is None else probe.person.with_condition
            person = who.replace("{verb}", verb).replace("{condition}", words)
            for question in probe.questions:
                event = getattr(question.event, wording).replace("{person}", person)
                text = frame.replace("{event}", event)
                yield Prompt(condition, form, question.id, template.id, text)


def sentiment_prompts(
    condition_ids: Iterable[str] | None = None,
    *,
    wording: Wording = "published",
    grammar: Grammar = "corrected",
    baseline: bool = False,
) -> Iterator[Prompt]:
    """Yield a prompt for each combination of condition, form and sentence.

    Parameters
    ----------
    condition_ids
        The ids of the conditions; all conditions if None.
    wording
        ``paper`` for the two sentences of the paper, ``published`` for the three of the authors'
        files.
    grammar
        ``corrected`` for our corrected forms of the conditions, ``published`` for the authors'.
    baseline
        Whether to yield prompts without a condition, too; they come first.

    Yields
    ------
    Prompt
        The prompt and where it comes from.

    """
    _check(wording, grammar)
    probe = load_social_distance()
    templates = [t for t in probe.sentiment_templates if t.in_paper or wording == "published"]
    if baseline:
        for template in templates:
            yield Prompt(None, None, None, template.id, template.baseline)
    for condition, form, verb, words in _people(condition_ids, "plural", grammar):
        for template in templates:
            text = template.text.replace("{verb}", verb).replace("{condition}", words)
            yield Prompt(condition, form, None, template.id, text)


def _people(
    ids: Iterable[str] | None, number: Number, grammar: Grammar
) -> Iterator[tuple[str, int, str, str]]:
    for entry in conditions(ids):
        said: set[tuple[str, str]] = set()
        for index, form in enumerate(entry.forms):
            phrase = form.phrase(number, grammar)
            # Two published spellings can become one when corrected; asking twice would weigh it.
            if phrase not in said:
                yield entry.id, index, *phrase
            said.add(phrase)


def _check(wording: str, grammar: str) -> None:
    for name, value, allowed in (
        ("wording", wording, ("published", "paper")),
        ("grammar", grammar, ("corrected", "published")),
    ):
        if value not in allowed:
            raise UsageError(f"The {name} is {value!r}; expected one of {', '.join(allowed)}.")
