from factory.english_v1.crops import BESIDE, CROP, crops
from factory.records import Record

from tactful.training.task_data import PCL_IDS
from tactful.types import Span

TEXT = (
    "The council met on Monday evening . These poor souls have no voice of their own . "
    "The next meeting is in June , it said ."
)
SPAN = "These poor souls have no voice"
CATEGORY = "pcl.compassion"


def paragraph(value: float, *spans: Span, part: str = "train", text: str = TEXT) -> Record:
    targets = dict.fromkeys(PCL_IDS, 0.0) | {"pcl": value} | {str(span.id): 0.8 for span in spans}
    return Record("p", text, "dpm", part, targets, {"pcl": int(value >= 0.5)}, tuple(spans))


def span() -> Span:
    start = TEXT.index(SPAN)
    return Span(start, start + len(SPAN), CATEGORY, annotators=1)


def test_a_sentence_with_a_span_is_told_from_those_beside_it() -> None:
    found = crops([paragraph(0.85, span())])
    assert {each.corpus for each in found} == {CROP}
    assert len(found) == 5, "three sentences and two pairs"
    for crop in found:
        has_it = SPAN in crop.text
        assert crop.targets["pcl"] == (0.85 if has_it else BESIDE)
        assert crop.targets[CATEGORY] == (0.8 if has_it else 0.0)
        assert crop.spans is not None
        assert [each.cut(crop.text) for each in crop.spans] == ([SPAN] if has_it else [])


def test_a_span_counts_where_at_least_half_of_it_lies() -> None:
    start = TEXT.index("Monday evening")
    long = Span(start, TEXT.index(" of their own"), CATEGORY)
    inside = [each.text for each in crops([paragraph(0.85, long)]) if each.spans]
    assert inside
    assert all("These poor souls" in text for text in inside)


def test_other_paragraphs_give_one_passage_that_keeps_their_label() -> None:
    for value, expected in ((0.0, 0.0), (0.25, BESIDE)):
        found = crops([paragraph(value)])
        assert len(found) == 1
        assert found[0].text in TEXT
        assert found[0].targets["pcl"] == expected
        assert found[0].spans == ()


def test_what_is_held_out_or_has_one_sentence_gives_none() -> None:
    assert crops([paragraph(0.85, span(), part="validation")]) == []
    assert crops([paragraph(0.0, text="The bridge opens on Monday")]) == []
    other = Record("c", TEXT, "ucc", "train", {"unhealthy": 0.2}, {"unhealthy": 0})
    assert crops([other]) == []


def test_the_choice_follows_from_the_seed() -> None:
    records = [paragraph(0.0)] * 20
    assert crops(records, 1) == crops(records, 1)
    assert crops(records, 1) != crops(records, 2)
