"""``tactful annotate import``: corpora with judgements, what is there already, spreadsheets."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.project import Project
from tactful.cli.main import cli, main
from tactful.errors import UsageError


def run(*args: object) -> str:
    result = CliRunner().invoke(cli, ["annotate", *map(str, args)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def fails(capsys: pytest.CaptureFixture[str], *args: object) -> str:
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        main(["annotate", *map(str, args)])
    assert stopped.value.code == 1
    said = capsys.readouterr().err
    assert "Traceback" not in said
    return said


@pytest.fixture
def pcl(tmp_path: Path) -> Path:
    run("init", tmp_path / "pcl", "--protocol", "pcl")
    return tmp_path / "pcl"


def texts(path: Path, *rows: tuple[str, str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows([("id", "text"), *rows])
    return path


@pytest.mark.parametrize(
    ("corpus", "protocol", "step"),
    [("sbic", "frames", "frame"), ("ucc", "unhealthy", "questionnaire"),
     ("detests", "stereotypes", "presence")],
)  # fmt: skip
def test_a_corpus_with_its_judgements(
    corpus: str, protocol: str, step: str, tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    run("init", folder, "--protocol", protocol)
    assert "judgements" not in run("import", folder, "--corpus", corpus, "--sample")
    call = ("import", folder, "--corpus", corpus, "--sample", "--judgements")
    said = run(*call)
    assert "Added 0 items and 0 hidden tests, with " in said
    with Project.open(folder, read_only=True) as project:
        events = project.state.number
        assert any(len(item.steps[step].answers) >= 2 for item in project.state.items.values())
    again = run(*call)
    assert "Added 0 items and 0 hidden tests.\nAlready in the project: " in again
    assert "Not added: " in again
    with Project.open(folder, read_only=True) as project:
        assert project.state.number == events


def test_a_corpus_without_judgements_says_so(pcl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = fails(capsys, "import", pcl, "--corpus", "dpm", "--sample", "--judgements")
    assert "found no judgement of single annotators" in said
    assert "import without --judgements" in said


def test_empty_texts_of_a_corpus_are_left_out(pcl: Path, tmp_path: Path) -> None:
    """One text of the full release of Don't Patronize Me! is empty."""
    lines = ["-"] * 4 + ["1\ta1\tpoor\tgb\tWe care.\t0", "2\ta2\tpoor\tgb\t\t0"]
    (tmp_path / "dontpatronizeme_pcl.tsv").write_text("\n".join(lines) + "\n")
    said = run("import", pcl, "--corpus", "dpm", tmp_path / "dontpatronizeme_pcl.tsv")
    assert "Skipped 1 without a text." in said
    assert "Added 1 item and 0 hidden tests." in said


