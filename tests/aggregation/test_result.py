import pytest

from tactful.aggregation import majority_vote


def test_reasons_are_a_sequence() -> None:
    result = majority_vote([("i", "a", "x"), ("j", "a", "y"), ("k", "a", None)])
    assert [why.item for why in result.why] == ["i", "j", "k"]
    assert [why.item for why in result.why[1:]] == ["j", "k"]
    assert result.why[-1].text == "no label: nobody judged it."
    with pytest.raises(IndexError):
        result.why[3]


def test_a_long_list_of_annotators_is_cut_in_words_and_whole_in_data() -> None:
    result = majority_vote([("i", f"a{at:02}", "x") for at in range(15)])
    assert result.why[0].text.endswith("a11 and 3 more.")
    assert len(result.why[0].answers) == 15


def test_the_table_says_why_a_label_is_missing() -> None:
    result = majority_vote([("i", "a", "x"), ("j", "a", "x"), ("j", "b", "y")])
    assert result.table()["why"].to_list() == [
        None,
        "no label: tie between x and y, ties get no label; 2 judgements: x by a; y by b.",
    ]
    assert result.table(why=True)["why"].null_count() == 0
