"""The progress bar: on a terminal, on standard error only, and about as long as the files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.progress import Progress

from tactful.cli.progress import reading
from tactful.corpora import load_corpus
from tactful.settings import load_settings

CONVERT = [sys.executable, "-m", "tactful", "corpus", "convert", "dpm", "--sample", "-o"]


def convert(path: Path, progress: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CONVERT, str(path)],
        env={**os.environ, "TACTFUL_PROGRESS": progress, "TERM": "xterm"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )


def test_piped_there_is_no_bar(tmp_path: Path) -> None:
    for setting in ("auto", "off"):
        done = convert(tmp_path / f"{setting}.jsonl", setting)
        assert "\x1b" not in done.stderr
        assert "Reading" not in done.stderr


def test_asked_for_it_goes_to_standard_error_only(tmp_path: Path) -> None:
    done = convert(tmp_path / "x.jsonl", "on")
    assert "Reading dpm" in done.stderr
    assert done.stdout == f"Wrote 40 examples of 40 texts to {tmp_path / 'x.jsonl'}\n"


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals on Windows")
@pytest.mark.parametrize("setting", ["auto", "off"])
def test_on_a_terminal_the_setting_decides(setting: str, tmp_path: Path) -> None:
    import pty

    keyboard, terminal = pty.openpty()
    done = subprocess.run(
        [*CONVERT, str(tmp_path / "x.jsonl")],
        env={**os.environ, "TACTFUL_PROGRESS": setting, "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        check=True,
        timeout=60,
    )
    os.close(terminal)
    shown = os.read(keyboard, 100_000).decode()
    os.close(keyboard)
    assert ("Reading dpm" in shown) is (setting == "auto")
    assert done.stdout.startswith("Wrote 40 examples")


@pytest.mark.parametrize("name", ["dpm", "ucc", "sbic", "detoxis"])
def test_the_bar_is_about_full_at_the_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bars: list[Progress] = []
    start = Progress.start

    def remember(self: Progress) -> None:
        bars.append(self)
        start(self)

    monkeypatch.setattr(Progress, "start", remember)
    settings = load_settings({"TACTFUL_PROGRESS": "on"})
    corpus = load_corpus(name, sample=True, settings=settings)
    with reading(corpus, passes=2):
        for _ in corpus.example_batches():
            pass
        corpus.verify()
    [task] = bars[0].tasks
    assert task.total is not None
    assert 0.7 < task.completed / task.total < 1.3
    assert corpus.on_progress is None


def test_of_packed_files_the_length_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    totals: list[float | None] = []
    add_task = Progress.add_task

    def remember(self: Progress, description: str, total: float | None = None) -> object:
        totals.append(total)
        return add_task(self, description, total=total)

    monkeypatch.setattr(Progress, "add_task", remember)
    settings = load_settings({"TACTFUL_PROGRESS": "on"})
    corpus = load_corpus("stereoimmigrants", sample=True, settings=settings)
    with reading(corpus):
        assert list(corpus.example_batches())
    assert totals == [None]


def test_an_error_takes_the_bar_down() -> None:
    corpus = load_corpus("dpm", sample=True, settings=load_settings({"TACTFUL_PROGRESS": "on"}))
    with pytest.raises(ZeroDivisionError), reading(corpus):
        raise ZeroDivisionError
    assert corpus.on_progress is None