def test_texts_that_are_there(
    pcl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = texts(tmp_path / "a.csv", ("1", "One."), ("2", "Two."))
    run("import", pcl, first)
    assert "Already in the project: 2 items." in run("import", pcl, first)
    other = texts(tmp_path / "b.csv", ("3", "Three."), ("2", "Two, changed."))
    said = fails(capsys, "import", pcl, other)
    assert "b.csv, line 3: Found the id '2', which the project already has" in said
    assert "--skip-existing" in said
    with Project.open(pcl, read_only=True) as project:
        assert list(project.state.items) == ["1", "2"]
    said = run("import", pcl, other, "--skip-existing")
    assert "Added 1 item and 0 hidden tests.\nAlready in the project: 1 item (1 skipped)." in said
    with Project.open(pcl, read_only=True) as project:
        assert project.state.items["2"].text == "Two."


def test_judgements_of_two_people_come_in_one_after_the_other(tmp_path: Path) -> None:
    for who, mark in (("ada", "0 4;10 14"), ("bob", "0 4")):
        folder = tmp_path / "brat" / who
        folder.mkdir(parents=True)
        (folder / "doc.txt").write_text("Poor dear poor soul.")
        words = " ".join("Poor dear poor soul."[slice(*map(int, each.split()))]
                         for each in mark.split(";"))  # fmt: skip
        (folder / "doc.ann").write_text(f"T1\tpcl_compassion {mark}\t{words}\n")
    work = tmp_path / "work"
    run("init", work, "--protocol", "pcl")
    (tmp_path / "one").mkdir()
    (tmp_path / "brat" / "ada").rename(tmp_path / "one" / "ada")
    assert "with 1 judgement." in run("import", work, tmp_path / "one", "--format", "brat")
    said = run("import", work, tmp_path / "brat", "--format", "brat")
    assert "Added 0 items and 0 hidden tests, with 1 judgement." in said
    assert "Already in the project: 1 item." in said
    with Project.open(work, read_only=True) as project:
        answers = project.state.items["doc"].steps["spans"].answers
    assert {who: each.answers["spans"][0].get("parts") for who, each in answers.items()} == {
        "ada": [[0, 4], [10, 14]],
        "bob": None,
    }


@pytest.mark.parametrize("name", ["jsonl", "parquet"])
def test_the_work_of_two_projects_comes_together(name: str, tmp_path: Path) -> None:
    """Two teams judge the same texts; one takes over what the other said."""
    table = texts(tmp_path / "a.csv", ("1", "One."), ("2", "Two."))
    for who in ("ann", "bob"):
        run("init", tmp_path / who, "--protocol", "pcl")
        run("import", tmp_path / who, table)
        with Project.open(tmp_path / who) as project:
            person = NewAnswer(who, "paragraph", {"pcl": "2"})
            project.add_items([NewItem("1", "One.", answers=(person,))])
    run("export", tmp_path / "bob", "--format", name, "-o", tmp_path / "out")
    said = run("import", tmp_path / "ann", tmp_path / "out", "--format", name)
    assert "Added 0 items and 0 hidden tests, with 1 judgement." in said
    assert "Already in the project: 2 items." in said
    with Project.open(tmp_path / "ann", read_only=True) as project:
        assert set(project.state.items["1"].steps["paragraph"].answers) == {"ann", "bob"}
        assert project.state.labels("1", "paragraph")["pcl"].value == "4"


def test_a_spreadsheet_there_and_back(pcl: Path, tmp_path: Path) -> None:
    table = texts(tmp_path / "a.csv", ("=1", "=SUM(1)"), ("2", "'Tis so"), ("3", "\t- well"))
    run("import", pcl, table)
    run("export", pcl, "--format", "csv", "-o", tmp_path / "sheet")
    sheet = tmp_path / "sheet" / "judgements.csv"
    assert "'=SUM(1)" in sheet.read_text(encoding="utf-8")
    run("init", tmp_path / "other", "--protocol", "pcl")
    run("import", tmp_path / "other", tmp_path / "sheet", "--format", "csv")
    # As a plain table, the cells are restored, too: the export says that they have marks.
    run("init", tmp_path / "third", "--protocol", "pcl")
    with sheet.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.reader(handle))
    kept = [rows[0], *[row for row in rows[1:] if row[1] == "paragraph"]]
    with sheet.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows(kept)
    run("import", tmp_path / "third", sheet, "--id-column", "item")
    for name in ("other", "third"):
        with (
            Project.open(pcl, read_only=True) as project,
            Project.open(tmp_path / name, read_only=True) as copy,
        ):
            wanted = {item.id: item.text for item in project.state.items.values()}
            assert {item.id: item.text for item in copy.state.items.values()} == wanted


def test_an_apostrophe_of_ones_own_stays(pcl: Path, tmp_path: Path) -> None:
    run("import", pcl, texts(tmp_path / "a.csv", ("1", "'=odd"), ("2", "''odd")))
    with Project.open(pcl, read_only=True) as project:
        assert [item.text for item in project.state.items.values()] == ["'=odd", "''odd"]


