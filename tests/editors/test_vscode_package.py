"""The file that VS Code installs: what ``make vscode`` puts into it."""

import json
import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.editors.conftest import ROOT

import tactful

SOURCE = ROOT / "editors" / "vscode"
LARGEST = 1_000_000


@pytest.mark.editors
def test_the_extension_is_packed_with_its_libraries_and_nothing_else(vsix: Path) -> None:
    locked = json.loads((SOURCE / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    needed = {name for name, package in locked.items() if name and not package.get("dev")}
    with ZipFile(vsix) as archive:
        names = [name for name in archive.namelist() if name.startswith("extension/")]
        ours = {name for name in names if "/node_modules/" not in name}
        assert ours == {
            "extension/LICENSE.txt",
            "extension/extension.js",
            "extension/package.json",
            "extension/readme.md",
            "extension/settings.js",
        }
        libraries = {"/".join(name.split("/")[1:3]) for name in names if name not in ours}
        assert libraries == needed
        licences = [name.lower() for name in names]
        for each in needed:
            assert any(name.startswith(f"extension/{each}/licen") for name in licences), each
        for name in ("extension.js", "package.json", "settings.js"):
            assert archive.read(f"extension/{name}") == (SOURCE / name).read_bytes()
    assert vsix.stat().st_size < LARGEST


def test_the_extension_has_the_version_of_tactful() -> None:
    for name in ("package.json", "package-lock.json"):
        found = json.loads((SOURCE / name).read_text(encoding="utf-8"))
        assert found["version"] == tactful.__version__, name
    readme = (SOURCE / "README.md").read_text(encoding="utf-8")
    assert f"dist/vscode-tactful-{tactful.__version__}.vsix" in readme


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_without_npm_the_build_is_skipped_in_one_sentence(tmp_path: Path) -> None:
    sed = shutil.which("sed")
    assert sed is not None
    (tmp_path / "sed").symlink_to(sed)
    done = subprocess.run(
        [shutil.which("make") or "make", "vscode", f"VSIX={tmp_path / 'tactful.vsix'}"],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Skipped: ")
    assert len(done.stdout.splitlines()) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["sed"]
