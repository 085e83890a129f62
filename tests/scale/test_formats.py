"""Only the ending of a name decides the format."""

import pytest

from tactful.errors import UnknownNameError, UsageError
from tactful.scale.tables.formats import KINDS, Format, format_of, named_format, packing_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("comments.csv", Format("csv")),
        ("COMMENTS.CSV", Format("csv")),
        ("a.b.tsv", Format("tsv")),
        ("a.tab", Format("tsv")),
        ("a.jsonl.gz", Format("jsonl", "gz")),
        ("a.ndjson.zst", Format("jsonl", "zst")),
        ("a.csv.zstd", Format("csv", "zst")),
        ("a.pq", Format("parquet")),
        ("a.feather", Format("arrow")),
        ("a.ipc", Format("arrow")),
        ("notes.txt", Format("txt")),
        ("s3://bucket/day.csv/part.parquet", Format("parquet")),
        ("folder.csv/", Format("csv")),
        ("folder.csv/name", None),
        ("comments", None),
        ("csv", None),
        (".gz", None),
        ("a.gz", None),
        ("a.json", None),
        ("a.csv.bz2", None),
        ("", None),
    ],
)
def test_a_name_tells_its_format_or_none(name: str, expected: Format | None) -> None:
    assert format_of(name) == expected


@pytest.mark.parametrize("name", ["a.parquet.gz", "b/a.arrow.zst", "a.pq.zstd"])
def test_a_packed_parquet_or_arrow_file_is_refused(name: str) -> None:
    with pytest.raises(
        UsageError, match=r"found a compressed (parquet|arrow) file; .* decompress it"
    ):
        format_of(name)


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
@pytest.mark.parametrize("kind", sorted(set(KINDS.values())))
def test_a_format_is_told_again_by_its_own_ending(kind: str, packing: str) -> None:
    if kind in ("parquet", "arrow") and packing:
        return
    found = named_format(kind + packing)
    assert format_of(f"part-00000{found.ending}") == found
    assert named_format(str(found)) == found


def test_an_unknown_format_answers_with_the_nearest_and_the_list() -> None:
    with pytest.raises(UnknownNameError, match=r"format named 'jsnl'.*'jsonl'.*parquet"):
        named_format("jsnl")


@pytest.mark.parametrize(
    ("name", "expected"), [("a.gz", "gz"), ("a.x.ZST", "zst"), ("a.csv", ""), ("gz", "gz")]
)
def test_packing_is_told_without_a_format(name: str, expected: str) -> None:
    assert packing_of(name) == expected


def test_lines_of_json_are_kept_as_lines_and_all_else_as_a_table() -> None:
    shapes = {kind: Format(kind).shape for kind in KINDS.values()}
    assert [kind for kind, shape in shapes.items() if shape == "lines"] == ["jsonl"]
    assert [kind for kind in shapes if Format(kind).is_columnar] == ["parquet", "arrow"]
    assert (Format("csv").separator, Format("tsv").separator) == (",", "\t")
