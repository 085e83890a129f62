"""Runs a case of ``cases.yaml`` in this process, and writes what it says in a lasting form.

``python -m tests.golden.run --write [NAME …]`` writes new expectations.
"""

import difflib
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import polars as pl
import yaml
from click.testing import CliRunner

import tactful
from tactful.cli.main import main

HERE = Path(__file__).resolve().parent
CASES = HERE / "cases.yaml"
INPUTS = HERE / "inputs"
EXPECTED = HERE / "expected"

_LONGEST_DIFF = 60
_BINARY = {".png", ".svg", ".onnx", ".npz", ".npy", ".db", ".sqlite", ".gz", ".zst", ".arrow"}
_JSON = {".json", ".sarif"}
_SPOKEN = ("alt", "title", "aria-label", "placeholder", "datetime", "href")
_OWN_LINE = {
    "p", "div", "section", "article", "li", "tr", "table", "h1", "h2", "h3", "h4", "br", "ul",
    "ol", "dl", "dt", "dd", "header", "footer", "nav", "main", "details", "summary", "svg", "text",
    "title", "pre", "blockquote", "figure", "figcaption", "caption", "head", "body",
}  # fmt: skip
# A number with a point, unless it is a part of a version, a name or a longer number.
_FLOAT = re.compile(r"(?<![\w.])-?\d+\.\d{3,}(?:[eE][-+]?\d+)?(?![\w.]*\d)")
_TINY = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?[eE]-\d+(?![\w.])")
_COMMON_MASKS = (
    (
        re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[-+]\d\d:?\d\d)?"),
        "<TIME>",
    ),
    (re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d"), "<TIME>"),
    (re.compile(r"^20\d\d-\d\d-\d\d$", re.MULTILINE), "<DATE>"),
    (re.compile(r"\b\d{10}\.\d+\b"), "<TIME>"),
    (re.compile(r"(\"changed\": )\d{19}\b"), r"\1<TIME>"),
    (re.compile(r"127\.0\.0\.1:\d{5}\b"), "127.0.0.1:<PORT>"),
    (re.compile(r"(Judgements left: .*); [\d.]+ days?\."), r"\1; <N> days."),
    (re.compile(r"/join/[\w-]{20,}"), "/join/<SECRET>"),
    (re.compile(r"\btactful_[\w-]{30,}"), "<KEY>"),
    (re.compile(r"\bk_[0-9a-f]{8}\b"), "<KEY ID>"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """Commands that are run one after the other in a folder of their own, and what to compare."""

    name: str
    commands: tuple[str, ...]
    stdin: str | None = None
    """What the last command reads."""
    outputs: tuple[str, ...] = ()
    """Globs of the written files that are compared."""
    mask: tuple[tuple[str, str], ...] = ()
    """What else differs between machines: patterns and their replacements."""
    silent: bool = False
    """Whether only the last command and the files are compared, not what comes before."""
    lines: int | None = None
    """How many lines of each file are compared; all without it."""
    needs: tuple[str, ...] = ()
    """The modules of extras, without which the case cannot run."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one command said."""

    command: str
    exit_code: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Result:
    """What all commands of a case said, and the files that they wrote, normalised."""

    answers: tuple[Answer, ...]
    files: Mapping[str, str]

    def __str__(self) -> str:
        """Return the text that the expectation holds."""
        parts: list[str] = []
        for answer in self.answers:
            parts.append(
                f"$ tactful {answer.command}".rstrip() + f"\nexit code {answer.exit_code}\n"
            )
            parts += [f"--- stdout\n{_ended(answer.stdout)}"] if answer.stdout else []
            parts += [f"--- stderr\n{_ended(answer.stderr)}"] if answer.stderr else []
        parts += [f"=== {name}\n{_ended(text)}" for name, text in self.files.items()]
        return "".join(parts)


@cache
def load_cases() -> dict[str, Case]:
    """Return all cases by their names."""
    with CASES.open(encoding="utf-8") as file:
        document: dict[str, Any] = yaml.safe_load(file)
    cases = [_case(document["masks"], **each) for each in document["cases"]]
    found = {each.name: each for each in cases}
    if len(found) < len(cases):
        raise ValueError("Two cases of cases.yaml have the same name.")
    return found


def _case(
    known_masks: Mapping[str, Sequence[Sequence[str]]],
    *,
    name: str,
    run: str | list[str],
    stdin: str | None = None,
    outputs: Sequence[str] = (),
    mask: str | None = None,
    silent: bool = False,
    lines: int | None = None,
    needs: Sequence[str] = (),
) -> Case:
    commands = (run,) if isinstance(run, str) else tuple(run)
    masks = tuple((pattern, by) for pattern, by in known_masks[mask]) if mask else ()
    return Case(name, commands, stdin, tuple(outputs), masks, silent, lines, tuple(needs))


def run_case(case: Case) -> Result:
    """Run the commands of a case in a new folder with copies of the inputs."""
    with tempfile.TemporaryDirectory(prefix="golden-") as made:
        folder = Path(made).resolve()
        _copy_inputs(folder)
        with _surroundings(folder):
            answers = [
                _run(command, case.stdin if at == len(case.commands) - 1 else None)
                for at, command in enumerate(case.commands)
            ]
        texts = _Normaliser(folder, case.mask)
        failed = [each for each in answers[:-1] if each.exit_code != 0]
        if case.silent:
            answers = [*failed, answers[-1]]
        return Result(
            tuple(
                Answer(
                    each.command,
                    each.exit_code,
                    texts.printed(each.stdout),
                    texts.plain(each.stderr),
                )
                for each in answers
            ),
            {
                path.relative_to(folder).as_posix(): _cut(texts.file(path), case.lines)
                for path in _found(folder, case.outputs)
            },
        )


def _cut(text: str, lines: int | None) -> str:
    found = text.splitlines()
    if lines is None or len(found) <= lines:
        return text
    return "\n".join([*found[:lines], f"… and {len(found) - lines} more lines"])


def _found(folder: Path, globs: Sequence[str]) -> list[Path]:
    found = {path for glob in globs for path in folder.glob(glob) if path.is_file()}
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def _copy_inputs(folder: Path) -> None:
    shutil.copytree(INPUTS, folder, dirs_exist_ok=True)
    samples = Path(str(resources.files("tactful.corpora") / "samples"))
    shutil.copytree(samples, folder / "samples")


@contextmanager
def _surroundings(folder: Path) -> Iterator[None]:
    """Be in the folder, with nothing of this machine's settings."""
    before, environment = Path.cwd(), dict(os.environ)
    hook = sys.unraisablehook
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith(("TACTFUL_", "XDG_", "PYTEST_"))
        and name not in {"NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LANGUAGE"}
    }
    settled = {
        "HOME": str(folder / "home"),
        "COLUMNS": "100",
        "LINES": "40",
        "SHELL": "/bin/bash",
        "TERM": "dumb",
    }
    (folder / "home").mkdir()
    os.environ.clear()
    os.environ.update(kept | settled)
    os.chdir(folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)
        sys.unraisablehook = hook


def _run(command: str, stdin: str | None) -> Answer:
    code: object = 0
    with CliRunner().isolation(input=stdin) as (stdout, stderr, _):
        try:
            main(shlex.split(command))
        except SystemExit as end:
            code = end.code
        sys.stdout.flush()
        sys.stderr.flush()
        said, complained = stdout.getvalue(), stderr.getvalue()
    if not isinstance(code, int):
        code = 0 if code is None else 1
    return Answer(command, code, _decoded(said), _decoded(complained))


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8").replace("\r\n", "\n")


class _Normaliser:
    """Puts marks where a text holds what differs between runs or machines."""

    def __init__(self, folder: Path, mask: Sequence[tuple[str, str]]):
        package = Path(str(resources.files("tactful"))).resolve()
        self._replaced = {
            str(folder): "<TMP>",
            sys.executable: "<PYTHON>",
            str(package): "<PACKAGE>",
            str(HERE.parents[1]): "<REPOSITORY>",
        }
        self._masks = [
            *((re.compile(pattern, re.MULTILINE), by) for pattern, by in mask),
            *_COMMON_MASKS,
            (re.compile(rf"(?<![\d.]){re.escape(tactful.__version__)}(?!\.?\d)"), "<VERSION>"),
        ]

    def plain(self, text: str) -> str:
        """Return a text with marks, and with numbers of two decimals."""
        for found, mark in self._replaced.items():
            text = text.replace(found, mark)
        for pattern, mark in self._masks:
            text = pattern.sub(mark, text)
        text = _FLOAT.sub(_rounded, _TINY.sub(_rounded, text))
        return "\n".join(line.rstrip() for line in text.split("\n"))

    def printed(self, text: str) -> str:
        """Return what was printed; a page of HTML as its words, and JSON on several lines."""
        if text.lstrip().lower().startswith(("<!doctype", "<html")):
            return self.plain(words_of(text))
        if text.startswith(("{", "[")):
            return self._json(text)
        return self.plain(text)

    def _json(self, text: str) -> str:
        try:
            return self.plain(json.dumps(json.loads(text), indent=1, ensure_ascii=False))
        except ValueError:
            return self.plain(text)

    def file(self, path: Path) -> str:
        """Return what a file says."""
        ending = path.suffix.lower()
        if ending == ".parquet":
            table = pl.read_parquet(path)
            schema = ", ".join(f"{name}: {kind}" for name, kind in table.schema.items())
            rows = [json.dumps(row, ensure_ascii=False, default=str) for row in table.to_dicts()]
            return self.plain("\n".join([schema, *rows]))
        if ending in _BINARY:
            return "(not compared)"
        text = path.read_text(encoding="utf-8")
        if ending in {".html", ".htm"}:
            return self.plain(words_of(text))
        return self._json(text) if ending in _JSON else self.plain(text)


def _rounded(found: re.Match[str]) -> str:
    # Adding 0 makes 0 of -0.
    return f"{round(float(found[0]), 2) + 0.0:.2f}"


class _Words(HTMLParser):
    """Keeps the words of a page, and those of its attributes that are read out or followed."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line where a browser would, and keep the words of attributes."""
        self._hidden += tag in {"script", "style"}
        self.pieces += ["\n"] if tag in _OWN_LINE else [" "] if tag in {"td", "th"} else []
        spoken = [
            f"{{{name}: {value}}}"
            for name, value in attrs
            if name in _SPOKEN and value and not value.startswith("data:")
        ]
        self.pieces += spoken

    def handle_endtag(self, tag: str) -> None:
        """End what is not shown."""
        self._hidden -= tag in {"script", "style"}

    def handle_data(self, data: str) -> None:
        """Keep words."""
        if not self._hidden:
            self.pieces.append(data)


def words_of(page: str) -> str:
    """Return the words of a page of HTML, a line for each block."""
    reader = _Words()
    reader.feed(page)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.pieces).splitlines())
    return "\n".join(line for line in lines if line)


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def expectation(name: str) -> Path:
    """Return the file with what a case should say."""
    return EXPECTED / f"{name}.txt"


