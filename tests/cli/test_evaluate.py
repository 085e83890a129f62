"""``tactful evaluate``: every task, the official formats, and every kind of wrong file."""

import json
from collections.abc import Callable
from math import exp
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner
from sklearn import metrics as sk

from tactful.cli.main import cli, main
from tactful_lab.evaluation.task_list import TASKS

Write = Callable[[str, str], str]

GOLD = "id,label\na,1\nb,0\nc,1\nd,0\n"
GUESS = "id,label\nd,0\nc,0\nb,1\na,1\n"
CATEGORIES = "xenophobia,suffering,economic,migration,culture,benefits,health,security"
DETESTS = f"sentence_id,stereotype,{CATEGORIES},dehumanisation,others\n"


def run(*args: str) -> str:
    result = CliRunner().invoke(cli, ["evaluate", *args], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def run_json(task: str, gold: str, predictions: str, *args: str) -> dict[str, Any]:
    files = ("--gold", gold, "--predictions", predictions)
    answer = json.loads(run(task, *files, "--format", "json", *args))
    assert isinstance(answer, dict)
    return answer


def values(answer: dict[str, Any]) -> dict[str, float | None]:
    return {metric["name"]: metric["value"] for metric in answer["metrics"]}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return make


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def call(task: str, gold: str, predictions: str, *args: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as stopped:
            main(["evaluate", task, "--gold", gold, "--predictions", predictions, *args])
        assert isinstance(stopped.value.code, int)
        output = capsys.readouterr()
        assert output.out == ""
        return stopped.value.code, output.err

    return call


Fails = Callable[..., tuple[int, str]]


def test_the_list_and_the_help_name_every_task() -> None:
    listed, helped = run("--list"), run("--help")
    for task in TASKS:
        assert any(line.split()[0] == task for line in listed.splitlines())
        assert task in helped


def test_binary_answers_are_matched_by_id(write: Write) -> None:
    answer = run_json("binary", write("g.csv", GOLD), write("p.csv", GUESS))
    assert values(answer) == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert (answer["schema_version"], answer["items"], answer["task"]) == (1, 4, "binary")


def test_text_output_is_a_table_with_reasons(write: Write) -> None:
    gold = write("g.csv", "id,label\na,0\nb,0\n")
    output = run("binary", "--gold", gold, "--predictions", gold, "--bootstrap", "20")
    assert "binary, 2 items" in output
    assert "f1         undefined  undefined  undefined" in output
    assert "f1: neither gold nor prediction has a positive item." in output
    counted = run_json("binary", gold, gold, "--undefined", "0", "--bootstrap", "20")
    assert values(counted)["f1"] == 0
    assert counted["metrics"][2]["interval"]["low"] == 0


def test_the_same_answers_from_every_kind_of_file(write: Write, tmp_path: Path) -> None:
    gold = write("g.csv", GOLD)
    lines = '{"id": "a", "label": 1}\n\n{"id": "b", "label": 1}\n{"id": "c", "label": 0}\n'
    jsonl = write("p.jsonl", lines + '{"id": "d", "label": 0}\n')
    tsv = write("p.tsv", GUESS.replace(",", "\t"))
    parquet = str(tmp_path / "p.parquet")
    pl.DataFrame({"id": list("abcd"), "label": [True, True, False, False]}).write_parquet(parquet)
    for path in (jsonl, tsv, parquet):
        assert values(run_json("binary", gold, path))["f1"] == 0.5


def test_numbers_as_ids_are_the_same_in_every_file(write: Write, tmp_path: Path) -> None:
    gold = write("g.csv", "id,label\n1,1\n2,0\n")
    parquet = str(tmp_path / "p.parquet")
    pl.DataFrame({"id": [2.0, 1.0], "label": [0, 1]}).write_parquet(parquet)
    assert values(run_json("binary", gold, parquet))["f1"] == 1


def test_columns_may_have_other_names(write: Write) -> None:
    gold = write("g.csv", GOLD.replace("id,label", "par,pcl"))
    answer = run_json("binary", gold, gold, "--id-column", "par", "--label-column", "pcl")
    assert values(answer)["f1"] == 1


def test_one_metric_can_be_chosen(write: Write, fails: Fails) -> None:
    gold = write("g.csv", GOLD)
    assert list(values(run_json("binary", gold, gold, "--metric", "f1"))) == ["f1"]
    code, error = fails("binary", gold, gold, "--metric", "f2")
    assert code == 2
    assert "Did you mean 'f1'?" in error


def test_intervals_and_a_comparison(write: Write) -> None:
    rows = [f"i{at},{int(at % 3 == 0)}" for at in range(60)]
    gold = write("g.csv", "id,label\n" + "\n".join(rows))
    mine = write("m.csv", "id,label\n" + "\n".join([*rows[:57], "i57,0", "i58,0", "i59,1"]))
    other = write("o.csv", "id,label\n" + "\n".join(f"i{at},{at % 2}" for at in range(60)))
    answer = run_json(
        "binary", gold, mine, "--compare", other, "--bootstrap", "300", "--repetitions", "500"
    )
    f1 = answer["metrics"][2]
    assert f1["interval"]["low"] <= f1["value"] <= f1["interval"]["high"]
    assert f1["interval"]["repetitions"] == 300
    assert f1["comparison"]["difference"] == pytest.approx(f1["value"] - f1["comparison"]["value"])
    assert f1["comparison"]["p_value"] < 0.01
    text = run("binary", "--gold", gold, "--predictions", mine, "--compare", other)
    assert text.splitlines()[2].split() == ["metric", "value", "other", "difference", "p"]
    repeated = run_json(
        "binary", gold, mine, "--compare", other, "--bootstrap", "300", "--repetitions", "500"
    )
    assert repeated == answer


def test_multilabel(write: Write) -> None:
    gold = write("g.csv", "id,x,y\na,1,0\nb,1,1\nc,0,0\n")
    guess = write("p.csv", "id,y,x\na,0,1\nb,0,1\nc,1,0\n")
    answer = run_json("multilabel", gold, guess, "--bootstrap", "50", "--compare", gold)
    assert values(answer)["f1.x"] == 1
    assert values(answer)["f1.y"] == 0
    assert values(answer)["macro_f1"] == 0.5
    assert values(answer)["micro_f1"] == pytest.approx(2 * 2 / (3 + 3))
    assert values(answer)["icm"] is not None
    for metric in answer["metrics"]:
        if "f1" in metric["name"]:
            assert metric["comparison"]["value"] == 1


def test_a_hierarchy_changes_hierarchical_measures(write: Write, fails: Fails) -> None:
    gold = write("g.csv", "id,x,y,top\na,1,0,0\nb,0,1,0\nc,0,0,0\n")
    guess = write("p.csv", "id,x,y,top\na,0,1,0\nb,0,1,0\nc,0,0,0\n")
    below = write("h.json", '{"top": ["x", "y"]}')
    above = write("u.json", '{"x": "top", "y": "top", "top": null}')
    flat = values(run_json("multilabel", gold, guess))["hierarchical_f"]
    one = values(run_json("multilabel", gold, guess, "--hierarchy", below))["hierarchical_f"]
    two = values(run_json("multilabel", gold, guess, "--hierarchy", above))["hierarchical_f"]
    assert one == two
    assert flat is not None
    assert one is not None
    assert one > flat
    for text, code, message in (
        ("[]", 1, "no JSON object"),
        ("{", 1, "no readable JSON"),
        ('{"a": 3}', 1, "found int under 'a'"),
        ('{"a": ["x"], "b": ["x"]}', 2, "below two labels"),
    ):
        wrong = write("w.json", text)
        assert fails("multilabel", gold, guess, "--hierarchy", wrong)[0] == code
        assert message in fails("multilabel", gold, guess, "--hierarchy", wrong)[1]


def test_scores_are_those_of_scikit_learn(write: Write, tmp_path: Path) -> None:
    labels, numbers = [1, 0, 1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6, 0.7, 0.1]
    rows = [f"i{at},{label},{at % 2}" for at, label in enumerate(labels)]
    gold = write("g.csv", "id,label,women\n" + "\n".join(rows))
    guess = write("p.csv", "id,score\n" + "\n".join(f"i{i},{n}" for i, n in enumerate(numbers)))
    found = values(run_json("scores", gold, guess, "--bootstrap", "20"))
    assert found["roc_auc"] == pytest.approx(sk.roc_auc_score(labels, numbers))
    assert found["average_precision"] == pytest.approx(sk.average_precision_score(labels, numbers))
    assert found["brier"] == pytest.approx(sk.brier_score_loss(labels, numbers))
    subgroup = run_json(
        "scores", gold, guess, "--subgroup", "women", "--bootstrap", "5", "--compare", guess
    )
    assert values(subgroup) | {"unintended_bias": None} == {**found, "unintended_bias": None}
    for ending in ("png", "svg"):
        plot = tmp_path / f"curves.{ending}"
        output = run("scores", "--gold", gold, "--predictions", guess, "--plot", str(plot))
        assert f"Wrote the curves to {plot}" in output
        assert plot.stat().st_size > 1000


def test_a_plot_of_one_class_says_so(write: Write, tmp_path: Path) -> None:
    gold = write("g.csv", "id,label,score\na,1,0.5\nb,1,0.75\n")
    plot = tmp_path / "curves.svg"
    args = ("--gold", gold, "--predictions", gold, "--compare", gold, "--plot", str(plot))
    output = run("scores", *args)
    assert "roc_auc" in output
    assert "gold has one class" in plot.read_text(encoding="utf-8")


def test_plots_that_cannot_be_made(write: Write, fails: Fails, tmp_path: Path) -> None:
    gold = write("g.csv", "id,label,score\na,1,0.5\nb,0,0.75\n")
    code, error = fails("scores", gold, gold, "--plot", "curves.gif")
    assert (code, "expected .png or .svg" in error) == (2, True)
    existing = write("old.png", "mine")
    code, error = fails("scores", gold, gold, "--plot", existing)
    assert (code, "--force" in error) == (2, True)
    assert Path(existing).read_text() == "mine"


def test_a_missing_extra_is_named(
    write: Write, fails: Fails, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    gold = write("g.csv", "id,label,score\na,1,0.5\nb,0,0.75\n")
    code, error = fails("scores", gold, gold, "--plot", "curves.png")
    assert (code, 'pip install "tactful[plot]"' in error) == (2, True)


def test_spans_from_rows_and_from_lists(write: Write) -> None:
    gold = write("g.csv", "id,start,end,category\na,0,10,x\na,5,12,y\nb,,,\n")
    lists = '{"id": "b", "spans": []}\n{"id": "a", "spans": [{"start": 0, "end": 10, "id": "x"}]}\n'
    guess = write("p.jsonl", lists)
    answer = run_json("spans", gold, guess, "--bootstrap", "20")
    found = values(answer)
    assert found["span_f1"] == pytest.approx(2 * 10 / (2 * 10 + 2))
    assert found["span_exact_f1"] == pytest.approx(2 / 3)
    assert found["mean_span_f1"] == pytest.approx((20 / 22 + 1) / 2)
    assert found["category_span_f1"] == pytest.approx(2 * 10 / (2 * 10 + 7))
    assert (found["span_f1.x"], found["span_f1.y"]) == (1, 0)
    plain = write("q.jsonl", '{"id": "a", "spans": [[0, 12]]}\n{"id": "b", "spans": []}\n')
    assert values(run_json("spans", gold, plain))["span_f1"] == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.csv", "id,start,end\na,5,5\n", "p.csv, line 2: found '5' to '5'"),
        ("p.csv", "id,start,end\na,5,\n", "found '5' to nothing"),
        ("p.csv", "id,start,end\na,-1,4\n", "found '-1' to '4'"),
        ("p.csv", "id,start,end\na,1,4\na,,\n", "line 3: found no offsets for an id that has"),
        ("p.csv", "id,start,end\n,1,4\n", "line 2: column 'id': found no id"),
        ("p.csv", "id,start\na,1\n", "no column named 'end'"),
        ("p.csv", "id,spans\na,0-3\n", "found '0-3'; expected a list of spans"),
        ("p.jsonl", '{"id": "a", "spans": [{"start": 4, "end": 2}]}\n', "line 1: column 'spans'"),
        ("p.jsonl", '{"id": "a", "spans": null}\n', "expected a list of spans"),
        ("p.jsonl", '{"id": "a", "spans": [[1, 2, 3, 4]]}\n', "without such offsets"),
    ],
)
def test_wrong_spans(write: Write, fails: Fails, name: str, text: str, message: str) -> None:
    gold = write("g.csv", "id,start,end\na,0,4\n")
    code, error = fails("spans", gold, write(name, text))
    assert code == 1
    assert message in error


def test_soft_labels(write: Write, fails: Fails) -> None:
    gold = write("g.csv", "id,yes,no\na,0.5,0.5\nb,1,0\n")
    guess = write("p.csv", "id,no,yes\nb,0.5,0.5\na,0.5,0.5\n")
    found = values(run_json("soft", gold, guess, "--bootstrap", "10", "--compare", gold))
    assert found["cross_entropy"] == pytest.approx(1)
    assert found["manhattan_distance"] == pytest.approx(0.5)
    wrong = write("w.csv", "id,yes,no\na,0.5,0.6\nb,1,0\n")
    code, error = fails("soft", gold, wrong)
    assert code == 1
    assert "w.csv, line 2: found probabilities that sum to 1.1; expected a sum of 1" in error
    assert "two or more labels" in fails("soft", write("o.csv", "id,yes\na,1\n"), gold)[1]


def test_texts(write: Write) -> None:
    gold = write(
        "g.jsonl",
        '{"id": "a", "references": ["police killed the gunman", "the police"]}\n'
        '{"id": "b", "references": []}\n{"id": "c", "references": ["women"]}\n',
    )
    guess = write("p.csv", "id,text\na,police kill the gunman\nb,men\nc,\n")
    vectors = write("v.txt", "police 0 0\nkill 1 0\nkilled 1 1\nthe 0 1\ngunman 4 4\n")
    answer = run_json(
        "texts", gold, guess, "--bootstrap", "50", "--compare", guess, "--vectors", vectors
    )
    found = values(answer)
    # Lin 2004: 3/4 for the first; the third is empty; the second has no reference.
    assert found["rouge_l"] == pytest.approx(0.75 / 2)
    assert found["exact_match"] == 0
    # Unigrams 3 of 4, bigrams 1 of 3, and the lengths 4 and 5.
    assert found["bleu_2"] == pytest.approx((3 / 4 * 1 / 3) ** 0.5 * exp(1 - 5 / 4))
    # A quarter of the mass travels 1, from kill to killed; the third item has no distance.
    assert found["word_movers"] == pytest.approx(1 / 4)
    assert "left out" in answer["metrics"][0]["reason"]
    for metric in answer["metrics"]:
        low, high = metric["interval"]["low"], metric["interval"]["high"]
        assert low <= metric["value"] + 1e-9
        assert metric["value"] <= high + 1e-9
        assert metric["comparison"]["p_value"] == 1
    rows = write("g.csv", "id,text\na,police killed the gunman\nb,\na,the police\nc,women\n")
    same = run_json("texts", rows, guess, "--vectors", vectors)
    assert values(same) == pytest.approx(found)
    assert "word_movers" not in values(run_json("texts", rows, guess))


def test_wrong_texts(write: Write, fails: Fails) -> None:
    gold = write("g.jsonl", '{"id": "a", "references": "one"}\n')
    guess = write("p.csv", "id,text\na,one\n")
    code, error = fails("texts", gold, guess)
    assert (code, "line 1: column 'references': found 'one'; expected a list" in error) == (1, True)
    code, error = fails("texts", write("g.csv", "id,other\na,x\n"), guess)
    assert (code, "no column named 'text'" in error) == (1, True)
    code, error = fails("texts", write("h.csv", "id,text\n,x\n"), guess)
    assert (code, "found no id" in error) == (1, True)


BAD_BINARY = [
    ("id,label\na,1\nb,0\nc,1\n", "no answer for the id 'd' (g.csv, line 5)"),
    (GUESS + "e,1\n", "p.csv, line 6: found the unknown id 'e'; expected an id of g.csv"),
    (GUESS + "a,1\n", "p.csv, line 6: column 'id': found the id 'a' again, which is already on"),
    ("id,label\na,1\nb,2\nc,1\nd,0\n", "p.csv, line 3: column 'label': found '2'; expected 0 or 1"),
    ("id,label\na,1\nb,\nc,1\nd,0\n", "p.csv, line 3: column 'label': found nothing"),
    ("id,label\na,1\n,0\nc,1\nd,0\n", "p.csv, line 3: column 'id': found no id"),
    ("id,label\na,1\nb,0,7\nc,1\nd,0\n", "line 3: found 3 fields; expected 2"),
    ("id,answer\na,1\n", "There is no column named 'label'"),
    ("name,label\na,1\n", "There is no column named 'id'"),
    ("", "found an empty file"),
    ("id,label\n", "found no rows"),
]


@pytest.mark.parametrize(("text", "message"), BAD_BINARY)
def test_wrong_predictions_are_not_scored(
    write: Write, fails: Fails, text: str, message: str
) -> None:
    code, error = fails("binary", write("g.csv", GOLD), write("p.csv", text))
    assert code == 1
    assert message in error
    assert error.startswith("Error: ")


def test_faults_of_gold_are_of_gold(write: Write, fails: Fails) -> None:
    code, error = fails("binary", write("g.csv", GOLD + "a,1\n"), write("p.csv", GUESS))
    assert (code, "g.csv, line 6" in error) == (1, True)


def test_all_faults_come_together_and_the_first_are_listed(write: Write, fails: Fails) -> None:
    rows = [f"i{at},{'?' if at % 2 else 0}" for at in range(60)]
    _, error = fails("binary", write("g.csv", GOLD), write("p.csv", "id,label\n" + "\n".join(rows)))
    assert "30 rows are not as expected" in error
    assert error.count("p.csv, line") == 10
    assert "…" in error


def test_lines_are_counted_through_quoted_cells_and_blank_lines(write: Write, fails: Fails) -> None:
    text = 'id,label,note\na,1,"two\nlines"\n\nb,0,\nc,7,\nd,0,\n'
    _, error = fails("binary", write("g.csv", GOLD), write("p.csv", text))
    assert "p.csv, line 6: column 'label': found '7'" in error
    lines = '{"id": "a", "label": 1}\n\n{"id": "b", "label": 4}\n'
    _, error = fails("binary", write("g.csv", GOLD), write("p.jsonl", lines))
    assert "p.jsonl, line 3" in error


def test_parquet_has_rows_and_no_lines(write: Write, fails: Fails, tmp_path: Path) -> None:
    path = str(tmp_path / "p.parquet")
    pl.DataFrame({"id": ["a", "b"], "label": [1, 3]}).write_parquet(path)
    _, error = fails("binary", write("g.csv", GOLD), path)
    assert "p.parquet: column 'label': found in row 2 '3'" in error


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,score\na,0.5\nb,1.5\n", "line 3: column 'score': found '1.5'; expected a number from"),
        ("id,score\na,high\nb,1\n", "found 'high'"),
        ("id,score\na,nan\nb,1\n", "found 'nan'"),
        ("id,score\na,0_1\nb,1\n", "found '0_1'"),
    ],
)
def test_wrong_scores(write: Write, fails: Fails, text: str, message: str) -> None:
    code, error = fails("scores", write("g.csv", "id,label\na,1\nb,0\n"), write("p.csv", text))
    assert (code, message in error) == (1, True)


