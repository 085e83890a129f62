"""For any file, ``tactful check`` answers with a report that can be read, or a sentence.

``make test-slow`` draws 20,000 documents.
"""

import io
import json
import re
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tactful.checking.reports import RENDERERS
from tactful.cli.main import main
from tactful.documents.document import ENDINGS

FEW, MANY = 300, 20_000
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"

WORDS = (
    "even they", "poor souls", "Log off!", "The bridge is open.", "¿Por qué no?", "Straße",
    "日本。",
    "\u202etxt\u202c", "\x00", "\x1b[31m", "\ud800", "\u2028", "\u200b", "👩\u200d🚀",
    "e\u0301" * 3,
    "a" * 300,
    "tactful: ignore", "tactful: ignore-next pcl", "tactful: ignore-start", "tactful: nonsense x",
)  # fmt: skip
SPACES = ("", " ", "\n", "\n\n", "\r\n", "\r", "\t", "\n    ", "\n\n   ", "\f", "\x85")
MARKUP = {
    "plain": ("#", "--", "/*", "(", "[", "%"),
    "markdown": (
        "# ", "* ", "> ", "1. ", "```", "`", "**", "_", "[", "](", ")", "![", "|", "|-|-|", "<!--",
        "-->", "<div>", "&amp;", "&#0;", "\\", "---", "~~", "<b", "[a]: b", ": ",
    ),
    "html": (
        "<p>", "</p>", "<b", ">", "<!--", "-->", "<script>", "</script>", "<table><td>",
        "<li>", "&",
        "&#x110000;", "<title>", "<svg/>", '<a href="', "'", "<!doctype html>", "<br>", "</", "<?",
    ),
    "rst": (
        "=====", "-----", "* ", "1. ", ".. note:: ", ".. ", ".. code::", "::", "``", "`",
        "`_", ":a: ",
        ":ref:`", "|x|", "[1]_", "+---+---+", "| a | b |", "=== ===", ".. |x| replace:: y", "\\",
        ".. figure:: x", "   :alt: y", ".. [1] ", "-- ", "| ", "-a  b", ".. list-table::",
        ".. tactful:",
        ".. csv-table::", ".. role:: x", ".. default-role:: x", ".. math::",
        ".. include:: /etc/passwd",
        ".. versionadded:: 1", ".. glossary::", ".. class:: x", ".. unicode:: 0x41", "__ x",
        ".. _a:",
    ),
    "subtitles": (
        "WEBVTT", "NOTE ", "STYLE", "1", "00:00:01,000 --> 00:00:02,000\n",
        "00:01.000 --> 00:02.000\n",
        "<i>", "</i>", "<v Ana>", "{\\an8}", "&amp;", "-->", "<00:00:01.000>", "♪",
    ),
    "notebook": ("# ", "* ", "`", "<!--", "-->", '"', "\\", "[", "]", "{", "}", ","),
    "docx": (
        "<w:p>", "</w:p>", "<w:r>", "</w:r>", "<w:t>", "</w:t>", "<w:tbl>", "</w:tbl>", "<w:tr>",
        "<w:tc>", "</w:tc>", "</w:tr>", "<w:br/>", "<w:tab/>",
        "<w:pPr><w:pStyle w:val='Title'/></w:pPr>",
        "<w:vanish/>", "<w:del>", "</w:del>", "&amp;", "&x;", "<![CDATA[", "]]>", "<!--", "-->",
    ),
}  # fmt: skip
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\ud800-\udfff]")
FIRST_ENDING: dict[str, str] = {
    **{kind: ending for ending, kind in reversed(ENDINGS.items())},
    "plain": ".txt",
}


def pieces(kind: str) -> st.SearchStrategy[str]:
    piece = st.one_of(
        st.sampled_from(WORDS), st.sampled_from(SPACES), st.sampled_from(MARKUP[kind]),
        st.text(max_size=5),
    )  # fmt: skip
    return st.lists(piece, max_size=25).map("".join)


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass" if "\ud800" in text else "strict")


def readable(text: str) -> bytes:
    return text.encode("utf-8", "replace")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)  # fmt: skip


@st.composite
def notebooks(draw: st.DrawFn) -> bytes:
    cell = st.fixed_dictionaries(
        {},
        optional={
            "cell_type": st.sampled_from(["markdown", "code", "raw", "", 3]),
            "source": st.one_of(
                pieces("notebook"), st.lists(pieces("markdown"), max_size=4), values
            ),
            "metadata": values,
        },
    )
    content = draw(
        st.one_of(
            st.fixed_dictionaries(
                {"cells": st.lists(st.one_of(cell, values), max_size=4)},
                optional={"nbformat": st.sampled_from([3, 4, "x"]), "metadata": values},
            ),
            values,
        )
    )
    text = json.dumps(
        content, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1]))
    )
    return readable(text)


