"""``tactful check``: what it reads, what it answers, and what it exits with."""

import json
import os
import pty
import re
import shlex
import subprocess
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.children import INTERRUPTED, LIMIT, child, interrupt

from tactful.cli.check import parse_thresholds
from tactful.cli.main import cli, main
from tactful.errors import InputError, UsageError

TEXT = "With our help even they can hope again."


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()  # no configuration above is looked for
    monkeypatch.chdir(tmp_path)


def run(*args: object, text: str | bytes | None = None) -> Result:
    words = ["check", *map(str, args)]
    return CliRunner().invoke(cli, words, input=text, catch_exceptions=False)


def fails(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["check", *map(str, args)])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, capsys.readouterr().err


def write(name: str, text: str = TEXT) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.usefixtures("phrases")
class TestWhatIsRead:
    def test_a_text(self) -> None:
        result = run("--text", TEXT)
        assert result.exit_code == 0
        assert result.stdout.startswith("text:1:1: “even they” — patronizing (very likely, 0.88). ")
        assert result.stdout.endswith("\n\n1 finding in 1 passage: 1 patronizing.\n")

    def test_standard_input_with_and_without_a_dash(self) -> None:
        for args in ([], ["-"]):
            assert "text:1:1: “even they” — patronizing" in run(*args, text=TEXT).stdout

    def test_standard_input_that_is_no_text_is_refused(self) -> None:
        with pytest.raises(InputError, match="Standard input: found the byte 0xFF at byte 10"):
            run(text=b"even they \xff\xfe")

    def test_a_file_that_is_no_text_is_reported_with_its_line(self) -> None:
        Path("a.txt").write_bytes(b"one\neven they \xff")
        result = run("a.txt")
        assert result.exit_code == 1
        assert "Not checked: a.txt: line 2: found the byte 0xFF" in result.stderr

    def test_files_and_folders_in_order(self) -> None:
        for name in ("docs/b.txt", "docs/a.md", "docs/deep/c.html", "z.txt"):
            write(name)
        result = run("docs", "z.txt", "docs/a.md", "--format", "json")
        paths = [document["path"] for document in json.loads(result.stdout)["documents"]]
        assert paths == ["docs/a.md", "docs/b.txt", "docs/deep/c.html", "z.txt"]

    def test_the_kind_follows_the_ending_or_the_option(self) -> None:
        write("a.html", "<p><!-- even they -->Hello there.</p>")
        assert run("a.html").stdout == "No findings in 1 passage.\n"
        assert "1 finding" in run("a.html", "--kind", "plain").stdout

    def test_an_unreadable_file_does_not_stop_the_others(self) -> None:
        write("docs/a.txt")
        Path("docs/broken.txt").symlink_to("nowhere.txt")
        write("docs/c.txt")
        result = run("docs", "--format", "json")
        assert result.exit_code == 1
        report = json.loads(result.stdout)
        assert [document["path"] for document in report["documents"]] == [
            "docs/a.txt",
            "docs/c.txt",
        ]
        assert report["errors"][0]["path"] == "docs/broken.txt"
        assert "No such file" in report["errors"][0]["message"]
        assert "Not checked: docs/broken.txt" in result.stderr

    def test_a_missing_file_is_a_wrong_call(self, capsys: pytest.CaptureFixture[str]) -> None:
        code, message = fails(capsys, "nowhere.txt")
        assert (code, message) == (
            2, "Error: There is no file or folder 'nowhere.txt'; check the name.\n",
        )  # fmt: skip

    def test_a_folder_without_text_says_so(self, capsys: pytest.CaptureFixture[str]) -> None:
        write("pictures/a.png")
        code, message = fails(capsys, "pictures")
        assert code == 1
        assert "pictures: found no file to check; expected files that end in .txt" in message

    @pytest.mark.parametrize("text", ["", "  \n\t "])
    def test_an_empty_text_is_answered(self, capsys: pytest.CaptureFixture[str], text: str) -> None:
        assert fails(capsys, "--text", text) == (
            2, "Error: The text is empty: there is nothing to check.\n",
        )  # fmt: skip

    def test_an_empty_file_is_no_failure(self) -> None:
        result = run(write("empty.txt", ""))
        assert (result.exit_code, result.stdout) == (0, "No findings in no passages.\n")

    @pytest.mark.parametrize("args", [["--text", "x", "a.txt"], ["-", "a.txt"]])
    def test_one_kind_of_input_at_a_time(
        self, capsys: pytest.CaptureFixture[str], args: list[str]
    ) -> None:
        write("a.txt")
        code, message = fails(capsys, *args)
        assert code == 2
        assert "not both" in message

    def test_exclude(self) -> None:
        write("docs/a.txt")
        write("docs/drafts/b.txt")
        result = run("docs", "--exclude", "drafts", "--format", "json")
        assert [d["path"] for d in json.loads(result.stdout)["documents"]] == ["docs/a.txt"]

    def test_a_named_file_that_is_excluded_is_left_out(self) -> None:
        """A hook names the files: what the project excludes stays out, and nothing fails."""
        write("tactful.toml", "exclude = ['drafts/*']")
        result = run(write("drafts/b.txt"), "--fail-on", "0")
        assert (result.exit_code, result.stdout) == (0, "No findings in no passages.\n")

    @pytest.mark.parametrize(
        "text",
        [
            "\x00even they\x1b[2J",
            "x" * 1_000_000 + " even they",
            "\u202eeven they",
            "e\u200bven they 🙂",
        ],
        ids=["controls", "a megabyte", "right to left", "zero width"],
    )
    def test_adversarial_text(self, text: str) -> None:
        for name in ("text", "json", "jsonl", "sarif", "html"):
            result = run("--format", name, text=text)
            assert result.exit_code == 0
            assert "\x1b" not in result.stdout
            assert "\u202e" not in result.stdout or name in ("json", "jsonl", "sarif")
            assert len(result.stdout) < 3_000_000