def test_labels_that_gold_lacks_are_refused(write: Write, fails: Fails) -> None:
    gold = write("g.csv", "id,x,y\na,1,0\n")
    code, error = fails("multilabel", gold, write("p.csv", "id,x,y,z\na,1,0,1\n"))
    assert (code, "unknown columns 'z'" in error) == (1, True)
    code, error = fails("multilabel", gold, write("q.csv", "id,x\na,1\n"))
    assert (code, "no column named 'y'" in error) == (1, True)
    code, error = fails("multilabel", write("o.csv", "id\na\n"), gold)
    assert (code, "a column for each label" in error) == (1, True)


@pytest.mark.parametrize(
    ("task", "args"),
    [
        ("binary", ("--ids", "x.csv")),
        ("binary", ("--hierarchy", "x.json")),
        ("binary", ("--subgroup", "x")),
        ("binary", ("--plot", "x.png")),
        ("binary", ("--vectors", "x.txt")),
        ("scores", ("--undefined", "0")),
        ("detests-1", ("--id-column", "id2")),
        ("spans", ("--label-column", "x")),
        ("binary", ("--score-column", "x")),
        ("binery", ()),
        ("binary", ("--bootstrap", "0")),
    ],
)
def test_wrong_calls(write: Write, fails: Fails, task: str, args: tuple[str, ...]) -> None:
    gold = write("g.csv", GOLD)
    code, error = fails(task, gold, gold, *args)
    assert code == 2
    assert "Error" in error


