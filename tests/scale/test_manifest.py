"""The record of a run: only added to, cut off anywhere without harm, and binding once begun."""

import json
from pathlib import Path
from typing import Any

import pytest

from tactful.errors import InputError, UsageError
from tactful.scale.local.manifest import FILE, Manifest

TERMS: dict[str, Any] = {"model": "words 1", "rows of a part": 10, "bad rows skipped": False}
INPUTS = [{"file": "a.csv", "size": 3, "changed": 7}]


def part(at: int) -> dict[str, Any]:
    places = {"source": 0, "start": at, "end": at + 1, "line": at, "next line": at + 1}
    return {**places, "digest": "d", "rows": 2}


def begun(folder: Path, parts: int = 2, finished: bool = False) -> Path:
    manifest = Manifest(folder, TERMS, INPUTS)
    for at in range(parts):
        manifest.add(at, part(at))
    if finished:
        manifest.finish()
    return manifest.path


def test_what_was_noted_is_found_again(tmp_path: Path) -> None:
    begun(tmp_path, finished=True)
    found = Manifest(tmp_path, TERMS, INPUTS)
    assert (found.resumed, found.is_finished) == (True, True)
    assert found.parts == {0: part(0), 1: part(1)}
    assert found.inputs == INPUTS


def test_a_new_record_has_nothing(tmp_path: Path) -> None:
    found = Manifest(tmp_path, TERMS, INPUTS)
    assert (found.resumed, found.is_finished, found.parts) == (False, False, {})
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_last_line_that_was_cut_off_anywhere_is_ignored_and_spoils_nothing(
    tmp_path: Path,
) -> None:
    path = begun(tmp_path, 2)
    whole = path.read_bytes()
    start = whole[:-1].rfind(b"\n") + 1
    for cut in range(start, len(whole)):
        path.write_bytes(whole[:cut])
        found = Manifest(tmp_path, TERMS, INPUTS)
        assert list(found.parts) == [0]
        found.add(5, part(5))
        assert list(Manifest(tmp_path, TERMS, INPUTS).parts) == [0, 5]


def test_a_part_that_was_made_twice_is_known_by_its_last_line(tmp_path: Path) -> None:
    begun(tmp_path, 1)
    Manifest(tmp_path, TERMS, INPUTS).add(0, {**part(0), "rows": 9})
    assert Manifest(tmp_path, TERMS, INPUTS).parts[0]["rows"] == 9


_HEADER = json.dumps({"tactful score": 1, "terms": TERMS, "inputs": INPUTS})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "no json\n",
        "[]\n",
        "3\n",
        '{"a list of somebody": "else"}\n',
        '{"a list of somebody": "else"}',
        '{"tactful score": 2, "terms": {}, "inputs": []}\n',
        '{"tactful score": 1, "terms": {}}\n',
        '{"tactful score": 1, "terms": 3, "inputs": []}\n',
        '{"tactful score": 1, "terms": {}, "inputs": [3]}\n',
        '{"tactful score": 1, "terms": {}, "inputs": [{"file": "a"}]}\n',
        _HEADER + '\n{"part": 0}\n',
        _HEADER + '\n{"part": "first", "rows": 3}\n',
        _HEADER + "\n" + json.dumps({"part": 0, **part(0), "start": "x"}) + "\n",
        _HEADER + "\n7\n",
        _HEADER + "\n\n",
        _HEADER + '\n{"part": 0, "sou\n{"finished": 1}\n',
        "\udcff\udcfe\n",
    ],
)
def test_what_is_no_record_is_refused_and_left_as_it_is(tmp_path: Path, text: str) -> None:
    data = text.encode("utf-8", "surrogateescape")
    (tmp_path / FILE).write_bytes(data)
    with pytest.raises(InputError, match=r"manifest.jsonl: found no record of a run .*--restart"):
        Manifest(tmp_path, TERMS, INPUTS)
    assert (tmp_path / FILE).read_bytes() == data


@pytest.mark.parametrize("finished", [False, True])
def test_other_terms_are_refused_with_the_one_that_changed(tmp_path: Path, finished: bool) -> None:
    begun(tmp_path, finished=finished)
    said = r"since: the model \(--model or --lang\): words 1 then, words 2 now\. .*--restart"
    with pytest.raises(UsageError, match=said):
        Manifest(tmp_path, {**TERMS, "model": "words 2"}, INPUTS)


def test_a_run_that_got_nowhere_binds_nobody(tmp_path: Path) -> None:
    begun(tmp_path, parts=0)
    found = Manifest(tmp_path, {**TERMS, "model": "words 2"}, [])
    assert not found.resumed
    found.add(0, part(0))
    with pytest.raises(UsageError, match="words 2 then"):
        Manifest(tmp_path, TERMS, INPUTS)
