"""``tactful annotate init``, ``import``, ``status``, ``invite``, ``people`` and ``adjudicate``."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from tactful.annotation.project.project import Project
from tactful.cli.main import cli, main

PROTOCOL = """\
id: mood
version: "1.0"
lang: en
name: Mood
summary: Two questions.
source: "of our own"
guideline: Say how it sounds.
steps:
  - id: one
    title: How does it sound?
    judgements: 2
    context: [before]
    questions:
      - id: kind
        kind: choice
        text: Does it sound kind?
        options: [{value: "yes", name: "Yes"}, {value: "no", name: "No"}]
      - id: about
        kind: choices
        text: Whom is it about?
        required: false
        options: [{value: "old", name: "Old people"}, {value: "young", name: "Young people"}]
"""
NOTES = "id,text,author,earlier\n7,Well done.,ann,Hello\n8,Not like that.,bo,\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mood.yaml").write_text(PROTOCOL, encoding="utf-8")
    run("init", tmp_path / "work", "--protocol", tmp_path / "mood.yaml")
    return tmp_path / "work"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.csv"
    path.write_text(NOTES, encoding="utf-8")
    return path


def run(*args: object, typed: str = "") -> str:
    result = CliRunner().invoke(
        cli, ["annotate", *map(str, args)], input=typed, catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    return result.output


def fails(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        main(["annotate", *map(str, args)])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, capsys.readouterr().err


def judge(folder: Path) -> None:
    """Let two people disagree on everything."""
    with Project.open(folder) as project:
        for said in ("yes", "no"):
            person = project.invite("annotator", said).person
            while items := project.page(person).items:
                for item in items:
                    project.answer(person, item.item, item.step, {"kind": said}, 1.0)


# ---- init ---------------------------------------------------------------------------------------


def test_init_makes_a_project_and_tells_the_owners_link_once(tmp_path: Path) -> None:
    said = run("init", tmp_path / "mine", "--protocol", "unhealthy", "--name", "Comments")
    found = re.search(r"/join/(\S+)", said)
    assert found
    with Project.open(tmp_path / "mine") as project:
        owner = project.who(found[1])
        assert owner is not None
        assert owner.role == "owner"
        assert project.name == "Comments"


def test_init_refuses_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    for args, code, message in (
        ((tmp_path / "x",), 2, "Give a protocol"),
        ((tmp_path / "x", "--protocol", "unhealty"), 2, "Did you mean 'unhealthy'"),
        (
            (tmp_path / "x", "--protocol", "pcl", "--store", "sqlte:///a"),
            2,
            "Found a store of the kind",
        ),
        ((folder, "--protocol", "pcl"), 2, "expected a new folder; name another."),
    ):
        assert fails(capsys, "init", *args)[0] == code
        said = fails(capsys, "init", *args)[1]
        assert message in said
        assert said.count("\n") == 1
    url = "postgresql://me:geheim@127.0.0.1:9/db"
    code, said = fails(capsys, "init", tmp_path / "x", "--protocol", "pcl", "--store", url)
    assert (code, "check that the server runs" in said, "geheim" in said) == (1, True, False)
    assert not (tmp_path / "x").exists()


# ---- import -------------------------------------------------------------------------------------


def test_a_table_comes_in(folder: Path, notes: Path) -> None:
    said = run("import", folder, notes, "--context-column", "earlier=before")
    assert "Added 2 items and 0 hidden tests." in said
    with Project.open(folder, read_only=True) as project:
        first, second = project.state.items.values()
    assert (first.id, first.text) == ("7", "Well done.")
    assert first.context == {"before": "Hello"}
    assert second.context == {}
    assert first.meta == {"author": "ann"}


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "tsv"])
def test_other_tables_come_in(folder: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"notes.{ending}"
    frame = pl.DataFrame({"number": [1.0, 2.0], "note": ["A", "B"], "rank": [0.5, 2.0]})
    if ending == "parquet":
        frame.write_parquet(path)
    elif ending == "jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="\t")
    options = ["--text-column", "note", "--priority-column", "rank"]
    run("import", folder, path, *options, *([] if ending == "tsv" else ["--id-column", "number"]))
    with Project.open(folder, read_only=True) as project:
        names = list(project.state.items)
        assert names == (["notes-1", "notes-2"] if ending == "tsv" else ["1", "2"])
        assert [item.priority for item in project.state.items.values()] == [0.5, 2.0]


def test_tests_come_in_from_columns_and_from_a_file(folder: Path, tmp_path: Path) -> None:
    mixed = tmp_path / "mixed.csv"
    mixed.write_text("id,text,right\na,One,yes\nb,Two,\n", encoding="utf-8")
    tests = tmp_path / "tests.csv"
    tests.write_text(
        'id,text,kind,about\nc,Three,no,"[""young"", ""old""]"\n'
        'd,Four,"{""any"": [""yes"", ""no""]}",\n',
        encoding="utf-8",
    )
    run("import", folder, mixed, "--gold-column", "right=kind")
    said = run("import", folder, "--tests", tests)
    assert "Added 0 items and 2 hidden tests." in said
    with Project.open(folder, read_only=True) as project:
        gold = {name: item.gold for name, item in project.state.items.items()}
    assert gold == {
        "a": {"kind": "yes"},
        "b": None,
        "c": {"kind": "no", "about": ["old", "young"]},
        "d": {"kind": {"any": ["yes", "no"]}},
    }


def test_a_corpus_comes_in_with_its_context(tmp_path: Path) -> None:
    run("init", tmp_path / "es", "--protocol", "stereotypes")
    run("import", tmp_path / "es", "--corpus", "detests", "--sample")
    with Project.open(tmp_path / "es", read_only=True) as project:
        items = list(project.state.items.values())
        assert all(item.text in item.context["comment"] for item in items)
        assert any("thread" in item.context for item in items)
        assert all("label" not in item.meta for item in items)


def test_uncertain_texts_come_first(folder: Path, notes: Path) -> None:
    run("import", folder, notes, "--uncertain-first", "fast")
    with Project.open(folder, read_only=True) as project:
        assert all(0 <= item.priority <= 1 for item in project.state.items.values())
        assert any(item.priority for item in project.state.items.values())


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("id,text\na,A\nb,B\na,C\n", [], "line 4: Found the id 'a' again"),
        ("id,text\na,A\nb, \n", [], "line 3: Found an empty text"),
        ("id,text\na,A\n,B\n", [], "line 3: Found the id ''"),
        ("id,words\na,A\n", [], "no column named 'text'"),
        ("id,text\na,A\n", ["--id-column", "it"], "no column named 'it'"),
        ("id,text,kind\na,A,maybe\n", ["--gold-column", "kind"], "maybe"),
        ("id,text,k\na,A,yes\n", ["--gold-column", "k=kin"], "no question named 'kin'"),
        (
            "id,text,about\na,A,old\n",
            ["--gold-column", "about"],
            "line 2: Found 'old' for 'about'; expected JSON",
        ),
        ('id,text,about\na,A,"[""old""]"\n', ["--gold-column", "about"], ""),
        ("id,text,p\na,A,high\n", ["--priority-column", "p"], "line 2: found 'high'"),
        ("", [], "found an empty file"),
    ],
)
def test_bad_tables_bring_nothing_in(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    options: list[str],
    message: str,
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    if not message:  # one question of the step is enough for a test
        run("import", folder, path, *options)
        return
    code, said = fails(capsys, "import", folder, path, *options)
    assert code in (1, 2)
    assert message in said
    assert "Traceback" not in said
    with Project.open(folder, read_only=True) as project:
        assert project.state.items == {}


def test_gold_that_does_not_answer_a_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Price et al. 2020, section 3: a test question has a right answer."""
    run("init", tmp_path / "u", "--protocol", "pcl")
    path = tmp_path / "tests.csv"
    path.write_text("id,text,spans\na,A,[]\n", encoding="utf-8")
    said = fails(capsys, "import", tmp_path / "u", "--tests", path)[1]
    assert "without one for the step 'paragraph'" in said


