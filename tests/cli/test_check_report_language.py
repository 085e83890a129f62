"""``tactful check --report-lang``: who reads the report need not read the language of the text."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tactful.cli.main import cli

TEXT = "With our help even they can hope again."


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()  # no configuration above is looked for
    monkeypatch.chdir(tmp_path)


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["check", *args], catch_exceptions=False)


@pytest.mark.usefixtures("phrases")
def test_the_report_is_in_the_wanted_language() -> None:
    text = run("--text", TEXT, "--report-lang", "es").stdout.replace("\N{NO-BREAK SPACE}", " ")
    assert text.startswith("texto:1:1: «even they» — paternalista (muy probable, 88 %). Decir")
    assert text.endswith("\n\n1 hallazgo en 1 pasaje: 1 paternalista.\n")


@pytest.mark.usefixtures("phrases")
def test_without_a_wish_it_is_in_the_language_of_the_text() -> None:
    assert run("--text", TEXT).stdout == run("--text", TEXT, "--report-lang", "en").stdout
    assert run("--text", TEXT).stdout == run("--text", TEXT, "--report-lang", "auto").stdout


@pytest.mark.usefixtures("phrases")
def test_a_page_in_spanish_is_written_to_a_file() -> None:
    result = run("--text", TEXT, "--report-lang", "es", "--output", "informe.html")
    # What the command itself says stays in English; the report is for its reader.
    assert result.stdout == "Wrote informe.html: 1 finding in 1 passage: 1 patronizing.\n"
    page = Path("informe.html").read_text(encoding="utf-8")
    assert '<html lang="es">' in page
    assert "1 hallazgo en 1 pasaje: 1 paternalista." in page


def test_another_language_is_refused() -> None:
    result = run("--text", TEXT, "--report-lang", "fr")
    assert result.exit_code == 2
    assert "'fr' is not one of 'auto', 'en', 'es'" in result.output
