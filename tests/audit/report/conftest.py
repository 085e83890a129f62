"""Audits with made-up numbers, and a reader of pages that refuses what is not balanced."""

import runpy
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tactful.audit.results import AuditResult

EXAMPLE = runpy.run_path(str(Path(__file__).with_name("example.py")))
VOID = {"meta", "br", "wbr"}


class Page(HTMLParser):
    """Reads a page, and refuses tags that are left open or closed twice."""

    def __init__(self, page: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.children: list[list[str]] = []
        """The tags directly inside each svg."""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if self.open and self.open[-1] == "svg":
            self.children[-1].append(tag)
        if tag == "svg":
            self.children.append([])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if self.open and self.open[-1] == "svg":
            self.children[-1].append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


@pytest.fixture(scope="session")
def example() -> AuditResult:
    result = EXAMPLE["example"]()
    assert isinstance(result, AuditResult)
    return result


@pytest.fixture(scope="session")
def made() -> Callable[..., Any]:
    """Return a thing of the example module by its name, called with what follows."""

    def get(name: str, *arguments: Any) -> Any:
        found = EXAMPLE[name]
        return found(*arguments) if callable(found) else found

    return get


@pytest.fixture(scope="session")
def read() -> Callable[[str], Page]:
    return Page
