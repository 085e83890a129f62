"""What engines say when they fail becomes one sentence: ours where there is one, else the cause."""

import pytest

from tactful import errors
from tactful.errors import (
    FileFormatError,
    InputError,
    RunError,
    TactfulError,
    UsageError,
)
from tactful.registry import unknown_name
from tactful.scale.cluster.engine_errors import (
    explained,
    first_cause,
    not_parquet,
    one_sentence_errors,
)
from tactful.scale.tables.json_lines import RowsError

JAVA = """An error occurred while calling o77.parquet.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed
\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:2898)
Caused by: java.io.FileNotFoundException: File file:/in/a.csv does not exist
\tat org.apache.hadoop.fs.RawLocalFileSystem.open(RawLocalFileSystem.java:100)
"""
WORKER = """ray::MapBatches(PortionActor)() (pid=77, ip=127.0.0.1)
  File "/site-packages/ray/data/_internal/util.py", line 1675, in iterate_with_retry
    for item in iterable:
{module}.{name}: in.csv, line 3: found 3 cells; expected 2.
Failed to apply UDF transform after 1/1 attempts (total backoff 0.0s).
"""


@pytest.mark.parametrize(
    ("kind", "becomes"),
    [
        (InputError, InputError),
        (FileFormatError, FileFormatError),
        (UsageError, UsageError),
        (RunError, RunError),
        (errors.SettingError, UsageError),
        (errors.UnknownNameError, UsageError),
        (RowsError, InputError),
    ],
)
def test_an_error_of_ours_comes_out_of_a_worker_as_it_was(
    kind: type[TactfulError], becomes: type[TactfulError]
) -> None:
    found = explained("ray", WORKER.format(module=kind.__module__, name=kind.__name__))
    assert type(found) is becomes
    assert str(found) == "in.csv, line 3: found 3 cells; expected 2."


def test_a_cause_is_the_innermost_and_one_line() -> None:
    said = "java.io.FileNotFoundException: File file:/in/a.csv does not exist"
    assert first_cause(JAVA) == said
    carried = f"{JAVA}\npy4j.protocol.Py4JJavaError: An error occurred while calling o77.parquet."
    assert first_cause(carried) == said
    assert first_cause("only this\nand that") == "only this"
    assert first_cause(" \n ") == "it gave no reason"
    assert len(first_cause("ValueError: " + "long " * 200)) == 300


@pytest.mark.parametrize(
    "story",
    [
        "java.lang.OutOfMemoryError: Java heap space",
        "Container killed by YARN for exceeding memory limits",
        "Task was killed due to the node running low on memory (memory pressure)",
        "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)",
        "The command exited with exit code 137",
        "The pod was OOMKilled",
        "invoked oom_killer",
    ],
)
def test_lack_of_memory_is_named_with_what_helps(story: str) -> None:
    found = explained("spark", story)
    assert type(found) is RunError
    assert "lack of memory" in str(found)
    assert "fewer --workers" in str(found)


@pytest.mark.parametrize("story", ["ValueError: there is no room in the loom", "no gloom at all"])
def test_other_words_are_not_taken_for_memory(story: str) -> None:
    assert "memory" not in str(explained("ray", story))


def test_what_an_engine_raises_is_one_sentence_with_its_cause_below() -> None:
    outer = KeyError("the outer one")
    outer.__cause__ = ValueError("the inner one")
    with pytest.raises(RunError) as caught, one_sentence_errors("spark"):
        raise outer
    assert str(caught.value) == (
        "The engine spark failed (builtins.ValueError: the inner one); finished parts are kept: "
        "run the same command again to resume."
    )
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_what_is_of_both_kinds_is_not_taken_for_ours() -> None:
    # Ray makes such a class for each error of a task, and puts all it knows into its text.
    both = type("RayTaskError(InputError)", (InputError,), {"__module__": "ray.exceptions"})
    with pytest.raises(InputError) as caught, one_sentence_errors("ray"):
        raise both(WORKER.format(module="tactful.errors", name="InputError"))
    assert str(caught.value) == "in.csv, line 3: found 3 cells; expected 2."


def test_an_error_of_ours_and_an_interrupt_pass() -> None:
    ours = unknown_name("column", "text", ["body"])
    with pytest.raises(UsageError) as caught, one_sentence_errors("ray"):
        raise ours
    assert caught.value is ours
    with pytest.raises(KeyboardInterrupt), one_sentence_errors("ray"):
        raise KeyboardInterrupt


def test_an_engine_that_fails_to_stop_after_an_interrupt_was_interrupted() -> None:
    stopping = ConnectionError("Answer from Java side is empty")
    stopping.__context__ = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt), one_sentence_errors("spark"):
        raise stopping


def test_a_file_that_is_no_parquet_is_named() -> None:
    found = not_parquet("in.parquet", "Parquet magic bytes not found in footer.\nand more")
    assert str(found).startswith(
        "in.parquet: found no Parquet file (Parquet magic bytes not found in footer.)"
    )
