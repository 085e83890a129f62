"""Reading the targets and statements of Implicit Hate, from a table of ours."""

from pathlib import Path

import pytest

from tactful.errors import FileFormatError
from tactful.frames.index import read_index_posts
from tactful.frames.posts import is_implicit_hate, read_implicit_hate

TABLE = """\
post,target,implied_statement
Those cooks again.,cooks,they are loud
Those cooks again.,Cooks,Cooks shout.
"They came, and stayed.",Illegals.,should leave
Nobody is meant.,not specified,something
No statement.,cooks,
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "stage3.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_each_post_has_its_groups_and_statements(table: Path) -> None:
    first, second = read_implicit_hate(table)
    assert first.frame.target_groups == ("cooks",)
    assert first.frame.implied_statements == ("cooks are loud", "cooks shout")
    assert len(first.lessons) == 2
    assert second.text == "They came, and stayed."
    assert second.frame.target_groups == ("undocumented immigrants",)
    assert second.frame.implied_statements == ("undocumented immigrants should leave",)


def test_the_authors_own_file_has_tabs(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "stage3.tsv"
    path.write_text("post\ttarget\timplied_statement\nA, b\tcooks\tare loud\n", encoding="utf-8")
    assert [post.text for post in read_implicit_hate(path)] == ["A, b"]
    assert is_implicit_hate(path)
    assert is_implicit_hate(table)
    assert not is_implicit_hate(tmp_path)


def test_an_index_reads_it(table: Path) -> None:
    posts, source = read_index_posts(table)
    assert source == "Implicit Hate"
    assert posts[0].pairs == (("cooks", "cooks are loud"), ("cooks", "cooks shout"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("post,target\nA,b\n", "found no column 'implied_statement'"),
        ('post,target,implied_statement\n"A,b,c\n', "found no row of a CSV"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileFormatError, match=message):
        read_implicit_hate(path)
    path.write_text("x,y\n1,2\n", encoding="utf-8")
    assert not is_implicit_hate(path)
