"""brat's files: written as its server reads them, and read as people have them."""

from pathlib import Path
from typing import Any

import pytest

from tactful.annotation.formats.brat import brat_types, read_brat, write_brat
from tactful.annotation.protocol.records import Protocol
from tactful.errors import FileFormatError, UnknownNameError, UsageError


def _write(folder: Path, name: str, text: str, ann: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_bytes(text.encode("utf-8"))
    (folder / f"{name}.ann").write_bytes(ann.encode("utf-8"))


def test_the_files_as_brat_wants_them(full: Any, folder: Path) -> None:
    write_brat(full.source(), folder)
    types = brat_types(full.protocol)
    assert len(set(types.values())) == 3
    assert types["marks", "a.one"] == "a_one"
    assert types["marks", "a_one"] == "a_one_"
    assert types["marks", "b two"] == "b_two"
    conf = (folder / "annotation.conf").read_text(encoding="utf-8").split("\n")
    for section in ("[entities]", "[relations]", "[events]", "[attributes]"):
        assert section in conf
    assert conf[1:4] == ["a_one", "a_one_", "b_two"]
    assert "b_two | b two" in (folder / "visual.conf").read_text(encoding="utf-8")
    ann = next((folder / "all" / "ann").glob("i_1*.ann")).read_bytes().decode("utf-8")
    text = full.state().items["i/1"].text
    # The second span reaches over CRLF: two fragments, their words joined by a space.
    assert ann.split("\n")[1] == (
        f"T2\ta_one_ 4 {text.index(chr(13))};{text.index('ש')} 25\t"
        f"{text[4 : text.index(chr(13))]} {text[text.index('ש') : 25]}"
    )
    for line in filter(None, ann.split("\n")):
        _, where, words = line.split("\t", 2)
        pieces = [tuple(map(int, each.split())) for each in where.split(" ", 1)[1].split(";")]
        assert words == " ".join(text[start:end] for start, end in pieces)


def test_edges_and_breaks_that_brat_cannot_mark(made: Any, mixed: Protocol, folder: Path) -> None:
    text = "\nso\n\nit"
    marks = [{"start": 0, "end": 3, "value": "b two"}, {"start": 3, "end": 5, "value": "b two"}]
    answers = {"tone": "kind", "grade": "0", "topics": ["work"], "marks": marks}
    log = made(mixed).people("ann").item("one", text).answer("ann", "one", answers)
    lost = {str(loss) for loss in write_brat(log.source(), folder)}
    assert "line breaks at the edge of spans: 1 (brat marks within lines)" in lost
    assert "spans of line breaks alone: 1 (brat marks within lines)" in lost
    assert (
        "line breaks at the edge of spans of combined labels: 1 (brat marks within lines)" in lost
    )


def test_gaps_are_discontinuous_annotations(made: Any, mixed: Protocol, folder: Path) -> None:
    text = "take 🙂 the\nmatter\nout"
    out = text.index("out")
    marks = [
        {"start": 0, "end": out + 3, "value": "a.one", "parts": [[0, 4], [out, out + 3]]},
        # A gap of one line break looks like a span across it.
        {"start": 7, "end": 17, "value": "b two", "parts": [[7, 10], [11, 17]]},
        # One part reaches over a line break, and there is a real gap, too.
        {"start": 0, "end": 17, "value": "b two", "parts": [[0, 4], [7, 17]]},
    ]
    answers = {"tone": "kind", "grade": "0", "topics": ["work"], "marks": marks}
    log = made(mixed).people("ann").item("one", text).answer("ann", "one", answers)
    lost = {str(loss) for loss in write_brat(log.source(), folder)}
    written = (folder / "all" / "ann" / "one.ann").read_text(encoding="utf-8").split("\n")
    assert written[0] == f"T1\ta_one 0 4;{out} {out + 3}\ttake out"
    assert written[2] == "T3\tb_two 0 4;7 10;11 17\ttake the matter"
    assert "gaps of line breaks alone: 1 (brat marks within lines)" in lost
    (back,) = read_brat(folder, mixed).items[0].judged
    assert back.answers["marks"] == [
        marks[2],
        marks[0],
        {"start": 7, "end": 17, "value": "b two"},
    ]


def test_nobody_takes_the_folder_of_the_labels(made: Any, mixed: Protocol, folder: Path) -> None:
    answers = {"tone": "kind", "grade": "0", "topics": ["work"], "marks": []}
    log = made(mixed).people("labels", "labels~combined").item("one", "So")
    log.answer("labels", "one", answers).answer("labels~combined", "one", answers)
    write_brat(log.source(), folder)
    assert len(list((folder / "all").iterdir())) == 3


def test_a_folder_as_brat_serves_it(folder: Path, mixed: Protocol) -> None:
    marks = "T1\ta_one 0 2;6 8\tSo it\nT2\tb_two 3 5\tis\n"
    ann = f"{marks}R1\tx Arg1:T1 Arg2:T2\n#1\tNote T1\thm\n*\tE T1 T2\n"
    _write(folder, "doc", "So is it.", ann)
    found = read_brat(folder, mixed)
    assert found.items[0].judged[0].annotator == "brat"
    assert found.items[0].judged[0].answers["marks"] == [
        {"start": 0, "end": 8, "value": "a.one", "parts": [[0, 2], [6, 8]]},
        {"start": 3, "end": 5, "value": "b two"},
    ]
    assert [str(loss) for loss in found.losses] == [
        "relations: 1 (a project holds spans only)",
        "notes: 1 (a project holds spans only)",
        "equivalences: 1 (a project holds spans only)",
    ]


def test_folders_are_annotators(folder: Path, mixed: Protocol) -> None:
    _write(folder / "ada", "doc", "So.", "T1\ta_one 0 2\tSo\r\n")
    _write(folder / "bob", "doc", "So.", "")
    found = read_brat(folder, mixed)
    (item,) = found.items
    assert {each.annotator: len(each.answers["marks"]) for each in item.judged} == {
        "ada": 1,
        "bob": 0,
    }


@pytest.mark.parametrize(
    ("ann", "words"),
    [
        ("T1\ta_one 0 9\tSo", r"doc\.ann, line 1: found offsets 0 to 9; expected a piece"),
        ("T1\ta_one 2 2\t", r"line 1: found offsets 2 to 2"),
        ("\nT1\ta_onne 0 1\tS", r"line 2: There is no type named 'a_onne'. Did you mean 'a_one'"),
        ("T1 a_one 0 1 S", r"line 1: found an annotation that cannot be read"),
        ("T1\ta_one 0 2;1 3\tSo", r"line 1: found fragments that overlap at 1"),
        ("T1\ta_one 0 1;\tS", r"line 1: found an annotation that cannot be read"),
    ],
)
def test_bad_lines(ann: str, words: str, folder: Path, mixed: Protocol) -> None:
    _write(folder, "doc", "So.", ann)
    with pytest.raises(FileFormatError, match=words):
        read_brat(folder, mixed)


def test_bad_folders(folder: Path, mixed: Protocol, made: Any) -> None:
    with pytest.raises(FileFormatError, match=r"found no \.ann file"):
        read_brat(folder, mixed)
    with pytest.raises(UsageError, match="found no folder"):
        read_brat(folder / "nowhere", mixed)
    with pytest.raises(UsageError, match="'unhealthy' asks for no spans"):
        read_brat(folder, made("unhealthy").protocol)
    _write(folder / "ada", "doc", "So.", "")
    _write(folder / "bob", "doc", "So!", "")
    with pytest.raises(FileFormatError, match="found a different text than in"):
        read_brat(folder, mixed)
    (folder / "bob" / "doc.txt").write_bytes(b"So\xff")
    with pytest.raises(FileFormatError, match=r"doc\.txt: found bytes that are not UTF-8"):
        read_brat(folder, mixed)
    (folder / "bob" / "doc.txt").unlink()
    with pytest.raises(FileFormatError, match=r"doc\.txt: not found"):
        read_brat(folder, mixed)
    (folder / "export.json").write_text("{}")
    with pytest.raises(FileFormatError, match=r"export\.json: found an unreadable file"):
        read_brat(folder, mixed)
    assert issubclass(UnknownNameError, UsageError)


def test_a_link_that_leads_out_is_not_read(tmp_path: Path, folder: Path, mixed: Protocol) -> None:
    _write(tmp_path / "secret", "doc", "Hidden.", "")
    (folder / "doc.ann").symlink_to(tmp_path / "secret" / "doc.ann")
    (folder / "doc.txt").symlink_to(tmp_path / "secret" / "doc.txt")
    with pytest.raises(FileFormatError, match=r"found no \.ann file"):
        read_brat(folder, mixed)
