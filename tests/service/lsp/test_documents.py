from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.counted_work import growth

from tactful.service.lsp import documents
from tactful.service.lsp.documents import Snapshot, kind_for, path_of, prose_of

COMMIT = """Help even they can use

Why not.
# tactful: ignore pcl
# Please enter the commit message.
# ------------------------ >8 ------------------------
diff --git a/x b/x
+poor souls
"""
LATEX = r"""\documentclass{article}
\usepackage{even they}
\begin{document}
\section{About us} % poor souls
We help \emph{them} with $x = 1$ \cite{even} soups.
% tactful: ignore pcl
\begin{equation}
poor souls
\end{equation}
50\,\% of all.
\end{document}
"""


@pytest.mark.parametrize(
    ("language", "path", "kind"),
    [
        ("markdown", "a.txt", "markdown"),
        ("plaintext", "a.md", "plain"),
        ("html", None, "html"),
        ("restructuredtext", "a.rst", "rst"),
        ("something", "a.md", "markdown"),
        ("something", None, "plain"),
        ("git-commit", "COMMIT_EDITMSG", "plain"),
    ],
)
def test_the_editor_says_what_kind_it_is_else_the_ending(
    language: str, path: str | None, kind: str
) -> None:
    assert kind_for(language, Path(path) if path else None) == kind


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/a%20b/c.md", "/home/a b/c.md"),
        ("file:///c%3A/letter.md", "c:/letter.md"),
        ("untitled:Untitled-1", None),
        ("vscode-notebook-cell:/x#y", None),
        ("", None),
    ],
)
def test_only_files_have_a_path(uri: str, path: str | None) -> None:
    assert path_of(uri) == (Path(path) if path else None)


def test_comments_and_the_diff_of_a_commit_are_no_prose() -> None:
    prose = prose_of(COMMIT, "git-commit")
    assert len(prose) == len(COMMIT)
    assert "even they" in prose
    assert "# tactful: ignore pcl" in prose
    assert not any(words in prose for words in ("Please", "diff", "poor souls"))


def test_commands_and_formulas_of_latex_are_no_prose() -> None:
    prose = prose_of(LATEX, "latex")
    assert len(prose) == len(LATEX)
    words = "About us We help them with soups. % tactful: ignore pcl 50 of all."
    assert prose.split() == words.split()
    assert prose.index("soups") == LATEX.index("soups")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"One \(x\) two \[y\] three $$z$$ four $w$.", "One two three four ."),
        ("One \\begin{align*}x\\end{align*} two", "One two"),
        ("One \\begin{array}x\\end{align} two", "One x two"),
        (r"One \(two, $x$ three", "One two, three"),
        (r"A price of \$5 and \$6.", "A price of 5 and 6."),
        ("One \\includegraphics[width=2cm]{a.png} two \\emph[x]{three}", "One two three"),
        ("One \\cite[two three", "One [two three"),
    ],
)
def test_what_ends_in_latex_is_blanked_and_what_never_ends_is_prose(text: str, words: str) -> None:
    prose = prose_of(text, "latex")
    assert len(prose) == len(text)
    assert prose.split() == words.split()


@pytest.mark.parametrize(
    "piece", ["\\(", "\\[", "\\begin{align}", "\\begin{array}$", "\\cite[", "\\a[", "\\ref{"]
)
def test_marks_of_latex_that_never_end_take_linear_time(piece: str) -> None:
    assert growth(lambda text: prose_of(text, "latex"), piece * 50, piece * 500) < 1.5


def test_an_end_that_is_nowhere_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    class Never:
        def search(self, text: str, start: int) -> None:
            looked.append(start)

    monkeypatch.setitem(documents._FORMULA_ENDS, "\\(", Never())
    prose_of("\\( a " * 1_000, "latex")
    assert looked == [2]


@pytest.mark.parametrize("language", ["latex", "gitcommit"])
@given(text=st.text(st.sampled_from("a{}\\$%#[]~() \n\r"), max_size=60))
def test_prose_has_the_places_of_the_source(language: str, text: str) -> None:
    prose = prose_of(text, language)
    assert len(prose) == len(text)
    assert all(new in (old, " ") for new, old in zip(prose, text, strict=True))


def test_a_snapshot_reads_the_prose_only() -> None:
    document = Snapshot("untitled:1", "gitcommit", 1, COMMIT).read()
    assert [each.text for each in document.segments] == ["Help even they can use", "Why not."]