def test_a_missing_file_is_a_wrong_call(write: Write, fails: Fails) -> None:
    assert fails("binary", write("g.csv", GOLD), "absent.csv")[0] == 2


# ---- SemEval-2022 task 4 -------------------------------------------------------------------


def test_pcl_detection_from_lines(write: Write) -> None:
    gold, guess = write("g.txt", "1\n0\n1\n0\n"), write("task1.txt", "1\r\n1\r\n0\r\n0\r\n\r\n")
    assert values(run_json("pcl-detection", gold, guess))["f1"] == 0.5


def test_pcl_detection_from_the_corpus_and_ids(
    write: Write, sample_copy: Callable[[str], Path]
) -> None:
    folder = sample_copy("dpm")
    corpus = str(folder / "dontpatronizeme_pcl.tsv")
    ids = str(folder / "dev_semeval_parids-labels.csv")
    size = len(Path(ids).read_text().splitlines()) - 1
    guess = write("task1.txt", "1\n" * size)
    answer = run_json("pcl-detection", corpus, guess, "--ids", ids)
    assert answer["items"] == size
    direct = run_json("pcl-detection", ids, guess)
    assert "at least one of them counts as positive" in direct["notes"][0]
    # Paragraphs of the sample that are labelled 2, 3 or 4 are those with categories.
    assert values(direct) == values(answer)
    chosen = write("ids.txt", "3\n4\n")
    two = run_json("pcl-detection", corpus, write("two.txt", "1\n0\n"), "--ids", chosen)
    assert values(two)["f1"] == 1


