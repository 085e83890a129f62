from pathlib import Path

import pytest

from tactful.detectors.onnx_session import open_session
from tactful.errors import FileFormatError


@pytest.mark.parametrize("content", [None, b"", b"no model at all"])
def test_a_file_that_is_no_model_is_named(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"model\.onnx: found no model .*; restore it\."):
        open_session(path)
