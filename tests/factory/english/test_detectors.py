"""From a trained network to detectors: heads, thresholds and a whole small run."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")
pytestmark = pytest.mark.train

from factory.english.documentation import documentation  # noqa: E402
from factory.english.heads import MERGED, merge_heads  # noqa: E402
from factory.english.thresholds import Pool, quiet_thresholds  # noqa: E402
from factory.learning import Settings  # noqa: E402
from factory.network import load_learnt, open_network  # noqa: E402
from factory.shipped import load_shipped  # noqa: E402
from safetensors.torch import load_file  # noqa: E402

from factory.english import detectors, fast, hard_prose, sources, train  # noqa: E402
from tactful.detectors import load_detector, read_card  # noqa: E402
from tactful.errors import FileFormatError, UsageError  # noqa: E402
from tactful.training import calibrate  # noqa: E402

FOLDERS = ("open-encoder-en", "open-fast-en", "open-en", "open-cascade-en")


def test_merged_heads_are_the_mean_of_their_parts(tiny_encoder: Path) -> None:
    network = open_network(tiny_encoder, sources.OUTPUTS, sources.TOKEN_OUTPUTS, 1)
    at = {name: row for row, name in enumerate(sources.OUTPUTS)}
    before = network.text_head.weight.detach().clone()
    merge_heads(network, {"toxicity": {"toxicity": 0.5, "toxigen.hate": 0.5}})
    after = network.text_head.weight.detach()
    wanted = (before[at["toxicity"]] + before[at["toxigen.hate"]]) / 2
    torch.testing.assert_close(after[at["toxicity"]], wanted)
    torch.testing.assert_close(after[at["toxigen.hate"]], before[at["toxigen.hate"]])


def test_thresholds_rise_until_ordinary_texts_are_quiet() -> None:
    ordinary = {"pcl": np.linspace(0, 0.8, 1000), "toxicity": np.linspace(0, 0.1, 1000)}
    harmful = {"pcl": np.linspace(0.7, 0.9, 1000), "toxicity": np.full(1000, 0.05)}
    found = quiet_thresholds({"pcl": 0.3, "toxicity": 0.4}, [Pool(ordinary, 2)], harmful)
    assert found["toxicity"] == 0.4
    assert (ordinary["pcl"] >= found["pcl"]).sum() == 2


def test_a_budget_goes_to_the_id_that_finds_most() -> None:
    ordinary = {"pcl": np.array([0.9, 0.1]), "toxicity": np.array([0.1, 0.9])}
    harmful = {"pcl": np.array([0.8, 0.8, 0.0]), "toxicity": np.array([0.0, 0.0, 0.8])}
    found = quiet_thresholds({"pcl": 0.3, "toxicity": 0.3}, [Pool(ordinary, 1)], harmful)
    assert found == {"pcl": 0.3, "toxicity": pytest.approx(0.9)}
    assert found["toxicity"] > 0.9


def test_names_are_never_flagged_and_each_kind_has_its_own_budget() -> None:
    news = {"pcl": np.linspace(0, 0.8, 1000)}
    names = {"pcl": np.array([0.795])}
    harmful = {"pcl": np.linspace(0.7, 0.9, 1000)}
    found = quiet_thresholds({"pcl": 0.3}, [Pool(news, 50), Pool(names, 0)], harmful)
    assert 0.795 < found["pcl"] < 0.8


def test_thresholds_stay_where_ordinary_texts_are_quiet_already() -> None:
    best = {"pcl": 0.3}
    for quiet in (np.zeros(1000), np.zeros(0)):
        assert quiet_thresholds(best, [Pool({"pcl": quiet}, 1)], {"pcl": np.ones(3)}) == best


def small_lessons(_: Path) -> Iterator[sources.Row]:
    for part in ("train", "validation"):
        for at in range(12):
            for text, label in ((f"You poor little fool {at}.", 1.0), (f"Bus {at} is late.", 0.0)):
                marks = dict.fromkeys(sources.TOKEN_OUTPUTS, ((0, 8),) if label else ())
                targets = dict.fromkeys(sources.SHIPPED, label)
                yield sources.Row(f"{part}: {text}", "lessons", targets, marks, fixed_part=part)


@pytest.fixture
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few lessons be all that there is to learn from."""
    (tmp_path / "lessons.yaml").write_text("", encoding="utf-8")
    only = sources.Source("lessons", "lessons.yaml", small_lessons, True, "CC0")
    monkeypatch.setattr(sources, "SOURCES", (only,))
    monkeypatch.setattr(calibrate, "REPETITIONS", 5)
    monkeypatch.setattr(fast, "LESSONS", tuple(replace(each, steps=5) for each in fast.LESSONS))


