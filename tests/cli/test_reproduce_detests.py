"""``tactful reproduce detests``, end to end, against measures written here from section 5.3.

The reference below shares no line with Tactful: it goes over the sentences one by one, and takes
the information of a set by the paper's recursion.
"""

import csv
import json
import math
import re
import runpy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests import command_line

from tactful.cli.main import cli, main
from tactful_lab.cli.reproduce.command import DETESTS
from tactful_lab.cli.reproduce.detests import NOT_HERE
from tactful_lab.evaluation.reproduce.detests import ANSWER_FILE
from tactful_lab.evaluation.reproduce.paper_tables import load_detests_tables

FIXTURE = runpy.run_path(str(Path(__file__).parents[1] / "detests_fixture.py"))
CATEGORIES: tuple[str, ...] = FIXTURE["CATEGORIES"]
SYSTEMS = ("AllOnes", "AllZeros", "RandomClassifier", "TFIDF+SVC", "FastText+SVC")
FLAGS = {"rate": "--lr", "max_tokens": "--max-length"}
GIVEN = {
    "models": ("all",), "folds": ("3",), "negatives": ("full",), "grouped": (),
    "trust_weighted": (), "grid_search": (), "cache": ("x",), "fresh": (), "shots": ("1",),
    "limit": ("1",), "curves": ("roc.png",), "key_variable": ("KEY",),
}  # fmt: skip
Sets = list[set[str]]


# ---- the measures of section 5.3, written down once more ----------------------------------------

TRUE, FALSE, ROOT = "stereotype", "no stereotype", "root"


def f_measure(gold: Sets, guess: Sets) -> float:
    """F of the positive class, from its precision and recall."""
    pairs = [(TRUE in one, TRUE in other) for one, other in zip(gold, guess, strict=True)]
    hits = sum(one and other for one, other in pairs)
    if not hits:
        return 0.0
    precision = hits / sum(other for _, other in pairs)
    recall = hits / sum(one for one, _ in pairs)
    return 2 * precision * recall / (precision + recall)


def classes(labels: set[str]) -> set[str]:
    """Two levels: stereotype or not, and below stereotype the categories."""
    return {TRUE, *labels} if labels else {FALSE}


def ancestor(one: str, other: str) -> str:
    """Return lso, the lowest class that is above both; a class is also above itself."""
    above = {TRUE: ROOT, FALSE: ROOT, ROOT: ROOT}
    paths = []
    for each in (one, other):
        path = [each]
        while path[-1] != ROOT:
            path.append(above.get(path[-1], TRUE))
        paths.append(path)
    return next(each for each in paths[0] if each in paths[1])


def set_information(members: list[str], bits: dict[str, float]) -> float:
    """I({c1 … cn}) = I(c1) + I({c2 … cn}) - I({lso(c1, c2) … lso(c1, cn)})."""
    if not members:
        return 0.0
    first, *rest = members
    shared = sorted({ancestor(first, each) for each in rest})
    return bits[first] + set_information(rest, bits) - set_information(shared, bits)


def icm(gold: Sets, guess: Sets) -> float:
    """Return the mean of 2 I(s) + 2 I(g) - 3 I(s and g together)."""
    bits = {ROOT: 0.0}
    for name in (TRUE, FALSE, *CATEGORIES):
        having = sum(name in classes(labels) for labels in gold)
        # A class that gold never has counts as if one sentence had it (PyEvALL).
        bits[name] = -math.log2(max(having, 1) / len(gold))
    total = 0.0
    for one, other in zip(gold, guess, strict=True):
        g, s = sorted(classes(one)), sorted(classes(other))
        union = sorted({*g, *s})
        total += 2 * set_information(s, bits) + 2 * set_information(g, bits)
        total -= 3 * set_information(union, bits)
    return total / len(gold)


