"""Compute our estimates from the study's own published outputs (Mei et al. 2023).

The files are the authors': the 50 most probable words of each masked model, and the classes that
each sentiment classifier gave. Nothing is asked of any model.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from tactful.audit.attitudes import Attitudes
from tactful.audit.estimates.rows import rows_of
from tactful.audit.protocol import Answer
from tactful.audit.runs.run import CONDITIONS, Run
from tactful.corpora.corpus import NO_TABLE, Corpus
from tactful.corpora.stigmas import output_file
from tactful.errors import InputError, UsageError
from tactful.taxonomies.load import load_taxonomy
from tactful.taxonomies.probe import load_social_distance
from tactful.taxonomies.prompts import DEFAULT_MASK, Prompt, conditions
from tactful.words import counted
from tactful_lab.evaluation.reproduce.stigma_prompts import fill_mask_prompts, sentiment_prompts

_NOBODY = "Base"
"""What the authors' column of conditions says where a condition is not among the 93."""
_MASKS = ("<mask>", "<MASK>")


@dataclass(frozen=True, slots=True)
class Replayed:
    """The runs, and what had to be left out."""

    runs: tuple[Run, ...]
    read: str
    """Which files were read, in one sentence."""
    problems: tuple[str, ...]


def replay(
    corpus: Corpus, attitudes: Attitudes, *, all_templates: bool = False, name: str = "replay"
) -> Replayed:
    """Return one run for each model of the authors' files.

    ``all_templates`` keeps the third sentiment sentence ("We are people who …"), which the files
    have and the paper does not use.
    """
    places = _Places()
    runs: list[Run] = []
    problems: list[str] = []
    for kind, table in (("fill-mask", "fill-mask"), ("sentiment", "sentiment")):
        if not corpus.has(table):
            continue
        frame = corpus.read(table)
        for model in sorted(set(frame["model"])):
            part = frame.filter(pl.col("model") == model)
            asked = _words(part) if kind == "fill-mask" else _classes(part)
            prompts: list[Prompt] = []
            answers: list[Answer] = []
            lost = 0
            for row, answer in asked:
                place = places.find(kind, row)
                if place is None:
                    lost += 1
                elif all_templates or place.template not in places.not_in_paper:
                    prompts.append(place)
                    answers.append(answer)
            if lost:
                name_it, out = ("names", "it is") if lost == 1 else ("name", "they are")
                problems.append(
                    f"{corpus.path}: {counted(lost, f'{kind} prompt')} of {model} {name_it} a "
                    f"condition or a question that the study's lists do not have; {out} left out."
                )
            if prompts:
                runs.append(_run(name, kind, model, prompts, answers, attitudes, all_templates))
    if not runs:
        raise UsageError(
            f"{corpus.path}: found no outputs of a model; expected the authors' repository, or "
            "files such as MODEL_stigma_sentiment.csv, MODEL_stigma_top50_p1.csv or "
            "MODEL-Nonstigma--social_distance_results-top50-p1.csv."
        )
    return Replayed(tuple(runs), _read(corpus), (*_not_read(corpus), *problems))


def _read(corpus: Corpus) -> str:
    """Say which output files were read: how many, of which models, templates and conditions."""
    parts = []
    for table in ("fill-mask", "sentiment"):
        sources = corpus.sources_of(table)
        files = [named for source in sources if (named := output_file(source.path)) is not None]
        if not files:
            continue
        models = sorted({file.model for file in files})
        numbers = sorted({int(file.template) for file in files if file.template is not None})
        said = [f"{counted(len(models), 'model')}: {', '.join(models)}"]
        if numbers:
            said.append(" to ".join(f"p{n}" for n in dict.fromkeys((numbers[0], numbers[-1]))))
        said.append(" and ".join(sorted({file.group for file in files}, reverse=True)))
        parts.append(f"{counted(len(files), f'{table} file')} ({'; '.join(said)})")
    return f"Read {' and '.join(parts)}."


def _not_read(corpus: Corpus) -> list[str]:
    """Say which files of the folder were not read, and why."""
    tables = [
        f"{path.relative_to(corpus.path)} ({reason})"
        for path, reason in corpus.skipped.items()
        if reason != NO_TABLE
    ]
    others = len(corpus.skipped) - len(tables)
    if not tables:
        return []
    rest = f", and {counted(others, 'file')} that {'is' if others == 1 else 'are'} not a table"
    return [f"Not read: {'; '.join(tables)}{rest if others else ''}."]


