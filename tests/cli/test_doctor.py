import json
import re
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import tactful
from tactful.cli import doctor as module
from tactful.cli.doctor import (
    SCHEMA_VERSION,
    Requirement,
    doctor,
    installed_version,
    is_for,
    read_requirements,
    render,
)
from tactful.cli.main import main
from tactful.errors import TactfulError
from tactful.settings import SETTINGS

NEEDS = [
    Requirement("click", "8.2"),
    Requirement("polars", "1.36"),
    Requirement("matplotlib", "3.9", "plot"),
]
ALL_THERE = {"click": "8.3.1", "polars": "1.36.0", "matplotlib": "3.10.0"}


def examine(installed: dict[str, str], environ: dict[str, str] | None = None) -> dict[str, Any]:
    return doctor(environ or {}, NEEDS, installed.get, [])


def exit_code(*args: str) -> object:
    with pytest.raises(SystemExit) as end:
        main(["doctor", *args])
    return end.value.code


def test_this_installation_is_healthy(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code() == 0
    output = capsys.readouterr().out
    assert output.startswith(f"Tactful {tactful.__version__}, Python 3.")
    assert output.endswith("problems         none\n")
    assert output.count("\n") == 5


def test_verbose_shows_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("--verbose") == 0
    output = capsys.readouterr().out
    assert output.startswith(f"Tactful {tactful.__version__}\n")
    for setting in SETTINGS:
        assert re.search(rf"{setting.env} +\S.* \(.+; {re.escape(setting.help)}\)\n", output)


def test_json_is_the_whole_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["schema_version"] == SCHEMA_VERSION
    assert report["tactful"] == tactful.__version__
    assert report["problems"] == []
    assert {extra["name"] for extra in report["extras"]} >= {"plot", "dev", "docs"}
    assert list(report) == list(doctor())


def test_the_doctor_understands_every_requirement_of_the_package() -> None:
    for line in metadata.requires("tactful") or []:
        library, _, marker = line.partition(";")
        need = Requirement.parse(line)
        operators = re.sub(r"\[.*\]", "", library.replace(need.name, "", 1)).strip()
        assert operators == ("" if need.minimum is None else f">={need.minimum}")
        assert (need.extra is None) == ("extra" not in marker)


def test_what_is_for_an_older_python_is_not_missed_by_a_newer_one() -> None:
    line = "backports-zstd>=1.0; python_version < '3.14'"
    assert is_for(line, (3, 13))
    assert not is_for(line, (3, 14))
    assert is_for("click>=8.2", (3, 14))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("click>=8.2", Requirement("click", "8.2")),
        ("python-calamine >= 0.4", Requirement("python-calamine", "0.4")),
        ("types-pyyaml; extra == 'dev'", Requirement("types-pyyaml", None, "dev")),
        ('ruff>=0.11; extra == "dev"', Requirement("ruff", "0.11", "dev")),
    ],
)
def test_requirements_are_read(line: str, expected: Requirement) -> None:
    assert Requirement.parse(line) == expected


@pytest.mark.parametrize(
    ("minimum", "installed", "is_old"),
    [
        ("8.2", "8.10", False),
        ("8.2", "8.2.0", False),
        ("8.2.0", "8.2", False),
        ("8.2", "8.1.9", True),
        ("6.0.1", "6.0", True),
        ("2.0", "2.0rc1", False),
        ("2.0", "1.9.dev3", True),
        (None, "0.1", False),
    ],
)
def test_versions_are_compared_as_numbers(
    minimum: str | None, installed: str, is_old: bool
) -> None:
    problem = Requirement("click", minimum).problem(installed)
    assert (problem is not None) == is_old


def test_all_is_well() -> None:
    report = examine(ALL_THERE)
    assert report["problems"] == []
    assert [extra["installed"] for extra in report["extras"]] == [True]