@pytest.mark.usefixtures("phrases")
class TestExitCodes:
    @pytest.mark.parametrize(("least", "code"), [(None, 0), ("0", 1), ("0.87", 1), ("0.9", 0)])
    def test_fail_on(self, least: str | None, code: int) -> None:
        options = [] if least is None else ["--fail-on", least]
        assert run("--text", TEXT, *options).exit_code == code

    def test_the_limit_itself_fails(self) -> None:
        [finding] = json.loads(run("--text", TEXT, "--format", "json").stdout)["documents"][0][
            "findings"
        ]
        limit = finding["confidence"]
        assert run("--text", TEXT, "--fail-on", limit).exit_code == 1
        assert run("--text", TEXT, "--fail-on", limit + 0.0001).exit_code == 0

    def test_nothing_found_never_fails(self) -> None:
        assert run("--text", "Hello.", "--fail-on", "0").exit_code == 0

    def test_the_option_wins_over_the_file(self) -> None:
        write("tactful.toml", "fail_on = 0.5")
        assert run("--text", TEXT).exit_code == 1
        assert run("--text", TEXT, "--fail-on", "0.9").exit_code == 0
        assert run("--text", TEXT, "--no-config").exit_code == 0

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (["--only", "pcl.compasion"], "Did you mean 'pcl.compassion'?"),
            (["--threshold", "pcl"], "expected ID=P, such as pcl=0.6"),
            (["--threshold", "pcl=2"], "The threshold of 'pcl' is 2; expected 0 to 1."),
            (["--threshold", "plc=0.5"], "Did you mean 'pcl'?"),
            (["--config", "none.toml"], "There is no file 'none.toml' for --config."),
            (["--config", "x", "--no-config"], "not both"),
            (["--fail-on", "2"], "is not in the range"),
            (["--format", "xml"], "'xml' is not one of"),
        ],
    )
    def test_wrong_calls(
        self, capsys: pytest.CaptureFixture[str], args: list[str], message: str
    ) -> None:
        code, said = fails(capsys, "--text", TEXT, *args)
        assert code == 2
        assert message in said
        assert "Traceback" not in said


