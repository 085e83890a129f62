"""The report for people: one line for each finding, and with ``--explain`` an explanation."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tactful.checking.options import AUTO
from tactful.checking.report import DocumentReport, Kind, Outcome, Passage, PlacedFinding, Unread
from tactful.checking.reports.run import (
    Run,
    Tally,
    as_tree,
    common_language,
    group_of,
    implied_sentences,
    line_of,
    quotes_of,
)
from tactful.checking.wording import Wording, wording
from tactful.words import shown, visible

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
"""A longer sentence is cut around its first carrying words."""

_CODES = {
    "bold": "1",
    "dim": "2",
    "underline": "4",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
    "bright_blue": "94",
}
"""A word of a style, and what a terminal is sent for it."""

Piece = tuple[str, str | None]
"""A piece of a line, and the style that marks it."""
Line = Sequence[Piece]


def render_text(outcomes: Iterable[Outcome], run: Run) -> Iterator[str]:
    """Yield a line for each finding, one document after the other, and a closing line.

    With ``run.explain`` the sentence and an explanation of each kind follow the line. What an id
    means is explained where it is found first.
    """
    tally = Tally()
    explained: set[tuple[str, str]] = set()
    langs: set[str] = set()
    has_lines = False
    for outcome in tally.watch(outcomes):
        if isinstance(outcome, Unread):
            continue  # the command says it on standard error; the closing line counts it
        words = wording(run.language_for(outcome))
        langs.add(words.lang)
        for passage, findings in outcome.by_passage():
            for finding in findings:
                lines = [_line(outcome, finding, words)]
                if run.explain:
                    lines += _explained(finding, run, words, explained)
                has_lines = not run.explain
                yield _drawn(lines, run)
            if passage.probabilities is not None:
                yield _drawn(_score_lines(outcome, passage, words), run)
        for problem in outcome.problems:
            yield _drawn([[(visible(str(problem)), "dim")]], run)
    if has_lines:
        yield "\n"
    style = "bold green" if not tally.findings and not tally.unread else "bold"
    lang = common_language(langs) if run.lang == AUTO else run.lang
    yield _drawn([[(tally.sentence(lang), style)]], run)


def label(outcome: DocumentReport, words: Wording) -> str:
    """Return how a report names its document."""
    return words.reporting.text if outcome.path is None else outcome.path


def where(
    report: DocumentReport, found: PlacedFinding | Passage, words: Wording | None = None
) -> str:
    """Return how a report names the place of a finding or a passage."""
    place = f":{found.place.line}:{found.place.column}" if report.has_lines else ""
    passage = found.passage if isinstance(found, PlacedFinding) else found
    named = "" if passage.where is None else f" ({passage.where})"
    return f"{visible(label(report, words or wording()))}{place}{named}"


def _line(report: DocumentReport, finding: PlacedFinding, words: Wording) -> Line:
    said = line_of(finding, words)
    quotes = said.partition(" — ")[0] if finding.spans else ""
    return [
        (where(report, finding, words), "bold"),
        (": ", None),
        (quotes, _style(finding.id)),
        (said[len(quotes) :], None),
    ]


def _explained(
    finding: PlacedFinding, run: Run, words: Wording, explained: set[tuple[str, str]]
) -> Iterator[Line]:
    """Yield the sentence with its marks, what it does, and a paragraph on each kind."""
    yield from _quote(finding, run)
    if finding.explanation and not finding.suggestions:
        yield from _paragraph(visible(finding.explanation), "  ", run)
    for depth, kind in as_tree(finding):
        indent = "  " * (depth + 1)
        sure = words.how_sure(kind.confidence)
        said = f"{kind.name} [{kind.id}] ({sure}): {_why(kind, words, explained)}"
        # No line ends in the middle of "97 %".
        said = visible(said).replace(" %", "\N{NO-BREAK SPACE}%")
        yield from _paragraph(said, indent, run)
    if finding.frame is not None:
        for each in implied_sentences(finding.frame, words.lang):
            yield from _paragraph(visible(each), "  ", run)
    yield []


def _paragraph(said: str, indent: str, run: Run) -> Iterator[Line]:
    if run.width is None:
        yield [(f"{indent}{said}", None)]
        return
    after = f"{indent}  "
    for line in textwrap.wrap(said, _width(run), initial_indent=indent, subsequent_indent=after):
        yield [(line, None)]


def _why(kind: Kind, words: Wording, explained: set[tuple[str, str]]) -> str:
    """Explain an id once in each language; later findings only have its words."""
    is_term = group_of(kind.id) == "term"  # each term has its own reason
    if kind.explanation and (is_term or (kind.id, words.lang) not in explained):
        explained.add((kind.id, words.lang))
        return kind.explanation
    if not kind.spans:
        return words.reporting.carried_by_all
    return words.reporting.carried.format(quotes=quotes_of(kind.spans, words))


def _score_lines(report: DocumentReport, passage: Passage, words: Wording) -> Iterator[Line]:
    place = where(report, passage, words)
    yield [(f"{place}: {words.reporting.all_scores}", "dim")]
    for name, value in (passage.probabilities or {}).items():
        yield [(f"  {value:.4f}  {name}", None)]
    yield []


def _style(name: str) -> str:
    return _STYLES.get(group_of(name), _OTHER_STYLE)


def _width(run: Run) -> int:
    return _PIPE_WIDTH if run.width is None else max(_NARROWEST, min(run.width - 1, _WIDEST))


def _quote(finding: PlacedFinding, run: Run) -> Iterator[Line]:
    from rich.cells import cell_len

    bar = "  | " if run.width is None else "  │ "
    for line in quote_lines(finding, _width(run) - len(bar)):
        marked = [(words, f"bold underline {mark}" if mark else None) for words, mark in line]
        yield [(bar, _style(finding.id)), *marked]
        if run.width is None and any(mark for _, mark in line):
            carets = (("^" if mark else " ") * cell_len(words) for words, mark in line)
            yield [(bar + "".join(carets).rstrip(), None)]


def quote_lines(finding: PlacedFinding, width: int) -> Iterator[list[Piece]]:
    """Wrap a sentence to ``width`` terminal cells; each line is made of marked and other pieces."""
    from rich.cells import cell_len

    line: list[Piece] = []
    used = 0
    for word in _words_of(*_window(finding)):
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


def _window(finding: PlacedFinding) -> tuple[str, list[str | None], bool, bool]:
    """Return the shown part of a sentence, the mark of each character, and whether it is cut."""
    start, end = finding.within
    first = max(min((span.start for span in finding.spans), default=start), start)
    if end - start > _LONGEST_QUOTE:
        start = max(start, first - _LONGEST_QUOTE // 4)
        end = min(end, start + _LONGEST_QUOTE)
    marks: list[str | None] = [None] * (end - start)
    for kind in finding.kinds:
        for span in kind.spans:
            for at in range(max(span.start, start), min(span.end, end)):
                marks[at - start] = marks[at - start] or _style(kind.id)
    cut_before, cut_after = start > finding.within[0], end < finding.within[1]
    return finding.passage.text[start:end], marks, cut_before, cut_after


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


def _drawn(lines: Iterable[Line], run: Run) -> str:
    return "".join("".join(_piece(*each, run.colour) for each in line) + "\n" for line in lines)


def _piece(words: str, style: str | None, colour: bool) -> str:
    if not (words and style and colour):
        return words
    return f"\x1b[{';'.join(_CODES[each] for each in style.split())}m{words}\x1b[0m"
