import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tactful.detectors.load import load_detector
from tactful.detectors.models.onnx_session import open_session, release_memory
from tactful.errors import FileFormatError

TEXTS = ["With our help even they can learn to hope again.", "The library opens on Monday."]
GROW_AND_RELEASE = """
from tactful.detectors.load import load_detector
from tactful.detectors.models.onnx_session import release_memory
from tactful.service.engine.memory import trim

def resident():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))

def release():
    release_memory()
    detector.score(["The library opens on Monday."])
    trim()
    return resident()

detector = load_detector("default")
detector.score(["The library opens on Monday."])
before = release()
detector.score(["With our help even they can learn to hope again. " * 1000])
print(before, resident(), release())
"""


@pytest.mark.parametrize("content", [None, b"", b"no model at all"])
def test_a_file_that_is_no_model_is_named(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"model\.onnx: found no model .*; restore it\."):
        open_session(path)


def test_giving_memory_back_changes_no_score() -> None:
    detector = load_detector("default")
    before = detector.score(TEXTS)
    release_memory()
    for _ in range(2):
        after = detector.score(TEXTS)
        assert all(np.array_equal(before[name], after[name]) for name in before)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_memory_is_given_back_after_a_long_text() -> None:
    done = subprocess.run(
        [sys.executable, "-c", GROW_AND_RELEASE], capture_output=True, text=True, check=True
    )
    before, grown, after = map(int, done.stdout.split())
    assert grown > 1.1 * before
    assert after < 1.1 * before