def weighted_f(gold: Sets, guess: Sets, weight: dict[str, float]) -> float:
    """Return the mean harmonic mean of the weighted precision and recall of each sentence."""
    total = 0.0
    for one, other in zip(gold, guess, strict=True):
        g, s = classes(one) | {ROOT}, classes(other) | {ROOT}
        shared = sum(weight[name] for name in g & s)
        precision = shared / sum(weight[name] for name in s)
        recall = shared / sum(weight[name] for name in g)
        total += 2 * precision * recall / (precision + recall)
    return total / len(gold)


def hierarchical_f(gold: Sets, guess: Sets) -> float:
    return weighted_f(gold, guess, dict.fromkeys((ROOT, TRUE, FALSE, *CATEGORIES), 1.0))


def propensity_f(gold: Sets, guess: Sets) -> float:
    """Weigh each class 1 / p_c, with A = 0.55 and B = 1.5 as the campaign set them.

    Section 5.3 prints log N without a base; the organisers' ``evaluation.py`` takes base 2.
    """
    a, b, n = 0.55, 1.5, len(gold)
    c = (math.log2(n) - 1) * (b + 1) ** a
    weight = {}
    for name in (ROOT, TRUE, FALSE, *CATEGORIES):
        having = sum(name in classes(labels) | {ROOT} for labels in gold)
        weight[name] = 1 + c * math.exp(-a * math.log2(having + b))
    return weighted_f(gold, guess, weight)


REFERENCE = {
    1: {"f1": f_measure},
    2: {"icm": icm, "hierarchical_f": hierarchical_f, "propensity_f": propensity_f},
}