def test_a_missing_dependency_is_a_problem_with_its_command() -> None:
    report = examine({**ALL_THERE} | {"polars": "0.9"})
    assert report["problems"] == [
        'polars 0.9 is older than 1.36; update it with: pip install --upgrade "polars>=1.36"'
    ]
    report = examine({"click": "8.3.1"})
    assert report["problems"] == [
        'polars is not installed; install it with: pip install "polars>=1.36"'
    ]
    assert "polars           missing" in render(report, verbose=True)
    assert "problems         1, see below" in render(report)


def test_a_missing_extra_is_no_problem_and_has_its_command() -> None:
    report = examine({"click": "8.3.1", "polars": "2.0"})
    assert report["problems"] == []
    assert (
        'plot             not installed (lacks matplotlib): pip install "tactful[plot]"'
        in render(report, verbose=True)
    )
    assert 'missing extras   plot; install one with: pip install "tactful[NAME]"' in render(report)


def test_a_problem_ends_with_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "installed_version", {"click": "8.3.1"}.get)
    assert exit_code("--format", "json") == 1
    captured = capsys.readouterr()
    assert len(json.loads(captured.out)["problems"]) > 1
    assert captured.err.startswith("Error: ")
    assert "numpy is not installed; install it with: pip install" in captured.err
    assert captured.err.count("\n") == 1


def test_a_wrong_setting_is_reported_beside_the_right_ones() -> None:
    report = examine(ALL_THERE, {"TACTFUL_PROGRESS": "perhaps", "TACTFUL_BATCH_ROWS": "5"})
    by_name = {entry["name"]: entry for entry in report["settings"]}
    assert by_name["batch_rows"]["value"] == 5
    assert by_name["batch_rows"]["source"] == "environment"
    assert by_name["max_problems"]["source"] == "default"
    assert by_name["progress"]["value"] == "perhaps"
    assert report["problems"] == [by_name["progress"]["problem"]]
    assert "TACTFUL_PROGRESS holds 'perhaps'" in report["problems"][0]


def test_the_data_folder(tmp_path: Path) -> None:
    for name in ("corpus_b", "corpus_a", ".hidden"):
        (tmp_path / name).mkdir()
    (tmp_path / "README.md").touch()
    report = examine(ALL_THERE, {"TACTFUL_DATA": str(tmp_path)})
    assert report["data"] == {
        "folder": str(tmp_path),
        "exists": True,
        "folders": ["corpus_a", "corpus_b"],
    }
    assert "contains: corpus_a, corpus_b" in render(report, verbose=True)


def test_the_data_folder_is_not_there(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    report = examine(ALL_THERE, {"TACTFUL_DATA": missing})
    assert report["data"] == {"folder": missing, "exists": False, "folders": []}
    assert f"{missing} (this folder does not exist)" in render(report)
    assert "set TACTFUL_DATA" in render(examine(ALL_THERE))


def test_an_empty_data_folder(tmp_path: Path) -> None:
    report = examine(ALL_THERE, {"TACTFUL_DATA": str(tmp_path)})
    assert "contains: no sub-folders" in render(report, verbose=True)


def test_the_weights(tmp_path: Path) -> None:
    (tmp_path / "fast").mkdir()
    (tmp_path / "fast" / "model.npz").write_bytes(bytes(2_340_000))
    report = doctor({}, NEEDS, ALL_THERE.get, [tmp_path])
    models = [{"name": "fast", "megabytes": 2.3}]
    assert report["weights"] == [{"folder": str(tmp_path), "models": models}]
    assert f"{tmp_path}\n  fast             2.3 MB" in render(report, verbose=True)
    assert "models           fast (2 MB)" in render(report)
    missing = "none: pip install tactful-weights-research"
    assert missing in render(examine(ALL_THERE))
    assert missing in render(examine(ALL_THERE), verbose=True)


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "red\x1b[31m").mkdir()
    shown = render(examine(ALL_THERE, {"TACTFUL_DATA": str(tmp_path)}), verbose=True)
    assert "\x1b" not in shown
    assert "red\\x1b[31m" in shown


def test_a_folder_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACKAGE", "tactful-that-is-not-installed")
    with pytest.raises(TactfulError, match=r"pip install \."):
        read_requirements()


def test_a_library_that_nobody_has() -> None:
    assert installed_version("a-library-that-nobody-has") is None
