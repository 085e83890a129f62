"""Our own YAML is read quickly, and to the same objects as PyYAML makes of it."""

from pathlib import Path

import pytest
import yaml

import tactful
from tactful.yaml_data import read_yaml

PACKAGE = Path(tactful.__file__).parent


def test_files_are_read_as_pyyaml_reads_them() -> None:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in PACKAGE.rglob("*.yaml"):
        expected = yaml.load(path.read_bytes(), loader)  # noqa: S506 (a safe loader)
        assert repr(read_yaml(path)) == repr(expected), path


@pytest.mark.parametrize(
    "text",
    [
        "a: [1, -2.5, .5, 0x10, 1e3, 2026-11-18, .inf]",
        "a: [yes, No, on, TRUE, null, ~, '', 'yes', \"1\"]",
        "a:\nb: 1 of 2\nc: >-\n  2 lines\n  of text\nd: |\n  kept\n",
        "- - 1\n  - x: {y: [], z: {}}\n-\n- -\n",
        "1: one\nyes: two\n",
        "a: &x {y: 1}\nb: *x\nc: {<<: *x, z: 2}\n",
    ],
)
def test_values_have_the_types_of_pyyaml(text: str, tmp_path: Path) -> None:
    path = tmp_path / "values.yaml"
    path.write_text(text, encoding="utf-8")
    assert repr(read_yaml(path)) == repr(yaml.safe_load(text))
