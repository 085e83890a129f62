"""Addresses with settings behind them: taken apart, and put together for what lies below."""

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.scale.cluster.addresses import Address, format_at, is_under, split_address, under
from tactful.scale.tables.formats import Format

QUERY = "?endpoint_override=127.0.0.1:5000&scheme=http"


@pytest.mark.parametrize(
    ("name", "root", "path", "query"),
    [
        (f"s3://bucket/in/{QUERY}", "s3://bucket", "in/", QUERY),
        (f"s3://bucket{QUERY}", "s3://bucket", "", QUERY),
        ("s3://bucket/in/part-?.csv", "s3://bucket", "in/part-?.csv", ""),
        (f"s3://bucket/part-?.csv{QUERY}", "s3://bucket", "part-?.csv", QUERY),
        ("hdfs://node:8020/a/b", "hdfs://node:8020", "a/b", ""),
        ("file:///tmp/x", "file://", "tmp/x", ""),
        ("abfs://box@me.dfs.core.windows.net/a", "abfs://box@me.dfs.core.windows.net", "a", ""),
    ],
)
def test_an_address_has_a_root_a_path_and_settings(
    name: str, root: str, path: str, query: str
) -> None:
    assert split_address(name) == Address(root, path, query)


@pytest.mark.parametrize(
    ("folder", "found"),
    [
        ("out", "out/x"),
        ("/a/out/", "/a/out/x"),
        ("s3://bucket", "s3://bucket/x"),
        ("s3://bucket/out/", "s3://bucket/out/x"),
        (f"s3://bucket/out{QUERY}", f"s3://bucket/out/x{QUERY}"),
        (f"s3://bucket{QUERY}", f"s3://bucket/x{QUERY}"),
        ("what?a=1", "what?a=1/x"),
    ],
)
def test_what_lies_below_stands_before_the_settings(folder: str, found: str) -> None:
    assert under(folder, "x") == found


@pytest.mark.parametrize(
    ("name", "inner", "listed", "found"),
    [
        ("s3://b/in", "b/in", "b/in/x y.csv", "s3://b/in/x%20y.csv"),
        (f"s3://b/in/{QUERY}", "b/in", "b/in/a%20.csv", f"s3://b/in/a%2520.csv{QUERY}"),
        ("s3://key:secret@b", "b", "b/x.csv", "s3://key:secret@b/x.csv"),
        ("hdfs://n:1/in", "/in", "/in/x.csv", "hdfs://n:1/in/x.csv"),
        ("abfs://c@me.net/in", "c/in", "c/in/x.csv", "abfs://c@me.net/in/x.csv"),
        ("s3://b/a%20b/*.csv", "b/a b/*.csv", "b/a b/1.csv", "s3://b/a%20b/1.csv"),
        ("file:///data/in", "/data/in", "/data/in/x", "file:///data/in/x"),
    ],
)
def test_a_listed_file_has_an_address_that_opens_it(
    name: str, inner: str, listed: str, found: str
) -> None:
    assert split_address(name).listed(inner, listed) == found


@given(st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=12))
def test_any_name_survives_the_way_to_an_address_and_back(name: str) -> None:
    address = split_address(f"s3://b/in{QUERY}").listed("b/in", f"b/in/{name}")
    again = split_address(address)
    assert (unquote(again.path), again.query) == (f"in/{name}", QUERY)
    assert again.address == address


def test_what_is_under_a_folder_is_told_whatever_the_settings() -> None:
    assert is_under(f"s3://b/out/wave{QUERY}", f"s3://b/out/{QUERY}")
    assert not is_under("s3://b/output/x", "s3://b/out")
    assert is_under("/a/out/x", "/a/out")
    assert not is_under("/a/out", "/a/out")


def test_the_format_is_told_before_the_settings() -> None:
    assert format_at(f"s3://b/in.csv.gz{QUERY}") == Format("csv", "gz")
    assert format_at(f"s3://b/in{QUERY}") is None
    assert format_at("in.jsonl") == Format("jsonl")
