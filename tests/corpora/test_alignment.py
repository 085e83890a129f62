import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tactful.corpora.files.alignment import Aligned, align

# Few letters, so that words occur several times and beside spaces and quotes.
SMALL = st.text(alphabet='ab "é', max_size=30)
BARE = st.text(alphabet="ab é", max_size=10)
OFFSETS = st.integers(-40, 40)


@st.composite
def cuts(draw: st.DrawFn) -> tuple[str, int, int]:
    text = draw(st.one_of(SMALL, st.text(min_size=1)).filter(bool))
    start = draw(st.integers(0, len(text) - 1))
    return text, start, draw(st.integers(start + 1, len(text)))


@given(cuts())
def test_right_offsets_are_left_alone(cut: tuple[str, int, int]) -> None:
    text, start, end = cut
    assert align(text, start, end, text[start:end]) == Aligned(start, end, "exact")


@given(cuts(), st.sampled_from([" ", "  ", "\t", "\u00a0"]))
def test_a_space_too_many_is_trimmed(cut: tuple[str, int, int], space: str) -> None:
    text, start, end = cut
    words = text[start:end]
    assume(words == words.strip())
    padded = text[:start] + space + words + space + text[end:]
    at = start + len(space)
    expected = Aligned(at, at + len(words), "trimmed")
    assert align(padded, at, at + len(words) + len(space), words) == expected
    assert align(padded, start, at + len(words) + len(space), words) == expected
    # Words that are published with the space that their offsets leave out.
    if not text[at + len(words) :].startswith(" "):
        assert align(padded, at, at + len(words), words + "   ") == expected


@given(cuts(), st.integers(1, 5))
def test_offsets_that_run_past_the_end_of_the_text_are_cut_back(
    cut: tuple[str, int, int], over: int
) -> None:
    text, start, _ = cut
    words = text[start:]
    assume(words == words.strip())
    assert align(text, start, len(text) + over, words) == Aligned(start, len(text), "trimmed")


@given(cuts(), OFFSETS, OFFSETS)
def test_words_in_the_text_are_found_from_any_offsets(
    cut: tuple[str, int, int], start: int, end: int
) -> None:
    text, real_start, real_end = cut
    words = text[real_start:real_end]
    found = align(text, start, end, words)
    if not words.strip():
        return
    assert found is not None
    assert text[found.start : found.end] in (words, words.strip())


@given(cuts(), OFFSETS)
def test_words_that_moved_are_found_at_the_nearest_place(
    cut: tuple[str, int, int], start: int
) -> None:
    text, real_start, real_end = cut
    words = text[real_start:real_end].strip()
    assume(words)
    found = align(text, start, start, words)
    assert found is not None
    assert found.how == "moved"
    places = [at for at in range(len(text)) if text.startswith(words, at)]
    assert abs(found.start - start) == min(abs(place - start) for place in places)


@given(BARE, SMALL.filter(str.strip), BARE, OFFSETS, OFFSETS)
def test_the_quotes_of_a_csv_file_are_taken_off(
    before: str, words: str, after: str, start: int, end: int
) -> None:
    text = before + words + after
    found = align(text, start, end, '"' + words.replace('"', '""') + '"')
    assert found is not None
    assert found.how == "unquoted"
    assert text[found.start : found.end] == words.strip()


@given(SMALL, OFFSETS, OFFSETS, SMALL)
def test_offsets_never_cut_out_anything_but_the_words(
    text: str, start: int, end: int, words: str
) -> None:
    found = align(text, start, end, words)
    bare = words.strip()
    unquoted = {bare[1:-1].strip(), bare[1:-1].replace('""', '"').strip()}
    quoted = len(bare) > 1 and bare[0] == bare[-1] == '"'
    accepted = {words, bare} | (unquoted if quoted else set())
    if found is None:
        assert not bare or bare not in text
        if quoted:
            assert all(not candidate or candidate not in text for candidate in unquoted)
        return
    assert 0 <= found.start < found.end <= len(text)
    assert text[found.start : found.end] in accepted
    assert (found.how == "exact") == ((found.start, found.end) == (start, end))


@pytest.mark.parametrize("words", ["", "   ", "absent", '"', '""', '"absent"', '" "'])
def test_words_that_are_nowhere_give_nothing(words: str) -> None:
    assert align("a kind word", 2, 6, words) is None


def test_the_nearest_of_several_places_is_taken() -> None:
    text = "help them, and then help them again"
    assert align(text, 18, 27, "help them") == Aligned(20, 29, "moved")
    assert align(text, 2, 11, "help them") == Aligned(0, 9, "moved")


def test_trimming_stays_inside_the_stated_offsets() -> None:
    # An earlier occurrence is nearer to the start than the words between the offsets.
    assert align("a   a", 1, 5, "a") == Aligned(4, 5, "trimmed")


def test_offsets_count_code_points() -> None:
    text = "\U0001f600 so kind é"
    assert align(text, 2, 9, "so kind") == Aligned(2, 9, "exact")
    assert align(text, 5, 9, "so kind") == Aligned(2, 9, "moved")