def test_another_encoding_is_refused_with_its_line(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("id,text\na,Fine\nb,Señor\n".encode("latin-1"))
    code, said = fails(capsys, "import", folder, path)
    assert code == 1
    assert "line 3: found bytes that are not UTF-8" in said


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "nothing to import"),
        (["--sample"], "need a corpus"),
        (["a", "b", "--corpus", "dpm"], "one folder or file"),
        (["--corpus", "dmp"], "Did you mean 'dpm'"),
        (["--corpus", "dpm", "--format", "brat"], "use one of them"),
        (["none.csv"], "There is no file or folder 'none.csv'"),
    ],
)
def test_bad_calls_of_import(
    folder: Path, capsys: pytest.CaptureFixture[str], args: list[str], message: str
) -> None:
    code, said = fails(capsys, "import", folder, *args)
    assert code == 2
    assert message in said


# ---- status, people, adjudicate -----------------------------------------------------------------


def test_status_in_words_and_json(folder: Path, notes: Path) -> None:
    run("import", folder, notes)
    judge(folder)
    said = run("status", folder)
    assert "2 items, 0 hidden tests" in said
    assert "All judgements are collected." in said
    found = json.loads(run("status", folder, "--json"))
    assert found["steps"] == [
        {
            "step": "one",
            "waiting": 0,
            "open": 0,
            "done": 0,
            "disputed": 2,
            "judgements": 4,
            "discarded": 0,
            "needed": 0,
        }
    ]
    assert [row["answered"] for row in found["people"]] == [0, 2, 2]
    assert found["left"]["cost"] is None


