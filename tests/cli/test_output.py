"""Tables and JSON: whole in a pipe, fitted to a terminal, nothing ever left out."""

import io
import json
import sys
from typing import Any

import click
import pytest
from rich.console import Console

from tactful.cli.main import main
from tactful.cli.output import cell, echo, echo_json, echo_sentence, table

COLUMNS = ["part", "texts", "unhealthy.condescending", "unhealthy.generalisation_unfair", "note"]
ROWS = [["fold1", 1234, 17, 3, "a few words"], ["fold2", 5, None, 2.5, "others"]]


class Terminal(io.StringIO):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def drawn(width: int, columns: Any = COLUMNS, rows: Any = ROWS, whole: Any = ()) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(table(columns, rows, whole))
    return captured.get()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""),
        (0, "0"),
        (12345, "12,345"),
        (-1234.5, "-1,234.5"),
        (0.1 + 0.2, "0.3"),
        (True, "True"),
        ("[bold]word[/bold]", "[bold]word[/bold]"),
        (["en", "es"], "en, es"),
        ((), ""),
    ],
)
def test_a_cell(value: Any, expected: str) -> None:
    assert cell(value) == expected


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_no_column_is_lost_at_any_width(width: int) -> None:
    shown = drawn(width)
    assert all(len(line) <= width for line in shown.splitlines())
    letters = "".join(shown.split())
    for text in (*COLUMNS[:2], "1,234", "17", "2.5", "fold1", "fold2"):
        assert text in letters


@pytest.mark.parametrize("width", [60, 80])
def test_words_and_numbers_are_not_broken(width: int) -> None:
    words = drawn(width).split()
    for text in (*COLUMNS, "1,234", "others"):
        assert text in words


def test_columns_that_do_not_fit_stand_below_with_their_row_names() -> None:
    blocks = drawn(60).split("\n\n")
    assert len(blocks) > 1
    for block in blocks:
        assert [line.split()[0] for line in block.splitlines() if line[0] != " "] == [
            "part",
            "fold1",
            "fold2",
        ]


def test_what_fits_is_one_table_with_numbers_on_the_right() -> None:
    lines = [line.rstrip() for line in drawn(200).splitlines()]
    assert len(lines) == 3
    end = lines[0].index("texts") + len("texts")
    assert [line[:end].split()[-1] for line in lines] == ["texts", "1,234", "5"]
    assert all(line[end - 1] != " " for line in lines)


def test_a_whole_column_is_never_folded() -> None:
    name = "a-name-that-is-rather-long"
    shown = drawn(50, ["name", "text"], [[name, "word " * 20]], whole=["name"])
    assert name in shown.split()


def test_a_table_without_rows_has_its_header() -> None:
    assert drawn(80, ["a", "b"], []).split() == ["a", "b"]


def test_markup_in_cells_is_text() -> None:
    assert "[red]x[/red] :smile:" in drawn(80, ["a"], [["[red]x[/red] :smile:"]])


def test_in_a_pipe_a_row_is_one_plain_line(capsys: pytest.CaptureFixture[str]) -> None:
    echo(table(["a", "b"], [["word " * 100, "end"]]))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[1].endswith("end")
    assert "\x1b" not in "".join(lines)
    assert all(line == line.rstrip() for line in lines)


def test_on_a_terminal_the_width_is_the_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    echo(table(["a"], [["word " * 30]]))
    lines = click.unstyle(terminal.getvalue()).splitlines()
    assert len(lines) > 3
    assert max(map(len, lines)) <= 40


def test_json_is_readable_and_keeps_letters(capsys: pytest.CaptureFixture[str]) -> None:
    echo_json({"paper": "Pérez", "none": None})
    out = capsys.readouterr().out
    assert out == '{\n  "paper": "Pérez",\n  "none": null\n}\n'


def test_json_for_a_stream_that_lacks_the_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="cp437", write_through=True))
    echo_json({"text": "漢字 é", "name": "\udce9"})
    assert json.loads(raw.getvalue()) == {"text": "漢字 é", "name": "\udce9"}


def test_a_sentence_stays_on_one_line_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    echo_sentence("word " * 50, "  - ", "    ", err=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "  - " + "word " * 50 + "\n"


def test_a_sentence_is_wrapped_and_indented_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "40")
    echo_sentence("Some words that are more than fit into one line of it.", "  - ", "    ")
    first, *others = terminal.getvalue().splitlines()
    assert first.startswith("  - Some")
    assert others
    assert all(line.startswith("    ") and len(line) < 40 for line in others)


@pytest.mark.parametrize(("value", "coloured"), [("1", False), ("", True)])
def test_no_color_is_obeyed(
    value: str, coloured: bool, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("NO_COLOR", value)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("TACTFUL_PROGRESS", "off")
    with pytest.raises(SystemExit):
        main(["corpus", "validate", "dpm", "--sample"])
    assert "Repaired: 17 rows" in terminal.getvalue()
    assert ("\x1b[33m" in terminal.getvalue()) is coloured
