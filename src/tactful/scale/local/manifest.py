"""What is done of a job: a line for its terms, and one for each part that is whole.

Lines are only ever added, each after its part has its final name. So whatever ends a run, the
manifest names whole parts only; a last line that was cut off is ignored.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tactful.errors import InputError
from tactful.scale.changes import refuse_changes
from tactful.scale.tables.atomic_write import write_atomically

FILE = "manifest.jsonl"
VERSION = 1


class Manifest:
    """The record of a folder of parts."""

    def __init__(
        self,
        folder: Path,
        terms: Mapping[str, Any],
        inputs: list[dict[str, Any]],
        *,
        output: str = "",
        exact: bool = False,
    ):
        """Open the record of a job, or begin one; other terms or files than before are refused.

        ``output`` is what messages call the job; with ``exact`` a file that was written again is
        another one.
        """
        self.path = folder / FILE
        self.parts: dict[int, dict[str, Any]] = {}
        self.inputs = inputs
        self.is_finished = False
        self.resumed = self.path.exists()
        header: dict[str, Any] = {"tactful score": VERSION, "terms": dict(terms), "inputs": inputs}
        if self.resumed:
            old = self._read()
            # A run that got nowhere binds nobody: its mistake may be what was mended since.
            if self.parts or self.is_finished:
                place, before = output or str(folder), old["inputs"]
                refuse_changes(place, old["terms"], header["terms"], before, inputs, exact=exact)
                self.inputs = before
                return
        self.resumed = False
        self._write_header(header)

    def add(self, number: int, record: Mapping[str, Any]) -> None:
        """Note that a part is whole."""
        self.parts[number] = dict(record)
        self._append({"part": number, **record})

    def finish(self) -> None:
        """Note that all is done."""
        self.is_finished = True
        self._append({"finished": len(self.parts)})

    def _append(self, record: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self) -> dict[str, Any]:
        """Return the terms and the inputs, and remember the parts."""
        raw = self.path.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        try:
            # The first line came under its name as a whole: without its end it is none of ours.
            header, *lines = [json.loads(line) for line in (whole or raw).splitlines()]
            if header["tactful score"] != VERSION:
                raise ValueError(f"version {header['tactful score']}")
            old = {"terms": dict(header["terms"]), "inputs": [_input(e) for e in header["inputs"]]}
            for line in lines:
                if "finished" in line:
                    self.is_finished = True
                else:
                    number = int(line.pop("part"))
                    self.parts[number] = _part(line)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{self.path}: found no record of a run that can be resumed "
                f"({type(error).__name__}: {error}); expected version {VERSION}; pass --restart to "
                "score everything again, or name another output."
            ) from None
        if len(whole) < len(raw):
            # The line that a crash cut off would spoil the one that is written behind it.
            with self.path.open("rb+") as file:
                file.truncate(len(whole))
        return old

    def _write_header(self, header: Mapping[str, Any]) -> None:
        write_atomically(self.path, (json.dumps(header, ensure_ascii=False) + "\n").encode())


def _part(record: dict[str, Any]) -> dict[str, Any]:
    """Return what is remembered of a part; without its place or its rows it is worth nothing."""
    numbers = ("source", "start", "end", "line", "next line", "rows")
    return {"digest": "", **record, **{name: int(record[name]) for name in numbers}}


def _input(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is remembered of a file of the input."""
    return {**record, "file": str(record["file"]), "size": int(record["size"])}
