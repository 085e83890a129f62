"""What changed since an earlier run is said in words, with names, options and what to do."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.scale.made import WORDS, job

from tactful.errors import InputError, UsageError
from tactful.scale.changes import changed_inputs, changed_terms, refuse_changes
from tactful.scale.job import Job

BEFORE = job(Path("in.csv"), "out.csv")


def said(after: Job, before: Job = BEFORE) -> list[str]:
    return changed_terms(before.terms(), after.terms())


def of(**options: Any) -> Job:
    return job(Path("in.csv"), "out.csv", **options)


def file(name: str, size: int = 10, changed: int = 1, head: str = "x") -> dict[str, Any]:
    return {"file": name, "size": size, "changed": changed, "head": head}


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (of(), []),
        (of(text_column="body"), ["--text-column: text then, body now"]),
        (of(where="likes > 3"), ["--where: none then, likes > 3 now"]),
        (of(dedupe=True), ["--dedupe: no then, yes now"]),
        (of(by=("source",)), ['--by: none then, ["source"] now']),
        (of(prefix="t_"), ["--prefix: none then, t_ now"]),
        (of(top=5, top_by="kind"), ["--top: 0 then, 5 now", "--top-by: none then, kind now"]),
        (of(part_rows=1000), ["the rows in a part (--part-rows): 10,000 then, 1,000 now"]),
        (
            replace(BEFORE, scorer=replace(WORDS, model="words 2", fingerprint="other")),
            ["the model (--model or --lang): words 1 then, words 2 now"],
        ),
        (
            replace(BEFORE, scorer=replace(WORDS, fingerprint="other")),
            [
                "the weights or settings of the model words 1, though its name and version are the "
                "same"
            ],
        ),
        (
            replace(BEFORE, scorer=replace(WORDS, ids=("kind", "new"), fingerprint="other")),
            [
                "the added columns (--only, --lang or --spans): kind.fine, other then only, new "
                "now only"
            ],
        ),
    ],
)
def test_an_option_that_changed_is_named_with_both_values(after: Job, expected: list[str]) -> None:
    assert said(after) == expected


def test_no_sentence_shows_a_fingerprint() -> None:
    one, two = (replace(BEFORE, scorer=replace(WORDS, fingerprint=each * 64)) for each in "ab")
    assert "aaa" not in " ".join(said(two, one))


def test_all_changes_are_named_at_once_and_what_to_do() -> None:
    after = of(where="likes > 3", dedupe=True)
    with pytest.raises(UsageError) as caught:
        refuse_changes("out", BEFORE.terms(), after.terms(), [file("a.csv")], [file("b.csv")])
    assert str(caught.value) == (
        "out: found an earlier run that cannot be resumed, as something has changed since: "
        "--where: none then, likes > 3 now; --dedupe: no then, yes now; the file a.csv is gone; "
        "the file b.csv is new. Undo the change to resume it, pass --restart to score everything "
        "again, or name another --output."
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([file("a")], [file("a", changed=2)], []),
        ([file("a"), file("b")], [file("a")], ["the file b is gone"]),
        ([file("a")], [file("a"), file("b")], ["the file b is new"]),
        ([file("a")], [file("a", 2000)], ["the file a has changed (10 bytes then, 2,000 now)"]),
        (
            [file("a")],
            [file("a", head="y")],
            ["the file a has other columns, or other types in them"],
        ),
        ([file("a"), file("b")], [file("b"), file("a")], ["the order of the files"]),
        # A version before this one noted no columns.
        ([{"file": "a", "size": 10}], [file("a")], []),
    ],
)
def test_files_that_changed_are_named(old: list[Any], new: list[Any], expected: list[str]) -> None:
    assert changed_inputs(old, new) == expected


def test_where_only_the_time_tells_a_file_that_was_written_again_has_changed() -> None:
    found = changed_inputs([file("a")], [file("a", changed=2)], exact=True)
    assert found == ["the file a was written again"]


def test_of_many_files_the_first_are_named() -> None:
    with pytest.raises(InputError, match=r"file 0 is new; .*; the file 4 is new; 95 more files\. "):
        refuse_changes("out", {}, {}, [], [file(str(number)) for number in range(100)])


def test_an_option_that_an_earlier_version_did_not_have_is_no_change() -> None:
    old = BEFORE.terms()
    del old["worst by"], old["wanted"]["dedupe"]
    assert changed_terms(old, BEFORE.terms()) == []
    assert changed_terms({**BEFORE.terms(), "colour": "red"}, BEFORE.terms()) == [
        "colour: red then, none now"
    ]


def test_long_values_are_cut_in_the_message() -> None:
    (found,) = said(of(where="x" * 500))
    assert found.endswith("xxx… now")
    assert len(found) < 250


def test_bad_rows_may_be_skipped_from_now_on_but_not_refused_again() -> None:
    skips = of(skip_bad_rows=True)
    assert said(skips) == []
    assert said(BEFORE, skips) == [
        "--bad-rows skip: yes then, no now",
        "--rejects: out.rejects.jsonl then, none now",
    ]
    other = of(skip_bad_rows=True, rejects="x.jsonl")
    assert said(other, skips) == ["--rejects: out.rejects.jsonl then, x.jsonl now"]
    assert said(other) == []
