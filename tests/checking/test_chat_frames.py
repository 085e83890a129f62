"""Frames by a chat endpoint: what is asked, what is made of answers, and of wrong ones."""

import json
from typing import Any

import pytest
from click.testing import CliRunner
from tests.chat_model import chat_endpoint

from tactful.checking.chat import open_chat
from tactful.checking.chat_frames import (
    ANSWERS,
    SCHEMA,
    ChatFramer,
    MalformedAnswerError,
    parsed_frame,
)
from tactful.cli.frame.command import frame_cli
from tactful.frames.load import Framer
from tactful.frames.posts import Post
from tactful.frames.schema import frame_problems
from tactful.types import Frame


def answer(**changed: Any) -> str:
    said = {"offensive": "yes", "intent": "probably", "lewd": "no", "group": "", "statement": ""}
    return json.dumps({**said, **changed})


def test_an_answer_becomes_a_frame_with_the_names_of_the_list() -> None:
    frame = parsed_frame(f"Sure!\n```json\n{answer(group='Blacks', statement='are late')}\n```")
    assert frame.target_groups == ("black folks",)
    assert frame.implied_statements == ("black folks are late",)
    assert frame.implications[0].statement == "black folks are late"
    assert frame.answers["frame.intent"] == "probably"
    assert not frame_problems(frame)


def test_what_breaks_a_constraint_is_dropped() -> None:
    frame = parsed_frame(answer(offensive="no", intent="no", group="women", statement="x"))
    assert not frame.target_groups
    assert not frame.implied_statements
    assert not frame_problems(frame)
    long = parsed_frame(answer(group="cooks", statement=" ".join(["loud"] * 90)))
    assert len(long.implied_statements[0].split()) <= 20


@pytest.mark.parametrize(
    "text",
    ["", "no", "{", "[1]", "{}", '{"offensive": "yes"}', answer(lewd="very"), answer(intent=[])],
)
def test_other_answers_are_malformed(text: str) -> None:
    with pytest.raises(MalformedAnswerError):
        parsed_frame(text)


def test_the_endpoint_is_asked_with_examples_and_a_schema() -> None:
    asked: list[list[dict[str, str]]] = []

    def chat(messages: list[dict[str, str]], most: int) -> str:
        asked.append(messages)
        told = json.loads(messages[-1]["content"])["text"]
        return answer(group="cooks", statement="they are loud") if "cooks" in told else "what?"

    with chat_endpoint(chat) as server:
        framer = ChatFramer(open_chat(server.url))
        assert isinstance(framer, Framer)
        found = framer.frame(["Those cooks!", "", 'A "quoted" line'])
        assert server.asked[0][2]["response_format"]["json_schema"]["schema"] == SCHEMA
    assert found[0].implied_statements == ("cooks are loud",)
    assert found[1:] == [Frame(), Frame()]
    assert framer.malformed == 1
    assert len(asked) == 2
    roles = [message["role"] for message in asked[0]]
    assert roles[0] == "system"
    assert roles[1:-1] == ["user", "assistant"] * ((len(roles) - 2) // 2)
    for message in asked[0][2:-1:2]:
        # Our own examples keep to what is asked for.
        assert set(json.loads(message["content"])) == {*ANSWERS, "group", "statement"}
        assert not frame_problems(parsed_frame(message["content"]))


def test_the_command_asks_it() -> None:
    def chat(messages: list[dict[str, str]], most: int) -> str:
        return answer(group="cooks", statement="are loud")

    with chat_endpoint(chat) as server:
        call = ["--endpoint", server.url, "--text", "Those cooks!", "--format", "jsonl"]
        found = CliRunner().invoke(frame_cli, call, catch_exceptions=False)
        bare = CliRunner().invoke(frame_cli, [*call, "--no-statements"], catch_exceptions=False)
    assert json.loads(found.output)["frame"]["implied_statements"] == ["cooks are loud"]
    assert json.loads(bare.output)["frame"]["implied_statements"] == []


def test_a_reproduction_measures_it_beside_the_paper() -> None:
    from tactful_lab.evaluation.reproduce.frame_runs import run_framer

    def chat(messages: list[dict[str, str]], most: int) -> str:
        return answer(group="cooks", statement="are loud")

    with chat_endpoint(chat) as server:
        run = run_framer(f"chat:{server.url}", [Post("1", "Those cooks!", Frame())], [])
    assert run.frames[0].target_groups == ("cooks",)
    assert run.model == f"chat:{server.url}"
    assert run.speed is None  # the time is spent at the endpoint


def test_options_of_an_endpoint_need_its_address() -> None:
    found = CliRunner().invoke(frame_cli, ["--text", "x", "--chat-model", "y"])
    assert found.exit_code != 0
    assert "give --endpoint URL" in str(found.exception)
