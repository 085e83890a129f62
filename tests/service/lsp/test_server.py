"""The server over standard input and output, with the embedded detectors."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.service.lsp.conftest import Editor, Start

KIND = "With a little help from people like us, even these poor souls can learn to hope again."
FINE = "The meeting begins at nine and ends at noon."
SPANISH = "Los inmigrantes traen delincuencia a nuestros barrios."
MARKDOWN = {"hover": {"contentFormat": ["markdown", "plaintext"]}}


def codes(diagnostics: list[dict[str, Any]]) -> set[str]:
    return {each["code"] for each in diagnostics}


def warmed(editor: Editor) -> Editor:
    """Wait until the model is open, so that times are those of its work."""
    uri = editor.open("warm.txt", "Good morning to all of you.")
    editor.diagnostics(uri)
    return editor


def apply(text: str, action: dict[str, Any], uri: str) -> str:
    """Apply an edit of one insertion, as an editor would; for texts without emoji."""
    (edit,) = action["edit"]["changes"][uri]
    assert edit["range"]["start"] == edit["range"]["end"]
    lines = text.splitlines(keepends=True)
    at = edit["range"]["start"]
    offset = sum(map(len, lines[: at["line"]])) + at["character"]
    new: str = edit["newText"]
    return text[:offset] + new + text[offset:]


def has(code: str) -> Callable[[list[dict[str, Any]]], bool]:
    return lambda found: code in codes(found)


def marks(code: str, text: str) -> Callable[[list[dict[str, Any]]], bool]:
    """Wait for the carrying words of a text; on a busy machine all of it is marked before."""

    def is_marked(found: list[dict[str, Any]]) -> bool:
        places = [each["range"] for each in found if each["code"] == code]
        sizes = [each["end"]["character"] - each["start"]["character"] for each in places]
        return any(size < len(text) for size in sizes)

    return is_marked


def is_empty(found: list[dict[str, Any]]) -> bool:
    return found == []


def test_a_whole_life(start: Start) -> None:
    editor = start()
    can = editor.initialize(textDocument=MARKDOWN)
    assert can["hoverProvider"]
    assert can["textDocumentSync"]["change"] == 2
    text = f"# Letter\n\n{FINE}\n\n{KIND}\n"
    uri = editor.open("letter.md", text, "markdown")
    found = editor.diagnostics(uri, until=marks("pcl", KIND))
    pcl = next(each for each in found if each["code"] == "pcl")
    assert pcl["range"]["start"]["line"] == 4
    assert pcl["source"] == "tactful"

    shown = editor.hover(uri, 4, pcl["range"]["start"]["character"])
    assert shown["contents"]["kind"] == "markdown"
    assert "**Patronizing or condescending**" in shown["contents"]["value"]
    assert editor.hover(uri, 2, 3) is None

    (ignore,) = editor.actions(uri, pcl)
    assert ignore["title"] == "Ignore 'pcl, unhealthy.generalisation' here"
    assert editor.actions(uri, pcl, only=["refactor"]) == []
    editor.replace(uri, 2, apply(text, ignore, uri))
    assert editor.diagnostics(uri, 2) == []
    editor.replace(uri, 3, text)
    editor.diagnostics(uri, 3, has("pcl"))

    position = {"line": 4, "character": 0}
    whole = {"start": position, "end": {"line": 5, "character": 0}}
    editor.change(uri, 4, {"range": whole, "text": FINE + "\n"})
    assert editor.diagnostics(uri, 4) == []
    editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert editor.diagnostics(uri, None) == []
    assert editor.hover(uri, 4, 5) is None
    assert editor.end() == 0
    assert editor.errors.read_text() == ""


def test_spanish_is_read_by_the_spanish_detector_and_told_in_spanish(start: Start) -> None:
    editor = start()
    editor.initialize()
    uri = editor.open("carta.txt", SPANISH)
    found = editor.diagnostics(uri, until=marks("stereotype", SPANISH))
    assert "casi seguro" in found[0]["message"]
    shown = editor.hover(uri, *found[0]["range"]["start"].values())
    assert shown["contents"]["kind"] == "plaintext"
    assert "Tactful" in shown["contents"]["value"] or "Preguntas" in shown["contents"]["value"]
    titles = [each["title"] for each in editor.actions(uri, found[0])]
    assert any(title.startswith("Ignorar «stereotype") for title in titles), titles
    assert editor.end() == 0


@pytest.mark.parametrize(
    ("offered", "agreed", "character"),
    [
        (["utf-8", "utf-16"], "utf-8", 5),
        (["utf-32"], "utf-32", 2),
        (["utf-16"], "utf-16", 3),
        (["utf-7"], "utf-16", 3),
        (None, "utf-16", 3),
    ],
)
def test_positions_are_counted_as_agreed(
    start: Start, offered: list[str] | None, agreed: str, character: int
) -> None:
    editor = start("--model", "fast")
    general = {} if offered is None else {"general": {"positionEncodings": offered}}
    can = editor.initialize({"thresholds": {"pcl": 0.0}, "only": ["pcl"]}, **general)
    assert can["positionEncoding"] == agreed
    uri = editor.open("a.txt", f"😀\n😀 {FINE}")
    editor.diagnostics(uri)
    at = {"line": 1, "character": character}
    # The text after the emoji and the space is replaced: only the right unit keeps both.
    editor.change(
        uri, 2, {"range": {"start": at, "end": {"line": 1, "character": 999}}, "text": KIND}
    )
    found = editor.diagnostics(uri, 2, has("pcl"))
    ends = {each["range"]["end"]["character"] for each in found}
    assert max(ends) <= character + len(KIND)
    editor.replace(uri, 3, f"😀\n😀 {KIND}")
    editor.diagnostics(uri, 3, lambda again: again == found)
    assert editor.end() == 0


def test_typing_is_waited_for_and_only_the_last_text_counts(start: Start) -> None:
    editor = start()
    editor.initialize({"delay": 3_000})
    warmed(editor)
    uri = editor.open("a.txt", FINE)
    assert editor.diagnostics(uri) == []
    for version in range(2, 12):
        editor.replace(uri, version, f"{FINE} {KIND[: 8 * version]}")
    editor.replace(uri, 12, KIND)
    editor.diagnostics(uri, 12, has("pcl"))
    versions = [
        each["params"].get("version")
        for each in editor.unread
        if each.get("method") == "textDocument/publishDiagnostics"
    ]
    assert versions == []
    assert editor.end() == 0


def test_a_long_document_shows_its_beginning_soon_and_stays_editable(start: Start) -> None:
    editor = start()
    editor.initialize({"frames": "off"})
    warmed(editor)
    lines = [KIND, "", *(f"Line {at} of the long report on bridges." for at in range(4_998))]
    uri = editor.open("long.md", "\n\n".join(lines), "markdown")
    editor.diagnostics(uri, until=has("pcl"))
    # Before it is read to its end, it changes: the new text is answered, the old one given up.
    top = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": len(KIND)}}
    editor.change(uri, 2, {"range": top, "text": FINE})
    assert editor.diagnostics(uri, 2) == []
    editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    other = editor.open("short.txt", KIND)
    editor.diagnostics(other, until=has("pcl"))
    assert editor.end() == 0


def test_the_project_is_asked_and_the_editor_wins(start: Start, tmp_path: Path) -> None:
    (tmp_path / "tactful.toml").write_text(
        'only = ["unhealthy"]\nexclude = ["drafts/**"]\n', encoding="utf-8"
    )
    (tmp_path / "drafts").mkdir()
    editor = start()
    editor.initialize(
        workspace={
            "didChangeWatchedFiles": {"dynamicRegistration": True},
            "configuration": True,
        }
    )
    asked = editor.wait_for(lambda each: each.get("method") == "client/registerCapability")
    globs = [
        each["globPattern"]
        for each in asked["params"]["registrations"][0]["registerOptions"]["watchers"]
    ]
    assert globs == ["**/tactful.toml", "**/pyproject.toml"]
    editor.send_body(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": None}).encode())
    uri = editor.open("a.txt", KIND)
    assert "pcl" not in codes(editor.diagnostics(uri))

    (tmp_path / "tactful.toml").write_text('only = ["pcl"]\n', encoding="utf-8")
    changed = {"uri": (tmp_path / "tactful.toml").as_uri(), "type": 2}
    editor.notify("workspace/didChangeWatchedFiles", {"changes": [changed]})
    editor.diagnostics(uri, until=has("pcl"))

    editor.notify("workspace/didChangeConfiguration", {"settings": {"tactful": {"least": 1}}})
    editor.diagnostics(uri, until=is_empty)
    # Without settings in the message, the editor is asked for them.
    editor.notify("workspace/didChangeConfiguration", {"settings": None})
    asked = editor.wait_for(lambda each: each.get("method") == "workspace/configuration")
    assert asked["params"]["items"] == [{"section": "tactful"}]
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": [{"least": 0.1, "model": None}]}
    editor.send_body(json.dumps(answer).encode())
    editor.diagnostics(uri, until=has("pcl"))
    assert editor.end() == 0


def test_an_excluded_document_is_left_alone(start: Start, tmp_path: Path) -> None:
    (tmp_path / "tactful.toml").write_text('exclude = ["drafts/**"]\n', encoding="utf-8")
    editor = start("--model", "fast")
    editor.initialize()
    uri = editor.open("drafts/a.txt", KIND)
    assert editor.diagnostics(uri, None) == []
    assert editor.end() == 0


def test_what_is_wrong_is_told_once_in_one_sentence(start: Start, tmp_path: Path) -> None:
    (tmp_path / "tactful.toml").write_text("leest = 0.3\n", encoding="utf-8")
    editor = start("--model", "fast")
    editor.initialize({"modl": "x"})
    assert "Did you mean 'model'?" in editor.message_shown()
    uri = editor.open("a.txt", KIND)
    said = editor.message_shown()
    assert "tactful.toml, line 1" in said
    assert "Did you mean 'least'?" in said
    assert "\n" not in said
    assert editor.diagnostics(uri, None) == []
    editor.replace(uri, 2, KIND + " ")
    assert editor.diagnostics(uri, None) == []
    assert not any(each.get("method") == "window/showMessage" for each in editor.unread)
    (tmp_path / "tactful.toml").unlink()
    editor.replace(uri, 3, KIND)
    editor.diagnostics(uri, 3)
    editor.notify("workspace/didChangeConfiguration", {"settings": {"model": "nowhere"}})
    assert "nowhere" in editor.message_shown()
    assert editor.end() == 0
    assert editor.errors.read_text() == ""


MALFORMED = (
    b"not json",
    b"[" * 100_000,
    b"{}",
    b"[]",
    b"null",
    b'"text"',
    b'{"jsonrpc":"1.0","id":1,"method":"shutdown"}',
    b'{"jsonrpc":"2.0"}',
    b'{"jsonrpc":"2.0","id":null,"method":"textDocument/hover"}',
    b'{"jsonrpc":"2.0","id":{},"method":"textDocument/hover"}',
    b'{"jsonrpc":"2.0","id":true,"method":"textDocument/hover","params":{}}',
    b'{"jsonrpc":"2.0","id":"a","method":"textDocument/hover","params":{}}',
    b'{"jsonrpc":"2.0","id":"b","method":"textDocument/hover","params":[1,2]}',
    b'{"jsonrpc":"2.0","id":"c","method":"no/such","params":{}}',
    b'{"jsonrpc":"2.0","id":"d","method":7}',
    b'{"jsonrpc":"2.0","id":"e","method":"workspace/executeCommand","params":{"command":"x"}}',
    b'{"jsonrpc":"2.0","id":"unknown","result":{}}',
    b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{}}',
    b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":null}',
    b'{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":'
    b'{"uri":"file:///none","version":1},"contentChanges":[{"text":"x"}]}}',
    b'{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":""}}}',
    b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":99}}',
    b'{"jsonrpc":"2.0","method":"$/unknown"}',
    b'{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":[1]}}',
    b'{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":"\xff"}}',
    b'{"jsonrpc":"2.0","id":"f","method":"textDocument/hover","params":{"textDocument":'
    b'{"uri":"file:///none"},"position":{"line":-1,"character":99999999999}}}',
    b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":'
    b'"file:///a.txt","languageId":"x","version":1,"text":"\\ud83d \\u0000 poor souls"}}}',
)


def test_malformed_messages_end_nothing(start: Start) -> None:
    editor = start("--model", "fast")
    early = editor.send_request("textDocument/hover", {})
    refused = editor.wait_for(lambda each: each.get("id") == early)
    assert refused["error"]["code"] == -32002
    editor.initialize()
    for body in MALFORMED:
        editor.send_body(body)
    for raw in (
        b"Content-Length: 99999999999999999999999\r\n\r\n",
        b"Content-Length: " + b"9" * 6000 + b"\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: x\r\n\r\n",
        b"Hello: you\r\n\r\n",
        b"\x00\xff\xfe\r\n\r\n",
        b"\r\n\r\n",
    ):
        editor.send_bytes(raw)
    for number in ("a", "b", "c", "d", "e", "f"):
        answer = editor.wait_for(lambda each, number=number: each.get("id") == number)  # type: ignore[misc]
        assert set(answer["error"]) == {"code", "message"}
    uri = editor.open("letter.txt", KIND)
    editor.diagnostics(uri)
    again = editor.send_request("initialize", {"processId": None, "capabilities": {}})
    assert "error" in editor.wait_for(lambda each: each.get("id") == again)
    assert editor.end() == 0
    assert editor.errors.read_text() == ""
    said = json.dumps([each for each in editor.unread if "error" in each])
    assert "Traceback" not in said
    assert "poor souls" not in said


def test_after_shutdown_only_exit_is_answered(start: Start) -> None:
    editor = start("--model", "fast")
    editor.initialize()
    editor.request("shutdown")
    number = editor.send_request("textDocument/hover", {})
    assert editor.wait_for(lambda each: each.get("id") == number)["error"]["code"] == -32600
    editor.notify("exit")
    assert editor.process.wait(timeout=600) == 0


def test_exit_without_shutdown_and_a_lost_editor_end_with_1(start: Start) -> None:
    for goes in ("exit", "closes"):
        editor = start("--model", "fast")
        editor.initialize()
        editor.open("a.txt", KIND)
        if goes == "exit":
            editor.notify("exit")
        else:
            assert editor.process.stdin is not None
            editor.process.stdin.close()
        assert editor.process.wait(timeout=600) == 1
        assert editor.errors.read_text() == ""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_quietly(start: Start, how: signal.Signals) -> None:
    editor = start("--model", "fast")
    editor.initialize()
    warmed(editor)
    editor.process.send_signal(how)
    assert editor.process.wait(timeout=120) == 0
    assert editor.errors.read_text() == ""


def test_what_is_printed_by_accident_does_not_reach_the_editor() -> None:
    code = (
        "import asyncio\n"
        "from tactful.service.lsp.stream import own_standard_streams\n"
        "reading, writing = own_standard_streams()\n"
        "print('noise', flush=True)\n"
        "writing.write(b'protocol'); writing.flush()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, timeout=600, input=b""
    )
    assert done.stdout == b"protocol"
    assert done.stderr == b"noise\n"