def difference(name: str, found: str) -> str:
    """Return a short diff between the expectation and what was found; nothing if they agree."""
    path = expectation(name)
    expected = path.read_text(encoding="utf-8") if path.is_file() else ""
    if expected == found:
        return ""
    lines = list(
        difflib.unified_diff(
            expected.splitlines(), found.splitlines(), "expected", "found", lineterm="", n=2
        )
    )
    shown = [line if len(line) <= 300 else f"{line[:300]}…" for line in lines[:_LONGEST_DIFF]]
    left = len(lines) - len(shown)
    more = [f"… and {left} more lines"] if left > 0 else []
    advice = f"If that is as it should be: python -m tests.golden.run --write {name}"
    return "\n".join([*shown, *more, advice])


def write(names: Sequence[str]) -> int:
    """Write the expectations of these cases, or of all; return how many changed."""
    cases = load_cases()
    unknown = [name for name in names if name not in cases]
    if unknown:
        sys.exit(f"There is no case {', '.join(unknown)} in {CASES.name}.")
    EXPECTED.mkdir(exist_ok=True)
    changed = 0
    for name in names or cases:
        found = str(run_case(cases[name]))
        if difference(name, found):
            expectation(name).write_text(found, encoding="utf-8")
            changed += 1
    if not names:
        for path in EXPECTED.glob("*.txt"):
            if path.stem not in cases:
                path.unlink()
    return changed


def _main(arguments: list[str]) -> None:
    if not arguments or arguments[0] != "--write":
        sys.exit("Give --write, and the names of cases to write only some of them.")
    changed = write(arguments[1:])
    io.TextIOWrapper(sys.stdout.buffer).write(f"{changed} expectations changed.\n")


if __name__ == "__main__":
    _main(sys.argv[1:])
