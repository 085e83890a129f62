"""Suggestions for sentences, and rewrites by a real server on this machine that may misbehave."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from tests.local_server import Reply, Server, serving

from tactful.checking.chat import ChatEndpoint, open_chat
from tactful.checking.checker import Checker
from tactful.checking.options import CheckOptions
from tactful.checking.rewriting import (
    LONGEST_SENTENCE,
    Rewrite,
    Sentence,
    ask_for_rewrite,
    changed_facts,
    find_sentences,
    language_of,
    rewrite_sentence,
    sentence_as_json,
    sentence_check,
    sentence_options,
)
from tactful.errors import InputError, UsageError

PITY = "Even these poor souls can learn to hope again."
PLAIN = "The families wait at the stop."
FAST = CheckOptions(model="fast")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving("/v1") as found:
        yield found


def completion(text: Any) -> Reply:
    return Reply({"choices": [{"message": {"role": "assistant", "content": text}}]})


@pytest.fixture(scope="module")
def sentence() -> Sentence:
    return find_sentences(Checker(FAST).check(PITY))[0]


def test_each_sentence_has_its_own_findings_and_suggestions() -> None:
    text = f"The bridge opens on Monday. {PITY} A wheelchair-bound man waved."
    report = Checker(FAST, least=0.5).check(text)
    found = find_sentences(report)
    assert [each.text for each in found] == [PITY, "A wheelchair-bound man waved."]
    pity, term = found
    assert next(iter(pity.kinds)).startswith("pcl")
    assert list(pity.kinds.values()) == sorted(pity.kinds.values(), reverse=True)
    assert 1 <= len(pity.suggestions) <= 2
    assert any(quote in pity.suggestions[0] for quote in ("“poor souls”", "“can learn to hope”"))
    assert list(term.kinds) == ["term.disability"]
    assert term.suggestions == ("Instead of “wheelchair-bound man”: “man using a wheelchair”.",)
    assert (term.place.line, term.place.column) == (1, text.index("A wheelchair") + 1)
    assert [pity.place, term.place] == [each.place for each in report.findings]


def test_no_finding_no_sentence() -> None:
    assert find_sentences(Checker(FAST).check("The bridge opens on Monday.")) == []


def test_suggestions_are_in_the_language_of_the_report() -> None:
    report = Checker(FAST).check(PITY)
    assert language_of(report) == "en"
    assert find_sentences(report, "es")[0].suggestions[0].startswith("Decir ")


def test_a_rewrite_is_checked_and_compared(server: Server, sentence: Sentence) -> None:
    server.replies = [completion(f"  “{PLAIN}”\n")]
    chat = open_chat(server.url, model="small")
    found = rewrite_sentence(chat, sentence, sentence_check(FAST, "en"))
    assert found.text == PLAIN
    assert found.better
    assert found.before is not None
    assert found.after is not None
    assert found.before > 0.5 > found.after
    assert found.found == {}
    assert found.changes == ()
    (path, headers, asked) = server.asked[0]
    assert path == "/v1/chat/completions"
    assert "Authorization" not in headers
    assert asked["model"] == "small"
    assert asked["temperature"] == 0
    assert asked["max_tokens"] == 400
    assert asked["stream"] is False
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]
    said = asked["messages"][1]["content"]
    assert said.endswith(PITY)
    assert sentence.suggestions[0] in said
    assert "$" not in said


def test_a_rewrite_that_is_no_better_is_said_to_be_so(server: Server, sentence: Sentence) -> None:
    server.replies = [completion("Even those poor little souls can learn to hope again.")]
    found = rewrite_sentence(open_chat(server.url), sentence, sentence_check(FAST, "en"))
    assert not found.better
    assert any(name.startswith("pcl") for name in found.found)
    assert "model" not in server.asked[0][2]


def test_a_rewrite_with_a_new_finding_is_no_better(server: Server, sentence: Sentence) -> None:
    server.replies = [completion("The wheelchair-bound man waits at the stop.")]
    found = rewrite_sentence(open_chat(server.url), sentence, sentence_check(FAST, "en"))
    assert not found.better
    assert "term.disability" in found.found


def test_the_text_of_a_sentence_is_never_a_template(server: Server) -> None:
    text = "These poor $kinds and ${advice} {quote} souls can learn to hope again."
    found = find_sentences(Checker(FAST, least=0.1).check(text))[0]
    server.replies = [completion(PLAIN)]
    assert ask_for_rewrite(open_chat(server.url), found).text == PLAIN
    assert server.asked[0][2]["messages"][1]["content"].endswith(text)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", "empty answer"),
        (" \n“”…", "empty answer"),
        (PITY.upper(), "unchanged"),
        (f'"{PITY}"', "unchanged"),
        (f"Here is it: {PITY} I hope that it helps.", "repeated the sentence"),
        ("word " * 2_000, "too many for a rewrite"),
    ],
    ids=["empty", "marks", "unchanged", "quoted", "repeated", "long"],
)
def test_answers_that_are_no_rewrite(
    server: Server, sentence: Sentence, answer: str, problem: str
) -> None:
    server.replies = [completion(answer)]
    found = ask_for_rewrite(open_chat(server.url), sentence)
    assert found.text is None
    assert problem in str(found.problem)
    assert "word word" not in str(found.problem)


def test_control_characters_of_an_answer_are_removed(server: Server, sentence: Sentence) -> None:
    server.replies = [completion("\x1b[31mThe families\u202e wait\x00 at\nthe stop.")]
    assert ask_for_rewrite(open_chat(server.url), sentence).text == (
        "[31mThe families wait at the stop."
    )


def test_a_very_long_sentence_is_not_sent(server: Server, sentence: Sentence) -> None:
    from dataclasses import replace

    server.replies = [completion(PLAIN)]
    long = replace(sentence, text="word " * LONGEST_SENTENCE)
    assert "only up to 2,000 are sent" in str(ask_for_rewrite(open_chat(server.url), long).problem)
    assert server.asked == []


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply({"choices": []}), "JSON of another shape; expected a chat completion"),
        (Reply([1]), "JSON of another shape"),
        (completion(None), "JSON of another shape"),
        (completion(["a"]), "JSON of another shape"),
        (Reply(raw=b"<html>hello"), "not JSON"),
        (Reply(raw=b"[" * 100_000), "not JSON"),
        (Reply(raw=b" " * (3 << 20)), "more than 1 MiB; expected a chat completion"),
        (Reply(status=401), "name the variable that holds the API key"),
        (Reply(status=404), "check the address, which may need /v1"),
        (Reply(status=500), "see the log of the server"),
        (Reply(status=429, headers={"Retry-After": "0"}), "3 times; expected 200; try again later"),
        (Reply(status=302, headers={"Location": "http://127.0.0.2/"}), "a redirect to"),
    ],
    ids=[
        "none",
        "list",
        "null",
        "parts",
        "html",
        "deep",
        "huge",
        "401",
        "404",
        "500",
        "429",
        "302",
    ],
)
def test_endpoints_that_misbehave(
    server: Server, sentence: Sentence, reply: Reply, message: str
) -> None:
    server.replies = [reply]
    with pytest.raises(InputError, match=message) as error:
        ask_for_rewrite(open_chat(server.url), sentence)
    assert "poor souls" not in str(error.value)


def test_an_endpoint_that_is_busy_is_asked_again(server: Server, sentence: Sentence) -> None:
    server.replies = [Reply(status=503, headers={"Retry-After": "0"}), completion(PLAIN)]
    assert ask_for_rewrite(open_chat(server.url), sentence).text == PLAIN


def test_an_endpoint_that_does_not_listen(sentence: Sentence) -> None:
    with pytest.raises(InputError, match="found no answer"):
        ask_for_rewrite(open_chat("http://127.0.0.1:9/v1"), sentence)


def test_an_endpoint_that_is_slow(server: Server, sentence: Sentence) -> None:
    given_up = threading.Event()
    server.replies = [Reply(hold=given_up)]
    with pytest.raises(InputError, match=r"none within 0\.2 seconds"):
        ask_for_rewrite(open_chat(server.url, timeout=0.2), sentence)
    given_up.set()


def test_a_key_is_read_from_the_environment(
    server: Server, sentence: Sentence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_KEY", "abc")
    server.replies = [completion(PLAIN)]
    chat = open_chat(server.url, key_variable="OUR_KEY")
    assert "abc" not in repr(chat)
    ask_for_rewrite(chat, sentence)
    assert server.asked[0][1]["Authorization"] == "Bearer abc"
    monkeypatch.delenv("OUR_KEY")
    with pytest.raises(UsageError, match="'OUR_KEY' is unset or empty"):
        open_chat(server.url, key_variable="OUR_KEY")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "cannot be read"),
        ("ftp://example.org", "expected https or http"),
        ("http://example.org/v1", "the sentences unencrypted.*--allow-plain-http"),
        ("https://me:word@example.org", "--key-variable"),
    ],
)
def test_addresses_that_are_refused(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_chat(url)


def test_addresses_of_endpoints() -> None:
    def place(url: str, **options: Any) -> str:
        chat = open_chat(url, **options)
        assert isinstance(chat, ChatEndpoint)
        return chat.place

    whole = "http://127.0.0.1:8080/v1/chat/completions"
    assert place("http://127.0.0.1:8080/v1") == place("http://127.0.0.1:8080/v1/") == whole
    assert place(whole) == whole
    assert place("https://example.org") == "https://example.org/chat/completions"
    assert place("http://example.org/v1", allow_plain_http=True).startswith("http://example.org")


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("Ana fed 30 cats.", "Ana fed 30 cats in all.", []),
        ("We met Ana.", "Ana met us.", []),
        ("It rained. Then Bob left.", "Bob left.", []),
        ("We paid 3.50 in May.", "We paid 4 in June.", ["'3.50' is missing", "'4' is new",
                                                        "'May' is missing", "'June' is new"]),
        ("Two of 2 met Ana.", "They met banana.", ["'2' is missing", "'Ana' is missing"]),
    ],
    ids=["same", "moved", "first", "changed", "parts"],
)  # fmt: skip
def test_changed_names_and_numbers(before: str, after: str, changes: list[str]) -> None:
    assert changed_facts(before, after) == changes


def test_the_options_of_a_sentence_are_those_of_its_document() -> None:
    options = CheckOptions(model="fast", only=("pcl",), least=0.4)
    english = sentence_options(options, "en")
    assert (english.model, english.lang, english.only, english.least) == (
        "fast",
        "en",
        ("pcl",),
        0.4,
    )
    assert sentence_options(options, "es").model == "default"
    assert sentence_options(CheckOptions(model="/a/folder"), "es").lang == "auto"
    assert sentence_options(CheckOptions(lang="en"), "es").lang == "en"


def test_a_sentence_as_json(sentence: Sentence) -> None:
    found = Rewrite(PLAIN, 0.91234567, 0.1, True, {"pcl": 0.12345678}, ("'2' is new",))
    data = json.loads(json.dumps(sentence_as_json(sentence, found)))
    assert data["text"] == PITY
    assert data["rewrite"] == {
        "text": PLAIN,
        "score_before": 0.91234567,
        "score_after": 0.1,
        "better": True,
        "found": {"pcl": 0.1235},
        "changes": ["'2' is new"],
        "problem": None,
    }
    assert sentence_as_json(sentence, None)["rewrite"] is None
