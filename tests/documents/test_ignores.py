"""What ``tactful: ignore`` silences, where, and what it says of itself."""

from pathlib import Path

import pytest
from tests.counted_work import growth

from tactful.documents.document import Document, Kind, document_of
from tactful.documents.ignores import MOST_PROBLEMS, find_ignores


def silenced(document: Document, id: str = "pcl") -> list[str]:
    ignores = find_ignores(document)
    assert ignores.problems == ()
    return [each.text for each in document.segments if ignores.silences(each, id)]


def test_without_a_directive_nothing_is_silenced() -> None:
    assert silenced(document_of("Be tactful: ignore insults.\n\nOne.")) == []


@pytest.mark.parametrize(
    "line",
    [
        "tactful: ignore",
        "  tactful: ignore",
        "# tactful: ignore",
        "// tactful:ignore",
        "/* tactful: ignore */",
        "<!-- tactful: ignore -->",
        "-- tactful: ignore -- a quotation",
        "text [tactful: ignore] goes on",
        "text (tactful: ignore pcl, frame)",
    ],
)
def test_plain_text_has_directives_in_its_lines(line: str) -> None:
    document = document_of(f"First.\n\nSecond,\n{line}\nend.\n\nThird.")
    second = silenced(document)
    assert len(second) == 1
    assert second[0].startswith("Second,")
    assert second[0].endswith("end.")
    assert "tactful" not in second[0]


def test_prose_about_tact_is_not_a_directive() -> None:
    text = "It is tactful: ignore the insult.\n\ntactful: ignore the insult, they said"
    document = document_of(text)
    assert document.directives == ()
    assert len(document.segments) == 2


def test_an_id_silences_what_is_below_it() -> None:
    document = document_of("One. # tactful: ignore pcl, unhealthy.sarcastic")
    (segment,) = document.segments
    ignores = find_ignores(document)
    assert segment.text == "One."
    silent = ("pcl", "pcl.metaphor", "unhealthy.sarcastic")
    loud = ("unhealthy", "unhealthy.hostile", "frame.offensive", "pclx")
    assert [ignores.silences(segment, id) for id in silent] == [True] * 3
    assert [ignores.silences(segment, id) for id in loud] == [False] * 4


@pytest.mark.parametrize(
    ("kind", "source", "expected"),
    [
        ("markdown", "One.\n\nTwo <!-- tactful: ignore -->\nmore.\n\nThree.", ["Two more."]),
        ("markdown", "- a\n- b <!-- tactful: ignore -->\n- c", ["b"]),
        ("markdown", "One.\n\n<!-- tactful: ignore -->\nTwo.\n\nThree.", ["Two."]),
        ("markdown", "One.\n<!-- tactful: ignore -->\n\nTwo.", ["One."]),
        ("markdown", "One.\n\n<!-- tactful: ignore-next -->\n\nTwo.\n\nThree.", ["Two."]),
        ("markdown", "```\n<!-- tactful: ignore-file -->\n```\n\nOne.", []),
        ("markdown", "<!-- tactful: ignore-file -->\n\nOne.\n\n- two", ["One.", "two"]),
        ("html", "<p>One</p><p>Two<!-- tactful: ignore --></p><p>Three</p>", ["Two"]),
        ("html", "<p>One</p>\n<!-- tactful: ignore-next --><p>Two</p><p>Three</p>", ["Two"]),
        ("html", "<p>One</p>\n\n<!--tactful:ignore-->\n<p>Two</p>", ["Two"]),
        ("plain", "One.\n\n# tactful: ignore-next\nTwo.\n\nThree.", ["Two."]),
        ("plain", "One.\n\n# tactful: ignore-next\n\nTwo.\n\nThree.", ["Two."]),
        (
            "plain",
            "One.\n\n# tactful: ignore-start\n\nTwo.\n\nThree.\n\n# tactful: ignore-end\n\nFour.",
            ["Two.", "Three."],
        ),
        (
            "markdown",
            "One.\n\n<!-- tactful: ignore-start pcl -->\n- a\n- b\n<!-- tactful: ignore-end -->\nc",
            ["a", "b"],
        ),
    ],
)
def test_each_directive_silences_its_blocks(kind: Kind, source: str, expected: list[str]) -> None:
    assert silenced(document_of(source, kind)) == expected


