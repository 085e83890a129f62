import gzip
import zipfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from tactful.corpora.corpus import Corpus, Source
from tactful.corpora.files.problems import ProblemLog
from tactful.corpora.files.tables import Column, Layout, TableSpec
from tactful.corpora.releases import Release
from tactful.corpora.schema import EXAMPLE_SCHEMA, labels_of, meta_of
from tactful.errors import BadRowsError, FileFormatError, Problem, Severity, UsageError
from tactful.settings import Settings, load_settings

ITEMS = TableSpec(
    "items",
    (Column("id", "id"), Column("text"), Column("label", "flag")),
    ("*items*.csv", "items_v?.csv"),
    key=("id",),
)
WORKERS = TableSpec(
    "workers",
    (Column("worker", "id"), Column("age", "integer", low=18, high=120)),
    ("workers.tsv",),
    Layout("\t"),
)


class Notes(Corpus):
    """A small corpus of our own."""

    name = "notes"
    title = "the Notes"
    paper = "ourselves"
    licence = "none needed"
    lang = "en"
    folder = "notes"
    tables = (ITEMS, WORKERS)
    releases = (Release("the first release", {"items": 3}, "here"),)
    splits = (("train", "train"), ("test", "test"))

    def example_frames(self) -> Iterator[pl.DataFrame]:
        for batch in self.batches("items"):
            yield batch.select(
                "id",
                "split",
                "text",
                pl.col("id").alias("group"),
                labels_of({"note": "label"}),
                meta_of(self.extra_columns(batch, "items")),
            )

    def counts(self) -> dict[str, int]:
        return {"items": self.read("items").height}

    def check_rows(self, source: Source, batch: pl.DataFrame, log: ProblemLog) -> pl.DataFrame:
        if source.spec.name != "items":
            return batch
        shouted = batch["text"].str.contains("!")
        for line in batch.filter(shouted)["line"]:
            log.add(Problem(source.path.name, line, "shout", "'!'", "calm", "the row was left out"))
        return batch.filter(~shouted)


def small(batch_rows: int = 2, max_problems: int = 1000) -> Settings:
    return load_settings(
        {"TACTFUL_BATCH_ROWS": str(batch_rows), "TACTFUL_MAX_PROBLEMS": str(max_problems)}
    )


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    data = content.encode()
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(data))
    elif name.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name.removesuffix(".zip"), data)
    else:
        path.write_bytes(data)
    return path


GOOD = "id,text,label\n1,a,0\n2,b,1\n3,c,0\n"


# ---- finding files ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("items.csv", None),
        ("train_items.csv", "train"),
        ("ITEMS.Test.CSV", "test"),
        ("items_train.csv.gz", "train"),
        ("items_test.csv.zip", "test"),
        ("Items_V2.csv.GZ", None),
    ],
)
def test_a_file_is_known_by_its_name_packed_or_not(
    tmp_path: Path, name: str, split: str | None
) -> None:
    path = write(tmp_path, name, GOOD)
    if name.endswith(".GZ"):
        path.write_bytes(gzip.compress(GOOD.encode()))
    for corpus in (Notes(tmp_path), Notes(path)):
        [source] = corpus.sources
        assert source == Source(path, ITEMS, split)
        assert corpus.read("items").select("id", "split").rows() == [
            ("1", split),
            ("2", split),
            ("3", split),
        ]


def test_a_folder_gives_the_files_of_all_tables_in_order(tmp_path: Path) -> None:
    for name in ("workers.tsv", "train_items.csv", "items_test.csv", "README.md", "notes.txt"):
        write(tmp_path, name, GOOD)
    (tmp_path / "old_items.csv").mkdir()
    corpus = Notes(tmp_path)
    assert [source.path.name for source in corpus.sources] == [
        "items_test.csv",
        "train_items.csv",
        "workers.tsv",
    ]
    assert [source.split for source in corpus.sources_of("items")] == ["test", "train"]
    assert corpus.has("workers")
    assert not corpus.has("absent")


@pytest.mark.parametrize("ending", ["", ".gz", ".zip"])
def test_a_file_with_another_name_is_known_by_its_columns(tmp_path: Path, ending: str) -> None:
    items = write(tmp_path, "mine.txt" + ending, GOOD)
    workers = write(tmp_path, "people.txt" + ending, "worker\tage\nw1\t30\n")
    assert Notes(items).sources[0].spec is ITEMS
    corpus = Notes(workers)
    assert corpus.sources[0].spec is WORKERS
    assert corpus.read("workers")["age"].to_list() == [30]


def test_a_file_of_another_table_says_what_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path, "mine.txt", "id,txet,label\n1,a,0\n")
    with pytest.raises(FileFormatError) as caught:
        Notes(path)
    message = str(caught.value)
    assert f"{path}: found no table of the Notes; expected a file named as its authors" in message
    assert "(*items*.csv, items_v?.csv, workers.tsv)" in message
    assert "expected also 'text' (is it 'txet'?)" in message


