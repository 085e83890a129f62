"""Crash-safe runs on a cluster: the input in waves of files, each written whole or done again.

A wave is one job of the engine. It is written under a temporary name, renamed, and then recorded;
what has no record did not happen. Stores of objects cannot rename a folder: there the record alone
tells that a wave is whole. All files are reached through the engine's own file system.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tactful.errors import InputError, UsageError
from tactful.scale.formats import Format, format_of
from tactful.scale.job import Job
from tactful.scale.manifest import refuse_other_terms
from tactful.scale.portions import worst_bytes
from tactful.scale.summary import Summary, to_json
from tactful.scale.tally import Tally, added, heard
from tactful.scale.worst import WORST

VERSION = 1
WAVE_BYTES = 1 << 30
WAVE_FILES = 64
RECORDS = "_tactful"
JOB, SUMMARY = "job.json", "summary.json"


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of the input, as it was when the run began."""

    path: str
    size: int
    changed: int | None = None
    """When it was last written, in nanoseconds, where the file system tells."""

    def as_data(self) -> dict[str, Any]:
        """Return what tells whether the file is still the same."""
        return {"file": self.path, "size": self.size, "changed": self.changed}


class Store(Protocol):
    """The files of a run, through the file system of an engine; names are paths or addresses."""

    def find(self, names: Sequence[str]) -> list[InputFile]:
        """Return the files that are named, those in folders, and those that a pattern finds."""
        ...

    def names(self, folder: str) -> list[str]:
        """Return what lies in a folder, by name; nothing where there is none."""
        ...

    def read(self, path: str) -> bytes | None:
        """Return what a file holds; None where there is none."""
        ...

    def write(self, path: str, data: bytes) -> None:
        """Write a file whole, or not at all."""
        ...

    def remove(self, folder: str) -> None:
        """Remove a folder with all that is in it, if it is there."""
        ...

    def can_rename(self, folder: str) -> bool:
        """Say whether a folder is renamed at once and whole."""
        ...

    def rename(self, old: str, new: str) -> None:
        """Rename a folder."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run on a cluster made."""

    summary: Summary
    written: tuple[str, ...] = ()
    was_whole: bool = False
    """All was done already by an earlier run."""


ScoreWave = Callable[[Sequence[str], str], Tally]
"""Scores files into a folder, which is not there yet."""
Prepare = Callable[[str], ScoreWave]
"""Looks at the first file of the input, refuses what could only fail later, and makes ready."""
OnWave = Callable[[int, int, Summary], None]
"""Is told how many waves of how many are done, and what was found so far."""


def cut_waves(
    files: Sequence[InputFile], most_bytes: int = WAVE_BYTES, most_files: int = WAVE_FILES
) -> list[list[str]]:
    """Group files in their order; a file is never cut, however large it is."""
    waves: list[list[str]] = []
    size = 0
    for file in files:
        if not waves or len(waves[-1]) >= most_files or size + file.size > most_bytes:
            waves.append([])
            size = 0
        waves[-1].append(file.path)
        size += file.size
    return waves


def run_waves(
    job: Job,
    engine: str,
    store: Store,
    prepare: Prepare,
    *,
    restart: bool = False,
    wave_bytes: int = WAVE_BYTES,
    wave_files: int = WAVE_FILES,
    on_wave: OnWave | None = None,
) -> Outcome:
    """Score all waves that have no record yet; go on where an earlier run of the same job ended."""
    out = job.output
    records = _under(out, RECORDS)
    files = _found(job, store)
    if restart:
        _clear(store, out)
    inputs = [each.as_data() for each in files]
    terms = {"engine": engine, **job.terms()}
    waves = _earlier(store, out, terms, inputs)
    written = (out, *((_under(out, _top_name(job)),) if job.top else ()))
    told = None if waves is None else store.read(_under(records, SUMMARY))
    if told is not None:
        return Outcome(heard(told).summary, written, was_whole=True)
    score_wave = prepare(files[0].path)
    if waves is None:
        waves = cut_waves(files, wave_bytes, wave_files)
        header = {"tactful score": VERSION, "terms": terms, "inputs": inputs, "waves": waves}
        store.write(_under(records, JOB), _bytes(header))
    total = Tally()
    for number, wave in enumerate(waves):
        done = _recorded(store, records, number)
        if done is None:
            done = _one_wave(job, store, score_wave, number, wave)
        total = added(total, done, job.top)
        if on_wave is not None:
            on_wave(number + 1, len(waves), total.summary)
    if job.top:
        worst = None if total.worst is None else total.worst.drop(WORST)
        store.write(written[1], worst_bytes(worst, job.output_format))
    store.write(_under(records, SUMMARY), total.told())
    return Outcome(total.summary, written)