@pytest.mark.usefixtures("phrases")
class TestWishes:
    def test_only_and_thresholds(self) -> None:
        text = "Even they, poor souls: log off."
        everything = json.loads(run("--text", text, "--format", "json").stdout)
        assert list(everything["summary"]["by_id"]) == [
            "pcl", "pcl.compassion", "unhealthy", "unhealthy.dismissive",
        ]  # fmt: skip
        args = ["--text", text, "--format", "json", "--only", "pcl,unhealthy.dismissive"]
        some = json.loads(run(*args).stdout)
        assert list(some["summary"]["by_id"]) == ["pcl", "pcl.compassion", "unhealthy.dismissive"]
        assert some["model"]["ids"] == ["pcl", "pcl.compassion", "unhealthy.dismissive"]
        fewer = json.loads(run(*args, "--threshold", "pcl=0.9").stdout)
        assert list(fewer["summary"]["by_id"]) == ["unhealthy.dismissive"]

    def test_the_least_likelihood_comes_from_the_option_then_the_file(self) -> None:
        def found(*args: object) -> list[str]:
            text = "Even they, poor souls: log off."
            answer = json.loads(run("--text", text, "--format", "json", *args).stdout)
            return list(answer["summary"]["by_id"])

        assert found("--least", 0.9) == ["unhealthy.dismissive"]
        write("tactful.toml", "least = 0.6\n")
        assert "pcl.compassion" not in found()
        assert "pcl.compassion" in found("--least", 0.4)
        assert "frame.offensive" in found("--least", 0)
        assert "pcl.compassion" in found("--threshold", "pcl.compassion=0.1")

    def test_the_project_file(self) -> None:
        write("tactful.toml", "format = 'jsonl'\nonly = ['pcl']\n[thresholds]\npcl = 0.9\n")
        lines = [json.loads(line) for line in run("--text", TEXT).stdout.splitlines()]
        assert [line["type"] for line in lines] == ["summary"]
        assert "likely, 0.83" in run("--text", TEXT, "--format", "text", "--threshold",
                                     "pcl=0.5").stdout  # fmt: skip

    def test_explain_shows_the_long_form(self) -> None:
        short, long = (run("--text", TEXT, *more).stdout for more in ((), ("--explain",)))
        assert len(short.splitlines()) == 3
        assert "^^^^^^^^^" in long
        assert "Ask yourself" in long
        assert "Ask yourself" not in short
        write("tactful.toml", "explain = true\nexplanations = false\n")
        assert run("--text", TEXT).stdout == long

    def test_the_old_option_changes_nothing_in_a_text(self) -> None:
        text = ("--text", TEXT)
        assert run(*text, "--no-explanations").stdout == run(*text).stdout
        both = run(*text, "--explain", "--no-explanations").stdout
        assert both == run(*text, "--explain").stdout
        assert "--no-explanations" not in run("--help").stdout

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            ("\nonly = ['plc']", 2, "Did you mean 'pcl'?"),
            ("[thresholds]\n'pcl.metafor' = 0.5", 2, "no id to find named 'pcl.metafor'"),
            ("\n\nfail_onn = 1", 3, "Did you mean 'fail_on'?"),
        ],
    )
    def test_a_wrong_project_file_is_named_with_its_line(
        self, capsys: pytest.CaptureFixture[str], text: str, line: int, message: str
    ) -> None:
        write("tactful.toml", text)
        code, said = fails(capsys, "--text", TEXT)
        assert code == 2
        assert f"tactful.toml, line {line}: " in said
        assert message in said

    def test_further_endings(self) -> None:
        write("docs/a.adoc")
        write("tactful.toml", "include = ['.adoc']")
        assert "docs/a.adoc:1:1" in run("docs").stdout

    def test_without_explanations(self) -> None:
        result = run("--text", TEXT, "--no-explanations", "--format", "json")
        assert json.loads(result.stdout)["documents"][0]["findings"][0]["explanation"] == ""

    def test_all_scores(self) -> None:
        result = run("--text", "Hello.", "--all-scores", "--format", "jsonl")
        first = json.loads(result.stdout.splitlines()[0])
        assert (first["type"], first["probabilities"]["pcl"]) == ("scores", 0.01)


@pytest.mark.usefixtures("phrases")
class TestReports:
    @pytest.mark.parametrize(
        ("name", "start"),
        [("r.html", "<!doctype html>"), ("r.json", "{\n"), ("r.sarif", '{\n  "$schema"'),
         ("r.jsonl", '{"type": "finding"'), ("r.txt", "text:1:1"), ("r.log", "text:1:1")],
    )  # fmt: skip
    def test_the_ending_chooses_the_format(self, name: str, start: str) -> None:
        result = run("--text", TEXT, "--output", name)
        assert result.stdout == f"Wrote {name}: 1 finding in 1 passage: 1 patronizing.\n"
        assert Path(name).read_text(encoding="utf-8").startswith(start)

    def test_a_report_is_not_written_over(self, capsys: pytest.CaptureFixture[str]) -> None:
        write("r.html", "mine")
        code, said = fails(capsys, "--text", TEXT, "--output", "r.html")
        assert code == 2
        assert "pass --force" in said
        assert Path("r.html").read_text() == "mine"
        assert run("--text", TEXT, "--output", "r.html", "--force").exit_code == 0

    def test_the_failing_report_is_written_too(self) -> None:
        assert run("--text", TEXT, "--output", "r.sarif", "--fail-on", "0").exit_code == 1
        assert json.loads(Path("r.sarif").read_text())["runs"][0]["results"]


