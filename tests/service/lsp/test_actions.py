import pytest
from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    Position,
    Range,
    TextDocumentEdit,
)
from tests.service.lsp.phrases import checked, phrases

from tactful.service.lsp.actions import actions_in
from tactful.service.lsp.diagnostics import Checked, diagnostics_of
from tactful.service.lsp.lines import EditedText
from tactful.service.lsp.settings import DOCS

MARKDOWN = {
    "paragraph": "Fine.\n\nEven they know,\nas we do.\n\nNobody asked.\n",
    "touching a heading": "# Title\nEven they know.\n# Nobody asked\n",
    "heading": "# Even they\n\nText.\n",
    "closed heading": "# Even they #\n\nText.\n",
    "setext": "Even they\n=========\n\nText.\n",
    "list": "1. One.\n2. Even they know.\n3. Nobody asked.\n",
    "nested list": "- One.\n  - Even they know.\n- Nobody asked.\n",
    "loose list": "- One.\n\n  Even they know.\n\n- Nobody asked.\n",
    "quote": "> Even they know.\n\nText.\n",
    "table": "| a | b |\n|---|---|\n| even they | nobody asked |\n",
    "bold": "It is **even they**\n",
    "code at the end": "Even they write `code`\n",
    "link": "[Even they](https://x.example)\n",
    "windows": "Fine.\r\n\r\nEven they know.\r\n",
    "no end of line": "Even they know.",
    "front matter": "---\ntitle: x\n---\n\nEven they know.\n",
    "html in it": "<div>\nEven they know.\n</div>\n\nText.\n",
    "emoji": "😀 é Even they know. 😀\n",
}
HTML = {
    "paragraph": "<!DOCTYPE html>\n<body>\n<p>Even they know.</p>\n<p>Nobody asked.</p></body>",
    "one line": "<p>Nobody asked.</p><p>Even they know.</p><p>Nobody asked.</p>",
    "list": "<ul><li>Even <b>they</b></li><li>Even they know.</li></ul>",
    "cell": "<table><tr><td>One</td><td>even they</td></tr></table>",
    "lines": "<p>\n  Even they know,\n  as we do.\n</p>\n",
}
PLAIN = {
    "plaintext": "Fine.\n\nEven they know,\nas we do.\n\nNobody asked.\n",
    "restructuredtext": "Title\n=====\n\nEven they know,\nas we do.\n\nNobody asked.\n",
    "latex": "\\section{Fine}\n\nEven they \\emph{know}.\n\nNobody \\textbf{asked}.\n",
    "git-commit": "Help people\n\nEven they know.\n\nNobody asked.\n# Please enter a message\n",
}
CASES = [
    *(("markdown", text) for text in MARKDOWN.values()),
    *(("html", text) for text in HTML.values()),
    *PLAIN.items(),
]
NAMES = [*(f"markdown {name}" for name in MARKDOWN), *(f"html {name}" for name in HTML), *PLAIN]


def ids(found: Checked) -> list[str]:
    return [finding.id for finding in found.reading.report.findings]


def actions(found: Checked, name: str = "pcl", *, versioned: bool = True) -> list[CodeAction]:
    shown = next(each for each in diagnostics_of(found, DOCS) if each.code == name)
    every = actions_in(found, shown.range, [shown], versioned=versioned)
    return [action for action in every if action.diagnostics == [shown]]


def applied(found: Checked, action: CodeAction) -> Checked:
    assert action.edit is not None
    assert action.edit.document_changes is not None
    (document,) = action.edit.document_changes
    assert isinstance(document, TextDocumentEdit)
    assert document.text_document.version == found.snapshot.version
    text = EditedText(found.snapshot.text, "utf-16")
    for edit in document.edits:
        assert hasattr(edit, "new_text")
        text.change(edit.range, edit.new_text)
    return checked(str(text), found.snapshot.language)


