"""Frames by the user's own chat model: a few examples, and an answer that must be JSON.

The model is asked through any OpenAI-compatible endpoint (:mod:`tactful.checking.chat`). It may
write anything, so its answer is validated and normalised, and parts that break the constraints of a
frame are dropped.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tactful.checking.chat import ChatEndpoint
from tactful.detectors.card import Card
from tactful.errors import InputError
from tactful.frames.groups import group_named, normalise_group
from tactful.frames.schema import CATEGORICAL, make_frame
from tactful.frames.statements import MOST_WORDS, hearst_form
from tactful.types import Frame, Implication
from tactful.words import cut_words
from tactful.yaml_data import read_yaml

PROMPT_FILE = Path(__file__).with_name("chat_frames.yaml")
KIND = "frames-chat"
ANSWERS = {
    "offensive": ("yes", "maybe", "no"),
    "intent": ("yes", "probably", "no"),
    "lewd": ("yes", "maybe", "no"),
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        **{name: {"type": "string", "enum": list(values)} for name, values in ANSWERS.items()},
        "group": {"type": "string"},
        "statement": {"type": "string"},
    },
    "required": [*ANSWERS, "group", "statement"],
    "additionalProperties": False,
}
"""The JSON schema that an endpoint is asked to follow."""
MAX_TOKENS = 120
LONGEST_TEXT = 4_000
"""Characters of a text that are sent; a frame is about a short text."""
_LONGEST_GROUP, _LONGEST_STATEMENT = 60, 200
_GROUP_WORDS = 6


class ChatFramer:
    """Turns texts into frames with a chat model.

    Parameters
    ----------
    chat
        The endpoint, as :func:`tactful.checking.chat.open_chat` opens it.

    Attributes
    ----------
    malformed
        How many answers so far were not what was asked for; their frames are empty.

    """

    def __init__(self, chat: ChatEndpoint):
        self.chat = chat
        self.malformed = 0
        self.card = Card(
            KIND,
            chat.model or "unknown",
            CATEGORICAL,
            kind=KIND,
            summary="Social Bias Frames by a chat model of the user's own, from a few examples.",
            licence="that of the chat model",
            limits=(
                "It can be wrong in any way that its chat model can: read it as one opinion.",
                "It gives no probabilities.",
            ),
        )

    def frame(self, texts: Sequence[str]) -> list[Frame]:
        """Return one frame per text, in the order of ``texts``; each holds the constraints."""
        return [self._frame(text) for text in texts]

    def _frame(self, text: str) -> Frame:
        if not text.strip():
            return Frame()
        messages = [*_examples(), _asked(text[:LONGEST_TEXT])]
        try:
            return parsed_frame(self.chat.complete(messages, MAX_TOKENS, schema=SCHEMA))
        except MalformedAnswerError:
            self.malformed += 1
            return Frame()


class MalformedAnswerError(ValueError):
    """A chat model answered something other than the JSON that it was asked for."""


def parsed_frame(answer: str) -> Frame:
    """Return the frame that an answer of a chat model holds.

    Raises
    ------
    MalformedAnswerError
        If there is no JSON object with the answers in it.

    Examples
    --------
    >>> frame = parsed_frame('{"offensive": "yes", "intent": "no", "lewd": "no", '
    ...                      '"group": "Blacks", "statement": "they are late"}')
    >>> frame.target_groups, frame.implied_statements
    (('black folks',), ('black folks are late',))

    """
    start, end = answer.find("{"), answer.rfind("}")
    try:
        said = json.loads(answer[start : end + 1])
        answers = {name: said[name] for name in ANSWERS}
        group, statement = (" ".join(str(said.get(key) or "").split()) for key in _TEXTS)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise MalformedAnswerError from None
    if any(answers[name] not in values for name, values in ANSWERS.items()):
        raise MalformedAnswerError
    group = cut_words(group, _GROUP_WORDS, _LONGEST_GROUP)
    if answers["offensive"] == "no" or not group:
        return make_frame({**answers, "group": "no"})
    name = group_named(group) or normalise_group(group)
    told = cut_words(hearst_form(statement, group), MOST_WORDS, _LONGEST_STATEMENT)
    try:
        frame = make_frame({**answers, "group": "yes"}, [name], [told] if told else [])
    except InputError:
        raise MalformedAnswerError from None
    return Frame(
        frame.probabilities,
        frame.target_groups,
        frame.implied_statements,
        frame.answers,
        (Implication(name, told or None),),
    )


_TEXTS = ("group", "statement")


@cache
def _examples() -> tuple[dict[str, str], ...]:
    data = read_yaml(PROMPT_FILE)
    found = [{"role": "system", "content": str(data["system"])}]
    for each in data["examples"]:
        found.append(_asked(each["text"]))
        found.append({"role": "assistant", "content": json.dumps(each["frame"])})
    return tuple(found)


def _asked(text: str) -> dict[str, str]:
    # As JSON the text cannot be taken for a part of the conversation so easily.
    return {"role": "user", "content": json.dumps({"text": text}, ensure_ascii=False)}
