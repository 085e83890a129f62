"""The report for people at a terminal; in a pipe carets stand below the carrying words."""

import io
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from tactful.checking.options import AUTO
from tactful.checking.report import DocumentReport, Outcome, Passage, PlacedFinding, Unread
from tactful.checking.reports.run import (
    Run,
    Tally,
    as_tree,
    common_language,
    group_of,
    implied_sentences,
    instead_sentence,
)
from tactful.checking.wording import Wording, wording
from tactful.words import shorten, shown, visible

if TYPE_CHECKING:
    from rich.text import Text

_STYLES = {
    "pcl": "cyan",
    "unhealthy": "yellow",
    "frame": "magenta",
    "stereotype": "green",
    "toxicity": "red",
    "term": "bright_blue",
}
_OTHER_STYLE = "blue"
_PIPE_WIDTH = 88
_WIDEST = 100
_NARROWEST = 30
_LONGEST_QUOTE = 1_200
"""A longer passage is cut around its first carrying words."""
_LONGEST_WORDS = 60

Piece = tuple[str, str | None]
"""A piece of a line, and the style that marks it."""


def render_text(outcomes: Iterable[Outcome], run: Run) -> Iterator[str]:
    """Yield the passages with findings, one document after the other, and a closing line.

    What an id means is explained where it is found first.
    """
    from rich.text import Text

    tally = Tally()
    explained: set[tuple[str, str]] = set()
    langs: set[str] = set()
    for outcome in tally.watch(outcomes):
        if isinstance(outcome, Unread):
            continue  # the command says it on standard error; the closing line counts it
        words = wording(run.language_for(outcome))
        langs.add(words.lang)
        for passage, findings in outcome.by_passage():
            if findings:
                yield _drawn(_passage_lines(outcome, passage, findings, run, words, explained), run)
            if passage.probabilities is not None:
                yield _drawn(_score_lines(outcome, passage, words), run)
        for problem in outcome.problems:
            yield _drawn([Text(visible(str(problem)), "dim")], run)
    style = "bold green" if not tally.findings and not tally.unread else "bold"
    lang = common_language(langs) if run.lang == AUTO else run.lang
    yield _drawn([Text(tally.sentence(lang), style)], run)


def label(outcome: DocumentReport, words: Wording) -> str:
    """Return how a report names its document."""
    return words.reporting.text if outcome.path is None else outcome.path


def where(report: DocumentReport, passage: Passage, words: Wording | None = None) -> str:
    """Return how a report names the place of a passage."""
    place = f":{passage.place.line}:{passage.place.column}" if report.has_lines else ""
    named = "" if passage.where is None else f" ({passage.where})"
    return f"{visible(label(report, words or wording()))}{place}{named}"


def _passage_lines(
    report: DocumentReport,
    passage: Passage,
    findings: Sequence[PlacedFinding],
    run: Run,
    words: Wording,
    explained: set[tuple[str, str]],
) -> Iterator["Text"]:
    from rich.text import Text

    place = where(report, passage, words)
    tree = as_tree(findings)
    if run.width is None:
        for depth, finding in tree:
            # One line for each, with its place, as editors and grep want it.
            name = f"{finding.name} [{finding.id}]"
            sure = words.how_sure(finding.probability)
            yield Text(f"{place}: {'  ' * depth}{name}: {sure}")
    else:
        yield Text(place, "bold")
    yield from _quote(passage, findings, run, _style(tree[0][1]))
    for depth, finding in tree:
        indent = "  " * (depth + 1)
        said = _said(finding, words, explained)
        if run.width is None:
            yield Text(f"{indent}{finding.id}: {said}")
            yield from (Text(f"{indent}{finding.id}: {each}") for each in _implied(finding, words))
            continue
        yield from _heading(finding, depth, indent, run, words)
        inner = f"{indent}  "
        for paragraph in (*_implied(finding, words), said):
            lines = textwrap.wrap(
                paragraph, _width(run), initial_indent=inner, subsequent_indent=inner
            )
            yield from map(Text, lines)
    yield Text("")


def _heading(
    finding: PlacedFinding, depth: int, indent: str, run: Run, words: Wording
) -> Iterator["Text"]:
    from rich.text import Text

    bullet = ("○ " if depth else "● ", _style(finding))
    sure = words.how_sure(finding.probability)
    line = Text.assemble(indent, bullet, (finding.name, "bold"), f"  {sure}")
    fits = line.cell_len + len(finding.id) + 2 <= _width(run)
    if fits:
        line.append(f"  {finding.id}", "dim")
    yield line
    if not fits:
        yield Text(f"{indent}  {finding.id}", "dim")


def _said(finding: PlacedFinding, words: Wording, explained: set[tuple[str, str]]) -> str:
    """Explain an id once in each language; after that its words are enough."""
    if said := instead_sentence(finding, words.lang):  # each term has its own reason
        return visible(f"{said} {finding.explanation}")
    if not finding.explanation or (finding.id, words.lang) in explained:
        return _words(finding, words)
    explained.add((finding.id, words.lang))
    return visible(finding.explanation).replace(" %", "\N{NO-BREAK SPACE}%")