@pytest.mark.parametrize(("language", "text"), CASES, ids=NAMES)
def test_ignoring_here_silences_this_passage_only(language: str, text: str) -> None:
    before = checked(text, language)
    (here,) = actions(before)
    assert here.title == "Ignore 'pcl' here"
    assert here.kind is CodeActionKind.QuickFix
    after = applied(before, here)
    expected = ids(before)
    expected.remove("pcl")
    assert ids(after) == expected
    assert after.reading.report.silenced == 1
    assert after.reading.report.problems == ()


def test_ends_of_lines_stay_as_they_are() -> None:
    before = checked(MARKDOWN["windows"], "markdown")
    for action in actions(before):
        after = applied(before, action).snapshot.text
        assert after.count("\r\n") == after.count("\n")


def test_one_action_ignores_all_kinds_of_a_finding() -> None:
    before = checked("Nobody asked. Poor souls.\n\nPoor souls.\n", "markdown")
    assert [len(each.kinds) for each in before.reading.report.findings] == [3, 2]
    (action,) = actions(before, "unhealthy.dismissive")
    assert action.title == "Ignore 'unhealthy.dismissive, pcl' here"
    after = applied(before, action)
    assert ids(after) == ["pcl"]
    assert after.reading.report.silenced == 1
    assert "<!-- tactful: ignore-next unhealthy.dismissive, pcl -->" in after.snapshot.text


def test_a_second_ignoring_adds_to_the_first() -> None:
    before = checked(
        "<!-- tactful: ignore-next pcl -->\nNobody asked. Even they know.\n", "markdown"
    )
    assert ids(before) == ["unhealthy.dismissive"]
    after = applied(before, actions(before, "unhealthy.dismissive")[0])
    assert ids(after) == []
    assert after.reading.report.silenced == 1


def test_editors_without_versions_get_plain_changes() -> None:
    found = checked("Even they know.", "markdown")
    edit = actions(found, versioned=False)[0].edit
    assert edit is not None
    assert edit.document_changes is None
    assert edit.changes is not None
    assert list(edit.changes) == [found.snapshot.uri]


def test_titles_are_in_the_language_of_the_report() -> None:
    options = phrases(report_lang="es")
    found = checked("Even they know.", options=options)
    everywhere = Range(Position(0, 0), Position(0, 15))
    titles = [each.title for each in actions_in(found, everywhere, [], versioned=True)]
    assert titles == ["Ignorar «pcl» aquí"]


def test_nothing_is_offered_where_nothing_is_marked() -> None:
    found = checked("Fine.\n\nEven they know.\n")
    top = Range(Position(0, 0), Position(0, 3))
    assert actions_in(found, top, [], versioned=True) == []


def test_a_term_can_be_replaced() -> None:
    text = "😀 He is wheelchair-bound.\n"
    found = checked(text, options=phrases(only=("term",)))
    whole = Range(Position(0, 0), Position(1, 0))
    shown = diagnostics_of(found, DOCS)
    actions = [each for each in actions_in(found, whole, shown, versioned=False) if each.edit]
    replacing = [each for each in actions if each.title.startswith("Replace")]
    assert [each.title for each in replacing] == [
        "Replace 'wheelchair-bound' with 'using a wheelchair'",
        "Replace 'wheelchair-bound' with 'a wheelchair user'",
    ]
    assert [each.is_preferred for each in replacing] == [True, False]
    assert replacing[0].diagnostics == shown
    assert replacing[0].edit is not None
    assert replacing[0].edit.changes is not None
    ((edit,),) = replacing[0].edit.changes.values()
    assert edit.new_text == "using a wheelchair"
    assert (edit.range.start.character, edit.range.end.character) == (9, 25)
    assert [each.title for each in actions[2:]] == ["Ignore 'term.disability' here"]


def test_a_term_with_markup_inside_is_not_replaced() -> None:
    found = checked("He is **wheelchair**-bound.\n", "markdown", options=phrases(only=("term",)))
    whole = Range(Position(0, 0), Position(1, 0))
    actions = actions_in(found, whole, [], versioned=False)
    assert actions
    assert not any(each.title.startswith("Replace") for each in actions)
