"""CSV and JSON: whole precision, empty where not known, no formula, nothing overwritten."""

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tactful.audit.report import write_json, write_tables
from tactful.audit.results import AuditResult, Contrast
from tactful.errors import UsageError

NAMES = ["models.csv", "conditions.csv", "templates.csv", "categories.csv", "overall.csv"]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_five_tables(example: AuditResult, tmp_path: Path) -> None:
    paths = write_tables(example, tmp_path / "new")
    assert [path.name for path in paths] == NAMES
    sizes = {path.stem: len(rows(path)) for path in paths}
    assert sizes == {
        "models": 6, "conditions": 6 * 122, "templates": 4 * 4 + 2 * 2, "categories": 6 * 12,
        "overall": 2 * 122,
    }  # fmt: skip


def test_numbers_are_whole_and_missing_ones_empty(example: AuditResult, tmp_path: Path) -> None:
    write_tables(example, tmp_path)
    found = rows(tmp_path / "conditions.csv")
    first = example.models[0].conditions[0]
    assert float(found[0]["negative"]) == first.negative.value
    assert found[0]["stigmatized"] == "true"
    assert float(found[0]["dimension.peril"]) == first.dimensions["peril"]
    assert float(found[0]["template.template_1"]) == first.by_template["template_1"]
    assert found[7]["negative"] == found[7]["to_others_p_value"] == ""
    assert found[7]["negative_reason"] == "no word that was said is rated"
    models = rows(tmp_path / "models.csv")
    assert models[4]["stigmatized.negative"] == "0.62"
    assert models[0]["stigmatized.negative"] == models[4]["coverage_rated"] == ""
    for path in tmp_path.iterdir():
        cells = {cell for row in rows(path) for cell in row.values()}
        assert not cells & {"None", "nan", "inf"}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_name_is_no_formula(
    example: AuditResult, made: Callable[..., Any], tmp_path: Path, start: str
) -> None:
    alone = made("alone", example)
    model = alone.models[0]
    odd = start + made("FORMULA")
    first = replace(model.conditions[0], name=odd, to_baseline=-0.25)
    changed = replace(model, model=odd, conditions=(first, *model.conditions[1:]))
    write_tables(replace(alone, models=(changed,)), tmp_path)
    row = rows(tmp_path / "conditions.csv")[0]
    assert row["model"] == row["name"] == f"'{odd}"
    assert row["to_baseline"] == "-0.25"


def test_what_is_no_number_is_missing(example: AuditResult, tmp_path: Path) -> None:
    broken = replace(example.models[0], gap=Contrast(float("nan")), settings={"at": tmp_path})
    result = replace(example, models=(broken,))
    write_tables(result, tmp_path)
    assert rows(tmp_path / "models.csv")[0]["gap"] == ""
    write_json(result, tmp_path / "audit.json")
    found = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    assert found["models"][0]["gap"]["value"] is None
    assert found["models"][0]["settings"]["at"] == str(tmp_path)


def test_an_empty_audit_has_empty_tables(example: AuditResult, tmp_path: Path) -> None:
    write_tables(replace(example, models=(), overall=()), tmp_path)
    assert rows(tmp_path / "models.csv") == []


def test_other_files_of_the_folder_stay(example: AuditResult, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "overall.csv").write_text("old", encoding="utf-8")
    with pytest.raises(UsageError, match=r"overall\.csv: it exists already.*--force"):
        write_tables(example, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.txt", "overall.csv"]
    write_tables(example, tmp_path, force=True)
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"
    assert len(rows(tmp_path / "overall.csv")) == 244


def test_a_file_in_the_place_of_the_folder(example: AuditResult, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="found a file; expected the name of a folder"):
        write_tables(example, tmp_path / "file")


def test_json_holds_everything(example: AuditResult, tmp_path: Path) -> None:
    path = tmp_path / "audit.json"
    write_json(example, path)
    found = json.loads(path.read_text(encoding="utf-8"))
    assert next(iter(found)) == "version"
    assert found == json.loads(json.dumps(example.as_json()))
    with pytest.raises(UsageError, match="exists already"):
        write_json(example, path)
    write_json(example, path, force=True)


def test_a_broken_name_is_written_with_its_code(example: AuditResult, tmp_path: Path) -> None:
    odd = replace(example.models[0], model="a\udc80")
    result = replace(example, models=(odd,))
    write_json(result, tmp_path / "audit.json")
    found = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    assert found["models"][0]["model"] == "a\udc80"
    write_tables(result, tmp_path)
    assert rows(tmp_path / "models.csv")[0]["model"] == "a\\udc80"
