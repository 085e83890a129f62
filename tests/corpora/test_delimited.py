import csv
import gzip
import hashlib
import io
import tempfile
import zipfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.corpora.files.delimited import LINE, match_header, read_batches
from tactful.corpora.files.problems import ProblemLog
from tactful.corpora.files.tables import Column, Layout, TableSpec
from tactful.errors import FileFormatError, Problem, Severity, UsageError

COLUMNS = (Column("id", "id", ("_id",)), Column("text"), Column("label", "integer"))
CSV = TableSpec("items", COLUMNS)
TSV = TableSpec("items", COLUMNS, layout=Layout("\t", quoted=False, header=False))
QUOTED_TSV = TableSpec("items", COLUMNS, layout=Layout("\t"))
HEADER = "id,text,label\n"

# What is special to a CSV file comes often; surrogates cannot be written at all.
AWKWARD = st.text(
    st.one_of(
        st.sampled_from('",\t\n\r\u2028\u0085\x0b\x0c\x00\x1c\ufeff \U0001f600é'),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=8,
)
ROWS = st.lists(st.tuples(AWKWARD, AWKWARD, AWKWARD), max_size=12)
FLAT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"), max_size=8)
FLAT_ROWS = st.lists(st.tuples(FLAT, FLAT, FLAT), min_size=1, max_size=12)
BATCH = st.integers(1, 13)


def read(
    path: Path, spec: TableSpec = CSV, batch_rows: int = 100, encoding: str | None = None
) -> tuple[list[tuple[str, ...]], list[int], ProblemLog]:
    """Return the cells, the lines on which rows start, and what was wrong."""
    log = ProblemLog()
    batches = list(read_batches(path, spec, log, batch_rows, encoding))
    assert all(0 < batch.height <= batch_rows for batch in batches)
    assert all(batch.height == batch_rows for batch in batches[:-1])
    rows = [row[:-1] for batch in batches for row in batch.iter_rows()]
    return rows, [line for batch in batches for line in batch[LINE]], log


def read_bytes(
    content: bytes, spec: TableSpec = CSV, batch_rows: int = 100
) -> tuple[list[tuple[str, ...]], list[int], ProblemLog]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        path.write_bytes(content)
        return read(path, spec, batch_rows)


def read_text(
    content: str, spec: TableSpec = CSV, batch_rows: int = 100
) -> tuple[list[tuple[str, ...]], list[int], ProblemLog]:
    return read_bytes(content.encode(), spec, batch_rows)


def only(log: ProblemLog) -> Problem:
    [problem] = log.kept
    assert problem.file == "items.csv"
    assert log.rows_left_out == (problem.severity is Severity.ERROR)
    return problem


def written(rows: list[tuple[str, ...]], delimiter: str = ",", end: str = "\n") -> str:
    out = io.StringIO(newline="")
    # All cells are quoted: some versions of the writer leave a lone carriage return bare.
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerow(["id", "text", "label"])
    writer.writerows(rows)
    return out.getvalue()


def starts(rows: list[tuple[str, ...]]) -> list[int]:
    """Count the lines before each row: cells may hold line ends of all three kinds."""
    lines, line = [], 2
    for row in rows:
        lines.append(line)
        joined = '","'.join(row).replace("\r\n", "\n").replace("\r", "\n")
        line += joined.count("\n") + 1
    return lines


# ---- everything that is written can be read ------------------------------------------------------


@given(ROWS, BATCH, st.sampled_from(["\n", "\r\n"]), st.sampled_from([",", "\t"]))
def test_any_quoted_cells_come_back_with_their_lines(
    rows: list[tuple[str, ...]], batch_rows: int, end: str, delimiter: str
) -> None:
    spec = CSV if delimiter == "," else QUOTED_TSV
    found, lines, log = read_text(written(rows, delimiter, end), spec, batch_rows)
    assert found == rows
    assert lines == starts(rows)
    assert not log.kept
    assert log.rows_left_out == 0


@given(st.lists(st.tuples(FLAT, FLAT, FLAT), max_size=12), BATCH)
def test_cells_that_are_quoted_only_where_needed_come_back(
    rows: list[tuple[str, ...]], batch_rows: int
) -> None:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([("id", "text", "label"), *rows])
    found, lines, log = read_text(out.getvalue(), CSV, batch_rows)
    assert (found, lines, log.kept) == (rows, list(range(2, len(rows) + 2)), [])


@given(FLAT_ROWS, BATCH, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_unquoted_cells_come_back_with_their_lines(
    rows: list[tuple[str, ...]], batch_rows: int, end: str, last: bool
) -> None:
    # The first cell gets a letter: a byte-order mark at the very start belongs to the file.
    rows = [("x" + row[0], *row[1:]) for row in rows]
    content = end.join("\t".join(row) for row in rows) + (end if last else "")
    found, lines, log = read_text(content, TSV, batch_rows)
    assert (found, lines, log.kept) == (rows, list(range(1, len(rows) + 1)), [])


@given(
    ROWS,
    st.sampled_from(["plain", "gz", "zip"]),
    st.booleans(),
    st.sampled_from(["", "\n", "\r\n", "\n\n\n"]),
)
def test_packing_a_mark_and_blank_lines_at_the_end_change_nothing(
    rows: list[tuple[str, ...]], packing: str, mark: bool, blank: str
) -> None:
    expected = read_text(written(rows))
    content = (b"\xef\xbb\xbf" if mark else b"") + (written(rows) + blank).encode()
    if packing == "gz":
        content = gzip.compress(content, 1)
    elif packing == "zip":
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("items.csv", content)
        content = packed.getvalue()
    assert read_bytes(content) == expected


def test_a_blank_line_between_rows_is_skipped_and_counted() -> None:
    assert read_text(HEADER + "1,a,0\n\n\n2,b,1\n")[:2] == (
        [("1", "a", "0"), ("2", "b", "1")],
        [2, 5],
    )
    assert read_text("1\ta\t0\n\n2\tb\t1\n\n", TSV)[1] == [1, 3]


def test_a_row_that_ends_with_the_file_is_whole() -> None:
    rows, _, log = read_text(HEADER + '1,a,0\n2,"b",1')
    assert rows == [("1", "a", "0"), ("2", "b", "1")]
    assert not log.kept


def test_a_lone_carriage_return_stays_in_an_unquoted_text() -> None:
    rows, lines, _ = read_text("1\ta\rb\t0\n2\tc\t1\n", TSV)
    assert (rows, lines) == ([("1", "a\rb", "0"), ("2", "c", "1")], [1, 2])


def test_quotes_in_an_unquoted_file_are_letters() -> None:
    rows, _, log = read_text('1\t"never closed\t0\n2\t"a ""b"""\t1\n', TSV)
    assert [row[1] for row in rows] == ['"never closed', '"a ""b"""']
    assert not log.kept


def test_the_batches_of_all_sizes_have_the_same_columns() -> None:
    log = ProblemLog()
    content = HEADER + "".join(f"{n},a,0\n" for n in range(5))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        path.write_text(content, encoding="utf-8")
        batches = list(read_batches(path, CSV, log, 2))
    expected = {"id": pl.String, "text": pl.String, "label": pl.String, LINE: pl.Int64}
    assert [dict(batch.schema) for batch in batches] == [expected] * 3
    assert [batch.height for batch in batches] == [2, 2, 1]


# ---- headers ------------------------------------------------------------------------------------


def test_columns_may_stand_in_any_order_and_spelling() -> None:
    names = match_header(Path("a.csv"), ["LABEL", " Text ", "_ID"], CSV)
    assert names == ["label", "text", "id"]


def test_a_missing_column_is_named_with_the_nearest_one() -> None:
    with pytest.raises(FileFormatError) as caught:
        read_text("id,txet,label\n1,a,0\n")
    message = str(caught.value)
    assert "items.csv, line 1: found the columns id, txet, label; expected also 'text'" in message
    assert "(is it 'txet'?)" in message


def test_a_missing_column_is_asked_for_as_the_authors_spell_it() -> None:
    with pytest.raises(FileFormatError, match=r"expected also '_id', 'label'; check"):
        read_text("text\na\n")


def test_a_column_of_the_table_is_no_guess_for_another() -> None:
    spec = TableSpec("items", (Column("labels"), Column("label")))
    with pytest.raises(FileFormatError) as caught:
        read_text("label\n1\n", spec)
    assert "is it" not in str(caught.value)


def test_a_long_header_does_not_fill_the_screen() -> None:
    with pytest.raises(FileFormatError) as caught:
        read_text(",".join(f"column {n}" for n in range(1_000)) + "\n")
    assert len(str(caught.value)) < 600


def test_an_extra_column_is_kept_and_noted() -> None:
    rows, _, log = read_text("id,text,label,mood\n1,a,0,calm\n")
    assert rows == [("1", "a", "0", "calm")]
    problem = only(log)
    assert (problem.line, problem.code, problem.severity) == (1, "extra column", Severity.NOTE)
    assert str(problem) == (
        "items.csv, line 1: found the column 'mood'; expected only the columns of the items table; "
        "it is kept as it is, under 'meta'."
    )


def test_an_open_table_takes_extra_columns_without_a_note() -> None:
    spec = TableSpec("items", COLUMNS, open=True)
    rows, _, log = read_text("id,text,label,mood\n1,a,0,calm\n", spec)
    assert rows == [("1", "a", "0", "calm")]
    assert not log.kept


def test_extra_columns_that_are_named_like_ours_step_aside() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        path.write_text("line,split,id,text,label\n77,train,1,a,0\n", encoding="utf-8")
        [batch] = read_batches(path, CSV, ProblemLog(), 10)
    assert batch.row(0, named=True) == {
        "line_": "77",
        "split_": "train",
        "id": "1",
        "text": "a",
        "label": "0",
        "line": 2,
    }


def test_columns_without_a_name_are_passed_over() -> None:
    rows, _, log = read_text(",id,text,label,,\n0,1,a,0,,\n1,2,b,1,,\n")
    assert rows == [("1", "a", "0"), ("2", "b", "1")]
    assert not log.kept


@pytest.mark.parametrize("header", ["id,text,label,text", "id,text,label,_id", "id,text,label,ID"])
def test_a_repeated_column_is_refused(header: str) -> None:
    twice = "text" if header.endswith("text") else "id"
    with pytest.raises(
        FileFormatError, match=rf"line 1: found the column '{twice}' twice; expected it once"
    ):
        read_text(header + "\n1,a,0,b\n")


@pytest.mark.parametrize("content", [b"id,t\xe9xt,label\n1,a,0\n", b'"id,text,label\n1,a,0\n'])
def test_a_header_that_cannot_be_read(content: bytes) -> None:
    with pytest.raises(FileFormatError, match=r"items\.csv, line 1: found an unreadable header"):
        read_bytes(content)


# ---- bad rows -----------------------------------------------------------------------------------


def test_bytes_of_another_encoding_cost_their_row_only() -> None:
    rows, lines, log = read_bytes(HEADER.encode() + b"1,a,0\n2,caf\xe9,1\n3,c,0\n")
    assert (rows, lines) == ([("1", "a", "0"), ("3", "c", "0")], [2, 4])
    problem = only(log)
    assert (problem.line, problem.code) == (3, "encoding")
    assert "if the file is in another encoding, pass --encoding" in str(problem)


def test_the_line_of_a_bad_byte_inside_a_long_cell() -> None:
    rows, _, log = read_bytes(HEADER.encode() + b'1,"a\nb\ncaf\xe9\nd",0\n2,b,1\n')
    assert rows == [("2", "b", "1")]
    assert only(log).line == 4


def test_a_given_encoding_is_used(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_bytes(HEADER.encode() + b"2,caf\xe9,1\n")
    rows, _, log = read(path, encoding="iso-8859-1")
    assert rows == [("2", "café", "1")]
    assert not log.kept
    latin = TableSpec("items", COLUMNS, layout=Layout(encoding="iso-8859-1"))
    assert read(path, latin)[0] == rows


def test_bad_bytes_in_a_disclaimer_do_no_harm() -> None:
    rows, lines, log = read_bytes(b"Por favor: caf\xe9\n1\ta\t0\n", TSV)
    assert (rows, lines, log.kept) == ([("1", "a", "0")], [2], [])


@pytest.mark.parametrize("spec", [CSV, TSV], ids=["quoted", "unquoted"])
@pytest.mark.parametrize(
    ("row", "found"),
    [("2,b", "2 fields"), ("2,b,1,more", "4 fields"), ("alone", "1 field")],
)
def test_a_row_of_the_wrong_length_is_left_out(spec: TableSpec, row: str, found: str) -> None:
    content = f"id,text,label\n1,a,0\n{row}\n3,c,0\n"
    if spec is TSV:
        content = content.replace(",", "\t")
    rows, lines, log = read_text(content, spec)
    assert rows[-2:] == [("1", "a", "0"), ("3", "c", "0")]
    assert lines[-2:] == [2, 4]
    problem = only(log)
    assert (problem.line, problem.code, problem.found) == (3, "field count", found)
    assert (problem.expected, problem.action) == ("3 fields", "the row was left out")


def test_a_short_first_row_after_a_header_is_no_disclaimer() -> None:
    rows, _, log = read_text(HEADER + "alone\n1,a,0\n")
    assert rows == [("1", "a", "0")]
    assert only(log).line == 2


def test_lines_before_the_first_row_of_a_file_without_header_are_a_disclaimer() -> None:
    rows, lines, log = read_text("Be kind\n\nwith these data\n1\ta\t0\nalone\n", TSV)
    assert (rows, lines) == ([("1", "a", "0")], [4])
    assert (only(log).line, only(log).found) == (5, "1 field")


def test_a_file_without_any_row_of_its_table_is_refused() -> None:
    with pytest.raises(FileFormatError, match=r"found no line with 3 fields.*separated by '\\t'"):
        read_text("1,a,0\n2,b,1\n", TSV)


@pytest.mark.parametrize(
    ("content", "spec"),
    [(HEADER + "1,a,0\n2,b", CSV), ("1\ta\t0\n2\tb", TSV)],
    ids=["quoted", "unquoted"],
)
def test_a_last_line_that_is_cut_off(content: str, spec: TableSpec) -> None:
    rows, _, log = read_text(content, spec)
    assert rows == [("1", "a", "0")]
    problem = only(log)
    assert (problem.code, problem.line) == ("field count", content.count("\n") + 1)
    assert problem.action == "the row was left out; the file may be cut off"


def test_a_last_line_that_is_cut_off_inside_a_quote() -> None:
    rows, _, log = read_text(HEADER + '1,a,0\n2,"b and\nmore')
    assert rows == [("1", "a", "0")]
    problem = only(log)
    assert (problem.code, problem.line) == ("unreadable row", 3)
    assert problem.found == "a quote that never closes"
    assert problem.action == "lines 3 to 4 were left out; the file may be cut off"


def test_a_quote_that_meets_another_one_says_which_lines_it_took() -> None:
    rows, lines, log = read_text(HEADER + '1,a,0\n2,"b,1\n3,c,0\n4,"d",1\n5,e,0\n')
    assert (rows, lines) == ([("1", "a", "0"), ("5", "e", "0")], [2, 6])
    problem = only(log)
    assert (problem.line, problem.code) == (3, "unreadable row")
    assert "a quoting mistake" in problem.found
    assert problem.action == "lines 3 to 5 were left out"


def test_a_quote_that_never_closes_ends_where_a_field_is_too_long() -> None:
    filler = "".join(f"{n},{'so kind ' * 10},0\n" for n in range(3_000))
    rows, lines, log = read_text(HEADER + '1,a,0\n2,"b,1\n' + filler)
    problem = only(log)
    assert (problem.line, problem.code) == (3, "unreadable row")
    assert problem.found == "a field of more than 131,072 characters"
    assert problem.action.endswith("were left out; look for a quote that is never closed")
    # What follows is read again, and no line is lost without being named.
    last = int(problem.action.split(" to ")[1].split()[0].replace(",", ""))
    assert lines == [2, *range(last + 1, 3_004)]
    assert rows[-1][0] == "2999"


@pytest.mark.parametrize("quote", ['"', ""])
def test_a_field_that_is_too_long_costs_its_row_only(quote: str) -> None:
    long = "x" * 131_073
    rows, lines, log = read_text(f"{HEADER}1,a,0\n2,{quote}{long}{quote},1\n3,c,0\n")
    assert (rows, lines) == ([("1", "a", "0"), ("3", "c", "0")], [2, 4])
    assert (only(log).line, only(log).action.split(";")[0]) == (3, "the row was left out")


def test_the_longest_field_is_read() -> None:
    long = "x" * 131_072
    assert read_text(f'{HEADER}2,"{long}",1\n')[0] == [("2", long, "1")]


def test_a_mistake_in_quoting_costs_its_row_only() -> None:
    rows, _, log = read_text(HEADER + '1,"a"b,0\n2,b "c" d,1\n')
    assert rows == [("2", 'b "c" d', "1")]
    assert "a quoting mistake" in only(log).found


def test_bad_rows_do_not_fill_a_batch() -> None:
    content = HEADER + "".join(f"{n},a,0\nalone\n" for n in range(6))
    rows, lines, log = read_text(content, batch_rows=4)
    assert [row[0] for row in rows] == [str(n) for n in range(6)]
    assert lines == [2, 4, 6, 8, 10, 12]
    assert (log.total(), log.rows_left_out) == (6, 6)


def test_rows_are_counted_beyond_what_the_log_keeps(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text(HEADER + "alone\n" * 9, encoding="utf-8")
    log = ProblemLog(limit=2)
    assert list(read_batches(path, CSV, log, 10)) == []
    assert (len(log.kept), log.total(), log.rows_left_out) == (2, 9, 9)


# ---- bad files ----------------------------------------------------------------------------------


def test_a_gz_that_is_cut_off_gives_the_rows_before() -> None:
    names = [hashlib.sha256(bytes([n % 256, n // 256])).hexdigest() for n in range(400)]
    whole = gzip.compress((HEADER + "".join(f"{name},a,0\n" for name in names)).encode())
    for share in (3, 2, 1.2):
        rows, lines, log = read_bytes(whole[: int(len(whole) / share)], batch_rows=7)
        assert 50 < len(rows) < 400
        assert [row[0] for row in rows] == names[: len(rows)]
        problem = only(log)
        assert (problem.code, problem.line) == ("cut-off archive", lines[-1] + 1)
        assert problem.action == "this row and those after it are missing; fetch it again"


@pytest.mark.parametrize("size", [3, 12])
def test_a_gz_that_is_cut_off_at_its_start_is_refused(size: int) -> None:
    with pytest.raises(FileFormatError, match=r"items\.csv: found a damaged or cut-off gz"):
        read_bytes(gzip.compress(HEADER.encode() * 40)[:size])


def test_a_zip_that_is_damaged_inside_gives_the_rows_before() -> None:
    names = [hashlib.sha256(bytes([n % 256, n // 256])).hexdigest() for n in range(4_000)]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("items.csv", HEADER + "".join(f"{name},a,0\n" for name in names))
    content = packed.getvalue().replace(names[-1].encode(), names[0].encode())
    rows, _, log = read_bytes(content)
    assert 0 < len(rows) < 4_000
    assert [row[0] for row in rows] == names[: len(rows)]
    assert only(log).code == "cut-off archive"


@pytest.mark.parametrize("spec", [CSV, TSV], ids=["header", "no header"])
def test_an_empty_file_is_refused(spec: TableSpec) -> None:
    for content in (b"", b"\xef\xbb\xbf", gzip.compress(b"")):
        with pytest.raises(FileFormatError, match=r"items\.csv.*found (no header|an empty file)"):
            read_bytes(content, spec)


def test_a_file_of_a_header_has_no_rows() -> None:
    for content in (HEADER, HEADER.strip(), HEADER + "\n"):
        rows, _, log = read_text(content)
        assert (rows, log.kept) == ([], [])


def test_utf_16_is_refused() -> None:
    with pytest.raises(FileFormatError, match="found UTF-16 text"):
        read_bytes((HEADER + "1,a,0\n").encode("utf-16"))


def test_a_folder_and_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="found a folder"):
        read(tmp_path)
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "absent.csv")


def test_a_reader_that_is_left_early_closes_its_file(tmp_path: Path) -> None:
    path = tmp_path / "items.csv.gz"
    path.write_bytes(gzip.compress((HEADER + "1,a,0\n" * 50).encode()))
    reader = iter(read_batches(path, CSV, ProblemLog(), 2))
    assert next(reader).height == 2
    del reader  # an open file would be a warning, and a warning fails the test