def read_sets(path: Path) -> dict[tuple[str, str], set[str]]:
    """Read a file as the organisers do: by comment and place."""
    with path.open(newline="", encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    return {
        (row["comment_id"], row["sentence_pos"]): {
            name for name in (TRUE, *CATEGORIES) if row.get(name) == "1"
        }
        for row in rows
    }


# ---- the command --------------------------------------------------------------------------------


run = partial(command_line.run, "reproduce detests")
fails = partial(command_line.fails, "reproduce")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = FIXTURE["write_fixture"](tmp_path_factory.mktemp("detests"))
    return made


@pytest.fixture(scope="module")
def vectors(folder: Path) -> Path:
    """Write vectors of some words, in the text format of fastText."""
    words = "forasteros llegados fuera vecinos vienen ayudas control noche fiestas gripe autobús"
    lines = [
        f"{word} " + " ".join(f"{math.sin((at + 1) * (place + 2)):.4f}" for place in range(8))
        for at, word in enumerate(words.split())
    ]
    path = folder.parent / "words.vec"
    path.write_text(f"{len(lines)} 8\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def written(folder: Path, vectors: Path) -> Path:
    """Run every baseline once and keep its files."""
    output = folder.parent / "submissions"
    run("--data", folder, "--vectors", vectors, "--output", output)
    return output


@pytest.fixture(scope="module")
def found(written: Path) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads((written / ANSWER_FILE).read_text(encoding="utf-8"))
    return answer


def test_the_name_is_that_of_the_tables() -> None:
    assert load_detests_tables().id == DETESTS


def test_every_system_has_its_official_files(written: Path, found: dict[str, Any]) -> None:
    expected = {f"{name}_task{at}_0.csv" for name in SYSTEMS for at in (1, 2)}
    expected.remove("AllZeros_task1_0.csv")
    assert {path.name for path in written.iterdir()} == {*expected, ANSWER_FILE}
    assert set(found["files"]) == expected
    assert found["not_run"] == {}


@pytest.mark.parametrize("subtask", [1, 2])
@pytest.mark.parametrize("system", SYSTEMS)
def test_measures_are_those_of_the_formulas(
    folder: Path, written: Path, found: dict[str, Any], system: str, subtask: int
) -> None:
    path = written / f"{system}_task{subtask}_0.csv"
    (row,) = [r for r in found["rows"] if (r["subtask"], r["system"]) == (subtask, system)] or [{}]
    if system == "AllZeros" and subtask == 1:
        assert row == {}
        return
    gold, guess = read_sets(folder / "test_full.csv"), read_sets(path)
    assert list(gold) == list(guess)
    assert len(gold) == FIXTURE["TEST"]
    for name, measure in REFERENCE[subtask].items():
        expected = measure(list(gold.values()), list(guess.values()))
        assert row["ours"][name] == pytest.approx(expected, abs=1e-9), name


def test_gold_is_measured_against_itself(folder: Path, found: dict[str, Any]) -> None:
    gold = list(read_sets(folder / "test_full.csv").values())
    one, two = (r["ours"] for r in found["rows"] if r["system"] == "Gold Standard")
    assert one == {"f1": 1.0}
    assert two["icm"] == pytest.approx(icm(gold, gold))
    assert (two["hierarchical_f"], two["propensity_f"]) == (1.0, 1.0)


def test_files_are_consistent(written: Path) -> None:
    """Section 4.1.1: a stereotype if and only if there is a category; both subtasks agree."""
    for system in SYSTEMS:
        second = read_sets(written / f"{system}_task2_0.csv")
        assert all((TRUE in labels) == (len(labels) > 1) for labels in second.values())
        if system != "AllZeros":
            first = read_sets(written / f"{system}_task1_0.csv")
            assert {k: TRUE in v for k, v in first.items()} == {
                k: TRUE in v for k, v in second.items()
            }


def test_the_command_evaluate_says_the_same(
    folder: Path, written: Path, found: dict[str, Any]
) -> None:
    """Gold with ids of its own, as ``tactful evaluate`` reads it."""
    with (folder / "test_full.csv").open(newline="", encoding="utf-8") as handle:
        rows = [
            {"sentence_id": f"{r['comment_id']}_{r['sentence_pos']}", **r}
            for r in csv.DictReader(handle)
        ]
    gold = folder.parent / "gold_with_ids.csv"
    FIXTURE["write"](gold, rows, ("sentence_id", TRUE, *CATEGORIES))
    words = ["evaluate", "detests-2", "--gold", str(gold), "--format", "json", "--predictions"]
    result = CliRunner().invoke(cli, [*words, str(written / "TFIDF+SVC_task2_0.csv")])
    assert result.exit_code == 0, result.output
    said = {each["name"]: each["value"] for each in json.loads(result.output)["metrics"]}
    (row,) = [r for r in found["rows"] if (r["subtask"], r["system"]) == (2, "TFIDF+SVC")]
    assert {name: said[name] for name in row["ours"]} == row["ours"]


def organisers_file(path: Path, sets: Sets) -> Path:
    """Write a submission in the organisers' format: two id columns, stereotype, ten categories."""
    rows = [
        {
            "comment_id": str(at // 3),
            "sentence_pos": str(at % 3 + 1),
            **{name: str(int(name in labels)) for name in (TRUE, *CATEGORIES)},
        }
        for at, labels in enumerate(sets)
    ]
    FIXTURE["write"](path, rows, ("comment_id", "sentence_pos", TRUE, *CATEGORIES))
    return path


def test_a_bare_stereotype_is_scored_as_the_organisers_score_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """82 sentences; some stereotypes have no category, in the submission and in gold.

    The organisers' ``evaluation.py`` refuses only a category without a stereotype. A
    stereotype alone is the set of its first-level class (section 5.3: stereotype or not; below
    stereotype the categories). ``--strict`` holds the file against section 4.1.1.
    """
    names = [TRUE, *CATEGORIES]
    gold: Sets = [{TRUE, names[1 + at % 10], names[1 + at % 7]} if at % 3 else set()
                  for at in range(82)]  # fmt: skip
    gold[4] = {TRUE}
    guess: Sets = [{TRUE, names[1 + at % 9]} if at % 4 else set() for at in range(82)]
    for at in (4, 5, 7, 9, 11):
        guess[at] = {TRUE}
    files = [
        "--gold", str(organisers_file(tmp_path / "gold.csv", gold)),
        "--predictions", str(organisers_file(tmp_path / "example-team_task2_2.csv", guess)),
    ]  # fmt: skip
    result = CliRunner().invoke(cli, ["evaluate", "detests-2", *files, "--format", "json"])
    assert result.exit_code == 0, result.output
    said = {each["name"]: each["value"] for each in json.loads(result.output)["metrics"]}
    for name, measure in REFERENCE[2].items():
        assert said[name] == pytest.approx(measure(gold, guess), abs=1e-12), name
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", "detests-2", *files, "--strict"])
    assert stopped.value.code == 1
    error = capsys.readouterr().err
    assert "gold.csv, line 6: column 'stereotype': found a stereotype without a category" in error
    assert "leave out --strict" in error


def test_gold_with_a_bare_stereotype_is_measured(folder: Path, tmp_path: Path) -> None:
    """The organisers' evaluation takes such a gold file, so ours does."""
    data = copy_of(folder, tmp_path / "data")
    with (data / "test_full.csv").open(newline="", encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    bare = next(row for row in rows if row[TRUE] == "1")
    bare.update(dict.fromkeys(CATEGORIES, "0"))
    FIXTURE["write"](data / "test_full.csv", rows, tuple(rows[0]))
    output = tmp_path / "out"
    said = run("--data", data, "--systems", "AllOnes,RandomClassifier", "--output", output)
    assert "test_full.csv: 1 stereotype without a category" in " ".join(said.split())
    gold = list(read_sets(data / "test_full.csv").values())
    found = json.loads((output / ANSWER_FILE).read_text(encoding="utf-8"))
    for system in ("AllOnes", "RandomClassifier"):
        guess = list(read_sets(output / f"{system}_task2_0.csv").values())
        (row,) = [r for r in found["rows"] if (r["subtask"], r["system"]) == (2, system)]
        for name, measure in REFERENCE[2].items():
            assert row["ours"][name] == pytest.approx(measure(gold, guess), abs=1e-9), name


def test_relations_of_the_tables_hold_here_too(found: dict[str, Any]) -> None:
    """Section 5.5: AllOnes is last in everything; AllZeros beats it; words beat guesses."""
    ours = {r["system"]: r["ours"] for r in found["rows"] if r["subtask"] == 2 and r["ours"]}
    for name in REFERENCE[2]:
        assert min(ours, key=lambda each: ours[each][name]) == "AllOnes"
        assert ours["RandomClassifier"][name] < ours["AllZeros"][name] < ours["TFIDF+SVC"][name]


def test_icm_of_all_zeros_follows_from_gold(folder: Path, found: dict[str, Any]) -> None:
    """As in table 4: gold scores p I + x, AllZeros p I - (1 - p) I - x, with p the rest's share."""
    ours = {r["system"]: r["ours"] for r in found["rows"] if r["subtask"] == 2}
    gold = list(read_sets(folder / "test_full.csv").values())
    p = sum(not labels for labels in gold) / len(gold)
    bits = -math.log2(p)
    x = ours["Gold Standard"]["icm"] - p * bits
    assert ours["AllZeros"]["icm"] == pytest.approx(p * bits - (1 - p) * bits - x)


def test_the_papers_tables_are_printed_beside_ours(folder: Path) -> None:
    said = run("--data", folder, "--systems", "AllOnes,allzeros")
    words = [" ".join(line.split()) for line in said.splitlines()]
    assert "Table 3: subtask 1, F1 of the positive class" in said
    assert "I2C_III 0.7042" in words
    assert "MALNIS -0.2380 0.8813 0.8717" in words
    (ones,) = [line for line in words if line.startswith("AllOnes 0.4243")]
    share = sum(bool(labels) for labels in read_sets(folder / "test_full.csv").values())
    f1 = 2 * share / (FIXTURE["TEST"] + share)
    assert ones == f"AllOnes 0.4243 {f1:.4f} {f1 - 0.4243:+.4f}"
    assert any(line.startswith("AllZeros -1.1280 0.8317 0.8215 -") for line in words)
    assert "Pass --output DIR to keep the submission files." in said
    assert "The test part here has 140 sentences, the paper's 1,812" in said


def test_json_is_printed(folder: Path) -> None:
    answer = json.loads(run("--data", folder, "--systems", "AllOnes", "--format", "json"))
    assert answer["table"] == "detests"
    assert answer["files"] == []
    assert answer["settings"]["systems"] == ["AllOnes"]
    (row,) = [r for r in answer["rows"] if r["system"] == "TFIDF+SVC" and r["subtask"] == 1]
    assert (row["paper"], row["ours"], row["reasons"]) == ({"f1": 0.4706}, None, ["not asked for"])


def test_a_row_that_cannot_run_says_why(folder: Path) -> None:
    said = run("--data", folder, "--systems", "FastText+SVC,AllOnes")
    assert "Not run:\n- FastText+SVC: needs word vectors: pass --vectors FILE" in said


def test_vectors_of_another_language_are_told(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.vec"
    path.write_text("2 2\nhouse 1 0\ngarden 0 1\n", encoding="utf-8")
    said = run("--data", folder, "--systems", "FastText+SVC", "--vectors", path)
    assert "Not run:\n- FastText+SVC: Found no vector for any of" in said


def copy_of(folder: Path, target: Path) -> Path:
    target.mkdir()
    for path in folder.glob("*.csv"):
        (target / path.name).write_bytes(path.read_bytes())
    return target


def test_without_gold_only_files_are_written(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = copy_of(folder, tmp_path / "data")
    (data / "test_full.csv").unlink()
    code, said = fails(capsys, "detests", "--data", data)
    assert code == 2
    assert "Found no gold file" in said
    output = tmp_path / "out"
    said = run("--data", data, "--systems", "TFIDF+SVC", "--output", output)
    assert "There is no gold file: submission files are written, nothing is measured." in said
    assert len(read_sets(output / "TFIDF+SVC_task2_0.csv")) == FIXTURE["TEST"]


def test_gold_of_subtask_1_alone_measures_table_3(folder: Path, tmp_path: Path) -> None:
    data = copy_of(folder, tmp_path / "data")
    with (data / "test_full.csv").open(newline="", encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    FIXTURE["write"](data / "test_full.csv", rows, ("comment_id", "sentence_pos", TRUE))
    said = run("--data", data, "--systems", "AllOnes")
    assert "Gold has no categories: subtask 1 is measured, subtask 2 is not." in said
    assert " ".join(said.split()).count("AllOnes 0.4243 0.4") == 1


def test_a_broken_copy_leaves_nothing(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = copy_of(folder, tmp_path / "data")
    text = (data / "test_full.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (data / "test_full.csv").write_text("".join(text[:-2]), encoding="utf-8")
    code, said = fails(capsys, "detests", "--data", data, "--output", tmp_path / "out")
    assert code == 1
    assert "test.csv: found sentences that test_full.csv does not have" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", NOT_HERE)
def test_options_of_other_tables_are_refused(
    capsys: pytest.CaptureFixture[str], folder: Path, name: str
) -> None:
    option = FLAGS.get(name, f"--{name.replace('_', '-')}")
    code, said = fails(capsys, "detests", "--data", folder, option, *GIVEN[name])
    assert code == 2
    assert f"{option} is for other tables" in said


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["detest"], 2, "Did you mean 'detests'"),
        (["dpm-task1", "--systems", "AllOnes"], 2, "--systems is for 'detests'"),
        (["detests", "--systems", ","], 2, "no name in --systems"),
        (["detests", "--systems", "AllTwos"], 2, "Did you mean 'AllOnes'"),
        (["detests", "--vectors", "nowhere.vec"], 2, "nowhere.vec: there is no such file"),
        (["detests", "--data", "nowhere"], 2, "nowhere: there is no such file or folder"),
    ],
)
def test_a_wrong_call(
    capsys: pytest.CaptureFixture[str], args: list[str], code: int, message: str
) -> None:
    found = fails(capsys, *args)
    assert found[0] == code, found
    assert message in found[1]


def test_an_existing_folder_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.csv").write_text("mine", encoding="utf-8")
    code, said = fails(capsys, "detests", "--data", "nowhere", "--output", tmp_path)
    assert code == 2
    assert "it exists already" in said
    assert (tmp_path / "mine.csv").read_text(encoding="utf-8") == "mine"


def test_the_participants_ideas_are_rows_too(folder: Path, tmp_path: Path) -> None:
    words = ("--systems", "under-bagging,context", "--output", tmp_path / "out")
    answer = json.loads(run("--data", folder, *words, "--format", "json"))
    ours = {row["system"]: row["ours"] for row in answer["rows"] if row["subtask"] == 1}
    assert ours["under-bagging"]["f1"] > 0.9
    assert ours["context"]["f1"] > 0.9
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert len([name for name in written if name.endswith(".csv")]) == 4


def test_encoders_are_rows_too(folder: Path, tmp_path: Path) -> None:
    """A tiny encoder with DaMinCi's adapters, with MALNIS' heads, and three of it together."""
    pytest.importorskip("transformers")
    pytest.importorskip("torch")
    from transformers import BertConfig, BertModel

    base = spanish_encoder(tmp_path / "base", folder, BertConfig, BertModel)
    call = ("--data", folder, "--format", "json", "--batch", 8, "--lr", "0.003", "--device", "cpu")

    def found(epochs: int, systems: str, *more: object) -> dict[str, Any]:
        said = run(*call, "--epochs", epochs, "--systems", systems, *more)
        answer: dict[str, Any] = json.loads(said)
        return answer

    answer = found(6, "encoder-adapters,encoder-ensemble", "--encoder", base)
    heads = found(25, "encoder-heads", "--encoder", base)
    assert f1_of(answer, "encoder-ensemble") > 0.8
    assert f1_of(heads, "encoder-heads") > 0.6
    # Beside frozen random weights adapters learn little; that they learn is tested with them.
    assert 0 <= f1_of(answer, "encoder-adapters") <= 1
    settings = {"epochs": 6, "batch": 8, "rate": 0.003, "device": "cpu"}
    assert answer["settings"]["training"] == settings
    absent = found(1, "encoder-adapters")
    assert absent["not_run"] == {"encoder-adapters": "needs a model: pass --encoder NAME or PATH"}


def f1_of(answer: dict[str, Any], system: str) -> float:
    """Return F1 of a system in subtask 1."""
    rows = {row["system"]: row["ours"] for row in answer["rows"] if row["subtask"] == 1}
    found: float = rows[system]["f1"]
    return found


def spanish_encoder(base: Path, folder: Path, config: Any, model: Any) -> Path:
    """Write a BERT of one layer with random weights that knows the words of the fixture."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = sorted(set(re.findall(r"\w+", (folder / "train.csv").read_text(encoding="utf-8"))))
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words]
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(names)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    how = {"num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    model(config(vocab_size=len(names), hidden_size=32, **how)).save_pretrained(base)
    tokenizer.save(str(base / "tokenizer.json"))
    (base / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}), encoding="utf-8"
    )
    return base


def test_a_group_of_systems_stands_for_its_rows() -> None:
    from tactful_lab.evaluation.reproduce.detests_systems import (
        BASELINES,
        EMBEDDED,
        ENCODERS,
        SWITCHES,
        SYSTEMS,
        chosen_systems,
    )

    names = (BASELINES, SWITCHES, ENCODERS)
    groups = [each.name for name in names for each in chosen_systems([name])]
    assert sorted(groups) == sorted(set(SYSTEMS) - {EMBEDDED})