def test_pcl_categories(write: Write) -> None:
    gold = write("g.csv", 'par_id,label\n8,"[1, 0, 0, 0, 0, 0, 1]"\n9,"[0, 0, 0, 0, 0, 0, 0]"\n')
    guess = write("task2.txt", "1,0,0,0,0,0,0\n0,0,0,0,0,0,0\n")
    found = values(run_json("pcl-categories", gold, guess))
    assert found["f1.pcl.unbalanced_power_relations"] == 1
    assert found["f1.pcl.the_poorer_the_merrier"] == 0
    assert found["macro_f1"] is None
    counted = values(run_json("pcl-categories", gold, guess, "--undefined", "0"))
    assert counted["macro_f1"] == pytest.approx(1 / 7)
    same = write("g2.txt", "1, 0, 0, 0, 0, 0, 1\n0,0,0,0,0,0,0\n")
    assert values(run_json("pcl-categories", same, guess)) == found


@pytest.mark.parametrize(
    ("task", "gold", "guess", "message"),
    [
        ("pcl-detection", "1\n0\n", "1\n", "found 1 line, so that the file ends too early"),
        ("pcl-detection", "1\n", "1\n0\n", "has more from line 2 on; expected 1, one for each of"),
        ("pcl-detection", "1\n0\n", "1\n2\n", "task.txt, line 2: found '2'; expected 0 or 1"),
        ("pcl-detection", "1\n0\n1\n", "1\n\n0\n", "task.txt, line 2: found nothing"),
        ("pcl-detection", "1\n", "", "found an empty file"),
        ("pcl-categories", "1,0,0,0,0,0,0\n", "1,0,0,0,0,0\n", "task.txt, line 1: found"),
        ("pcl-categories", "1,0,0,0,0,0,0\n", "1,0,0,0,0,0,0,0\n", "expected seven of 0 or 1"),
        ("pcl-categories", "1,0,0,0,0,0,0\n", "1,0,0,0,0,0,x\n", "expected seven of 0 or 1"),
        ("pcl-categories", "1\n", "1,0,0,0,0,0,0\n", "g.txt, line 1: found '1'"),
    ],
)
def test_wrong_lines(
    write: Write, fails: Fails, task: str, gold: str, guess: str, message: str
) -> None:
    code, error = fails(task, write("g.txt", gold), write("task.txt", guess))
    assert (code, message in error) == (1, True), error


