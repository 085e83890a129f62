"""``tactful frame index``: what it writes, what it refuses, and that the framer opens it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests import command_line

from tactful.cli.frame.index import index_cli
from tactful.frames import load_framer

OWN = """\
post,group,statement
The cooks shout again.,cooks,cooks are loud
Cooks shout in every kitchen.,cooks,cooks are loud
The ferry was late.,,
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.csv"
    path.write_text(OWN, encoding="utf-8")
    return path


run = partial(command_line.run_aloud, "frame index")
fails = partial(command_line.fails, "frame index")


def test_a_table_becomes_a_framer(own: Path, tmp_path: Path) -> None:
    output = tmp_path / "index"
    said = run(own, "-o", output)
    assert f"Wrote an index of 3 posts, 2 of them with a group and a statement, to {output}" in said
    assert "The index contains the posts; licence: those of the owner" in said
    assert load_framer(output).frame(["Cooks shout."])[0].target_groups == ("cooks",)


def test_the_corpus_becomes_a_framer(sample_copy: Callable[[str], Path], tmp_path: Path) -> None:
    said = run(sample_copy("sbic"), "--output", tmp_path / "index")
    assert "licence: CC BY 4.0" in said


def test_the_folder_of_the_settings_is_read(
    sample_copy: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACTFUL_DATA", str(sample_copy("sbic")))
    assert "Wrote an index" in run("-o", tmp_path / "index")


def test_no_data(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TACTFUL_DATA", raising=False)
    code, said = fails(capsys, "-o", tmp_path / "index")
    assert code == 2
    assert "Name the folder with the posts" in said
    code, said = fails(capsys, tmp_path / "nowhere", "-o", tmp_path / "index")
    assert code == 2
    assert "There is no file or folder" in said


def test_an_existing_folder_is_refused_before_the_work(
    capsys: pytest.CaptureFixture[str], own: Path, tmp_path: Path
) -> None:
    output = tmp_path / "index"
    run(own, "-o", output)
    before = (output / "posts.jsonl").read_bytes()
    code, said = fails(capsys, own, "-o", output, "--embedding", "nothing")
    assert code == 2
    assert "it exists already; name another place or pass --force" in said
    assert (output / "posts.jsonl").read_bytes() == before
    run(own, "-o", output, "--force")


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("post,group,statement\nThe ferry was late.,,\n", 1, "none with a group and a statement"),
        ("post,group,statement\n,cooks,\n", 1, "line 2: found no post"),
    ],
)
def test_unusable_tables(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, code: int, message: str
) -> None:
    path = tmp_path / "own.csv"
    path.write_text(text, encoding="utf-8")
    found, said = fails(capsys, path, "-o", tmp_path / "index")
    assert found == code
    assert message in said
    assert "Traceback" not in said
    assert not (tmp_path / "index").exists()


def test_an_unknown_embedding(
    capsys: pytest.CaptureFixture[str], own: Path, tmp_path: Path
) -> None:
    code, said = fails(capsys, own, "-o", tmp_path / "index", "--embedding", "encodr")
    assert code == 2
    assert "Did you mean 'encoder'?" in said


def test_the_bar_is_drawn_where_it_is_asked_for(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACTFUL_PROGRESS", "on")
    result = CliRunner().invoke(index_cli, [str(own), "-o", str(tmp_path / "index")])
    assert result.exit_code == 0
    assert "Embedding posts" in result.stderr
    assert "Embedding posts" not in result.stdout


def test_further_files_are_indexed_beside_the_first(own: Path, tmp_path: Path) -> None:
    other = tmp_path / "stage3.csv"
    other.write_text(
        "post,target,implied_statement\nThose sailors!,sailors,they drink\n", encoding="utf-8"
    )
    folder = tmp_path / "index"
    assert "an index of 4 posts, 3 of" in run(own, "--also", other, "-o", folder)
    card = load_framer(folder).card
    assert card.corpora[0]["name"] == "own table and Implicit Hate"
    assert "those of the owner" in card.licence