@pytest.mark.usefixtures("phrases")
class TestLanguage:
    SPANISH = "Los vecinos del barrio dicen que la plaza es para todos y que hay sitio."

    STEREOTYPE = "Los inmigrantes traen delincuencia a nuestros barrios."

    def test_spanish_is_not_scored_in_silence_by_a_detector_of_english(
        self, tmp_path: Path
    ) -> None:
        folder = tmp_path / "mine"
        folder.mkdir()
        result = run("--text", self.SPANISH, "--model", folder)
        assert result.exit_code == 1
        assert "found Spanish text; expected English" in result.stderr
        assert "1 document could not be checked" in result.stdout

    def test_unless_the_user_says_so(self) -> None:
        assert run("--text", self.SPANISH, "--lang", "en").exit_code == 0


class TestSpanish:
    """With the embedded detectors, each for its language."""

    STEREOTYPE = TestLanguage.STEREOTYPE

    def test_it_is_read_by_its_own_detector(self) -> None:
        document = json.loads(run("--text", self.STEREOTYPE, "--format", "json").stdout)
        assert document["model"]["name"] == "default-es"
        assert "models" not in document
        assert not [name for name in document["model"]["ids"] if name.startswith("pcl")]
        found = document["documents"][0]
        assert found["model"].startswith("default-es ")
        (finding,) = found["findings"]
        assert finding["id"] == "stereotype"
        kinds = {kind["id"] for kind in finding["kinds"]}
        assert {"stereotype", "stereotype.security"} <= kinds

    def test_reports_are_in_the_language_of_the_text(self) -> None:
        said = run("--text", self.STEREOTYPE).stdout
        assert " — estereotipo: seguridad" in said
        assert run("--text", TestLanguage.SPANISH).stdout == "Ningún hallazgo en 1 pasaje.\n"
        english = run("--text", self.STEREOTYPE, "--report-lang", "en").stdout
        assert " — stereotype: security" in english

    def test_each_document_has_its_language(self) -> None:
        files = [write("carta.txt", self.STEREOTYPE), write("letter.txt", "The train is late.")]
        document = json.loads(run(*files, "--format", "json").stdout)
        models = [each["model"].split()[0] for each in document["documents"]]
        assert models == ["default-es", "default-en"]
        assert {each["lang"] for each in document["models"]} == {"en", "es"}
        page = run(*files, "--format", "html").stdout
        assert "default-es 2.2" in page
        assert "default-en 2.3" in page

    def test_english_alone_says_nothing_of_the_other(self) -> None:
        assert "default-es" not in run("--text", "The train is late.", "--format", "html").stdout
        sarif = json.loads(run("--text", "The train is late.", "--format", "sarif").stdout)
        rules = sarif["runs"][0]["tool"]["driver"]["rules"]
        assert not [each["id"] for each in rules if each["id"].startswith("stereotype")]

    def test_the_language_can_be_said(self) -> None:
        assert "estereotipo: " in run("--text", self.STEREOTYPE, "--lang", "es").stdout
        assert "stereotype" not in run("--text", self.STEREOTYPE, "--lang", "en").stdout

    def test_only_what_its_detector_knows(self) -> None:
        result = run("--text", self.STEREOTYPE, "--only", "pcl")
        assert result.exit_code == 1
        assert "expected a language in which pcl can be found" in result.stderr


def test_thresholds_are_pairs() -> None:
    assert parse_thresholds(["pcl=0.5", "unhealthy.hostile = 0.25"]) == {
        "pcl": 0.5, "unhealthy.hostile": 0.25,
    }  # fmt: skip
    with pytest.raises(UsageError, match="expected ID=P"):
        parse_thresholds(["pcl:0.5"])


def on_a_terminal(command: list[str], **environ: str) -> tuple[int, str]:
    """Run a command whose input, output and errors are a terminal."""
    outer, inner = pty.openpty()
    with subprocess.Popen(
        command, stdin=inner, stdout=inner, stderr=inner,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "70", **environ},
    ) as process:  # fmt: skip
        os.close(inner)
        said = b""
        while True:
            try:
                piece = os.read(outer, 4096)
            except OSError:  # the other side was closed
                break
            if not piece:
                break
            said += piece
    os.close(outer)
    return process.returncode, said.decode().replace("\r\n", "\n")


def test_without_arguments_a_terminal_gets_the_usage(phrases_command: list[str]) -> None:
    code, said = on_a_terminal([*phrases_command, "check"])
    assert code == 2
    assert "Usage: tactful check [OPTIONS] [FILE|FOLDER|-]..." in said
    assert "For example: tactful check letter.md" in said


