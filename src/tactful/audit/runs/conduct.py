"""Conduct an audit: ask the prompts, compute the rows, and keep the run."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tactful.audit.attitudes import Attitudes, load_attitudes
from tactful.audit.chat.outcomes import outcome_notes
from tactful.audit.estimates.rows import rows_of
from tactful.audit.probes.render import Selection, fallbacks
from tactful.audit.probes.schema import Probe
from tactful.audit.protocol import Answer, Asker
from tactful.audit.runs.run import RUN_FILE, Run, read_run, write_run
from tactful.audit.runs.store import AnswerStore
from tactful.errors import InputError, UsageError
from tactful.taxonomies.prompts import Prompt
from tactful.words import counted

FOLDER = "audits"
"""Where runs are kept unless the caller names another place."""
_SHOWN = 5

OnProgress = Callable[[int, int], None]
"""Gets the number of texts that are answered, and the number of all texts."""


def conduct(
    asker: Asker,
    probe: Probe,
    prompts: Sequence[Prompt],
    folder: Path,
    *,
    selection: Selection,
    name: str | None = None,
    attitudes: Attitudes | None = None,
    settings: Mapping[str, Any] | None = None,
    force: bool = False,
    on_progress: OnProgress | None = None,
) -> Run:
    """Ask a model all prompts and write the run below ``folder``; return it.

    Answers are saved batch by batch, so an interrupted audit can resume. A run that is already
    there is replaced only if it was of the same model with the same settings, or with
    ``force``.
    """
    language_notes = _check_language(asker, probe)
    if asker.kind == "fill-mask" and attitudes is None:
        attitudes = ratings_of(probe)
    known = _settings(probe, selection, asker, attitudes) | dict(settings or {})
    name = name or run_name(asker)
    place = folder / name
    _check_place(place, asker, known, force)
    store = AnswerStore(folder, asker.kind, asker.name, asker.fingerprint)
    answers = ask_all(asker, prompts, store, on_progress)
    measured: Any = getattr(asker, "measured", None)
    if measured is not None:
        answers = measured(prompts, answers, folder)
    rows, unrated = rows_of(asker.kind, prompts, answers, attitudes)
    asked = _asked(probe, prompts)
    run = Run(
        name,
        asker.kind,
        asker.name,
        asker.fingerprint,
        probe.label,
        rows,
        asked,
        known,
        (*asker.notes, *language_notes, *_notes(probe, selection), *outcome_notes(rows, asked)),
        unrated,
    )
    write_run(run, place, force=True)
    return run


def _check_language(asker: Asker, probe: Probe) -> list[str]:
    """Refuse a classifier that does not read the probe's language; say where that is not known."""
    asked = probe.language.split("-")[0]
    reads: str | None = getattr(asker, "language", None)
    if reads is not None and reads != asked:
        raise UsageError(
            f"'{asker.name}' reads '{reads}', and the probe is in '{asked}' ({probe.label}); name "
            "a classifier that reads it, such as tactful:default where there is a detector for "
            "that language."
        )
    if reads is None and asked != "en" and asker.kind == "sentiment":
        return [f"The probe is in '{asked}'; whether {asker.name} reads '{asked}' is not known."]
    return []


def run_name(asker: Asker) -> str:
    """Return the name of a run: the kind and the model, as a file system takes them."""
    return f"{asker.kind}-{slug(asker.name)}"


def slug(name: str) -> str:
    """Return a name in letters, digits, dots, dashes and underscores."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")
    return plain[:80] or "model"


def ratings_of(probe: Probe, path: Path | None = None) -> Attitudes:
    """Return the ratings to use: those of a file, the probe's own, or those of Tactful."""
    found = path or probe.ratings_file
    if found is None and probe.language.split("-")[0] != "en":
        raise UsageError(
            f"The probe '{probe.label}' is in '{probe.language}' and brings no word ratings, and "
            "Tactful's own are English; name a file with --ratings."
        )
    return load_attitudes(found)


