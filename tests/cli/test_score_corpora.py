"""What ``tactful corpus convert`` writes goes through ``tactful score`` as it is."""

from functools import partial
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from polars.testing import assert_frame_equal
from tests import command_line

from tactful.cli.main import cli
from tactful.corpora import CORPORA
from tactful.scale.tables.json_lines import lines_as_table, schema_of

run = partial(command_line.result_of, "")


def read(path: Path) -> pl.DataFrame:
    if path.suffix == ".parquet":
        return pl.read_parquet(path)
    if path.suffix == ".csv":
        return pl.read_csv(path, infer_schema=False)
    lines = pl.Series(path.read_text(encoding="utf-8").splitlines())
    # The reader of polars mixes the columns up where there are more than 32.
    return lines_as_table(lines).select(schema_of(lines).names())


@pytest.mark.parametrize("written", ["jsonl", "parquet", "csv"])
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
@pytest.mark.parametrize("name", list(CORPORA))
def test_a_converted_corpus_is_scored_without_any_option(
    name: str, ending: str, written: str, tmp_path: Path
) -> None:
    source, output = tmp_path / f"in.{ending}", tmp_path / f"out.{written}"
    assert run("corpus", "convert", name, "--sample", "-o", source).exit_code == 0
    # The model is named only to be quick; the language is detected for each text, as by default.
    done = run("score", source, "-o", output, "--model", "fast")
    assert done.exit_code == 0, done.output
    before, after = read(source), read(output)
    assert after.columns[: before.width] == before.columns
    assert "tactful_lang" in after.columns
    assert after["tactful_lang"].drop_nulls().is_in(["en", "es"]).all()
    if written == ending:
        assert_frame_equal(after.select(before.columns), before)
    else:
        assert after["lang"].to_list() == before["lang"].to_list()
        assert after["text"].to_list() == before["text"].to_list()
    assert "a column 'lang' of its own, so the added one is 'tactful_lang'" in " ".join(
        done.stderr.split()
    )


def test_a_table_of_spans_is_scored_too(tmp_path: Path) -> None:
    source, output = tmp_path / "in.parquet", tmp_path / "out.parquet"
    run("corpus", "convert", "dpm", "--sample", "--table", "spans", "-o", source)
    done = run("score", source, "-o", output, "--model", "fast", "--lang", "en")
    assert done.exit_code == 0, done.output
    before = pl.read_parquet(source)
    assert_frame_equal(pl.read_parquet(output).select(before.columns), before)


def test_scoring_it_twice_is_refused_in_words(tmp_path: Path) -> None:
    source, once = tmp_path / "in.jsonl", tmp_path / "once.jsonl"
    run("corpus", "convert", "dpm", "--sample", "-o", source)
    run("score", source, "-o", once, "--model", "fast")
    done = CliRunner().invoke(cli, ["score", str(once), "-o", "-", "--model", "fast"])
    assert done.exit_code != 0
    assert "scores of an earlier run" in str(done.exception)
