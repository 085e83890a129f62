"""Versions of the questions and the guideline: what people were asked when they answered.

A project records the wording whenever it is served with another one than before, so that the log
says for every answer which questions and which guideline the person saw.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from tactful.annotation.protocol.records import Protocol

_CONTEXT_LINES = 1


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs between two versions."""

    where: str
    """The step and the question, or ``guideline``."""
    before: str
    after: str


def wording_of(protocol: Protocol) -> dict[str, Any]:
    """Return what people read, as JSON data."""
    return {
        "protocol": protocol.version,
        "guideline": protocol.guideline,
        "steps": {
            step.id: {
                "title": step.title,
                "questions": {
                    question.id: {
                        "text": question.text,
                        "help": question.help,
                        "example": question.example,
                        **({"begins": list(question.begins)} if question.begins else {}),
                        "options": {
                            option.value: f"{option.name}: {option.help}".removesuffix(": ")
                            for option in question.options
                        },
                    }
                    for question in step.questions
                },
            }
            for step in protocol.steps
        },
    }


def version_of(wording: Mapping[str, Any]) -> str:
    """Return a short name of a wording: the same for the same words."""
    text = json.dumps(wording, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Return what differs between two wordings, question by question, and in the guideline."""
    old, new = dict(_pieces(before)), dict(_pieces(after))
    found = [
        Change(where, old.get(where, ""), new.get(where, ""))
        for where in dict.fromkeys((*old, *new))
        if old.get(where) != new.get(where)
    ]
    lines = [
        line
        for line in unified_diff(
            before["guideline"].splitlines(),
            after["guideline"].splitlines(),
            lineterm="",
            n=_CONTEXT_LINES,
        )
        if not line.startswith(("---", "+++", "@@"))
    ]
    if lines:
        gone = "\n".join(line[1:] for line in lines if not line.startswith("+"))
        come = "\n".join(line[1:] for line in lines if not line.startswith("-"))
        found.append(Change("guideline", gone, come))
    return found


def _pieces(wording: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts of a wording with their places, without the guideline."""
    yield "version of the protocol", wording["protocol"]
    for step, part in wording["steps"].items():
        yield f"{step}, title", part["title"]
        for question, asked in part["questions"].items():
            for name in ("text", "help", "example"):
                yield f"{step}, {question}, {name}", asked[name]
            yield f"{step}, {question}, begins", " / ".join(asked.get("begins", ()))
            for value, words in asked["options"].items():
                yield f"{step}, {question}, answer '{value}'", words
