"""What spans several parts of a probe: ids, wordings, pairs, categories and the two groups."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pydantic_core import InitErrorDetails, PydanticCustomError

if TYPE_CHECKING:
    from tactful.audit.probes.schema import Probe

Place = tuple[str | int, ...]
_SHOWN = 12


def probe_flaws(probe: "Probe") -> list[InitErrorDetails]:
    """Return every flaw that spans more than one part of the probe, with its place."""
    return [
        *_unique(probe),
        *_enough_parts(probe),
        *_wordings_covered(probe),
        *_pairs_known(probe),
        *_categories_known(probe),
        *_both_groups(probe),
        *_identity_sentences(probe),
        *_words_asked_once(probe),
    ]


def _flaw(place: Place, value: Any, expected: str) -> InitErrorDetails:
    error = PydanticCustomError("probe", "{expected}", {"expected": expected})
    return InitErrorDetails(type=error, loc=place, input=value)


def _unique(probe: "Probe") -> Iterator[InitErrorDetails]:
    # Fill-mask and causal templates share their names: pairs are looked up by them.
    for parts in (
        ("questions",),
        ("templates", "causal_templates"),
        ("sentiment_templates",),
        ("scale",),
        ("conditions",),
    ):
        seen: set[str] = set()
        names = " and ".join(f"'{name}'" for name in parts)
        for part in parts:
            for index, item in enumerate(getattr(probe, part)):
                if item.id in seen:
                    yield _flaw((part, index, "id"), item.id, f"every id of {names} once")
                seen.add(item.id)
    for index, name in enumerate(probe.wordings):
        if name in probe.wordings[:index]:
            yield _flaw(("wordings", index), name, "every wording once")


def _enough_parts(probe: "Probe") -> Iterator[InitErrorDetails]:
    asked = (*probe.templates, *probe.causal_templates)
    if not asked and not probe.sentiment_templates:
        shape = "at least one of 'templates', 'causal_templates' and 'sentiment_templates'"
        yield _flaw(("templates",), [], shape)
    if asked and not probe.questions:
        yield _flaw(("questions",), [], "at least one question, because there are templates")
    if probe.causal_templates and not probe.scale:
        yield _flaw(("scale",), [], "at least one pair, because there are causal templates")


def _wordings_covered(probe: "Probe") -> Iterator[InitErrorDetails]:
    texts = [(("questions", i, "event"), q.event) for i, q in enumerate(probe.questions)]
    texts += [(("templates", i, "text"), t.text) for i, t in enumerate(probe.templates)]
    causal = enumerate(probe.causal_templates)
    texts += [(("causal_templates", i, "text"), t.text) for i, t in causal]
    for place, phrase in texts:
        if isinstance(phrase, dict) and set(phrase) != set(probe.wordings):
            shape = f"one text, or one for each of the wordings: {_listing(probe.wordings)}"
            yield _flaw(place, list(phrase), shape)


def _pairs_known(probe: "Probe") -> Iterator[InitErrorDetails]:
    known = [pair.id for pair in probe.scale]
    for part in ("templates", "causal_templates"):
        for index, template in enumerate(getattr(probe, part)):
            if template.pairs == ():
                shape = "at least one pair; leave 'pairs' out where all of them fit"
                yield _flaw((part, index, "pairs"), [], shape)
            for place, name in enumerate(template.pairs or ()):
                if name not in known:
                    shape = f"the id of a pair of 'scale': {_listing(known)}"
                    yield _flaw((part, index, "pairs", place), name, shape)
    for index, pair in enumerate(probe.scale):
        if pair.negative.casefold() == pair.positive.casefold():
            yield _flaw(("scale", index, "positive"), pair.positive, "the opposite of 'negative'")


def _categories_known(probe: "Probe") -> Iterator[InitErrorDetails]:
    for index, condition in enumerate(probe.conditions):
        if probe.categories and condition.category not in probe.categories:
            shape = f"one of the categories: {_listing(list(probe.categories))}"
            yield _flaw(("conditions", index, "category"), condition.category, shape)


def _both_groups(probe: "Probe") -> Iterator[InitErrorDetails]:
    groups = {condition.stigmatized for condition in probe.conditions}
    if len(groups) == 1:
        only = "true" if True in groups else "false"
        shape = "at least one condition with 'stigmatized: true' and one with 'stigmatized: false'"
        yield _flaw(("conditions",), f"only conditions with 'stigmatized: {only}'", shape)


def _identity_sentences(probe: "Probe") -> Iterator[InitErrorDetails]:
    if not any(form.identity for condition in probe.conditions for form in condition.forms):
        return
    for index, sentence in enumerate(probe.sentiment_templates):
        if sentence.identity is None:
            shape = "a field 'identity' with {people}, because conditions have identity phrases"
            yield _flaw(("sentiment_templates", index), sentence.id, shape)


def _words_asked_once(probe: "Probe") -> Iterator[InitErrorDetails]:
    # The same words under two conditions would be one prompt that counts for both.
    owners: dict[object, str] = {}
    for index, condition in enumerate(probe.conditions):
        for number, form in enumerate(condition.forms):
            place: Place = ("conditions", index, "forms", number)
            said: list[tuple[Place, object, str]] = [
                ((*place, "singular"), form.phrase("singular", "corrected"), form.singular)
            ]
            if form.identity:
                words = form.identity.singular
                said.append(((*place, "identity", "singular"), words, words))
            for where, phrase, words in said:
                owner = owners.setdefault(phrase, condition.id)
                if owner != condition.id:
                    shape = f"words that no other condition has ('{owner}' has them)"
                    yield _flaw(where, words, shape)


def _listing(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return shown + more if names else "none (there are none)"
