"""The section "Step by step" of the migration guide: its commands and code are run."""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import pytest
from tests.service.perspective.conftest import PYPERSPECTIVE, Run, served
from tests.service.perspective.test_client_shapes import THRESHOLD, by_last_or_zero, by_property
from tests.service.perspective.test_clients import KIND, RUDE
from tests.service.perspective.test_guide import GUIDE

ADDRESS = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def closed() -> Iterator[str]:
    """Return the address of a server as the section starts it."""
    (command,) = blocks("Step by step", "sh")
    assert shlex.split(command)[:2] == ["tactful", "serve"]
    assert shlex.split(command)[2:] == ["--port", "8000", "--fail-closed"]
    yield from served(fail_closed=True)


def blocks(heading: str, language: str) -> list[str]:
    """Return the code of a section, without its subsections."""
    text = GUIDE.read_text(encoding="utf-8")
    section = re.split(rf"^#+ {heading}\n", text, flags=re.M)[1]
    body = re.split(r"^##+ ", section, flags=re.M)[0]
    return [
        dedent(indent + code)
        for indent, code in re.findall(rf"```{language}\n( *)(.*?)\n *```", body, flags=re.S)
    ]


def curl(command: str, server: str, text: str | None = None) -> Any:
    """Run a command of the page against a server, with another text if one is given."""
    words = [word.replace(ADDRESS, server) for word in shlex.split(command) if word != "\n"]
    if text is not None:
        at = words.index("-d") + 1
        words[at] = json.dumps({**json.loads(words[at]), "comment": {"text": text}})
    try:
        done = subprocess.run(words, capture_output=True, timeout=120, check=True)
    except FileNotFoundError:
        pytest.skip("curl is not installed")
    return json.loads(done.stdout)


def test_coral(closed: str) -> None:
    analyze, suggest = blocks("Coral", "sh")
    assert 0 < curl(analyze, closed)["attributeScores"]["TOXICITY"]["summaryScore"]["value"] < 1
    assert by_property(curl(analyze, closed, RUDE), ["TOXICITY"])
    assert not by_property(curl(analyze, closed, KIND), ["TOXICITY"])
    assert curl(suggest, closed) == {
        "clientToken": "comment:c-1",
        "requestedLanguages": ["en"],
        "detectedLanguages": ["en"],
    }


def test_discourse(closed: str) -> None:
    (analyze,) = blocks("Discourse", "sh")
    assert 0 < curl(analyze, closed)["attributeScores"]["TOXICITY"]["summaryScore"]["value"] < 1
    assert by_last_or_zero(curl(analyze, closed, RUDE), [])
    assert not by_last_or_zero(curl(analyze, closed, KIND), [])
    # What the service cannot judge is flagged too.
    answer = curl(analyze, closed, "word " * 5_000)
    assert answer["needsReview"] is True
    assert by_last_or_zero(answer, [])


def test_a_bot(closed: str, with_package: Run) -> None:
    (code,) = blocks("A bot", "python")
    assert ADDRESS in code
    assert THRESHOLD < 0.8
    ask = f"\nimport json\nprint(json.dumps([is_toxic(each) for each in {[RUDE, KIND]!r}]))"
    assert with_package(PYPERSPECTIVE, code.replace(ADDRESS, closed) + ask, closed) == [True, False]
    # Nobody listens there: a person decides.
    away = code.replace(ADDRESS, "http://127.0.0.1:9")
    assert with_package(PYPERSPECTIVE, away + ask, closed) == [True, True]
