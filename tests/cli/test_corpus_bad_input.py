"""Bad files and wrong calls through ``tactful corpus``: one sentence, a place, an exit code."""

import gzip
from pathlib import Path

import pytest
from tests.cli.corpus_files import REMARK, finish, ucc_folder, ucc_lines


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TACTFUL_DATA", raising=False)


def _empty(folder: Path) -> Path:
    return ucc_folder(folder, b"")


def _utf16(folder: Path) -> Path:
    return ucc_folder(folder, "".join(ucc_lines()).encode("utf-16"))


def _missing_column(folder: Path) -> Path:
    head, *rest = ucc_lines()
    return ucc_folder(folder, "".join([head.replace("comment", "kommentar", 1), *rest]))


def _nothing(folder: Path) -> Path:
    return folder


def _empty_folder(folder: Path) -> Path:
    folder.mkdir()
    return folder


WHOLE_FILE = [
    (_empty, 1, "val.csv", "header"),
    (_utf16, 1, "val.csv", "UTF-16"),
    (_missing_column, 1, "val.csv, line 1", "expected also 'comment'"),
    (_nothing, 2, "corpus", "there is no such file or folder"),
    (_empty_folder, 1, "corpus", "an empty folder"),
]


@pytest.mark.parametrize("command", ["validate", "convert"])
@pytest.mark.parametrize(("make", "code", "place", "words"), WHOLE_FILE)
def test_a_file_that_cannot_be_used_is_one_sentence(
    make: object,
    code: int,
    place: str,
    words: str,
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert callable(make)
    folder = make(tmp_path / "corpus")
    out_folder = tmp_path / "out"
    out_folder.mkdir()
    target = ["-o", str(out_folder / "x.jsonl")] if command == "convert" else ["--format", "json"]
    found, out, err = finish(capsys, command, "ucc", str(folder), *target)
    assert (found, out) == (code, "")
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert place in err
    assert words in err
    assert list(out_folder.iterdir()) == []


def _not_utf8(folder: Path) -> Path:
    lines = ucc_lines()
    raw = "".join(lines).encode().replace(lines[2].encode(), lines[2].encode()[:-1] + b"\xe9\n", 1)
    return ucc_folder(folder, raw.replace(b"\n\xe9", b"\xe9"))


def _repeated(folder: Path) -> Path:
    lines = ucc_lines()
    return ucc_folder(folder, "".join([*lines[:2], lines[1], *lines[2:]]))


def _truncated(folder: Path) -> Path:
    packed = gzip.compress("".join(ucc_lines()).encode())
    return ucc_folder(folder, packed[:-40], "val.csv.gz")


def _too_few_fields(folder: Path) -> Path:
    lines = ucc_lines()
    return ucc_folder(folder, "".join([lines[0], f"1,{REMARK}\n", *lines[1:]]))


BAD_ROWS = [
    (_not_utf8, "val.csv, line 3", "not UTF-8"),
    (_repeated, "val.csv, line 3", "line 2"),
    (_truncated, "val.csv.gz, line", "more packed data"),
    (_too_few_fields, "val.csv, line 2", "2 fields"),
]


@pytest.mark.parametrize(("make", "place", "words"), BAD_ROWS)
def test_bad_rows_are_reported_with_their_line(
    make: object, place: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(make)
    folder = make(tmp_path / "corpus")
    code, out, err = finish(capsys, "validate", "ucc", str(folder))
    assert (code, err) == (1, "")
    assert place in out
    assert words in out

    target = tmp_path / "x.jsonl"
    code, out, err = finish(capsys, "convert", "ucc", str(folder), "-o", str(target), "--strict")
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")
    assert place in err
    assert words in err
    assert not target.exists()

    code, out, err = finish(capsys, "convert", "ucc", str(folder), "-o", str(target))
    assert code == 0
    assert place in err
    assert out.startswith("Wrote ")
    assert target.exists()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["corpus", "x.jsonl"]


@pytest.mark.parametrize("command", ["info", "stats", "validate", "convert", "split"])
def test_an_unknown_corpus_answers_with_the_nearest(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = {"convert": ["-o", str(tmp_path / "x.jsonl")], "split": ["-o", "x", "--folds", "2"]}
    code, out, err = finish(capsys, command, "detest", *extra.get(command, []))
    assert (code, out) == (2, "")
    assert err.startswith("Error: There is no corpus named 'detest'. Did you mean 'detests'?")
    assert "stereoimmigrants" in err


@pytest.mark.parametrize("command", ["stats", "validate"])
def test_without_a_path_and_a_data_folder_the_answer_says_where_to_put_it(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = finish(capsys, command, "dpm")
    assert code == 2
    for way in ("TACTFUL_DATA", "--sample", "dont_patronize_me"):
        assert way in err


def test_a_path_and_the_sample_is_too_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = finish(capsys, "validate", "dpm", str(tmp_path), "--sample")
    assert (code, err) == (2, "Error: Give a path or ask for the sample, not both.\n")


def test_a_wrong_setting_is_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACTFUL_BATCH_ROWS", "many")
    code, _, err = finish(capsys, "validate", "dpm", "--sample")
    assert code == 2
    assert "TACTFUL_BATCH_ROWS holds 'many'" in err


def test_an_unknown_subcommand_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = finish(capsys, "valdate")
    assert (code, out) == (2, "")
    assert "No such command 'valdate'" in err
