import polars as pl
import pytest

from tactful.aggregation.judgements import judged, matching_labels, read_judgements
from tactful.aggregation.majority import majority_vote
from tactful.errors import InputError

pd = pytest.importorskip("pandas")

ROWS = [("b", "y", "1"), ("a", "z", None), ("b", "x", "0"), ("a2", "x", "1")]


@pytest.mark.parametrize(
    "table",
    [
        ROWS,
        pl.DataFrame(ROWS, schema=["item", "annotator", "label"], orient="row"),
        pl.LazyFrame(ROWS, schema=["item", "annotator", "label"], orient="row"),
        pd.DataFrame(ROWS, columns=["item", "annotator", "label"]),
        dict(zip(["item", "annotator", "label"], zip(*ROWS, strict=True), strict=True)),
    ],
    ids=["rows", "polars", "lazy", "pandas", "mapping"],
)
def test_items_without_a_judgement_are_kept(table: object) -> None:
    ratings = read_judgements(table)
    assert ratings.items == ("b", "a", "a2")
    assert ratings.item.tolist() == [0, 0, 2]
    assert majority_vote(table).labels == (None, None, "1")


def test_everything_is_sorted_by_name_and_comes_back() -> None:
    data = judged(read_judgements(ROWS), {"a": "0"})
    assert data.ratings.items == ("a", "a2", "b")
    assert data.ratings.annotators == ("x", "y")
    assert data.known.tolist() == [0, -1, -1]
    assert data.place.tolist() == [2, 0, 1]
    assert [data.ratings.items[at] for at in data.place] == ["b", "a", "a2"]


def test_gold_may_spell_numbers_in_another_way() -> None:
    assert matching_labels({"i": "1", "j": "yes"}, ("0.0", "1.0")) == {"i": "1.0", "j": "yes"}


def test_new_gold_labels_take_their_place_among_numbers() -> None:
    data = judged(read_judgements([("i", "a", "2"), ("j", "a", "10")]), {"i": "3"})
    assert data.ratings.labels == ("2", "3", "10")
    assert data.ratings.label.tolist() == [0, 2]


def test_gold_of_other_items_is_noted() -> None:
    data = judged(read_judgements([("i", "a", "2")]), {"k": "2"})
    assert data.notes == ("Gold has 1 item that the table does not have ('k').",)


def test_free_text_is_no_set_of_labels() -> None:
    from tactful.aggregation import fit_dawid_skene

    rows = [(f"i{at}", f"a{at % 100}", f"text {at}") for at in range(2000)]
    with pytest.raises(InputError, match="2,000 different labels"):
        fit_dawid_skene(rows)
