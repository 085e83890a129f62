"""Label Studio's JSON: old and new offsets, and what people bring."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.annotation.formats.annotated import new_items
from tactful.annotation.formats.label_studio import read_label_studio, write_label_studio
from tactful.annotation.project.importing import with_own_ids
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.project_state import State
from tactful.errors import FileFormatError, UsageError


def _file(folder: Path, tasks: Any) -> Path:
    path = folder / "tasks.json"
    path.write_text(tasks if isinstance(tasks, str) else json.dumps(tasks), encoding="utf-8")
    return path


def _task(text: str, *results: Any, **annotation: Any) -> dict[str, Any]:
    return {
        "id": 7,
        "data": {"text": text},
        "annotations": [{"completed_by": 3, "result": list(results), **annotation}],
    }


def _span(start: Any, end: Any, words: str | None = None, label: str = "a.one") -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": [label]}
    if words is not None:
        value["text"] = words
    return {"from_name": "marks", "to_name": "text", "type": "labels", "value": value}


def _marks(path: Path, protocol: Protocol) -> list[tuple[int, int]]:
    found = read_label_studio(path, protocol).items[0].judged[0].answers["marks"]
    return [(span["start"], span["end"]) for span in found]


def test_older_files_count_utf16(folder: Path, mixed: Protocol) -> None:
    """The example of label-studio #1347: 13 to 23 in UTF-16 units are 12 to 22 code points."""
    text = "💩This is an annotation."
    path = _file(folder, [_task(text, _span(13, 23, "annotation"))])
    assert _marks(path, mixed) == [(12, 22)]
    path = _file(folder, [_task(text, _span(12, 22, "annotation"))])
    assert _marks(path, mixed) == [(12, 22)]
    path = _file(folder, [_task(text, _span(12, 22))])
    assert _marks(path, mixed) == [(12, 22)], "without words the newer unit is meant"
    path = _file(folder, [_task(text, _span(1, 5, "annotation"))])
    with pytest.raises(FileFormatError, match="task 1: found offsets that do not match the words"):
        read_label_studio(path, mixed)


@given(text=st.text(min_size=1, max_size=20), data=st.data())
def test_both_units_come_to_the_same_words(
    text: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory, mixed: Protocol
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))

    def units(part: str) -> int:
        return len(part.encode("utf-16-le", "surrogatepass")) // 2

    old = _span(units(text[:start]), units(text[:end]), text[start:end])
    path = _file(tmp_path_factory.mktemp("ls"), [_task(text, old)])
    ((first, last),) = _marks(path, mixed)
    assert text[first:last] == text[start:end]


def test_a_task_as_label_studio_writes_it(folder: Path, mixed: Protocol) -> None:
    task = _task(
        "So it is.", _span(0, 2, "So"), created_at="2024-05-01T10:00:00.000000Z", lead_time=2
    )
    task["data"] |= {"source": "news", "number": 4}
    task["annotations"][0]["completed_by"] = {
        "id": 3,
        "email": "ada@example.org",
        "first_name": "A",
    }
    task["annotations"] += [
        {"completed_by": 4, "result": [], "was_cancelled": True},
        {"completed_by": 5, "ground_truth": True, "result": [
            {"from_name": "tone", "type": "choices", "value": {"choices": ["kind"]}}]},
    ]  # fmt: skip
    task["annotations"][0]["result"].append({"type": "relation", "from_id": "x"})
    task["predictions"] = [{"result": []}]
    found = read_label_studio(_file(folder, [task]), mixed)
    (item,) = found.items
    assert (item.id, dict(item.meta)) == ("7", {"source": "news", "number": "4"})
    (judged,) = item.judged
    assert (judged.annotator, judged.at, judged.seconds) == ("ada@example.org", 1714557600.0, 2.0)
    assert item.decision is not None
    assert item.decision.answers["tone"] == "kind"
    assert [str(loss) for loss in found.losses] == [
        "results of the type 'relation': 1 (a project holds choices, texts and spans)",
        "skipped annotations: 1 (they hold no answer)",
        "predictions without a readable answer: 1 (they were left out)",
    ]


def _box(name: str = "marks") -> dict[str, Any]:
    """A box on an image, as Label Studio's RectangleLabels writes it."""
    box = {"x": 10.2, "y": 4.0, "width": 30.0, "height": 8.5, "rotation": 0}
    value = {**box, "rectanglelabels": ["a.one"]}
    return {"from_name": name, "to_name": "image", "type": "rectanglelabels", "value": value}


