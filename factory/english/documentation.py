"""Ordinary prose of another kind than news: what the installed packages say about themselves."""

from importlib.metadata import distributions
from typing import Any

from tactful.documents.document import document_of
from tactful.errors import TactfulError

_LEAST_LETTERS, _LEAST_WORDS = 200, 3


def documentation() -> list[str]:
    """Return the passages of the descriptions of all installed packages, each once."""
    found: dict[str, None] = {}
    for package in distributions():
        about: Any = package.metadata  # an email.message.Message, whose body is the description
        text = about.get_payload()
        if not isinstance(text, str) or len(text) < _LEAST_LETTERS:
            continue
        is_markdown = "markdown" in (about.get("Description-Content-Type") or "")
        try:
            segments = document_of(text, "markdown" if is_markdown else "rst").segments
        except TactfulError:
            continue
        passages = (segment.text for segment in segments)
        found |= dict.fromkeys(each for each in passages if len(each.split()) >= _LEAST_WORDS)
    return sorted(found)