def test_a_terminal_gets_colours_unless_unwanted(phrases_command: list[str]) -> None:
    command = [*phrases_command, "check", "--text", f"\x1b[41m{TEXT}"]
    code, said = on_a_terminal(command)
    assert code == 0
    assert "\x1b[36m“even they”\x1b[0m" in said
    assert "\x1b[41m" not in said
    _, plain = on_a_terminal(command, NO_COLOR="1")
    assert "even they" in plain
    assert "\x1b[3" not in plain


def test_the_bar_and_the_report_do_not_mix(phrases_command: list[str]) -> None:
    for number in range(5):
        write(f"docs/{number}.txt")
    code, said = on_a_terminal([*phrases_command, "check", "docs"])
    assert code == 0
    assert "Checking" in said
    for number in range(5):
        assert f"\x1b[1mdocs/{number}.txt:1:1\x1b[0m: " in said
    _, quiet = on_a_terminal([*phrases_command, "check", "docs"], TACTFUL_PROGRESS="off")
    assert "Checking" not in quiet


def test_an_interrupt_is_one_line_and_leaves_no_file(
    phrases_command: list[str], tmp_path: Path
) -> None:
    for number in range(3_000):
        write(f"docs/{number}.txt", (TEXT + "\n\n") * 20)
    command = [*phrases_command, "check", "docs", "--output", "r.html"]
    with child(command, stderr=subprocess.PIPE, text=True) as process:
        while not list(tmp_path.glob(".r.html*")):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.001)
        interrupt(process)
        _, said = process.communicate(timeout=LIMIT)
    assert process.returncode in INTERRUPTED
    assert said.strip() == "Error: Interrupted."
    assert not list(tmp_path.glob("*r.html*"))


def test_a_reader_that_leaves_is_no_error(phrases_command: list[str]) -> None:
    write("a.txt", (TEXT + "\n\n") * 5_000)
    with subprocess.Popen(
        [*phrases_command, "check", "a.txt", "--format", "jsonl"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        assert b"finding" in process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
    assert b"Traceback" not in said


def test_json_is_utf_8_whatever_the_terminal_has(phrases_command: list[str]) -> None:
    done = subprocess.run(
        [*phrases_command, "check", "--text", "Café: even they.", "--format", "json"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=True,
    )  # fmt: skip
    assert (
        "Café" in json.loads(done.stdout.decode("utf-8"))["documents"][0]["findings"][0]["excerpt"]
    )


def test_the_embedded_default_finds_pcl(embedded_weights: Path) -> None:
    text = "With a little help from people like us, even these poor families can hope again."
    report = json.loads(run("--text", text, "--format", "json").stdout)
    assert "pcl" in report["summary"]["by_id"], embedded_weights


README = Path(__file__).parents[2] / "README.md"


def test_the_readme_shows_what_the_command_prints(embedded_weights: Path) -> None:
    page = README.read_text(encoding="utf-8")
    found = re.search(r"^\$ tactful check (--text .*)\n((?:.*\n)+?)```", page, re.MULTILINE)
    assert found
    command, shown = found.groups()
    printed = run(*shlex.split(command), "--no-config").stdout
    assert printed == shown, embedded_weights
    assert len(printed.split()) <= 60


# Section 1 of Social Bias Frames: what most listeners infer from this sentence.
STANDARDS = "We shouldn't lower our standards to hire more women."


@pytest.mark.parametrize(
    ("frames", "statement"), [("statements", True), ("groups", False), ("off", None)]
)
def test_a_passage_that_targets_a_group_is_told_with_what_it_may_imply(
    frames: str, statement: bool | None
) -> None:
    limits = ("--threshold", "frame.offensive=0.4", "--threshold", "frame.group=0.4")
    args = ("--text", STANDARDS, "--only", "frame", "--frames", frames, *limits)
    found = json.loads(run(*args, "--format", "json").stdout)["documents"][0]["findings"]
    (group,) = found
    assert "frame.group" in [kind["id"] for kind in group["kinds"]]
    if statement is None:
        assert "implications" not in group
    else:
        first = group["implications"][0]
        assert first["group"] == "women"
        assert bool(first["statement"]) == statement
    for kind in ("text", "html", "sarif"):
        said = run(*args, "--format", kind, "--explain").stdout
        assert ("May imply, about women" in said) == (statement is True)
        assert ("May be about women" in said) == (statement is False)


def test_a_mere_mention_is_no_offence() -> None:
    text = "Several Jews live in our street, and we share a garden."
    for more in ((), ("--frames", "off")):
        found = json.loads(run("--text", text, "--format", "json", *more).stdout)
        assert found["summary"]["by_id"] == {}
