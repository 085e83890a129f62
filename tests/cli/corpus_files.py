"""The command ``tactful corpus`` on copies of a sample, for the tests of what it answers."""

from pathlib import Path

import pytest

from tactful.cli.main import main
from tactful.corpora import load_corpus

SAMPLES = Path(str(load_corpus("ucc", sample=True).path)).parent
REMARK = "A remark that no message may repeat"


def finish(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Run as the program does; return its exit code, output and errors."""
    with pytest.raises(SystemExit) as stopped:
        main(["corpus", *args])
    captured = capsys.readouterr()
    assert isinstance(stopped.value.code, int)
    assert "Traceback" not in captured.err
    assert REMARK not in captured.out + captured.err
    return stopped.value.code, captured.out, captured.err


def ucc_lines() -> list[str]:
    return (SAMPLES / "ucc" / "val.csv").read_text(encoding="utf-8").splitlines(keepends=True)


def ucc_folder(folder: Path, content: str | bytes, name: str = "val.csv") -> Path:
    folder.mkdir(exist_ok=True)
    raw = content.encode("utf-8") if isinstance(content, str) else content
    (folder / name).write_bytes(raw)
    return folder
