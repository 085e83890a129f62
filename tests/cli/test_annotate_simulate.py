"""``tactful annotate simulate``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tactful.errors import TactfulError, UsageError
from tactful_lab.cli.simulate import REPORT, simulate_cli

FEW = ["unhealthy", "--items", "60", "--annotators", "10", "--tests", "20"]


def run(*words: str) -> Result:
    result = CliRunner().invoke(simulate_cli, [*words])
    if isinstance(result.exception, TactfulError):
        raise result.exception
    return result


def test_it_says_what_a_protocol_costs_and_yields() -> None:
    result = run(*FEW, "--price", "0.05", "--spammers", "0.2")
    assert result.exit_code == 0, result.output
    assert "60 items, 10 annotators, seed 0" in result.output
    assert "Paid for " in result.output
    assert "at a cost of" in result.output
    assert "unhealthy.sarcastic" in result.output
    assert "take the first option" in result.output or "answer at random" in result.output


def test_json_has_all_and_nothing_else() -> None:
    data = json.loads(run(*FEW, "--json").output)
    assert data["items"] == 60
    assert data["cost"] is None
    assert set(data["means"]) == {"protocol", "equal_cost", "three_votes"}
    assert data["questions"][0]["question"] == "unhealthy"


def test_the_same_seed_prints_the_same() -> None:
    assert run(*FEW, "--seed", "5").output == run(*FEW, "--seed", "5").output
    assert run(*FEW, "--seed", "5").output != run(*FEW, "--seed", "6").output


def test_a_folder_gets_the_report_and_the_plots(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    result = run(*FEW, "--output", str(folder), "--plots")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in folder.iterdir()) == [
        "accuracy-cost.svg",
        "removals.svg",
        REPORT,
        "trust.svg",
    ]
    assert json.loads((folder / REPORT).read_text(encoding="utf-8"))["items"] == 60
    with pytest.raises(UsageError, match="exists already"):
        run(*FEW, "--output", str(folder))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["unhealthy", "--plots"], "--plots needs a folder; add --output FOLDER."),
        (["unhealthy", "--spammers", "2"], "Found 2 for 'spammers'; expected a share"),
        (["unhealthy", "--skill", "-1"], "Found -1 for 'skill'; expected a share"),
        (["unhealthy", "--items", "0"], "Found 0 items; expected at least one."),
        (["unhealthy", "--price", "nan"], "Found the price nan; expected 0 or more."),
        (["unhealthy", "--ground", "a.txt"], "expected .csv or .jsonl"),
        (["unhealty"], "unhealthy"),
    ],
)
def test_bad_options_are_refused_with_one_sentence(words: list[str], sentence: str) -> None:
    with pytest.raises(TactfulError) as caught:
        run(*words)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
