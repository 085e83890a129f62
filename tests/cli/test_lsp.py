import subprocess
import sys

import pytest

from tactful.cli.main import main


def test_a_missing_extra_answers_with_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    with pytest.raises(SystemExit) as end:
        main(["lsp"])
    assert end.value.code == 2
    assert 'pip install "tactful[lsp]"' in capsys.readouterr().err


def test_a_wrong_option_is_a_usage_error() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tactful", "lsp", "--least", "2"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 2
    assert "--least" in done.stderr


def test_an_unknown_detector_is_refused_before_an_editor_is_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["lsp", "--model", "fsat"])
    assert end.value.code == 2
    assert "There is no detector named 'fsat'. Did you mean 'fast'?" in capsys.readouterr().err


def test_without_an_editor_it_ends() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tactful", "lsp", "--stdio"],
        capture_output=True,
        check=False,
        timeout=600,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 1
    assert (done.stdout, done.stderr) == (b"", b"")