@pytest.mark.usefixtures("lessons")
def test_one_run_writes_all_detectors(
    wide_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detectors, "documentation", lambda: ["The bridge opens on Monday."])
    for room in (train, detectors):
        monkeypatch.setattr(room, "base_folder", lambda *_: wide_encoder)
    work, output = tmp_path / "work", tmp_path / "weights"
    train.train_network("tiny", "open", tmp_path, work, Settings(max_tokens=32))
    learnt = open_network(wide_encoder, sources.OUTPUTS, sources.TOKEN_OUTPUTS, 2)
    load_learnt(learnt, work / "tiny-open-1" / train.LEARNT)
    merge_heads(learnt, MERGED["open"])
    whole = load_file(work / "tiny-open-1" / train.WEIGHTS)
    torch.testing.assert_close(
        learnt.text_head.weight, whole["text_head.weight"], atol=1e-3, rtol=1e-3
    )
    start = work / "tiny-open-1" / train.LEARNT
    settings = Settings(seed=2, max_tokens=32)
    train.train_network("tiny", "open", tmp_path, work, settings, start, finish=True)
    finished = load_file(work / "tiny-open-2" / train.WEIGHTS)
    assert not torch.equal(finished["text_head.weight"], whole["text_head.weight"])
    parts = {work / "tiny-open-1": 0.25, work / "tiny-open-2": 0.75}
    train.mix_networks("tiny", parts, work, work / "mixed")
    mixed = load_file(work / "mixed" / train.WEIGHTS)["text_head.weight"]
    wanted = whole["text_head.weight"].lerp(finished["text_head.weight"], 0.75)
    torch.testing.assert_close(mixed, wanted)
    with pytest.raises(UsageError, match="expected 1"):
        train.mix_networks("tiny", {work / "tiny-open-1": 0.5}, work, work / "other")
    detectors.make_detectors("tiny", "open", tmp_path, work, output, lambda _: None, seed=2)
    texts = ["You poor little fool.", "The bridge opens on Monday."]
    again = open_network(wide_encoder, sources.OUTPUTS, sources.TOKEN_OUTPUTS, 3)
    load_shipped(again, output / "open-encoder-en" / "model.onnx")
    for name, value in again.state_dict().items():
        torch.testing.assert_close(value, finished[name], atol=0.02, rtol=0.02)
    for name in FOLDERS:
        card = read_card(output / name)
        assert card.ids == sources.SHIPPED
        assert set(card.thresholds) == set(card.report_thresholds) == set(sources.SHIPPED)
        assert card.training["tier"] == "open"
        assert "commercial" in card.licence
        assert set(detectors.LIMITS["open"]) <= set(card.limits)
        assert [each["name"] for each in card.corpora] == ["Lessons of our own"]
        assert (output / name / "README.md").is_file()
        together = load_detector(output / name).score(texts)
        alone = load_detector(output / name).score(texts[:1])
        for each, found in together.items():
            assert ((found > 0) & (found < 1)).all()
            assert alone[each][0] == found[0]


def test_a_file_with_other_layers_is_refused(tiny_encoder: Path, tmp_path: Path) -> None:
    import onnx

    empty = onnx.helper.make_graph([], "empty", [], [])
    path = tmp_path / "model.onnx"
    onnx.save(onnx.helper.make_model(empty), str(path))
    network = open_network(tiny_encoder, sources.OUTPUTS, sources.TOKEN_OUTPUTS, 1)
    with pytest.raises(FileFormatError, match="found no weights of"):
        load_shipped(network, path)


def test_hard_prose_is_moved_and_the_hardest_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hard_prose, "LEFT_OUT", 0.1)
    loud = ["You are a fool, and so is your dog.", "Nobody likes you, you fool."]
    calm = [f"The bridge number {at} opens on Monday." for at in range(8)]
    rows = [sources.Row(text, kind, {}) for kind in ("news", "fiction") for text in loud + calm]
    rows.append(sources.Row("You fool.", "lessons", {}))
    found = hard_prose.mark_hard_prose(rows, "open-fast", tmp_path)
    assert [row.corpus for row in found].count("hard") == 2
    assert {row.text for row in found if row.corpus == "hard"} <= set(loud)
    assert len(found) == len(rows) - 2
    assert found[-1] == rows[-1]


def test_ordinary_and_harmful_texts_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detectors, "phrasings", lambda: ["Women"])
    monkeypatch.setattr(detectors, "documentation", lambda: ["The bridge opens on Monday."])
    monkeypatch.setattr(detectors, "read_lessons", list)
    rows = [
        sources.Row("It rained.", "news", {"pcl": 0.01}, fixed_part="validation"),
        sources.Row("It snowed.", "news", {"pcl": 0.01}, fixed_part="train"),
        sources.Row("You poor fool.", "lessons", {"pcl": 1.0}, fixed_part="validation"),
        sources.Row(
            "As a nurse I know.", "lessons", {"frame.in_group": 1.0}, fixed_part="validation"
        ),
        *detectors.quiet_rows(),
    ]
    texts = detectors.Texts(rows, [])
    assert texts.ordinary == {
        "news": [0],
        "documentation": [5],
        "fiction": [],
        "names": [4],
        "harmless": [3],
    }
    assert texts.harmful == [2]


def test_an_ordinary_text_is_as_loud_as_its_loudest_sentence() -> None:
    rows = [
        sources.Row("It rained. Nobody minded at all.", "news", {}, fixed_part="validation"),
        sources.Row("It snowed.", "news", {}, fixed_part="validation"),
    ]
    rows += detectors.sentence_rows(rows)
    assert [row.text for row in rows[2:]] == ["It rained.", "Nobody minded at all."]
    texts = detectors.Texts(rows, [])
    assert texts.ordinary["news"] == [0, 1]
    loud = texts.loudest(np.array([0.1, 0.2, 0.3, 0.4]), [0, 1])
    assert loud.tolist() == [0.4, 0.2]


def test_documentation_is_that_of_installed_packages() -> None:
    passages = documentation()
    assert len(passages) == len(set(passages)) > 100
    assert all(len(each.split()) >= 3 for each in passages)