def _one_wave(
    job: Job, store: Store, score_wave: ScoreWave, number: int, files: Sequence[str]
) -> Tally:
    name = _wave_name(number)
    final = _under(job.output, name)
    target = _under(job.output, f".{name}.tmp") if store.can_rename(job.output) else final
    # Neither has a record: both are what a run left that was ended in the middle.
    store.remove(final)
    store.remove(target)
    found = score_wave(files, target)
    if target != final and store.names(target):
        store.rename(target, final)
    records = _under(job.output, RECORDS)
    if found.worst is not None:
        store.write(_under(records, f"{name}.top.arrow"), found.worst_told())
    record = {"files": list(files), "rows": found.summary.rows, "summary": to_json(found.summary)}
    store.write(_under(records, f"{name}.json"), _bytes(record))
    return found


def _recorded(store: Store, records: str, number: int) -> Tally | None:
    name = _wave_name(number)
    told = store.read(_under(records, f"{name}.json"))
    if told is None:
        return None
    worst = store.read(_under(records, f"{name}.top.arrow"))
    return heard(_bytes(json.loads(told)["summary"]), worst or b"")


def _earlier(
    store: Store, out: str, terms: Mapping[str, Any], inputs: Sequence[Mapping[str, Any]]
) -> list[list[str]] | None:
    """Return the waves of the run that is gone on with; None where one begins here."""
    path = _under(_under(out, RECORDS), JOB)
    told = store.read(path)
    if told is None:
        if store.names(out):
            raise UsageError(
                f"{out}: found a folder with other files; expected a new or an empty one for the "
                "parts; name another."
            )
        return None
    try:
        old = json.loads(told)
        if old["tactful score"] != VERSION:
            raise ValueError(f"version {old['tactful score']}")
        old_terms, old_inputs = old["terms"], old["inputs"]
        waves: list[list[str]] = old["waves"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: found no record of a run that can be resumed ({error}); expected version "
            f"{VERSION}; pass --restart to begin anew."
        ) from None
    refuse_other_terms(old_terms, json.loads(_bytes(terms)), out)
    _refuse_other_inputs(old_inputs, inputs, out)
    return waves


def _refuse_other_inputs(
    old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]], out: str
) -> None:
    before = {each["file"]: each for each in old}
    now = {each["file"]: each for each in new}
    for name in {**before, **now}:
        if before.get(name) != now.get(name):
            what = "is new" if name not in before else "is gone" if name not in now else "changed"
            raise InputError(
                f"{out}: found a run of another input ({name} {what} since); expected the same "
                "files, to go on with it; pass --restart to begin anew, or name another output."
            )


def _found(job: Job, store: Store) -> list[InputFile]:
    files = list({each.path: each for each in store.find(job.inputs)}.values())
    for file in files:
        kind = (format_of(file.path) or job.input_format).kind
        if kind != job.input_format.kind:
            raise UsageError(
                f"{file.path}: found a {kind} file; expected files of one kind "
                f"({job.input_format.kind}); score them apart."
            )
    return files


def _clear(store: Store, out: str) -> None:
    """Remove what an earlier run wrote, and nothing else; its record last, as it tells of it."""
    if RECORDS not in store.names(out):
        return
    for name in store.names(out):
        if name.startswith(("wave-", ".wave-")):
            store.remove(_under(out, name))
    store.remove(_under(out, RECORDS))


def is_table(name: str, wished: Format) -> bool:
    """Say whether a file in a folder is read: its name tells a format of the wished kind."""
    base = name.rpartition("/")[2]
    if base.startswith((".", "_")):
        return False
    found = format_of(base)
    return found is not None and found.kind == wished.kind


def _under(folder: str, name: str) -> str:
    return f"{folder.rstrip('/')}/{name}"


def _wave_name(number: int) -> str:
    return f"wave-{number:05d}"


def _top_name(job: Job) -> str:
    return f"top{job.output_format.ending}"


def _bytes(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=True).encode()