@st.composite
def word_files(draw: st.DrawFn) -> bytes:
    body = draw(pieces("docx"))
    if draw(st.booleans()):  # well-formed XML, most of the time
        safe = re.sub(r"[<>&\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]", " ", body)
        body = "".join(f"<w:p><w:r><w:t>{part}</w:t></w:r></w:p>" for part in safe.split("\n"))
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in draw(
            st.lists(st.sampled_from(["word/document.xml", "x"]), max_size=2, unique=True)
        ):
            archive.writestr(name, readable(f'<w:d xmlns:w="{W}"><w:body>{body}</w:body></w:d>'))
    return data.getvalue()


@st.composite
def damaged(draw: st.DrawFn, whole: st.SearchStrategy[bytes]) -> bytes:
    data = bytearray(draw(whole))
    for _ in range(draw(st.integers(1, 4)) if data else 0):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(0, len(data)))])


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, bytes]:
    """Return the ending and the bytes of a document of any kind, whole or damaged."""
    kind = draw(st.sampled_from(sorted(MARKUP)))
    whole: st.SearchStrategy[bytes]
    if kind == "notebook":
        whole = notebooks()
    elif kind == "docx":
        whole = word_files()
    else:
        whole = pieces(kind).map(readable)
    odd = st.one_of(damaged(whole), st.binary(max_size=60), pieces(kind).map(encoded))
    data = draw(whole if draw(st.integers(0, 4)) else odd)
    ending = (
        FIRST_ENDING[kind] if draw(st.integers(0, 9)) else draw(st.sampled_from(sorted(ENDINGS)))
    )
    return ending, data


OPTIONS = st.lists(
    st.sampled_from(
        [
            ("--all-scores",), ("--least", "0"), ("--report-lang", "es"), ("--no-explanations",),
            ("--fail-on", "0.5"), ("--lang", "en"),
            ("--baseline", "base.json", "--update-baseline"),
        ]
    ),
    max_size=2,
    unique=True,
)  # fmt: skip


def run(arguments: list[str]) -> tuple[object, bytes, str]:
    """Run a command as the shell does; an error that is not answered is raised."""
    with CliRunner().isolation() as (stdout, stderr, _):
        try:
            main(arguments)
            code: object = 0
        except SystemExit as end:
            code = end.code or 0
        sys.stdout.flush()
        sys.stderr.flush()
        return code, stdout.getvalue(), stderr.getvalue().decode("utf-8")


def check(
    folder: Path, document: tuple[str, bytes], name: str, options: list[tuple[str, ...]]
) -> None:
    path = folder / f"fuzzed{document[0]}"
    path.write_bytes(document[1])
    rest = [word for option in options for word in option]
    code, said, complained = run(
        ["check", str(path), "--no-config", "--frames", "off", "--only", "pcl,unhealthy",
         "--format", name, *rest]
    )  # fmt: skip
    assert "Traceback" not in complained
    assert code in (0, 1), complained
    if code == 1:
        assert complained.startswith(("Not checked: ", "Failed: ", "Wrote ")), complained
    page = said.decode("utf-8")
    if name in ("json", "sarif"):
        json.loads(page)
    elif name == "jsonl":
        assert [json.loads(line) for line in page.split("\n")[:-1]][-1]["type"] == "summary"
    elif name == "html":
        assert page.lower().startswith("<!doctype html>")
    elif name == "github":
        *commands, last = page.split("\n")[:-1]
        assert all(re.match(r"::(warning|notice|error)( |::)", line) for line in commands)
        assert not last.startswith("::")
    else:
        assert not CONTROLS.search(page)


def fuzzed(folder: Path, examples: int) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(documents(), st.sampled_from(sorted(RENDERERS.built_in)), OPTIONS)
    def answers(document: tuple[str, bytes], name: str, options: list[tuple[str, ...]]) -> None:
        check(folder, document, name, options)

    answers()


@pytest.mark.usefixtures("phrases")
def test_some_documents_are_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fuzzed(tmp_path, FEW)


@pytest.mark.slow
@pytest.mark.usefixtures("phrases")
def test_many_documents_are_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fuzzed(tmp_path, MANY)
