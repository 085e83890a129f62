"""The corpus' posts as frames: references and lessons (Sap et al. 2020, section 4.2)."""

import csv
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from tactful.errors import UsageError
from tactful.frames.posts import FOLDS, Post, read_posts, read_references, with_references
from tactful.frames.schema import CATEGORICAL, GROUPS, STATEMENTS
from tactful.taxonomies.frame_constraints import binarise
from tactful_lab.frames.linearise import linearise, parse

SAMPLE = Path(str(resources.files("tactful.corpora"))) / "samples" / "sbic"
COLUMNS = {
    "sexYN": "frame.lewd", "offensiveYN": "frame.offensive", "intentYN": "frame.intent",
    "whoTarget": "frame.group", "speakerMinorityYN": "frame.in_group",
}  # fmt: skip


def rows_of(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Read the annotation rows once more, in the plainest way."""
    found: dict[str, list[dict[str, str]]] = {}
    for path in sorted(folder.glob("SBIC.v2.???.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found.setdefault(row["post"], []).append(row)
    return found


@pytest.fixture(scope="module")
def posts() -> list[Post]:
    return read_posts(SAMPLE)


def test_a_reference_is_the_mean_of_binarised_answers(posts: list[Post]) -> None:
    """Section 4.2: averaged after binarising, so that a "maybe" is a yes (footnote 8)."""
    rows = rows_of(SAMPLE)
    assert len(posts) == len(rows) == 25
    for post in posts:
        for column, name in COLUMNS.items():
            said = [binarise(name, float(row[column])) for row in rows[post.text] if row[column]]
            assert (name in post.frame.answers) == bool(said)
            if said:
                mean = sum(said) / len(said)
                assert post.frame.probabilities[name] == pytest.approx(mean)
                assert post.frame.answers[name] == ("yes" if mean >= 0.5 else "no")


def test_two_who_say_maybe_outvote_one_no() -> None:
    """The mean of the numbers as written is a third, and would be a no."""
    frame = next(p.frame for p in read_references(SAMPLE) if p.text.startswith("My cousin snores"))
    assert frame.probabilities["offensive"] == pytest.approx(2 / 3)
    assert frame.answers["offensive"] == "yes"


def test_references_are_all_that_anybody_wrote(posts: list[Post]) -> None:
    rows = rows_of(SAMPLE)
    for post in posts:
        for column, found in (
            ("targetMinority", post.frame.target_groups),
            ("targetStereotype", post.frame.implied_statements),
        ):
            assert set(found) == {row[column] for row in rows[post.text] if row[column].strip()}


def test_a_lesson_is_one_row_of_one_annotator(posts: list[Post]) -> None:
    """Section 4.2: one post-group-statement triple with the five categorical annotations."""
    rows = rows_of(SAMPLE)
    for post in posts:
        own = rows[post.text]
        expected = sorted(
            (row["targetMinority"], row["targetStereotype"], row["offensiveYN"] not in ("", "0.0"))
            for row in own
        )
        found = sorted(
            (each.group or "", each.statement or "", bool(each.values.get("frame.offensive")))
            for each in post.lessons
        )
        assert found == expected
        for lesson in post.lessons:
            assert parse([piece.text for piece in linearise(lesson)[3:]]).whole


def test_each_post_has_one_fold_and_its_part(posts: list[Post]) -> None:
    assert {post.fold for post in posts} <= {f"fold{at}" for at in range(1, FOLDS + 1)}
    assert 0 < sum(post.held_out for post in posts) < len(posts)
    assert {post.split for post in posts} == {"train", "dev", "test"}
    assert [post.fold for post in read_posts(SAMPLE)] == [post.fold for post in posts]


def test_the_folder_above_will_do(tmp_path: Path, posts: list[Post]) -> None:
    (tmp_path / "social_bias").symlink_to(SAMPLE)
    assert read_posts(tmp_path) == posts


def test_a_single_file_gives_references_without_folds() -> None:
    found = read_references(SAMPLE / "SBIC.v2.tst.csv")
    assert len(found) == 5
    assert {post.fold for post in found} == {""}
    assert not any(post.held_out for post in found)
    with pytest.raises(UsageError, match="ask for fewer parts"):
        read_posts(SAMPLE / "SBIC.v2.tst.csv")


def test_an_aggregated_file_has_means_and_no_annotators() -> None:
    found = read_references(SAMPLE / "SBIC.v2.agg.dev.csv")
    assert found
    for post in found:
        assert "frame.in_group" not in post.frame.answers
        statements = [each.statement for each in post.lessons if each.statement]
        if post.frame.target_groups:
            assert tuple(statements) == post.frame.implied_statements
            assert {each.group for each in post.lessons} == {post.frame.target_groups[0]}
        assert all(set(each.values) <= set(CATEGORICAL) for each in post.lessons)


def test_those_with_references_have_a_group_and_a_statement(posts: list[Post]) -> None:
    chosen = with_references(posts)
    assert chosen
    assert all(post.frame.target_groups and post.frame.implied_statements for post in chosen)
    assert len(chosen) == sum(
        any(row["targetMinority"] for row in rows) and any(row["targetStereotype"] for row in rows)
        for rows in rows_of(SAMPLE).values()
    )


def test_a_folder_without_the_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such file or folder"):
        read_posts(tmp_path / "nowhere")


@pytest.mark.data
def test_the_authors_development_part(data_folder: Callable[[str], Path]) -> None:
    found = read_posts(data_folder("sbic"))
    assert len(found) == 4_673
    assert len(with_references(found)) == 1_806
    assert sum(post.held_out for post in found) == 386
    shares = {
        name: [post.frame.answers[name] == "yes" for post in found if name in post.frame.answers]
        for name in CATEGORICAL
    }
    # Sap et al. have 42.2 % offensive posts in their first version (table 4); this is the second.
    assert sum(shares["frame.offensive"]) / len(shares["frame.offensive"]) == pytest.approx(
        0.580, abs=0.001
    )
    for name, texts in ((GROUPS, "target_groups"), (STATEMENTS, "implied_statements")):
        assert all(text.strip() for p in found for text in getattr(p.frame, texts)), name
