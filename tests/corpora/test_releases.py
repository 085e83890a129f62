from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.corpora.releases import Release, verify

SMALL = Release("the small part", {"texts": 100, "positive": 10}, "table 1")
LARGE = Release("all of it", {"texts": 1_000, "positive": 90, "spans": 3_000}, "table 2")
COUNTS = st.dictionaries(
    st.sampled_from(["texts", "positive", "spans"]), st.integers(0, 5_000), min_size=1
)


@pytest.mark.parametrize("release", [SMALL, LARGE], ids=lambda release: release.name)
def test_the_counts_of_a_release_are_that_release(release: Release) -> None:
    result = verify(release.counts, [SMALL, LARGE])
    assert (result.release, result.matches) == (release, True)
    [line] = result.lines()
    assert line.startswith(f"This is {release.name}: ")
    assert line.endswith(f", as published ({release.source}).")


def test_numbers_are_written_to_be_read() -> None:
    assert verify(LARGE.counts, [LARGE]).lines() == [
        "This is all of it: 1,000 texts, 90 positive, 3,000 spans, as published (table 2)."
    ]


def test_a_release_without_a_source_claims_no_publication() -> None:
    release = Release("the sample", {"texts": 3}, "")
    assert verify({"texts": 3}, [release]).lines() == ["This is the sample: 3 texts."]


def test_other_counts_are_shown_beside_the_nearest_release() -> None:
    result = verify({"texts": 99, "positive": 10, "other": 5}, [LARGE, SMALL])
    assert (result.release, result.matches) == (SMALL, False)
    assert result.lines() == [
        "These counts are of no known release; the nearest is the small part:",
        "  texts: found 99, published 100 (differs)",
        "  positive: found 10, published 10 (the same)",
    ]


def test_a_count_that_the_files_cannot_give_is_not_compared() -> None:
    result = verify({"texts": 1_000, "positive": 90}, [SMALL, LARGE])
    assert (result.release, result.matches) == (LARGE, True)


def test_the_release_that_says_more_is_preferred() -> None:
    short = Release("short", {"texts": 1_000}, "")
    for releases in ([short, LARGE], [LARGE, short]):
        assert verify(LARGE.counts, releases).release is LARGE


@pytest.mark.parametrize("releases", [[], [Release("other", {"words": 3}, "")]])
def test_files_that_no_release_counts(releases: list[Release]) -> None:
    result = verify({"texts": 1_234}, releases)
    assert (result.release, result.matches) == (None, False)
    assert result.lines() == ["Found 1,234 texts; no counts are published for these files."]


def test_a_published_count_of_nothing_can_differ() -> None:
    nothing = Release("nothing", {"texts": 0}, "")
    assert verify({"texts": 0}, [nothing]).matches
    assert not verify({"texts": 1}, [nothing]).matches


@given(COUNTS, st.lists(COUNTS, max_size=4))
def test_a_match_is_always_a_match_of_all_that_both_count(
    found: Mapping[str, int], counts: list[Mapping[str, int]]
) -> None:
    releases = [Release(str(n), each, "") for n, each in enumerate(counts)]
    result = verify(found, releases)
    alike = [
        release
        for release in releases
        if (shared := set(release.counts) & set(found))
        and all(found[name] == release.counts[name] for name in shared)
    ]
    assert result.matches == bool(alike)
    if result.matches:
        assert result.release in alike
    assert result.found == found
    assert result.lines()


def test_only_counts_that_are_published_are_called_so() -> None:
    release = Release("the lists", {"conditions": 93}, "section 3.1")
    found = {"conditions": 93, "rows": 1_200}
    assert verify(found, [release]).lines() == [
        "This is the lists: 93 conditions, as published (section 3.1); also 1,200 rows."
    ]


def test_what_we_counted_ourselves_is_not_called_published() -> None:
    release = Release("a part", {"texts": 9}, "the authors' val.csv", counted=True)
    assert verify({"texts": 9}, [release]).lines() == [
        "This is a part: 9 texts, as counted in the authors' val.csv."
    ]
    assert verify({"texts": 8}, [release]).lines()[1] == "  texts: found 8, counted 9 (differs)"