def _settings(
    probe: Probe, selection: Selection, asker: Asker, attitudes: Attitudes | None
) -> dict[str, Any]:
    chosen = asdict(selection) | {"wording": selection.wording or probe.wordings[0]}
    if asker.kind != "sentiment":
        del chosen["all_sentiment_templates"]
    known = {
        name.replace("_", " "): list(value) if isinstance(value, tuple) else value
        for name, value in chosen.items()
        if value != ()
    }
    known["probe sha256"] = probe.digest
    if attitudes is not None:
        known |= {"ratings": attitudes.source, "ratings sha256": attitudes.digest}
    return known


def _notes(probe: Probe, selection: Selection) -> list[str]:
    if selection.phrasing != "identity-first":
        return []
    others = fallbacks(probe, selection)
    if not others:
        return []
    first = ", ".join(others[:_SHOWN]) + (" …" if len(others) > _SHOWN else "")
    return [
        f"{len(others)} conditions have no natural identity-first phrase and were asked "
        f"person-first: {first}."
    ]


def _asked(probe: Probe, prompts: Sequence[Prompt]) -> Any:
    asked = {prompt.condition for prompt in prompts}
    table = probe.condition_table()
    return table.filter(table["condition"].is_in([name for name in asked if name is not None]))


def _check_place(place: Path, asker: Asker, known: Mapping[str, Any], force: bool) -> None:
    if force or not place.exists():
        return
    if not (place / RUN_FILE).is_file():
        raise UsageError(f"{place}: it exists and is not an audit; pass another --name.")
    there = read_run(place)
    if there.fingerprint != asker.fingerprint or dict(there.settings) != dict(known):
        raise UsageError(
            f"{place}: found an audit of {there.model} with another model or other settings; "
            "pass --name to keep both, or --force to replace it."
        )


def ask_all(
    asker: Asker,
    prompts: Sequence[Prompt],
    store: AnswerStore,
    on_progress: OnProgress | None = None,
) -> list[Answer]:
    """Return an answer for each prompt, in their order; what is new is stored batch by batch."""
    texts = _each_once(asker, prompts)
    open_ones = [prompt for text, prompt in texts.items() if text not in store]
    # In order of their text: what the prompts of a batch have in common at the start is read once.
    open_ones.sort(key=lambda prompt: prompt.text)
    if asker.kind in ("fill-mask", "sentiment"):
        # Long ones first, so that a prompt that does not fit into memory fails at the start; and
        # similar lengths together, so that little of a batch is padding.
        open_ones.sort(key=lambda prompt: -len(prompt.text))
    done = len(texts) - len(open_ones)
    for number, pairs in _answered(asker, open_ones):
        if on_progress is not None:
            on_progress(done + number, len(texts))
        store.add(pairs)
    if on_progress is not None:
        on_progress(len(texts), len(texts))
    return [store[prompt.text] for prompt in prompts]


def _answered(
    asker: Asker, prompts: Sequence[Prompt]
) -> Iterator[tuple[int, list[tuple[str, Answer]]]]:
    """Yield answers to be saved, with the number of prompts before them: one by one, or batches."""
    one_by_one: Any = getattr(asker, "ask_each", None)
    if one_by_one is not None:
        for number, (prompt, answer) in enumerate(one_by_one(prompts)):
            yield number, [(prompt.text, answer)]
        return
    size = max(1, asker.batch)
    for start in range(0, len(prompts), size):
        batch = prompts[start : start + size]
        answers = asker.ask(batch)
        if len(answers) != len(batch):
            raise InputError(
                f"{asker.name} gave {counted(len(answers), 'answer')} to "
                f"{counted(len(batch), 'prompt')}; expected one "
                "for each."
            )
        yield start, [(p.text, answer) for p, answer in zip(batch, answers, strict=True)]


def _each_once(asker: Asker, prompts: Sequence[Prompt]) -> dict[str, Prompt]:
    texts: dict[str, Prompt] = {}
    for prompt in prompts:
        known = texts.setdefault(prompt.text, prompt)
        if asker.kind in ("causal", "chat") and known.template != prompt.template:
            # What is read from an answer belongs to the template, and answers are kept by text.
            raise UsageError(
                f"The templates '{known.template}' and '{prompt.template}' give the same text; "
                "expected a difference; change one of them or leave it out with --template."
            )
    return texts