def test_a_first_line_that_no_table_can_read(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="found no table of the Notes"):
        Notes(write(tmp_path, "mine.txt", '"never closed\n'))


def test_an_empty_file_of_another_name(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"mine\.txt: found an empty file"):
        Notes(write(tmp_path, "mine.txt", ""))


def test_a_damaged_archive_of_another_name(tmp_path: Path) -> None:
    path = write(tmp_path, "mine.gz", GOOD * 9)
    path.write_bytes(path.read_bytes()[:14])
    with pytest.raises(FileFormatError, match=r"mine\.gz: found a damaged"):
        Notes(path)


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such file or folder; expected the files of"):
        Notes(tmp_path / "absent")


def test_a_folder_without_its_files_says_what_is_there(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"found an empty folder; expected files of the Note"):
        Notes(tmp_path)
    for number in range(9):
        write(tmp_path, f"{number}.txt", "")
    with pytest.raises(FileFormatError) as caught:
        Notes(tmp_path)
    assert (
        "found 0.txt, 1.txt, 2.txt, 3.txt, 4.txt, 5.txt, 6.txt, 7.txt …; expected files of the "
        "Notes, such as *items*.csv, items_v?.csv, workers.tsv; name the folder that holds them."
    ) in str(caught.value)


# ---- reading ------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_rows", [1, 2, 100])
def test_rows_are_typed_and_carry_their_line(tmp_path: Path, batch_rows: int) -> None:
    corpus = Notes(write(tmp_path, "train_items.csv", GOOD), small(batch_rows))
    frame = corpus.read("items")
    assert frame.rows() == [
        ("1", "a", 0, 2, "train"),
        ("2", "b", 1, 3, "train"),
        ("3", "c", 0, 4, "train"),
    ]
    assert frame.schema == corpus.empty("items").schema


def test_an_absent_table_is_empty_with_its_columns(tmp_path: Path) -> None:
    corpus = Notes(write(tmp_path, "items.csv", GOOD))
    frame = corpus.read("workers")
    assert frame.height == 0
    assert dict(frame.schema) == {
        "worker": pl.String,
        "age": pl.Int64,
        "line": pl.Int64,
        "split": pl.String,
    }


def test_a_file_of_a_header_is_an_empty_table(tmp_path: Path) -> None:
    corpus = Notes(write(tmp_path, "items.csv", "id,text,label\n"))
    assert corpus.read("items").equals(corpus.empty("items"))
    assert list(corpus.examples()) == []


BAD = 'id,text,label\n1,a,0\n2,b\n3,c,7\n4,d!,1\n1,e,0\n,f,\n6,g,1\n7,"h'


@pytest.mark.parametrize("batch_rows", [1, 2, 3, 100])
def test_good_rows_are_kept_and_all_others_are_told_once(tmp_path: Path, batch_rows: int) -> None:
    corpus = Notes(write(tmp_path, "items.csv", BAD), small(batch_rows))
    assert corpus.read("items")["id"].to_list() == ["1", "6"]
    log = corpus.log
    assert sorted((problem.line or 0, problem.code) for problem in log.kept) == [
        (3, "field count"),
        (4, "value"),
        (5, "shout"),
        (6, "repeated id"),
        (7, "empty cell"),
        (7, "empty cell"),
        (9, "unreadable row"),
    ]
    assert all(problem.file == "items.csv" for problem in log.kept)
    assert (log.total(), log.rows_left_out) == (7, 6)


def test_reading_twice_does_not_report_twice(tmp_path: Path) -> None:
    write(tmp_path, "items.csv", BAD)
    write(tmp_path, "workers.tsv", "worker\tage\nw1\t7\n")
    corpus = Notes(tmp_path)
    for _ in range(3):
        corpus.read("items")
        corpus.read("workers")
        list(corpus.examples())
        corpus.verify()
    assert (corpus.log.total(), corpus.log.rows_left_out) == (8, 7)
    with pytest.raises(BadRowsError, match=r"^7 rows are not as expected"):
        corpus.log.raise_errors()


def test_nothing_is_reported_before_reading(tmp_path: Path) -> None:
    corpus = Notes(write(tmp_path, "items.csv", BAD))
    assert corpus.log.total() == 0
    corpus.log.raise_errors()


def test_the_log_keeps_as_many_as_the_settings_say(tmp_path: Path) -> None:
    rows = "".join(f"{n},a,7\n" for n in range(9))
    corpus = Notes(write(tmp_path, "items.csv", "id,text,label\n" + rows), small(2, 3))
    corpus.read("items")
    assert (len(corpus.log.kept), corpus.log.total(), corpus.log.rows_left_out) == (3, 9, 9)