def _implied(finding: PlacedFinding, words: Wording) -> list[str]:
    if finding.frame is None:
        return []
    return [visible(each) for each in implied_sentences(finding.frame, words.lang)]


def _words(finding: PlacedFinding, words: Wording) -> str:
    if not finding.spans:
        return words.reporting.carried_by_all
    pieces = dict.fromkeys(shorten(visible(s.words), longest=_LONGEST_WORDS) for s in finding.spans)
    return words.reporting.carried.format(quotes=words.quoted(pieces))


def _score_lines(report: DocumentReport, passage: Passage, words: Wording) -> Iterator["Text"]:
    from rich.text import Text

    place = where(report, passage, words)
    yield Text(f"{place}: {words.reporting.all_scores}", "dim")
    for name, value in (passage.probabilities or {}).items():
        yield Text(f"  {value:.4f}  {name}")
    yield Text("")


def _style(finding: PlacedFinding) -> str:
    return _STYLES.get(group_of(finding.id), _OTHER_STYLE)


def _width(run: Run) -> int:
    return _PIPE_WIDTH if run.width is None else max(_NARROWEST, min(run.width - 1, _WIDEST))


def _quote(
    passage: Passage, findings: Sequence[PlacedFinding], run: Run, style: str
) -> Iterator["Text"]:
    from rich.cells import cell_len
    from rich.text import Text

    bar = "  | " if run.width is None else "  │ "
    for line in quote_lines(passage, findings, _width(run) - len(bar)):
        text = Text.assemble((bar, style))
        for words, mark in line:
            text.append(words, f"bold underline {mark}" if mark else None)
        yield text
        if run.width is None and any(mark for _, mark in line):
            carets = (("^" if mark else " ") * cell_len(words) for words, mark in line)
            yield Text(bar + "".join(carets).rstrip())


def quote_lines(
    passage: Passage, findings: Sequence[PlacedFinding], width: int
) -> Iterator[list[Piece]]:
    """Wrap a passage to ``width`` terminal cells; each line is made of marked and other pieces."""
    from rich.cells import cell_len

    line: list[Piece] = []
    used = 0
    for word in _words_of(*_window(passage, findings)):
        size = cell_len("".join(char for char, _ in word))
        if line and used + 1 + size > width:
            yield _joined(line)
            line, used = [], 0
        if line:
            line.append((" ", line[-1][1] if line[-1][1] == word[0][1] else None))
            used += 1
        for char, mark in word:
            if used + cell_len(char) > width:  # only a word that is longer than a line
                yield _joined(line)
                line, used = [], 0
            line.append((char, mark))
            used += cell_len(char)
    if line:
        yield _joined(line)


def _window(
    passage: Passage, findings: Sequence[PlacedFinding]
) -> tuple[str, list[str | None], bool, bool]:
    """Return the shown part of a passage, the mark of each character, and whether it is cut."""
    spans = [(span, _style(finding)) for finding in findings for span in finding.spans]
    first = min((span.start for span, _ in spans), default=0)
    is_long = len(passage.text) > _LONGEST_QUOTE
    start = first - _LONGEST_QUOTE // 4 if is_long and first > _LONGEST_QUOTE // 2 else 0
    end = min(len(passage.text), start + _LONGEST_QUOTE)
    marks: list[str | None] = [None] * (end - start)
    for span, style in spans:
        for at in range(max(span.start, start), min(span.end, end)):
            marks[at - start] = marks[at - start] or style
    return passage.text[start:end], marks, start > 0, end < len(passage.text)


def _words_of(
    text: str, marks: Sequence[str | None], cut_before: bool, cut_after: bool
) -> Iterator[list[Piece]]:
    word: list[Piece] = [("…", None)] if cut_before else []
    for char, mark in zip(text, marks, strict=True):
        if not char.isspace():
            word.append((shown(char), mark))
        elif word:
            yield word
            word = []
    word += [("…", None)] if cut_after else []
    if word:
        yield word


def _joined(line: Sequence[Piece]) -> list[Piece]:
    return [
        ("".join(char for char, _ in pieces), mark)
        for mark, pieces in groupby(line, key=lambda piece: piece[1])
    ]


def _drawn(lines: Iterable["Text"], run: Run) -> str:
    from rich.console import Console

    # Lines are wrapped already; rich only turns styles into the terminal's codes.
    console = Console(
        file=io.StringIO(), width=100_000, force_terminal=run.colour, markup=False,
        highlight=False, emoji=False, color_system="auto" if run.colour else None,
    )  # fmt: skip
    with console.capture() as captured:
        for line in lines:
            console.print(line, soft_wrap=True)
    return captured.get()
