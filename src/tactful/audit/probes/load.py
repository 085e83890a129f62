"""Load probes: built-in ones and those of plug-ins by name, others by the path of their file."""

import os
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field

from tactful.audit.probes.schema import (
    CausalTemplate,
    ChatScale,
    ChatTemplate,
    Condition,
    Identity,
    Pair,
    Person,
    Probe,
    ProbeForm,
    ProbeQuestion,
    PublishedForm,
    SentimentSentence,
    Template,
)
from tactful.errors import TaxonomyError
from tactful.registry import Registry, data_file, unknown_name
from tactful.taxonomies import conditions, load_social_distance, load_taxonomy
from tactful.taxonomies.load import is_taxonomy_path, read_model
from tactful.taxonomies.schema import Form, Id, Record, Text
from tactful.taxonomies.source import read_source

SOCIAL_DISTANCE = "social_distance"
EXAMPLES = {"en": "example_en", "es": "example_es"}
"""Language -> the built-in probe that is there to be copied."""

_FOLDER = Path(__file__).parents[1] / "probes_data"
_ADDITIONS = "social_distance_additions"

PROBES: Registry[Path] = Registry(
    "probe",
    {
        SOCIAL_DISTANCE: _FOLDER / f"{_ADDITIONS}.yaml",
        **{file.stem: file for file in sorted(_FOLDER.glob("*.yaml")) if file.stem != _ADDITIONS},
    },
    group="probes",
    accept=data_file,
)
"""The file of each probe: that of the study, then the files of the folder."""


class Additions(Record):
    """What the audit adds to the prompts of the study, in our words."""

    licence: Text
    notes: tuple[Text, ...]
    identity_baseline: Text
    scale: Annotated[tuple[Pair, ...], Field(min_length=1)]
    pairs: dict[Id, tuple[Id, ...]]
    """Fill-mask template -> the pairs that fit it, where not all do."""
    causal_templates: Annotated[tuple[CausalTemplate, ...], Field(min_length=1)]
    asked: dict[Id, Text]
    """Question -> what it asks about, in the words of the one who asks."""
    both: Text
    chat_scales: tuple[ChatScale, ...]
    chat_templates: tuple[ChatTemplate, ...]
    sentiment_identity: dict[Id, Text]
    identity: dict[Id, tuple[Identity, ...]]
    """Condition -> a phrase for each of its forms, in their order."""
    person_first_only: tuple[Id, ...]
    """Conditions without a natural and respectful noun phrase."""


def load_probe(name_or_path: str | os.PathLike[str]) -> Probe:
    """Load a probe by its name, or from the path of its YAML file."""
    if not isinstance(name_or_path, str) or is_taxonomy_path(name_or_path):
        return _read(Path(name_or_path))
    return _named(name_or_path)


def example_files(language: str) -> tuple[Path, Path]:
    """Return the probe to copy in a language, and its rated words."""
    if language not in EXAMPLES:
        raise unknown_name("language of an example", language, list(EXAMPLES))
    file = _FOLDER / f"{EXAMPLES[language]}.yaml"
    return file, file.with_name(f"{file.stem}_words.csv")


@cache
def _named(name: str) -> Probe:
    return _social_distance() if name == SOCIAL_DISTANCE else _read(PROBES.get(name))


def _read(path: Path) -> Probe:
    probe = read_model(path, Probe).placed(path.parent)
    if probe.ratings_file is not None and not probe.ratings_file.is_file():
        line = read_source(path).line(("ratings",))
        raise TaxonomyError(
            f"{path}, line {line}: found no file '{probe.ratings_file}'; expected the rated words "
            "of this probe; write it or take 'ratings' out."
        )
    return probe


def load_additions() -> Additions:
    """Load our additions to the probe ``social_distance``."""
    return read_model(_FOLDER / f"{_ADDITIONS}.yaml", Additions)


def _social_distance() -> Probe:
    study, stigma, ours = load_social_distance(), load_taxonomy("stigma"), load_additions()
    return Probe(
        **study.model_dump(include={"id", "version", "name", "definition", "citation"}),
        language="en",
        licence=f"{study.licence} {ours.licence}",
        notes=(*study.notes, *ours.notes),
        wordings=("published", "paper"),
        person=Person(
            baseline=study.person.baseline,
            identity_baseline=ours.identity_baseline,
            person_first=study.person.with_condition,
            both=ours.both,
        ),
        questions=tuple(
            ProbeQuestion(
                id=q.id, question=q.question, event=q.event.model_dump(), asked=ours.asked[q.id]
            )
            for q in study.questions
        ),
        templates=tuple(
            Template(id=t.id, text=t.text.model_dump(), pairs=ours.pairs.get(t.id))
            for t in study.templates
        ),
        causal_templates=ours.causal_templates,
        sentiment_templates=tuple(
            SentimentSentence(
                id=t.id,
                text=t.text,
                identity=ours.sentiment_identity[t.id],
                baseline=t.baseline,
                default=t.in_paper,
                notes=t.notes,
            )
            for t in study.sentiment_templates
        ),
        scale=ours.scale,
        chat_scales=ours.chat_scales,
        chat_templates=ours.chat_templates,
        categories={family.id: family.name for family in stigma.families},
        conditions=tuple(
            Condition(
                id=entry.id,
                name=entry.name,
                category=entry.family or "other",
                stigmatized=entry.stigmatized,
                forms=tuple(
                    _form(form, ours.identity.get(entry.id), place)
                    for place, form in enumerate(entry.forms)
                ),
            )
            for entry in conditions()
        ),
    )


def _form(form: Form, identities: tuple[Identity, ...] | None, place: int) -> ProbeForm:
    verb, singular = form.phrase("singular", "published")
    plural_verb, plural = form.phrase("plural", "published")
    return ProbeForm(
        **form.model_dump(include=set(PublishedForm.model_fields)),
        identity=None if identities is None else identities[place],
        published=PublishedForm(
            verb=verb, plural_verb=plural_verb, singular=singular, plural=plural
        ),
    )
