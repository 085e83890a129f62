"""``tactful rewrite``: suggestions offline, rewrites by a real server on this machine."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.local_server import Reply, Server, serving

from tactful.cli.main import main

PITY = "Even these poor souls can learn to hope again."
PLAIN = "The families wait at the stop."


@pytest.fixture
def server() -> Iterator[Server]:
    with serving("/v1") as found:
        found.replies = [completion(PLAIN)]
        yield found


def completion(text: str) -> Reply:
    return Reply({"choices": [{"message": {"role": "assistant", "content": text}}]})


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["rewrite", "--model", "fast", *args])
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


def test_suggestions_without_an_endpoint(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "--text", PITY)
    assert code == 0
    assert re.match(r"text:1:1: patronizing.* \(.*, 0\.\d\d\)\n", out)
    assert f"\n  {PITY}\n  - " in out
    assert "before" not in out
    assert not re.search(r"pcl|1\.00", out)
    assert out.endswith(
        "1 sentence with suggestions. Nothing was sent anywhere, and no file was changed.\n"
    )
    assert err == ""


def test_nothing_found_nothing_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--text", "The bridge opens on Monday.")
    assert code == 0
    assert out == "Nothing to suggest. Nothing was sent anywhere, and no file was changed.\n"


def test_a_sentence_is_named_as_a_check_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = f"The bridge opens on Monday. {PITY}"
    _, out, _ = run(capsys, "--text", text)
    with pytest.raises(SystemExit):
        main(["check", "--model", "fast", "--text", text])
    (line, *_) = capsys.readouterr().out.splitlines()
    place, kinds = out.splitlines()[0].split(": ", 1)
    assert line.startswith(f"{place}: “")
    assert f"— {kinds}." in line


def test_a_rewrite_is_shown_with_both_scores_and_not_applied(
    capsys: pytest.CaptureFixture[str], server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "letter.md"
    file.write_text(f"# Letter\n\nThe bridge opens on Monday. {PITY}\n", encoding="utf-8")
    before = file.read_bytes()
    code, out, err = run(capsys, "letter.md", "--endpoint", server.url)
    assert code == 0
    assert f"): {PITY}\n" in out
    assert f"): {PLAIN}\n" in out
    assert "no better" not in out
    assert "1 rewrite asked for, 1 better. No file was changed." in out
    assert err == f"Sentences with findings are sent to {server.url}/chat/completions.\n"
    assert file.read_bytes() == before
    sent = json.dumps(server.asked[0][2])
    assert "poor souls" in sent
    assert "bridge" not in sent


def test_a_rewrite_that_is_worse_or_changes_facts_is_said_to_be(
    capsys: pytest.CaptureFixture[str], server: Server
) -> None:
    server.replies = [completion("A wheelchair-bound man and 3 cats live in Leeds.")]
    code, out, _ = run(capsys, "--text", PITY, "--endpoint", server.url)
    assert code == 0
    assert "The rewrite is no better: found disability 0.90" in out
    assert "The rewrite changes names or numbers: '3' is new; 'Leeds' is new." in out
    assert "1 rewrite asked for, 0 better." in out


def test_answers_cannot_drive_the_terminal(
    capsys: pytest.CaptureFixture[str], server: Server
) -> None:
    server.replies = [completion("\x1b]0;title\x07The \u202efamilies\x9b wait\r\nhere.")]
    _, out, _ = run(capsys, "--text", PITY, "--endpoint", server.url)
    assert "]0;title The families wait here." in out
    assert not {"\x1b", "\x07", "\u202e", "\x9b", "\r"} & set(out)


def test_json(capsys: pytest.CaptureFixture[str], server: Server) -> None:
    code, out, _ = run(capsys, "--text", PITY, "--endpoint", server.url, "--format", "json")
    data: dict[str, Any] = json.loads(out)
    assert code == 0
    assert data["schema"] == "tactful/rewrite/1"
    assert data["endpoint"] == f"{server.url}/chat/completions"
    (sentence,) = data["documents"][0]["sentences"]
    assert sentence["text"] == PITY
    assert sentence["rewrite"]["text"] == PLAIN
    assert sentence["rewrite"]["better"] is True
    assert sentence["rewrite"]["score_before"] > sentence["rewrite"]["score_after"]
    _, out, _ = run(capsys, "--text", PITY, "--format", "json")
    data = json.loads(out)
    assert data["endpoint"] is None
    assert data["documents"][0]["sentences"][0]["rewrite"] is None


def test_the_endpoint_of_the_project(
    capsys: pytest.CaptureFixture[str], server: Server, tmp_path: Path
) -> None:
    (tmp_path / "tactful.toml").write_text(
        f'[rewrite]\nendpoint = "{server.url}"\nchat_model = "small"\n', encoding="utf-8"
    )
    code, out, err = run(capsys, "--text", PITY)
    assert code == 0
    assert "1 rewrite asked for" in out
    assert "which" in err
    assert "tactful.toml names." in err
    assert server.asked[0][2]["model"] == "small"
    run(capsys, "--text", PITY, "--offline")
    run(capsys, "--text", PITY, "--no-config")
    assert len(server.asked) == 1


def test_the_key_of_the_project_is_not_sent_elsewhere(
    capsys: pytest.CaptureFixture[str],
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TACTFUL_REWRITE_KEY", "abc")
    (tmp_path / "tactful.toml").write_text(
        '[rewrite]\nendpoint = "https://example.org"\nkey_variable = "TACTFUL_REWRITE_KEY"\n',
        encoding="utf-8",
    )
    run(capsys, "--text", PITY, "--endpoint", server.url)
    assert "Authorization" not in server.asked[0][1]


def test_a_failing_endpoint_leaves_the_suggestions(
    capsys: pytest.CaptureFixture[str], server: Server, tmp_path: Path
) -> None:
    server.replies = [Reply(status=500)]
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text(PITY, encoding="utf-8")
    code, out, err = run(capsys, "one.txt", "two.txt", "--endpoint", server.url)
    assert code == 1
    assert out.count("  - ") >= 2
    assert "found status 500 (Internal Server Error)" in err
    assert "Traceback" not in err
    assert len(server.asked) == 1


def test_only_some_sentences_are_sent(
    capsys: pytest.CaptureFixture[str], server: Server, tmp_path: Path
) -> None:
    (tmp_path / "three.txt").write_text("\n\n".join([PITY] * 3), encoding="utf-8")
    _, out, _ = run(capsys, "three.txt", "--endpoint", server.url, "--most", "2")
    assert "2 rewrites asked for, 2 better, 1 not asked for (see --most)." in out
    assert len(server.asked) == 2


def test_a_file_that_cannot_be_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\xff")
    (tmp_path / "good.txt").write_text(PITY, encoding="utf-8")
    code, out, err = run(capsys, "bad.txt", "good.txt")
    assert code == 1
    assert "Not checked: bad.txt" in err
    assert "poor souls" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--text", PITY, "x.txt"], "Give files or --text, not both."),
        (["--text", PITY, "--chat-model", "a"], "Give --endpoint URL"),
        (["--text", PITY, "--endpoint", "https://e.org", "--offline"], "not both"),
        (["--text", PITY, "--endpoint", "nowhere"], "The address of the endpoint cannot be read"),
        (["--text", PITY, "--endpoint", "http://e.org/v1"], "pass --allow-plain-http to allow it"),
        (["--text", PITY, "--endpoint", "https://e.org", "--key-variable", "NONE_SUCH"], "unset"),
        (["--text", " "], "The text is empty"),
        (["--text", PITY, "--only", "plc"], "Did you mean 'pcl'?"),
    ],
    ids=["both", "alone", "offline", "address", "plain", "key", "empty", "only"],
)
def test_wrong_use(capsys: pytest.CaptureFixture[str], args: list[str], message: str) -> None:
    code, out, err = run(capsys, *args)
    assert code == 2
    assert out == ""
    assert message in err
    assert "Traceback" not in err
