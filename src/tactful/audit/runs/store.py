"""The answers of a model, saved batch by batch, so that an interrupted audit can resume.

One file for each model and way of asking, one JSON object a line, append-only. A line that
a crash cut off is skipped; a prompt that was answered once is never asked again.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from tactful.audit.protocol import Answer
from tactful.errors import FileFormatError, OutputError

FOLDER = "answers"
FORMAT = 1
_SHOWN = 16
"""How many characters of the fingerprint are in the file's name."""


class AnswerStore:
    """Answers by the text of their prompt, in one file below the folder of the audits."""

    def __init__(self, folder: Path, kind: str, model: str, fingerprint: str):
        self.path = folder / FOLDER / f"{kind}-{fingerprint[:_SHOWN]}.jsonl"
        self._header = {
            "format": FORMAT,
            "kind": kind,
            "model": model,
            "fingerprint": fingerprint,
        }
        self._known: dict[str, Answer] = self._read() if self.path.exists() else {}

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, text: object) -> bool:
        return text in self._known

    def __getitem__(self, text: str) -> Answer:
        return self._known[text]

    def add(self, answers: Iterable[tuple[str, Answer]]) -> None:
        """Append answers to the file, and remember them."""
        new = dict(answers)
        lines = "".join(
            json.dumps({"prompt": text, "answer": answer}, ensure_ascii=False) + "\n"
            for text, answer in new.items()
        )
        try:
            self._append(lines)
        except OSError as error:
            raise OutputError(
                f"{self.path}: cannot be written ({error.strerror or error}); the answers before "
                "this are saved; free some space and run the same command again."
            ) from error
        self._known |= new

    def _append(self, lines: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            if file.tell() == 0:
                lines = json.dumps(self._header, ensure_ascii=False) + "\n" + lines
            elif not self._ends_well():
                # What a crash cut off becomes a line of its own, which reading skips.
                lines = "\n" + lines
            file.write(lines.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())

    def _ends_well(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"

    def _read(self) -> dict[str, Answer]:
        known: dict[str, Answer] = {}
        with self.path.open("rb") as file:
            first = _object(file.readline())
            if first is None and not file.read(1):
                return known  # a crash before the first line was whole
            if first is None or first.get("fingerprint") != self._header["fingerprint"]:
                raise FileFormatError(
                    f"{self.path}, line 1: found the answers of another model; expected those of "
                    f"{self._header['model']}; move the file away."
                )
            for line in file:
                found = _object(line)
                if found and isinstance(found.get("prompt"), str) and "answer" in found:
                    known[found["prompt"]] = found["answer"]
        return known


def _object(line: bytes) -> Answer | None:
    """Return a line as an object; None for one that a crash cut off."""
    try:
        found = json.loads(line.decode("utf-8"))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
