"""The example of a plug-in, installed for real: every command finds what it adds."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.command_line import fails
from tests.plugin_packages import write_package

from tactful.registry import installed_plugins

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "plugin"
TEXT = "They tried, bless them."


def run(site: Path, *args: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run ``python`` with a folder of installed packages."""
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, *args],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def tactful(site: Path, *args: str, cwd: Path | None = None) -> str:
    """Run a command that succeeds; return what it printed."""
    done = run(site, "-m", "tactful", *args, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(site: Path, *args: str, cwd: Path | None = None) -> str:
    """Run a command that is refused with exit code 2; return its one sentence."""
    done = run(site, "-m", "tactful", *args, cwd=cwd)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[-1]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the example with pip into a folder of its own; return the folder."""
    site = tmp_path_factory.mktemp("site")
    pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    done = run(site, *pip, "--target", str(site), str(EXAMPLE))
    assert done.returncode == 0, done.stderr
    return site


def test_the_examples_own_tests_pass(example: Path) -> None:
    done = run(example, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLE / "tests"))
    assert "5 passed" in done.stdout, done.stdout + done.stderr


def test_the_detector_is_found_by_name(example: Path) -> None:
    found = tactful(
        example, "check", "--no-config", "--model", "mild-words", "--format", "json", "--text", TEXT
    )
    report = json.loads(found)
    assert report["model"]["name"] == "mild-words"
    (finding,) = report["documents"][0]["findings"]
    assert finding["spans"][0]["text"] == "bless them"


def test_the_detector_opens_a_folder_of_its_kind(example: Path, tmp_path: Path) -> None:
    code = (
        "from dataclasses import replace; from pathlib import Path; "
        "from tactful.detectors.card import write_card; from tactful_example.detector import CARD; "
        "write_card(replace(CARD, training={'phrases': ['how brave']}), Path('brave'))"
    )
    assert run(example, "-c", code, cwd=tmp_path).returncode == 0
    args = ("check", "--no-config", "--format", "json", "--text", "How brave of you all.")
    found = json.loads(tactful(example, *args, "--model", "./brave", cwd=tmp_path))
    (finding,) = found["documents"][0]["findings"]
    assert finding["spans"][0]["text"] == "How brave"


def test_the_detector_is_found_in_the_projects_file_and_in_editor_settings(
    example: Path, tmp_path: Path
) -> None:
    (tmp_path / "tactful.toml").write_text('model = "mild-words"\n', encoding="utf-8")
    args = ("check", "--format", "json", "--text", TEXT)
    found = json.loads(tactful(example, *args, cwd=tmp_path))
    assert found["model"]["name"] == "mild-words"
    code = (
        "from pathlib import Path; from tactful.checking.options import Configuration; "
        "from tactful.service.lsp.settings import EditorSettings, options_of; "
        "print(options_of(EditorSettings(model='mild-words'), Configuration(), Path()).model)"
    )
    assert run(example, "-c", code, cwd=tmp_path).stdout == "mild-words\n"


def test_the_shell_completes_the_names_of_plug_ins(example: Path) -> None:
    code = (
        "from tactful.cli.check import check_cli; import click; "
        "context = click.Context(check_cli); "
        "options = {each.name: each for each in check_cli.params}; "
        "names = [('model', 'mi'), ('output_format', 'mark')]; "
        "print(*(item.value for name, start in names"
        " for item in options[name].shell_complete(context, start)))"
    )
    done = run(example, "-c", code)
    assert done.stdout == "mild-words markdown\n", done.stderr


@pytest.mark.parametrize(
    "command",
    [("score", "a.csv", "--output", "b.csv"), ("serve", "--port", "0")],
    ids=["score", "serve"],
)
def test_a_command_that_needs_a_folder_refuses_the_name_of_a_plug_in(
    example: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "a.csv").write_text(f'text\n"{TEXT}"\n', encoding="utf-8")
    said = refusal(example, *command, "--model", "mild-words", cwd=tmp_path)
    assert said.startswith("Error: The detector 'mild-words' is a plug-in without a folder")
    assert not (tmp_path / "b.csv").exists()


def test_the_format_is_found_by_name_and_in_the_projects_file(
    example: Path, tmp_path: Path
) -> None:
    args = ("check", "--model", "mild-words", "--text", TEXT)
    found = tactful(example, *args, "--no-config", "--format", "markdown")
    assert found.startswith("## Text\n\n- **")
    assert "line 1: “bless them”" in found
    (tmp_path / "tactful.toml").write_text('format = "markdown"\n', encoding="utf-8")
    assert tactful(example, *args, cwd=tmp_path) == found


def test_the_corpus_is_read_listed_and_described(example: Path) -> None:
    assert "Letters by label" in tactful(example, "corpus", "stats", "letters", "--sample")
    checked = tactful(example, "corpus", "validate", "letters", "--sample", "--strict")
    assert "the sample that comes with the plug-in" in checked
    rows = json.loads(tactful(example, "corpus", "list", "--format", "json"))
    assert [row["name"] for row in rows][-1] == "letters"


def test_the_metric_is_measured_when_it_is_named(example: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("id,label\na,1\nb,1\nc,0\nd,0\n", encoding="utf-8")
    (tmp_path / "mine.csv").write_text("id,label\na,1\nb,0\nc,0\nd,0\n", encoding="utf-8")
    args = ("evaluate", "binary", "--gold", "gold.csv", "--predictions", "mine.csv")
    found = json.loads(
        tactful(
            example, *args, "--metric", "balanced_accuracy", "--bootstrap", "20",
            "--format", "json", cwd=tmp_path,
        )
    )  # fmt: skip
    (metric,) = found["metrics"]
    assert metric["value"] == 0.75  # (1/2 + 2/2) / 2
    assert "balanced_accuracy" not in tactful(example, *args, cwd=tmp_path)
    nearest = refusal(example, *args, "--metric", "balanced_acuracy", cwd=tmp_path)
    assert "Did you mean 'balanced_accuracy'? Known: precision, recall, f1, balanced" in nearest


def test_a_metric_of_another_task_is_refused(example: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("id,label\na,1\nb,0\n", encoding="utf-8")
    (tmp_path / "mine.csv").write_text("id,score\na,0.9\nb,0.1\n", encoding="utf-8")
    args = ("evaluate", "scores", "--gold", "gold.csv", "--predictions", "mine.csv")
    assert refusal(example, *args, "--metric", "balanced_accuracy", cwd=tmp_path) == (
        "Error: The metric 'balanced_accuracy' measures 'binary', which 'scores' does not read; it "
        "is for pcl-detection, detests-1, binary."
    )


def test_the_probe_is_shown_and_listed(example: Path) -> None:
    shown = tactful(example, "audit", "probe", "show", "hobbies", "--kind", "sentiment")
    assert "They are people who practise the drums." in shown
    rows = json.loads(tactful(example, "audit", "probe", "list", "--format", "json"))
    assert [row["id"] for row in rows][-1] == "hobbies"


def test_a_project_keeps_a_copy_of_the_protocol(example: Path, tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="needs the extra annotate")
    tactful(example, "annotate", "init", "letters", "--protocol", "tone", cwd=tmp_path)
    # The project still opens when the plug-in is gone.
    status = json.loads(tactful(tmp_path, "annotate", "status", "letters", "--json", cwd=tmp_path))
    assert status["protocol"] == "tone"


def test_the_command_is_found_by_name(example: Path, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text(TEXT, encoding="utf-8")
    assert tactful(example, "count-phrases", "letter.txt", cwd=tmp_path) == "letter.txt: 1\n"
    assert "FILES" in tactful(example, "count-phrases", "--help")
    assert "Did you mean 'count-phrases'?" in refusal(example, "count-phrase")
    assert refusal(example, "count-phrases", "no.txt") == (
        "Error: There is no file or folder 'no.txt'."
    )


def test_doctor_lists_the_plug_ins(example: Path) -> None:
    report = json.loads(tactful(example, "doctor", "--format", "json"))
    found = {(each["group"], each["name"]) for each in report["plugins"]}
    assert found >= {
        ("tactful.detectors", "mild-words"),
        ("tactful.corpora", "letters"),
        ("tactful.metrics", "balanced_accuracy"),
        ("tactful.probes", "hobbies"),
        ("tactful.protocols", "tone"),
        ("tactful.reports", "markdown"),
        ("tactful.commands", "count-phrases"),
    }
    names = "mild-words, letters, balanced_accuracy, hobbies, tone, markdown, count-phrases"
    assert f"  plug-ins         {names}\n" in tactful(example, "doctor")
    shown = tactful(example, "doctor", "--verbose")
    assert "  mild-words       tactful.detectors, from tactful-example 0.1.0\n" in shown


COMMANDS = {
    "tactful.detectors": ("check", "--no-config", "--text", TEXT, "--model"),
    "tactful.corpora": ("corpus", "info"),
    "tactful.probes": ("audit", "probe", "show"),
    "tactful.protocols": ("annotate", "simulate"),
    "tactful.reports": ("check", "--no-config", "--text", TEXT, "--model", "fast", "--format"),
    "tactful.commands": (),
}


@pytest.fixture(scope="module")
def trouble(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of two packages that do all that is wrong."""
    site = tmp_path_factory.mktemp("trouble")
    entries = {
        group: {"broken": "trouble_a:nothing", "shared": "trouble_a:nothing"} for group in COMMANDS
    }
    entries["tactful.corpora"]["dpm"] = "trouble_a:nothing"
    entries["tactful.commands"] |= dict.fromkeys(
        ("check", "annotate.init", "annotate.broken"), "trouble_a:nothing"
    )
    write_package(site, "trouble-a", entries)
    shared = {group: {"shared": "trouble_b:nothing"} for group in COMMANDS}
    write_package(site, "trouble-b", shared, version="2.0")
    return site


@pytest.fixture
def refused(
    trouble: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., str]]:
    """Return what runs a command in this process with both packages, and returns its sentence."""

    def run_refused(*args: str) -> str:
        code, said = fails("", capsys, *args)
        assert code == 2, said
        return said.splitlines()[-1]

    monkeypatch.syspath_prepend(trouble)
    installed_plugins.cache_clear()
    yield run_refused
    installed_plugins.cache_clear()