def test_all_windows_of_a_paragraph_are_silenced() -> None:
    document = document_of("One two three. " * 100 + "# tactful: ignore", most_words=30)
    assert len(document.segments) == 10
    assert len(silenced(document)) == 10


@pytest.mark.parametrize(
    ("source", "line", "code", "said"),
    [
        ("One.\n\nTwo. # tactful: ignore pcll", 3, "unknown-id", "did you mean 'pcl'"),
        ("# tactful: ignore-start\n\nOne.", 1, "start-without-end", "add the end"),
        ("One.\n\n# tactful: ignore-end\n\nTwo.", 3, "end-without-start", "add the start"),
        ("One.\n\n\n# tactful: ignore\n\n\nTwo.", 4, "nothing-to-ignore", "touches no text"),
        ("One.\n\n# tactful: ignore-next", 3, "nothing-to-ignore", "text after it"),
    ],
)
def test_problems_have_a_line(source: str, line: int, code: str, said: str) -> None:
    (problem,) = find_ignores(document_of(source, path=Path("a.txt"))).problems
    assert (problem.file, problem.line, problem.code) == ("a.txt", line, code)
    assert said in str(problem)


def test_an_unknown_directive_in_a_comment_is_a_problem() -> None:
    document = document_of("One <!-- tactful: off -->", "markdown")
    ignores = find_ignores(document)
    assert ignores.problems[0].code == "unknown-directive"
    assert "ignore-next" in str(ignores.problems[0])
    assert not ignores.silences(document.segments[0], "pcl")


def test_a_start_without_end_silences_the_rest() -> None:
    document = document_of("One.\n\n# tactful: ignore-start\n\nTwo.")
    ignores = find_ignores(document)
    assert [ignores.silences(each, "pcl") for each in document.segments] == [False, True]


def test_an_id_of_ones_own_is_silenced_and_named() -> None:
    document = document_of("One. # tactful: ignore mine.tone")
    ignores = find_ignores(document)
    assert [problem.code for problem in ignores.problems] == ["unknown-id"]
    assert ignores.silences(document.segments[0], "mine.tone")


STARTS = "tactful: ignore-start\n\n"


def test_many_open_starts_take_no_longer_for_each_block() -> None:
    def text(size: int) -> str:
        return STARTS * size + "One.\n\n" * size

    def read(text: str) -> None:
        find_ignores(document_of(text))

    assert growth(read, text(50), text(200)) < 1.5


def test_a_list_of_unknown_ids_is_cut_short() -> None:
    names = [f"x{one}{two}" for one in "abcdefghijklmnop" for two in "abcdefghijklmnopqrstuvwxyz"]
    ignores = find_ignores(document_of(f"One.\ntactful: ignore {', '.join(names)}\n"))
    assert len(ignores.problems) == MOST_PROBLEMS + 1
    left = len(names) - MOST_PROBLEMS
    assert f"found {left} further problems" in str(ignores.problems[-1])


def test_nested_ranges_silence_what_any_of_them_holds() -> None:
    text = (
        "Zero.\n\ntactful: ignore-start pcl\n\nOne.\n\ntactful: ignore-start frame\n\nTwo.\n\n"
        "tactful: ignore-start pcl\n\nThree.\n\ntactful: ignore-end\n\ntactful: ignore-end\n\n"
        "Four. # tactful: ignore unhealthy\n\ntactful: ignore-end\n\nFive.\n"
    )
    document = document_of(text)
    assert silenced(document, "pcl") == ["One.", "Two.", "Three.", "Four."]
    assert silenced(document, "frame") == ["Two.", "Three."]
    assert silenced(document, "unhealthy") == ["Four."]
