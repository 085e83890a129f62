"""The core runs without the libraries of extras, and names the extra where one is needed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.children import LIMIT
from tests.core_commands import CORE_COMMANDS, MISSING_EXTRAS, files

from tactful.errors import MissingExtraError
from tactful.libraries import EXTRAS, Library, is_installed, missing_extra, needed

RUN = """
import contextlib, io, json, sys
from tactful.cli.main import main
answers = []
for args in json.loads(sys.argv[1]):
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(args)
        except SystemExit as end:
            code = end.code
    out.flush()
    answers.append([code, out.buffer.getvalue().decode() + err.getvalue()])
print(json.dumps([answers, sorted(sys.modules)]))
"""


def without_libraries(folder: Path) -> dict[str, str]:
    """Return the environment of processes in which no library of an extra can be imported."""
    for name in EXTRAS:
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(
            f"raise ModuleNotFoundError(\"No module named '{name}'\", name='{name}')\n"
        )
    path = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "TACTFUL_PROGRESS": "off"}


def python(code: str, *args: str, folder: Path) -> str:
    """Run code in a new process without the libraries; return what it prints last."""
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        capture_output=True,
        text=True,
        cwd=folder,
        env=without_libraries(folder / "missing"),
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def answers(commands: list[tuple[tuple[str, ...], str]], folder: Path) -> Any:
    asked = json.dumps([args for args, _ in commands])
    return json.loads(python(RUN, asked, folder=folder))


def test_core_commands_run_without_the_libraries_of_extras(tmp_path: Path) -> None:
    found, modules = answers(CORE_COMMANDS, tmp_path)
    for (args, expected), (code, said) in zip(CORE_COMMANDS, found, strict=True):
        assert code in (0, 1), (args, said)
        assert expected in said, args
        assert "Error" not in said, (args, said)
    assert not {name.partition(".")[0] for name in modules} & EXTRAS.keys()


def test_what_needs_an_extra_names_it_in_one_sentence(tmp_path: Path) -> None:
    found, _ = answers(MISSING_EXTRAS, tmp_path)
    for (args, extra), (code, said) in zip(MISSING_EXTRAS, found, strict=True):
        assert code == 2, (args, said)
        assert said.startswith("Error: "), args
        assert said.endswith(
            f" needs the optional extra '{extra}'; install it with: "
            f'pip install "tactful[{extra}]"\n'
        ), said


def test_several_workers_score_without_the_libraries(tmp_path: Path) -> None:
    rows = "".join(f"{at},word {at % 50}\n" for at in range(12_000))
    (tmp_path / "many.csv").write_text(f"id,text\n{rows}", encoding="utf-8")
    asked = ["score", "many.csv", "-o", "many.out.csv", "-m", "open-fast", "--workers", "2", "-q"]
    asked += ["--dedupe", "--part-rows", "2000"]
    code = "import json, sys\nfrom tactful.cli.main import main\nif __name__ == '__main__':\n"
    script = tmp_path / "run.py"
    script.write_text(f"{code}    main(json.loads(sys.argv[1]))\n", encoding="utf-8")
    subprocess.run(
        [sys.executable, script, json.dumps(asked)],
        check=True,
        cwd=tmp_path,
        env=without_libraries(tmp_path / "missing"),
        timeout=LIMIT,
    )
    written = (tmp_path / "many.out.csv").read_text(encoding="utf-8").splitlines()
    assert len(written) == 12_001
    assert written[0].startswith("id,text,pcl,")
    assert [line.split(",")[0] for line in written[1:]] == [str(at) for at in range(12_000)]


def test_the_service_runs_without_the_libraries(tmp_path: Path) -> None:
    code = """
from starlette.testclient import TestClient
from tactful.service.app import create_app
from tactful.service.settings import ServiceSettings
import json, sys
with TestClient(create_app(ServiceSettings(model="open-fast", langs=("en",)))) as client:
    page = client.get("/")
    scored = client.post("/v1/score", json={"texts": ["Even these poor souls can learn to hope."]})
    checked = client.post("/v1/check", json={"text": "Even these poor souls can learn to hope."})
print(json.dumps([page.status_code, scored.status_code, checked.text, sorted(sys.modules)]))
"""
    page, scored, checked, modules = json.loads(python(code, folder=tmp_path))
    assert (page, scored) == (200, 200)
    assert "pcl.compassion" in checked
    assert not {name.partition(".")[0] for name in modules} & EXTRAS.keys()


def test_library_calls_answer_with_the_extra(tmp_path: Path) -> None:
    code = """
import tactful
from tactful.errors import MissingExtraError
try:
    tactful.agreement.krippendorff_alpha
except MissingExtraError as error:
    print(error)
"""
    said = python(code, folder=tmp_path)
    assert said == (
        "tactful.agreement.krippendorff_alpha needs the optional extra 'tables'; install it with: "
        'pip install "tactful[tables]"'
    )


def test_a_library_is_imported_with_the_first_name() -> None:
    found = Library("colorsys")
    assert found.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0)
    assert "rgb_to_hsv" in vars(found)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = found.no_such_name


def test_an_unknown_library_is_not_taken_for_one_of_an_extra() -> None:
    assert not is_installed("no_such_library")
    with pytest.raises(ModuleNotFoundError, match="no_such_library"), needed("It"):
        import no_such_library  # type: ignore[import-not-found] # noqa: F401
    assert missing_extra(ModuleNotFoundError(name="scipy.stats")) is not None
    with (
        pytest.raises(MissingExtraError, match=r"^A test needs the optional extra 'stats'"),
        needed("A test"),
    ):
        raise ModuleNotFoundError(name="scipy.sparse")