@pytest.mark.parametrize("group", COMMANDS)
def test_names_of_broken_plug_ins_are_refused(refused: Callable[..., str], group: str) -> None:
    command = COMMANDS[group]
    assert refused(*command, "broken") == (
        f"Error: The package 'trouble-a' 1.0, entry point 'broken = trouble_a:nothing' of '{group}'"
        " cannot be loaded: AttributeError: module 'trouble_a' has no attribute 'nothing'; update "
        "or uninstall the package."
    )
    twice = refused(*command, "shared")
    assert twice.startswith("Error: The packages 'trouble-a' 1.0 and 'trouble-b' 2.0 both add a ")
    assert "Did you mean 'broken'?" in refused(*command, "brokn")


def test_other_names_work_beside_broken_plug_ins(trouble: Path) -> None:
    done = run(trouble, "-m", "tactful", "corpus", "list")
    assert done.returncode == 0
    assert "dpm" in done.stdout
    assert "'dpm = trouble_a:nothing' of 'tactful.corpora' cannot replace the built" in done.stderr
    assert "'broken = trouble_a:nothing' of 'tactful.corpora' cannot be loaded" in done.stderr
    assert "Letters" not in tactful(trouble, "corpus", "stats", "dpm", "--sample")


def test_a_command_cannot_take_the_place_of_another(trouble: Path) -> None:
    assert "Find patronizing" in tactful(trouble, "--help")
    assert "--no-config" in tactful(trouble, "check", "--help")
    assert "--protocol" in tactful(trouble, "annotate", "init", "--help")