def test_wrong_gold_of_pcl(write: Write, fails: Fails, sample_copy: Callable[[str], Path]) -> None:
    folder = sample_copy("dpm")
    corpus, spans = (str(folder / f"dontpatronizeme_{name}.tsv") for name in ("pcl", "categories"))
    guess = write("task1.txt", "1\n0\n")
    ids = write("ids.txt", "3\n99999\n")
    code, error = fails("pcl-detection", corpus, guess, "--ids", ids)
    assert (code, "ids.txt, line 2: found the unknown id '99999'" in error) == (1, True)
    twice = write("twice.txt", "3\n3\n")
    assert (
        "line 2: found the id '3' again" in fails("pcl-detection", corpus, guess, "--ids", twice)[1]
    )
    assert fails("pcl-categories", corpus, guess)[0] == 2
    assert "found spans" in fails("pcl-detection", spans, guess)[1]
    assert fails("pcl-detection", guess, guess, "--ids", ids)[0] == 2
    broken = folder / "dontpatronizeme_pcl.tsv"
    broken.write_text(broken.read_text() + "900\t@@1\thomeless\tgb\tA shelter opened .\tx\n")
    code, error = fails("pcl-detection", corpus, guess)
    assert (code, "not as expected" in error) == (1, True)


# ---- DETESTS -------------------------------------------------------------------------------