@pytest.mark.parametrize("name", ["marks", "boxes"])
def test_a_box_on_an_image_is_not_nothing_marked(name: str, folder: Path, mixed: Protocol) -> None:
    kind = {"from_name": "tone", "type": "choices", "value": {"choices": ["kind"]}}
    path = _file(
        folder,
        [
            _task("Two boxes.", _box(name), _box(name)),
            _task("A box.", _box(name), kind),
            _task("No box.", kind),
        ],
    )
    found = read_label_studio(path, mixed)
    first, second, third = found.items
    assert first.judged == ()
    assert [dict(each.answers) for each in second.judged] == [{"tone": "kind"}]
    assert third.judged[0].answers["marks"] == []
    why = "a project holds choices, texts and spans"
    assert [str(loss) for loss in found.losses] == [
        f"results of the type 'rectanglelabels': 3 ({why})",
        "annotations without a readable answer: 1 (they were left out)",
    ]


def test_the_text_may_have_another_name(folder: Path, mixed: Protocol) -> None:
    task = _task("unused", _span(0, 2, "So"))
    task["data"] = {"comment": "So it is.", "text": "A headline."}
    (item,) = read_label_studio(_file(folder, [task]), mixed, "comment").items
    assert (item.text, dict(item.meta)) == ("So it is.", {"text": "A headline."})
    with pytest.raises(FileFormatError, match=r"no text; expected a text under data\.remark"):
        read_label_studio(_file(folder, [task]), mixed, "remark")


def test_tasks_of_two_files_are_not_taken_for_one(folder: Path, mixed: Protocol) -> None:
    """Numbers of tasks say nothing across files: answers would come to another text."""
    for name, text in (("one", "Kind words."), ("two", "Harsh words.")):
        (folder / name).mkdir()
        task = _task(text, _span(0, 4))
        del task["id"]
        _file(folder / name, [task])
    found = new_items(read_label_studio(folder, mixed).items)
    assert [(each.text, len(each.answers)) for each in found] == [
        ("Kind words.", 1),
        ("Harsh words.", 1),
    ]
    assert len({each.id for each in with_own_ids(State(mixed), found)}) == 2
    for name, text in (("one", "Kind words."), ("two", "Harsh words.")):
        _file(folder / name, [_task(text, _span(0, 4))])
    with pytest.raises(FileFormatError, match=r"two/tasks\.json, task 1: found the id '7' again"):
        new_items(read_label_studio(folder, mixed).items)


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        ("{", "found no list of tasks"),
        ("{}", "found no list of tasks"),
        ("[3]", "task 1: found no text; expected a text under data.text"),
        ([{"data": {"text": "x", "step": "al"}}], "no step named 'al'. Did you mean 'all'"),
        ([{"data": {"text": "x"}, "annotations": [3]}], "task 1: found no list of objects"),
        ([_task("x", _span("0", 1))], "a span without offsets"),
        ([_task("x", _span(0, 2))], "found offsets 0 to 2; expected a piece of the text"),
        ([_task("x", {"from_name": "tune", "type": "choices", "value": {"choices": ["a"]}})],
         "no question named 'tune'. Did you mean 'tone'"),
        ([_task("x", {"from_name": "tone", "type": "choices", "value": {"choices": [4]}})],
         "found no answer to 'tone'; expected a list of texts"),
        ([_task("x", {"from_name": "reasons", "type": "textarea", "value": {"text": ["a"]}})],
         "found 1 answers to 'reasons' for 0 things"),
    ],
)  # fmt: skip
def test_bad_files(tasks: Any, words: str, folder: Path, mixed: Protocol) -> None:
    with pytest.raises(FileFormatError, match=words):
        read_label_studio(_file(folder, tasks), mixed)


def test_an_empty_folder(folder: Path, mixed: Protocol) -> None:
    with pytest.raises(UsageError, match=r"found no \.json file"):
        read_label_studio(folder, mixed)


def test_the_interface_is_xml_with_every_name(full: Any, folder: Path) -> None:
    write_label_studio(full.source(), folder)
    root = ElementTree.parse(folder / "all" / "interface.xml").getroot()  # noqa: S314 - our own
    names = {each.get("name") for each in root.iter() if each.get("toName") == "text"}
    tasks = json.loads((folder / "all" / "tasks.json").read_text(encoding="utf-8"))
    used = {
        result["from_name"]
        for task in tasks
        for each in (*task["annotations"], *task["predictions"])
        for result in each["result"]
    }
    assert used <= names
    assert {"reasons", "reasons:for"} <= used
    labels = [each.get("value") for each in root.iter("Label")]
    assert labels == ["a.one", "a_one", "b two"]
    assert tasks[0]["predictions"][0]["model_version"] == "tactful: combined label"
    assert tasks[1]["predictions"][0]["result"][0]["score"] == 1.0