def test_an_id_in_two_files_is_kept_in_the_first_and_the_other_file_is_named(
    tmp_path: Path,
) -> None:
    write(tmp_path, "items_test.csv", GOOD)
    write(tmp_path, "items_train.csv", "id,text,label\n9,z,0\n2,b,1\n")
    corpus = Notes(tmp_path)
    for _ in range(2):
        assert corpus.read("items").select("id", "split").rows() == [
            ("1", "test"),
            ("2", "test"),
            ("3", "test"),
            ("9", "train"),
        ]
    [problem] = corpus.log.kept
    assert (problem.file, problem.line) == ("items_train.csv", 3)
    assert problem.found == "id '2', already on line 3 of items_test.csv"


def test_a_given_encoding_is_used_for_sniffing_and_reading(tmp_path: Path) -> None:
    for name in ("items.csv", "mine.txt"):
        path = tmp_path / name
        path.write_bytes("id,text,label\n1,café,0\n".encode("iso-8859-1"))
        assert Notes(path, encoding="iso-8859-1").read("items")["text"].to_list() == ["café"]
        corpus = Notes(path)
        assert corpus.read("items").height == 0
        assert [problem.code for problem in corpus.log.kept] == ["encoding"]


def test_extra_columns_reach_meta(tmp_path: Path) -> None:
    content = ",id,text,label,mood,line,split\n0,1,a,0,calm,77,mine\n1,2,b,1,,78,mine\n"
    corpus = Notes(write(tmp_path, "train_items.csv", content))
    [batch] = corpus.batches("items")
    assert corpus.extra_columns(batch, "items") == ["mood", "line_", "split_"]
    assert batch.select("line", "split").rows() == [(2, "train"), (3, "train")]
    first, second = corpus.examples()
    assert first.meta == {"mood": "calm", "line_": "77", "split_": "mine"}
    assert second.meta["mood"] == ""
    assert corpus.log.total(Severity.NOTE) == 3


def test_files_with_different_extra_columns_are_read_together(tmp_path: Path) -> None:
    write(tmp_path, "a_items.csv", "id,text,label,mood\n1,a,0,calm\n")
    write(tmp_path, "b_items.csv", "id,text,label,place\n2,b,1,here\n")
    frame = Notes(tmp_path).read("items")
    assert frame.select("id", "mood", "place").rows() == [("1", "calm", None), ("2", None, "here")]


def test_progress_is_told_of_every_batch_that_was_read(tmp_path: Path) -> None:
    path = write(tmp_path, "items.csv", GOOD + "1,again,0\n5,e,9\n")
    corpus = Notes(path, small(2))
    told: list[tuple[Path, int]] = []
    corpus.on_progress = lambda file, batch: told.append((file, batch.height))
    corpus.read("items")
    assert told == [(path, 2), (path, 2), (path, 1)]


def test_batches_are_read_only_when_asked_for(tmp_path: Path) -> None:
    corpus = Notes(write(tmp_path, "items.csv", GOOD), small(1))
    told: list[int] = []
    corpus.on_progress = lambda _, batch: told.append(batch.height)
    next(corpus.batches("items"))
    assert told == [1]


# ---- examples and releases ----------------------------------------------------------------------


def test_examples_carry_the_corpus_and_its_language(tmp_path: Path) -> None:
    corpus = Notes(write(tmp_path, "train_items.csv", GOOD), small(2))
    frames = list(corpus.example_batches())
    assert [frame.schema for frame in frames] == [EXAMPLE_SCHEMA] * 2
    examples = list(corpus.examples())
    assert [example.id for example in examples] == ["1", "2", "3"]
    assert {(e.corpus, e.lang, e.split) for e in examples} == {("notes", "en", "train")}
    assert [example.labels for example in examples] == [{"note": 0.0}, {"note": 1.0}, {"note": 0.0}]


def test_the_release_is_known_by_its_counts(tmp_path: Path) -> None:
    corpus = Notes(write(tmp_path, "items.csv", GOOD))
    assert corpus.verify().matches
    assert corpus.release_name() == "the first release"
    other = Notes(write(tmp_path, "other_items.csv", GOOD + "4,d,1\n"))
    assert not other.verify().matches
    assert other.release_name() is None


def test_a_sample_says_that_it_is_one_and_whose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "samples" / "notes"
    folder.mkdir(parents=True)
    write(folder, "items.csv", GOOD)
    corpus = Notes(folder)
    assert corpus.release_name() == "the sample that comes with the plug-in"
    monkeypatch.setattr(Notes, "__module__", "tactful.corpora.notes")
    assert corpus.release_name() == "the sample that comes with Tactful"
    assert corpus.verify().lines() == ["This is the sample that comes with Tactful: 3 items."]


def test_a_corpus_has_no_statistics_unless_it_writes_some(tmp_path: Path) -> None:
    assert Notes(write(tmp_path, "items.csv", GOOD)).stats() == []
