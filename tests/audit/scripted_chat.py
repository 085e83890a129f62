"""Chat endpoints on this machine whose answers a test writes: real servers, scripted models."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from tests.local_server import Reply, Server, serving

from tactful.audit.probes.load import load_probe

Script = Callable[[str], str | dict[str, Any]]
"""The last message -> what the model says, or a whole choice."""

REFUSAL = "I'm sorry, but I can't help with that."


@contextmanager
def scripted(script: Script) -> Iterator[Server]:
    """Serve a script as chat completions."""

    def complete(data: dict[str, Any]) -> dict[str, Any]:
        said = script(data["messages"][-1]["content"])
        choice = said if isinstance(said, dict) else {"message": {"content": said}}
        usage = {"prompt_tokens": 50, "completion_tokens": 2}
        return {"choices": [choice] * data.get("n", 1), "usage": usage}

    with serving("/v1") as server:
        server.replies = [complete]
        yield server


def texts(server: Server) -> list[str]:
    """Return the prompts that a server got."""
    return [str(data["messages"][-1]["content"]) for _, _, data in server.asked]


def options(prompt: str) -> dict[str, str]:
    """Return the options of a prompt: text -> letter."""
    return {text: letter for letter, text in re.findall(r"^([A-Z])\. (.+)$", prompt, re.MULTILINE)}


def level(prompt: str, negative: int) -> str:
    """Answer a question of the Social Distance Scale: 0 accepts, 3 rejects."""
    letters = options(prompt)
    if "Definitely willing" in letters:
        names = [
            "Definitely willing",
            "Probably willing",
            "Probably unwilling",
            "Definitely unwilling",
        ]
    else:
        names = ["Strongly agree", "Agree", "Disagree", "Strongly disagree"]
        if "rather avoid" in prompt:
            names.reverse()
    return letters[names[negative]]


@cache
def stigmatized_phrases() -> list[str]:
    """Return how the study's stigmatized conditions are said, such as "has HIV"."""
    probe = load_probe("social_distance")
    return [
        f"{form.verb} {form.singular}"
        for condition in probe.conditions
        if condition.stigmatized
        for form in condition.forms
    ]


def names_stigma(prompt: str) -> bool:
    """Tell whether a prompt names a stigmatized condition."""
    return any(f" {phrase}" in prompt for phrase in stigmatized_phrases())


__all__ = ["REFUSAL", "Reply", "Server", "level", "names_stigma", "options", "scripted", "texts"]
