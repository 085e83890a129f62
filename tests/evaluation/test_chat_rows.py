"""Rows of chat models, against a real endpoint on this machine."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.local_server import Reply, Server, serving

from tactful.checking.chat import Choice
from tactful.corpora import load_corpus
from tactful.errors import InputError, UsageError
from tactful_lab.evaluation.reproduce.chat_rows import ChatModel, probability
from tactful_lab.evaluation.reproduce.papers import reproduce
from tactful_lab.evaluation.reproduce.protocols import Choices
from tactful_lab.evaluation.reproduce.rows import chosen_rows


def answer(data: Any) -> dict[str, Any]:
    """Say yes to texts with "help" in them, as plain text without log-probabilities."""
    said = "Yes." if "help" in data["messages"][-1]["content"].lower() else "No."
    return {"choices": [{"message": {"content": said}}]}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving("/v1") as found:
        found.replies.append(answer)
        yield found


def test_zero_shot_asks_by_the_definition(server: Server) -> None:
    model = ChatModel(f"chat:{server.url}#tiny", ["pcl"])
    texts = ["They need our help.", "The bridge opens on Monday."]
    assert model.fit([], []).predict(texts).tolist() == [[1], [0]]
    _, _, asked = server.asked[0]
    assert asked["model"] == "tiny"
    assert [each["role"] for each in asked["messages"]] == ["system", "user"]
    assert "yes or no" in asked["messages"][0]["content"]


def test_few_shot_shows_examples_of_both_answers(server: Server) -> None:
    model = ChatModel(f"chat:{server.url}", ["pcl"], shots=4)
    model.fit([f"text {at}" for at in range(10)], [at % 2 for at in range(10)])
    model.predict_proba(["another"])
    messages = server.asked[0][2]["messages"]
    said = [each["content"] for each in messages if each["role"] == "assistant"]
    assert sorted(said) == ["no", "no", "yes", "yes"]
    assert "model" not in server.asked[0][2]


def test_a_probability_comes_from_the_first_token_or_from_the_words() -> None:
    first = (("Yes", math.log(0.6)), (" no", math.log(0.2)), ("maybe", math.log(0.1)))
    assert probability(Choice("Yes", first=first)) == pytest.approx(0.75)
    assert probability(Choice("**No**, it does not.")) == 0
    assert probability(Choice("yes")) == 1
    assert probability(Choice("I cannot say.")) == 0.5


def test_it_is_a_row_of_a_table(server: Server) -> None:
    name = f"chat:{server.url}#tiny"
    corpus = load_corpus("dpm", sample=True)
    found = reproduce("dpm-task1", corpus, ["random", name], Choices(folds=3), shots=2, limit=12)
    (line,) = [each for each in found.lines if each.model == name]
    assert line.name == "chat tiny"
    assert line.answers is not None
    assert len(line.answers.ids) == 12
    assert len(server.asked) == 12
    assert any("2-shot" in note for note in found.notes)
    assert [(pair.first, pair.texts) for pair in found.pairs] == [("random", 12)]


def test_a_stopped_row_does_not_ask_again(server: Server, tmp_path: Path) -> None:
    """Answers are kept 20 at a time, and all are measured together."""
    name, corpus = f"chat:{server.url}#tiny", load_corpus("dpm", sample=True)
    choices = Choices(folds=3)

    def interrupt(title: str, done: int, total: int) -> None:
        if (done, total) == (1, 2):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce(
            "dpm-task1", corpus, [name], choices, limit=30, cache=tmp_path, on_progress=interrupt
        )
    assert len(server.asked) == 20
    found = reproduce("dpm-task1", corpus, [name], choices, limit=30, cache=tmp_path)
    assert len(server.asked) == 30
    whole = reproduce("dpm-task1", corpus, [name], choices, limit=30)
    lines = [next(each for each in one.lines if each.model == name) for one in (found, whole)]
    assert lines[0].ours == lines[1].ours
    assert lines[0].spread is None
    assert lines[0].answers is not None
    assert len(set(lines[0].answers.ids)) == 30


def test_an_endpoint_that_is_none_is_said_in_the_row(server: Server) -> None:
    server.replies[:] = [Reply({"error": "no such model"}, 404)]
    corpus = load_corpus("dpm", sample=True)
    found = reproduce("dpm-task1", corpus, [f"chat:{server.url}"], Choices(folds=3), limit=2)
    (line,) = [each for each in found.lines if each.model.startswith("chat:")]
    assert "found the answer 404" in (line.reason or "") or "404" in (line.reason or "")


def test_a_plain_address_elsewhere_is_refused() -> None:
    with pytest.raises((UsageError, InputError), match="http"):
        ChatModel("chat:http://example.org/v1", ["pcl"])
    with pytest.raises(UsageError, match="chat:URL#MODEL"):
        ChatModel("chat:", ["pcl"])
    assert chosen_rows(["chat:http://127.0.0.1:1/v1"])[0].title == "chat 127.0.0.1:1"