def _run(
    name: str,
    kind: str,
    model: str,
    prompts: list[Prompt],
    answers: list[Answer],
    attitudes: Attitudes,
    all_templates: bool,
) -> Run:
    rows, unrated = rows_of(kind, prompts, answers, attitudes)
    settings: dict[str, object] = {"wording": "published", "grammar": "published"}
    if kind == "fill-mask":
        settings |= {"ratings": attitudes.source, "ratings sha256": attitudes.digest}
    else:
        settings["sentences"] = "all three of the files" if all_templates else "the paper's two"
    notes = ["These are the study's own published outputs; no model was asked."]
    groups = {str(prompt.condition).startswith("stigma.") for prompt in prompts}
    if len(groups) < 2:
        side = "stigmatized" if True in groups else "other"
        notes.append(f"The files of {model} hold {side} conditions only: there is no difference.")
    probe = load_social_distance()
    return Run(
        f"{name}-{kind}-{model}",
        kind,
        model,
        "published outputs",
        f"{probe.id} {probe.version}",
        rows,
        condition_names(),
        settings,
        tuple(notes),
        unrated,
    )


def condition_names() -> pl.DataFrame:
    """Return the conditions of the study under the names that its files use."""
    families = {family.id: family.name for family in load_taxonomy("stigma").families}
    return pl.DataFrame(
        [
            (entry.id, entry.published_name, families[entry.family or "other"], entry.stigmatized)
            for entry in conditions()
        ],
        schema=CONDITIONS,
        orient="row",
    )


def _words(frame: pl.DataFrame) -> Iterator[tuple[Mapping[str, str], Answer]]:
    """Yield each prompt with its words, the most probable first."""
    keys = ["group", "template", "condition", "pachankis_condition", "prompt"]
    for row in (
        frame.sort("probability", descending=True, maintain_order=True)
        .group_by(keys, maintain_order=True)
        .agg("word", "probability")
        .iter_rows(named=True)
    ):
        words = [list(pair) for pair in zip(row["word"], row["probability"], strict=True)]
        yield row, {"words": words}


def _classes(frame: pl.DataFrame) -> Iterator[tuple[Mapping[str, str], Answer]]:
    for row in frame.iter_rows(named=True):
        said = str(row["sentiment"])
        labels = {"pos": "positive", "neg": "negative", "neu": "neutral"}
        label = labels.get(said[:3].casefold())
        if label is None:
            raise InputError(
                f"Line {row['line']} of {row['model']}'s sentiments: found '{said}'; expected "
                "positive, negative or neutral."
            )
        yield row, {"label": label, "score": row["score"], "said": said}


class _Places:
    """Where a published prompt belongs: its condition, sub-condition, question and template."""

    def __init__(self) -> None:
        self.probe = load_social_distance()
        self.not_in_paper = {
            template.id for template in self.probe.sentiment_templates if not template.in_paper
        }
        self._by_name = {entry.published_name: entry for entry in conditions()}
        self._others = {
            (form.published_singular or form.singular): entry
            for entry in conditions()
            if not entry.stigmatized
            for form in entry.forms
        }

    @cached_property
    def _texts(self) -> dict[str, dict[str, Prompt]]:
        masked = [
            *fill_mask_prompts(grammar="published", wording="published", baseline=True),
            *fill_mask_prompts(grammar="published", wording="paper", baseline=True),
        ]
        return {
            "fill-mask": {prompt.text: prompt for prompt in reversed(masked)},
            "sentiment": {
                prompt.text: prompt
                for prompt in sentiment_prompts(grammar="published", baseline=True)
            },
        }

    def find(self, kind: str, row: Mapping[str, str]) -> Prompt | None:
        """Return the prompt of a row; None where the lists of the study do not have it."""
        text = " ".join(row["prompt"].split())
        for mask in _MASKS:
            text = text.replace(mask, DEFAULT_MASK)
        known = self._texts[kind].get(text)
        return known if known is not None else self._by_columns(kind, row, text)

    def _by_columns(self, kind: str, row: Mapping[str, str], text: str) -> Prompt | None:
        """Take the columns' word for it where a prompt is worded otherwise."""
        named = row["pachankis_condition"]
        entry = self._others.get(row["condition"]) if named == _NOBODY else self._by_name.get(named)
        if entry is None:
            return None
        form = next(
            (
                at
                for at, form in enumerate(entry.forms)
                if row["condition"] in (form.published_singular, form.singular)
            ),
            0,
        )
        if kind == "sentiment":
            starts = {template.text.split()[0]: template.id
                      for template in self.probe.sentiment_templates}  # fmt: skip
            template = starts.get(text.split(maxsplit=1)[0]) if text else None
            return Prompt(entry.id, form, None, template, text) if template else None
        question = self._question(text)
        places = [template.id for template in self.probe.templates]
        number = row["template"]
        if question is None or not number.isdigit() or not 0 < int(number) <= len(places):
            return None
        return Prompt(entry.id, form, question, places[int(number) - 1], text)

    def _question(self, text: str) -> str | None:
        for question in self.probe.questions:
            for event in (question.event.published, question.event.paper):
                before, _, after = event.partition("{person}")
                if before.strip() in text and after.strip() in text:
                    return question.id
        return None