def test_a_command_is_found_below_another(trouble: Path) -> None:
    said = refusal(trouble, "annotate", "broken")
    assert "entry point 'annotate.broken = trouble_a:nothing' of 'tactful.commands'" in said
    assert "Did you mean 'broken'?" in refusal(trouble, "annotate", "brokn")
    assert "There is no audit command named 'broken'" in refusal(trouble, "audit", "broken")


def test_doctor_reports_names_that_are_taken(trouble: Path) -> None:
    done = run(trouble, "-m", "tactful", "doctor")
    assert done.returncode == 1
    assert "cannot replace the built-in corpus 'dpm'" in done.stderr
    assert "cannot replace the built-in command 'check'" in done.stderr
    assert "cannot replace the built-in command 'annotate.init'" in done.stderr
    assert "'trouble-a' 1.0 and 'trouble-b' 2.0 both add a probe named 'shared'" in done.stderr


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def open_it(folder): ...\n", "opens folders of weights only; name the folder"),
        ("def open_it(): return 3\n", "cannot be loaded: TypeError: it returned 3; expected a det"),
        ("def open_it(): return 1 / 0\n", "cannot be loaded: ZeroDivisionError: division by zero"),
        ("open_it = 3\n", "cannot be loaded: TypeError: found 3; expected a function that opens"),
    ],
)
def test_a_detector_that_cannot_be_opened_is_one_sentence(
    tmp_path: Path, source: str, said: str
) -> None:
    write_package(tmp_path, "plug-d", {"tactful.detectors": {"d": "plug_d:open_it"}}, source)
    assert said in refusal(tmp_path, "check", "--no-config", "--text", TEXT, "--model", "d")


def test_a_measure_cannot_take_the_place_of_another(tmp_path: Path) -> None:
    source = (
        "from tactful.metrics.result import measure\n"
        "@measure('binary', low=0, high=1, perfect=1)\n"
        "def f1_score(gold, predicted): ...\n"
    )
    write_package(tmp_path, "plug-m", {"tactful.metrics": {"mine": "plug_m:f1_score"}}, source)
    code = "import tactful.metrics as m; m.SPECS.get('mine')"
    assert "plug_m registers a measure 'f1_score'" in run(tmp_path, "-c", code).stderr


def test_help_and_import_read_no_entry_points(example: Path) -> None:
    for code in (
        "import tactful",
        "from tactful.cli.main import main; main(['--help'])",
        "from tactful.cli.main import main; main(['check', '--help'])",
    ):
        script = (
            "import atexit, sys\n"
            "atexit.register(lambda: print('importlib.metadata' in sys.modules, file=sys.stderr))\n"
            f"{code}\n"
        )
        done = run(example, "-c", script)
        assert done.stderr.splitlines()[-1] == "False", code
