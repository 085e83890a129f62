"""The code action that asks a chat endpoint, a real one here, and the one that uses its answer."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.local_server import Reply, Server, serving
from tests.service.lsp.conftest import Editor, Message, Start
from tests.service.lsp.phrases import checked, phrases

from tactful.checking.options import Configuration, ProjectRewrite
from tactful.checking.rewriting import Rewrite
from tactful.errors import UsageError
from tactful.service.lsp.rewrites import Rewrites, chat_at, host_of, said_of, sentence_of
from tactful.service.lsp.settings import EditorSettings, endpoint_of, read_settings

PITY = "Even these poor souls can learn to hope again."
PLAIN = "The families wait at the stop."
TEXT = f"The bridge opens on Monday. {PITY}\n"


def completion(text: str) -> Reply:
    return Reply({"choices": [{"message": {"role": "assistant", "content": text}}]})


@pytest.fixture
def chat() -> Iterator[Server]:
    with serving("/v1") as found:
        found.replies = [completion(PLAIN)]
        yield found


def is_whole(found: list[Message]) -> bool:
    """Say whether the sentence is marked; until its words are known, the passage is."""
    return len(found) == 1 and found[0]["range"]["start"]["character"] > 0


def asking(actions: list[Message]) -> list[Message]:
    return [each for each in actions if each.get("command")]


def using(actions: list[Message]) -> list[Message]:
    return [each for each in actions if each["title"].startswith("Use the rewrite")]


def ask(editor: Editor, action: Message) -> str:
    """Choose the action that asks; return what the editor shows."""
    command = action["command"]
    editor.request(
        "workspace/executeCommand",
        {"command": command["command"], "arguments": command["arguments"]},
    )
    return editor.message_shown()


def opened(start: Start, text: str = TEXT, language: str = "plaintext", **settings: Any) -> Any:
    """Return an editor with a document, its address and its first mark."""
    editor = start("--model", "fast")
    editor.initialize({"lang": "en", **settings})
    uri = editor.open("letter.txt", text, language)
    (mark,) = editor.diagnostics(uri, until=is_whole)
    return editor, uri, mark


def test_a_rewrite_is_asked_for_shown_and_used_only_when_chosen(start: Start, chat: Server) -> None:
    editor, uri, mark = opened(start, rewrite_endpoint=chat.url)
    actions = editor.actions(uri, mark)
    (action,) = asking(actions)
    host = chat.url.split("/")[2]
    assert action["title"].startswith("Suggest a rewrite of 'Even these poor souls")
    assert action["title"].endswith(f"(asks {host})")
    assert "edit" not in action
    assert action["diagnostics"] == [mark]
    assert using(actions) == []
    assert chat.asked == []
    said = ask(editor, action)
    assert f"'{PLAIN}'" in said
    assert " → " in said
    assert "no better" not in said
    assert "bridge" not in str(chat.asked[0][2])
    assert not [each for each in editor.unread if each.get("method") == "workspace/applyEdit"]
    (use,) = using(editor.actions(uri, mark))
    before, after = use["title"].partition("(")[2].partition(")")[0].split(" → ")
    assert float(before) > float(after)
    ((edited, changes),) = use["edit"]["changes"].items()
    assert edited == uri
    assert changes == [
        {
            "range": {
                "start": {"line": 0, "character": TEXT.index(PITY)},
                "end": {"line": 0, "character": TEXT.index(PITY) + len(PITY)},
            },
            "newText": PLAIN,
        }
    ]
    assert editor.end() == 0


def test_without_an_endpoint_there_is_no_such_action(start: Start) -> None:
    editor, uri, mark = opened(start)
    actions = editor.actions(uri, mark)
    assert actions
    assert asking(actions) == []
    assert editor.end() == 0


def test_the_project_names_the_endpoint_and_the_editor_is_shown_progress(
    start: Start, chat: Server, tmp_path: Path
) -> None:
    (tmp_path / "tactful.toml").write_text(
        f'[rewrite]\nendpoint = "{chat.url}"\nchat_model = "small"\n', encoding="utf-8"
    )
    editor = start("--model", "fast")
    editor.initialize({"lang": "en"}, window={"workDoneProgress": True})
    uri = editor.open("letter.txt", TEXT)
    (mark,) = editor.diagnostics(uri, until=is_whole)
    (action,) = asking(editor.actions(uri, mark))
    command = action["command"]
    number = editor.send_request(
        "workspace/executeCommand",
        {"command": command["command"], "arguments": command["arguments"]},
    )
    create = editor.wait_for(lambda each: each.get("method") == "window/workDoneProgress/create")
    editor.send_body(b'{"jsonrpc": "2.0", "id": "%s", "result": null}' % create["id"].encode())
    kinds = [
        editor.wait_for(lambda each: each.get("method") == "$/progress")["params"]["value"]["kind"]
        for _ in range(2)
    ]
    assert kinds == ["begin", "end"]
    assert PLAIN in editor.message_shown()
    editor.wait_for(lambda each: each.get("id") == number and "method" not in each)
    assert chat.asked[0][2]["model"] == "small"
    assert editor.end() == 0


def test_bad_answers_and_a_changed_document_are_told_in_one_sentence(
    start: Start, chat: Server
) -> None:
    editor, uri, mark = opened(start, rewrite_endpoint=chat.url)
    (action,) = asking(editor.actions(uri, mark))
    for reply, said in (
        (Reply(status=500), "found status 500"),
        (Reply(raw=b"<html>"), "not JSON"),
        (Reply({"choices": 3}), "JSON of another shape"),
        (completion(" \n"), "There is no rewrite. The endpoint returned an empty answer."),
        (completion(PITY), "unchanged"),
        (completion("word " * 500), "too many for a rewrite"),
        (completion("Even these 7 poor souls can learn to hope again."), "It is no better. '7' is"),
    ):
        chat.asked.clear()
        chat.replies = [reply]
        shown = ask(editor, action)
        assert said in shown
        assert "\n" not in shown
    # What is sent lies within what the action named, which may have been the whole passage.
    chat.replies = [completion(PLAIN)]
    for end, said in ((len(TEXT), PLAIN), (20, "has changed")):
        action["command"]["arguments"][2:] = [0, end]
        assert said in ask(editor, action)
    editor.replace(uri, 2, f"{TEXT}\n")
    action["command"]["arguments"][2:] = [0, len(TEXT)]
    assert "has changed" in ask(editor, action)
    wrong = {"command": "tactful.rewrite", "arguments": [uri, "two"]}
    number = editor.send_request("workspace/executeCommand", wrong)
    assert "error" in editor.wait_for(lambda each: each.get("id") == number)
    assert editor.end() == 0


def test_an_endpoint_that_is_slow_holds_up_nothing_else(start: Start, chat: Server) -> None:
    held = threading.Event()
    slow = completion(PLAIN)
    slow.hold = held
    chat.replies = [slow]
    editor, uri, mark = opened(start, rewrite_endpoint=chat.url)
    (action,) = asking(editor.actions(uri, mark))
    command = action["command"]
    number = editor.send_request(
        "workspace/executeCommand",
        {"command": command["command"], "arguments": command["arguments"]},
    )
    try:
        assert asking(editor.actions(uri, mark))
        editor.replace(uri, 2, f"{TEXT}\nIt is late.\n")
        assert editor.diagnostics(uri, 2)
        assert editor.hover(uri, 0, TEXT.index("souls"))
    finally:
        held.set()
    editor.wait_for(lambda each: each.get("id") == number and "method" not in each)
    assert PLAIN in editor.message_shown()
    assert using(editor.actions(uri, mark)), "the sentence is the same in the new version"
    assert editor.end() == 0


def test_an_endpoint_that_is_down_is_told(start: Start) -> None:
    with serving("/v1") as gone:
        nobody = gone.url
    editor, uri, mark = opened(start, rewrite_endpoint=nobody)
    assert "found no answer" in ask(editor, asking(editor.actions(uri, mark))[0])
    assert editor.end() == 0


def test_a_rewrite_does_not_remove_markup() -> None:
    rewrites, rewrite = Rewrites(), Rewrite("They know.", 0.9, 0.1, better=True)
    for text, offered in (("Even they know.\n", 1), ("Even **they** know.\n", 0)):
        found = checked(text, "markdown")
        (finding,) = found.reading.report.findings
        rewrites.keep(found.snapshot.uri, sentence_of(found, finding), rewrite)
        actions = list(rewrites.actions(found, finding, [], versioned=True))
        assert len(actions) == offered
    rewrites.forget(found.snapshot.uri)
    assert list(rewrites.actions(found, finding, [], versioned=True)) == []


def test_titles_and_messages_are_in_the_language_of_the_report() -> None:
    found = checked("Even they know.", options=phrases(report_lang="es"))
    (finding,) = found.reading.report.findings
    rewrites = Rewrites()
    rewrites.endpoints[found.snapshot.uri] = ProjectRewrite("http://127.0.0.1:8080/v1")
    rewrite = Rewrite("They {know}.", 0.9, 0.5, changes=("'7' is new",))
    rewrites.keep(found.snapshot.uri, sentence_of(found, finding), rewrite)
    titles = [each.title for each in rewrites.actions(found, finding, [], versioned=True)]
    assert titles == [
        "Usar la nueva redacción (0.90 → 0.50): «They {know}.»",
        "Proponer otra redacción de «Even they know.» (pregunta a 127.0.0.1:8080)",
    ]
    assert said_of(rewrite, "es").startswith("Nueva redacción (0.90 → 0.50): «They {know}.». No es")
    assert "'7' is new." in said_of(rewrite, "en")
    assert said_of(Rewrite(problem="Nothing came."), "en") == "There is no rewrite. Nothing came."


def test_the_key_of_the_file_is_not_sent_to_the_endpoint_of_the_editor() -> None:
    project = Configuration(rewrite=ProjectRewrite("http://127.0.0.1:1/v1", "m", "TACTFUL_KEY"))
    assert endpoint_of(EditorSettings(), project) == project.rewrite
    own = read_settings({"rewrite_endpoint": "http://127.0.0.1:2/v1"})
    assert endpoint_of(own, project) == ProjectRewrite("http://127.0.0.1:2/v1")


@pytest.mark.parametrize(
    ("endpoint", "says"),
    [
        ("http://example.org/v1", "unencrypted; expected https"),
        ("nowhere", "cannot be read"),
        ("http://[::1", "cannot be read"),
        ("ftp://example.org", "expected https or http"),
        ("http://user:secret@127.0.0.1/v1", "name or password"),
    ],
)
def test_wrong_addresses_are_refused(endpoint: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        chat_at(ProjectRewrite(endpoint))
    assert "secret" not in host_of(endpoint)