def row(name: str, stereotype: int, *named: int) -> str:
    flags = ",".join(str(int(at in named)) for at in range(10))
    return f"{name},{stereotype},{flags}\n"


def test_detests_1(write: Write) -> None:
    gold = write("g.csv", DETESTS + row("1", 1, 0) + row("2", 0) + row("3", 1, 5))
    guess = write("p.csv", "sentence_id,stereotype\n3,0\n1,1\n2,1\n")
    assert values(run_json("detests-1", gold, guess))["f1"] == 0.5


def test_detests_2_uses_the_hierarchy(write: Write, sample_copy: Callable[[str], Path]) -> None:
    gold = write("g.csv", DETESTS + row("1", 1, 0) + row("2", 0) + row("3", 1, 5, 6))
    other = DETESTS.replace("dehumanisation,others", "dehumanization,other")
    guess = write("p.csv", other + row("1", 1, 1) + row("2", 0) + row("3", 1, 5, 6))
    found = values(run_json("detests-2", gold, guess, "--bootstrap", "20", "--compare", gold))
    # HF of item 1 with the root: {root, stereotype} of {root, stereotype, category}: 2/3.
    assert found["hierarchical_f"] == pytest.approx((2 / 3 + 1 + 1) / 3)
    assert found["f1.stereotype.benefits"] == 1
    for metric in run_json("detests-2", gold, guess, "--bootstrap", "200")["metrics"][:4]:
        low, high = metric["interval"]["low"], metric["interval"]["high"]
        assert low - 1e-9 <= metric["value"] <= high + 1e-9
    assert list(found)[:4] == ["icm", "icm_norm", "hierarchical_f", "propensity_f"]
    sample = str(sample_copy("detests") / "gold.csv")
    assert values(run_json("detests-2", sample, sample))["icm_norm"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (DETESTS + row("1", 0, 3), "line 2: column 'stereotype': found migration without a"),
        (DETESTS + row("1", 2, 3), "line 2: column 'stereotype': found '2'; expected 0 or 1"),
        (DETESTS + row("1", 1, 3) + row("1", 1, 3), "found the id '1' again"),
        (DETESTS + row("2", 1, 3), "found the unknown id '2'"),
        ("sentence_id,stereotype\n1,1\n", "no column named 'xenophobia'"),
        (DETESTS + "1,1\n", "line 2: found 2 fields; expected 12"),
    ],
)
def test_wrong_detests(write: Write, fails: Fails, text: str, message: str) -> None:
    gold = write("g.csv", DETESTS + row("1", 1, 3))
    code, error = fails("detests-2", gold, write("p.csv", text))
    assert (code, message in error) == (1, True), error
    if "without" in message:
        assert fails("detests-2", write("h.csv", text), gold)[0] == 1