def test_status_warns_of_hidden_tests_that_hide_nothing(tmp_path: Path) -> None:
    """None where the protocol asks for them; then some that one answer to everything passes."""
    run("init", tmp_path / "new", "--protocol", "unhealthy")
    assert "has no hidden tests, and the protocol asks for 1" in run("status", tmp_path / "new")
    rows = [f"q{at},A kind word {at}.,no" for at in range(6)]
    (tmp_path / "tests.csv").write_text("\n".join(["id,text,unhealthy.hostile", *rows]))
    run("import", tmp_path / "new", "--tests", tmp_path / "tests.csv")
    warnings = json.loads(run("status", tmp_path / "new", "--json"))["warnings"]
    assert any("Answering 'no' for every item passes 100%" in each for each in warnings)


def test_status_counts_what_nobody_wants(folder: Path, notes: Path) -> None:
    run("import", folder, notes)
    assert "skipped" not in run("status", folder)
    with Project.open(folder) as project:
        person = project.invite("annotator", "Ann").person
        while items := project.page(person).items:
            for item in items:
                project.skip(person, item.item, item.step)
    assert json.loads(run("status", folder, "--json"))["unwanted"] == 2
    assert "2 items were skipped, and too few people are left" in run("status", folder)


def test_status_while_somebody_writes(folder: Path) -> None:
    with Project.open(folder):
        assert "0 items" in run("status", folder)


def test_a_second_writer_is_one_sentence(
    folder: Path, notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Project.open(folder):
        code, said = fails(capsys, "import", folder, notes)
    assert code == 1
    assert "another process is writing to this project" in said


def test_people_are_invited_removed_and_revoked(
    folder: Path, notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = run("invite", folder, "Ann", "Bo", "--address", "https://notes.example/")
    tokens = re.findall(r"https://notes\.example/join/(\S+)", said)
    assert len(tokens) == 2
    run("import", folder, notes)
    run("people", folder, "--remove", "a1", "--reason", "asked to")
    run("people", folder, "--revoke", "a2")
    rows = {
        row["person"]: row["status"]
        for row in json.loads(run("people", folder, "--format", "json"))
    }
    assert rows == {"o1": "active", "a1": "removed", "a2": "revoked"}
    assert "active" in run("people", folder, "--readmit", "a1")
    again = re.search(r"/join/(\S+)", run("invite", folder, "--again", "a2"))
    assert again
    with Project.open(folder, read_only=True) as project:
        assert project.who(tokens[1]) is None
        person = project.who(again[1])
        assert person is not None
        assert (person.id, person.name) == ("a2", "Bo")
    assert "no person named 'a9'" in fails(capsys, "people", folder, "--remove", "a9")[1]
    assert "no person named 'a9'" in fails(capsys, "invite", folder, "--again", "a9")[1]
    assert fails(capsys, "invite", folder)[0] == 2


def test_disputes_are_listed_and_decided_from_a_file(
    folder: Path, notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("import", folder, notes)
    assert "No item is disputed." in run("adjudicate", folder)
    judge(folder)
    listed = json.loads(run("adjudicate", folder, "--format", "json"))
    assert [(each["item"], each["step"]) for each in listed] == [("7", "one"), ("8", "one")]
    assert "Well done." in run("adjudicate", folder)
    decisions = tmp_path / "decisions.csv"
    decisions.write_text("item,kind,note\n7,yes,clear\n8,perhaps,\n9,yes,\n", encoding="utf-8")
    code, said = fails(capsys, "adjudicate", folder, "--decisions", decisions)
    assert code == 1
    assert "2 rows are not as expected" in said
    assert "line 3:" in said
    assert "line 4: There is no item '9'" in said
    assert len(json.loads(run("adjudicate", folder, "--format", "json"))) == 2
    decisions.write_text('item,kind,about\n7,yes,"[""old""]"\n8,no,\n', encoding="utf-8")
    assert "Decided 2 items." in run("adjudicate", folder, "--decisions", decisions)
    with Project.open(folder, read_only=True) as project:
        assert project.state.finished()
        assert project.state.labels("7", "one")["kind"].value == "yes"
        decision = project.state.items["7"].steps["one"].decision
        assert decision is not None
        assert decision.annotator == "o1"


def test_disputes_are_decided_in_the_terminal(folder: Path, notes: Path) -> None:
    run("import", folder, notes)
    judge(folder)
    said = run("adjudicate", folder, "--decide", typed="yes\n\n\n")
    assert "Well done." in said
    assert '{"kind": "no"}' in said
    assert "Decided 1 of 2 disputed items." in said
    said = run("adjudicate", folder, "--decide", typed="perhaps\n\n")
    assert "Decided 0 of 1 disputed item." in said


def test_an_export_becomes_a_project_again(folder: Path, notes: Path, tmp_path: Path) -> None:
    run("import", folder, notes)
    judge(folder)
    run("export", folder, "--format", "jsonl", "-o", tmp_path / "labels")
    run("init", tmp_path / "again", "--from-export", tmp_path / "labels")
    with Project.open(tmp_path / "again") as again, Project.open(folder) as project:
        assert again.state.counted("7", "one") == project.state.counted("7", "one")