def test_an_export_for_spreadsheets_is_no_corpus(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = tmp_path / "work"
    run("init", work, "--protocol", "unhealthy")
    run("import", work, "--corpus", "ucc", "--sample", "--judgements")
    run("export", work, "--format", "ucc", "--spreadsheet", "-o", tmp_path / "out")
    said = fails(capsys, "import", work, "--corpus", "ucc", tmp_path / "out")
    assert "found an export for spreadsheets" in said


def test_judgements_need_a_corpus(pcl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["annotate", "import", str(pcl), "a.csv", "--judgements"])
    assert stopped.value.code == 2
    assert "--judgements need a corpus" in capsys.readouterr().err


def unnamed(path: Path, *rows: str) -> Path:
    """Write a table without ids."""
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows([("text",), *((row,) for row in rows)])
    return path


def imported(folder: Path) -> dict[str, str]:
    with Project.open(folder, read_only=True) as project:
        return {name: item.text for name, item in project.state.items.items()}


@pytest.mark.parametrize("together", [True, False], ids=["in one go", "one after the other"])
def test_two_files_that_are_named_alike(pcl: Path, tmp_path: Path, together: bool) -> None:
    """Ids are made from the name of the file and the row; the second row is the same in both."""
    monday = unnamed(tmp_path / "monday" / "texts.csv", "One.", "The same.", "Three.")
    sunday = unnamed(tmp_path / "sunday" / "texts.csv", "Uno.", "The same.", "Tres.", "Cuatro.")
    for files in [[monday, sunday]] if together else [[monday], [sunday]]:
        run("import", pcl, *files)
    first = imported(pcl)
    assert sorted(first.values()) == ["Cuatro.", "One.", "The same.", "Three.", "Tres.", "Uno."]
    assert {"texts-1": "One.", "texts-4": "Cuatro."}.items() <= first.items()
    # Again, in any order, or after a file has grown: only what is new comes in.
    said = run("import", pcl, sunday, monday)
    assert "Added 0 items and 0 hidden tests.\nAlready in the project: 7 items." in said
    unnamed(sunday, "Uno.", "The same.", "Tres.", "Cuatro.", "Cinco.")
    assert "Added 1 item and 0 hidden tests." in run("import", pcl, sunday)
    assert imported(pcl) == {**first, "texts-5": "Cinco."}


def test_doccano_files_that_are_named_alike(tmp_path: Path) -> None:
    work = tmp_path / "work"
    run("init", work, "--protocol", "pcl")
    for place, text in (("monday", "Poor souls."), ("sunday", "Dear souls.")):
        (tmp_path / "all" / place).mkdir(parents=True)
        line = {"text": text, "step": "spans", "entities": [[0, 4, "pcl.compassion"]]}
        (tmp_path / "all" / place / "admin.jsonl").write_text(json.dumps(line) + "\n")
    call = ("import", work, tmp_path / "all", "--format", "doccano")
    assert "Added 2 items and 0 hidden tests, with 2 judgements." in run(*call)
    assert sorted(imported(work).values()) == ["Dear souls.", "Poor souls."]
    assert "Added 0 items and 0 hidden tests." in run(*call)
    # One after the other comes to the same.
    call = ("import", work, tmp_path / "all" / "sunday" / "admin.jsonl", "--format", "doccano")
    assert "Added 0 items and 0 hidden tests." in run(*call)


def test_the_text_of_label_studio_s_tasks_may_have_another_name(pcl: Path, tmp_path: Path) -> None:
    tasks = [{"id": 1, "data": {"comment": "We care.", "title": "News"}, "annotations": []}]
    (tmp_path / "tasks.json").write_text(json.dumps(tasks), encoding="utf-8")
    call = ("import", pcl, tmp_path / "tasks.json", "--format", "label-studio")
    run(*call, "--text-column", "comment")
    assert imported(pcl) == {"1": "We care."}


@pytest.mark.parametrize(
    ("option", "source"),
    [
        (("--text-column", "comment"), ("--format", "doccano")),
        (("--id-column", "nr"), ("--format", "label-studio")),
        (("--meta-column", "nr"), ("--corpus", "dpm", "--sample")),
        (("--context-column", "nr"), ("--format", "brat")),
        (("--gold-column", "pcl"), ("--corpus", "dpm", "--sample")),
        (("--priority-column", "nr"), ("--format", "csv")),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(
    option: tuple[str, ...], source: tuple[str, ...], pcl: Path, tmp_path: Path
) -> None:
    files = [] if "--corpus" in source else [tmp_path / "file.json"]
    result = CliRunner().invoke(
        cli, ["annotate", "import", *map(str, [pcl, *files]), *option, *source]
    )
    assert isinstance(result.exception, UsageError)
    assert option[0] in str(result.exception)
    assert source[0] in str(result.exception)
