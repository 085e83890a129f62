"""doccano's lines in the shapes that its versions write."""

import json
from pathlib import Path
from typing import Any

import pytest

from tactful.annotation.formats.doccano import read_doccano, write_doccano
from tactful.annotation.protocol.records import Protocol
from tactful.errors import FileFormatError, UsageError


def _file(folder: Path, *lines: Any) -> Path:
    path = folder / "ada.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_three_shapes(folder: Path, mixed: Protocol) -> None:
    path = _file(
        folder,
        {"id": 1, "text": "So it is", "label": [[0, 2, "a.one"]], "Comments": ["hm"]},
        {"id": 2, "text": "So", "label": ["kind"], "source": "news"},
        {"id": 3, "text": "👩🏽‍🚒 so", "relations": [{"id": 1}], "entities": [
            {"id": 4, "label": "b two", "start_offset": 0, "end_offset": 4}]},
    )  # fmt: skip
    found = read_doccano(path, mixed)
    assert [(each.id, each.judged[0].annotator) for each in found.items] == [
        ("1", "ada"), ("2", "ada"), ("3", "ada"),
    ]  # fmt: skip
    first, second, third = (each.judged[0].answers for each in found.items)
    assert first["marks"] == [{"start": 0, "end": 2, "value": "a.one"}]
    assert second["tone"] == "kind"
    assert dict(found.items[1].meta) == {"source": "news"}
    assert third["marks"] == [{"start": 0, "end": 4, "value": "b two"}]
    assert [str(loss) for loss in found.losses] == [
        "relations: 1 (a project has none)",
        "comments: 1 (a project has none)",
    ]


def test_own_columns_with_doccanos_names_are_told(made: Any, mixed: Protocol, folder: Path) -> None:
    answers = {"tone": "kind", "grade": "0", "topics": ["work"], "marks": []}
    log = made(mixed).people("a").item("one", "So", meta={"label": "x", "y": "z"})
    lost = write_doccano(log.answer("a", "one", answers).source(), folder)
    assert str(lost[-1]) == "further columns: 1 (doccano reserves these names)"
    assert dict(read_doccano(folder, mixed).items[0].meta) == {"y": "z"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"text": 3}, "line 1: found no text"),
        ({"text": "So", "label": [[0, 3, "a.one"]]}, "line 1: found offsets 0 to 3"),
        ({"text": "So", "label": [[0, "2", "a.one"]]}, "a span that cannot be read"),
        ({"text": "So", "label": [[0, 2, "a.onne"]]}, "no label named 'a.onne'"),
        ({"text": "So", "label": ["kinda"]}, "no label named 'kinda'"),
        ({"text": "So", "cats": "kind"}, "found no list under 'cats'"),
        ({"text": "So", "step": "none"}, "no step named 'none'"),
    ],
)
def test_bad_lines(line: Any, words: str, folder: Path, mixed: Protocol) -> None:
    with pytest.raises(FileFormatError, match=words):
        read_doccano(_file(folder, line), mixed)


def test_bad_files(folder: Path, mixed: Protocol) -> None:
    with pytest.raises(UsageError, match=r"found no \.jsonl file"):
        read_doccano(folder, mixed)
    path = folder / "x.jsonl"
    path.write_text('{"text": "a"}\n{"text"\n', encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"x\.jsonl, line 2: found no JSON object"):
        read_doccano(path, mixed)
    path.write_text("[]\n", encoding="utf-8")
    with pytest.raises(FileFormatError, match="line 1: found no JSON object"):
        read_doccano(path, mixed)
    path = _file(folder, {"id": 1, "text": "So"}, {"id": 1, "text": "No"})
    with pytest.raises(FileFormatError, match="line 2: found a different text than at"):
        read_doccano(path, mixed)