def test_strict_is_for_detests_2(write: Write, fails: Fails) -> None:
    gold = write("g.csv", GOLD)
    code, error = fails("binary", gold, gold, "--strict")
    assert (code, "--strict is for detests-2; not for 'binary'" in error) == (2, True)


# ---- PyEvALL -------------------------------------------------------------------------------


def entries(*answers: Any, case: str = "T") -> str:
    listed = [{"test_case": case, "id": str(at), "value": each} for at, each in enumerate(answers)]
    return json.dumps(listed, indent=1)


def test_pyevall_hard(write: Write) -> None:
    gold = write("g.json", entries("YES", "NO", "YES"))
    guess = write("p.json", entries("YES", "NO", "NO"))
    found = values(run_json("pyevall", gold, guess))
    assert found["f1.YES"] == pytest.approx(2 / 3)
    assert found["macro_f1"] == pytest.approx(2 / 3)
    assert values(run_json("pyevall", gold, gold))["icm_norm"] == 1
    many = write("m.json", entries(["A", "B"], ["NO"], []))
    tree = write("h.json", '{"YES": ["A", "B"], "NO": []}')
    assert values(run_json("pyevall", many, many, "--hierarchy", tree))["hierarchical_f"] == 1


def test_pyevall_soft(write: Write) -> None:
    gold = write("g.json", entries({"YES": 0.75, "NO": 0.25}, {"YES": 0.0, "NO": 1.0}))
    guess = write("p.json", entries({"YES": 0.5, "NO": 0.5}, {"NO": 1.0}))
    found = values(run_json("pyevall", gold, guess, "--bootstrap", "5"))
    assert found["manhattan_distance"] == pytest.approx(0.25)
    assert "icm_soft_norm" in found
    degrees = write("d.json", entries({"A": 0.75, "B": 0.5}, {"A": 0.0}))
    answer = run_json("pyevall", degrees, degrees)
    assert list(values(answer)) == ["icm_soft", "icm_soft_norm"]
    assert "sum to 1" in answer["notes"][0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (entries("YES"), "no answer for the id '1' (g.json, line"),
        (entries("YES", "NO", "NO"), "found the unknown id '2'"),
        (entries("YES", "PERHAPS"), "line 7: column 'value': found the label 'PERHAPS'; expected"),
        (entries("YES", 3), "found another value"),
        (entries("YES", {"YES": 1.5}), "found another value"),
        (entries("YES", {"YES": 1.0}), "all hard or all soft"),
        (entries({"YES": 1.0}, {"NO": 1.0}), "found degrees; expected labels, as in g.json"),
        ('[{"id": "0", "value": "YES"}]', "line 1: found an entry that lacks"),
        ("[]", "found no entry"),
        ("{}", "found no JSON list"),
        ('[{"test_case": "T"} {}]', "line 1: found broken JSON"),
        ('[\n{"test_case": ', "line 2: found broken JSON"),
        (
            '[{"test_case": "T", "id": "0", "value": "NO"},\n'
            ' {"test_case": "U", "id": "1", "value": "NO"}]',
            "found several test cases (T, U)",
        ),
        (
            '[{"test_case": "T", "id": "0", "value": "NO"},\n'
            ' {"test_case": "T", "id": "0", "value": "NO"}]',
            "line 2: column 'id': found the id '0' again",
        ),
    ],
)
def test_wrong_pyevall(write: Write, fails: Fails, text: str, message: str) -> None:
    code, error = fails("pyevall", write("g.json", entries("YES", "NO")), write("p.json", text))
    assert (code, message in error) == (1, True), error
