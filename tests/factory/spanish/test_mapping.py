"""StereoImmigrants' codes in DETESTS' categories: the whole table, its doubts, unknown codes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from factory.spanish.mapping import load_mapping, mapped_labels

from tactful.corpora.detests import CATEGORIES
from tactful.corpora.stereoimmigrants import StereoImmigrants
from tactful.errors import InputError
from tactful.taxonomies import load_taxonomy


def test_the_categories_are_those_of_the_taxonomy() -> None:
    entries = load_taxonomy("stereotype").entries
    assert [f"stereotype.{name}" for name in CATEGORIES] == [
        entry.id for entry in entries if entry.kind == "category"
    ]


def test_every_entry_is_sound() -> None:
    mapping = load_mapping()
    for each in mapping.codes.values():
        assert each.to, each.code
        assert set(each.to) <= set(CATEGORIES), each.code
        assert all(0 < sure <= 1 for sure in each.to.values()), each.code
        if len(each.code) > 1 and max(each.to.values()) < 0.75:
            assert each.doubt, f"{each.code} is unsure and does not say why"
    assert all(0 < ending.factor < 1 for ending in mapping.endings.values())


def test_a_category_without_data_is_named_and_no_other() -> None:
    mapping = load_mapping()
    well_mapped = {
        name for each in mapping.codes.values() for name, sure in each.to.items() if sure >= 0.5
    }
    assert set(CATEGORIES) - well_mapped == set(mapping.without_data)


@pytest.mark.parametrize(
    ("code", "category"),
    [
        ("1.3", "xenophobia"),
        ("2.1", "suffering"),
        ("3.2", "economic"),
        ("4.1", "migration"),
        ("4.3", "benefits"),
        ("4.4", "health"),
        ("4.5", "security"),
    ],
)
def test_a_clear_code_has_one_category(code: str, category: str) -> None:
    assert dict(load_mapping().of(code).to) == {category: 1.0}


def test_an_ending_makes_less_sure_and_adds_its_note() -> None:
    mapping = load_mapping()
    denied = mapping.of("4.5N")
    assert denied.to["security"] == pytest.approx(mapping.endings["N"].factor)
    assert denied.doubt is not None
    assert mapping.endings["N"].note in denied.doubt
    assert mapping.of("4.5").to["security"] == 1.0


@pytest.mark.parametrize("code", ["", "6.1", "4.9", "4.5X", "N", "security"])
def test_an_unknown_code_is_refused(code: str) -> None:
    with pytest.raises(InputError, match=r"expected one of 1, 1\.1"):
        load_mapping().of(code)


def test_labels_are_rows_of_ten() -> None:
    rows = mapped_labels(["4.6", "2.4"])
    assert rows.shape == (2, 10)
    assert rows[0, CATEGORIES.index("migration")] == rows[0, CATEGORIES.index("others")] == 0.5
    assert rows[1].max() == rows[1, CATEGORIES.index("suffering")]
    assert mapped_labels([]).shape == (0, 10)


def test_every_code_of_the_authors_files_is_mapped(data_folder: Callable[[str], Path]) -> None:
    frame = StereoImmigrants(data_folder("stereoimmigrants")).read("stereotypes")
    rows = mapped_labels(frame["expert"].to_list())
    assert (rows.max(axis=1) > 0).all()
