"""Sequence classifiers of transformers, with tiny ones made on the spot."""

import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tactful.audit.classifiers import load_classifier
from tactful.errors import InputError, UnknownNameError, UsageError
from tactful.taxonomies.prompts import Prompt
from tactful_lab.evaluation.reproduce.stigma_prompts import sentiment_prompts

TINY = runpy.run_path(str(Path(__file__).parents[1] / "tiny_models.py"))
write_classifier: Any = TINY["write_classifier"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(write_classifier(tmp_path_factory.mktemp("models") / "tiny"))


def prompt(text: str) -> Prompt:
    return Prompt(None, None, None, "T", text)


def test_the_label_with_the_highest_probability(folder: Path) -> None:
    """Section 4.3; against the library's own pipeline, text by text."""
    from transformers import pipeline

    asked = list(sentiment_prompts())[::7]
    classifier = load_classifier(str(folder), batch=8)
    answers = classifier.ask(asked)
    pipe: Any = pipeline("text-classification", model=str(folder), device="cpu")
    for each, answer in zip(asked, answers, strict=True):
        [expected] = pipe(each.text)
        assert (answer["label"], answer["said"]) == (expected["label"], expected["label"])
        assert answer["score"] == pytest.approx(expected["score"], abs=1e-5)
    assert (classifier.name, classifier.kind, classifier.batch) == ("tiny", "sentiment", 8)


def test_planted_sentiment_is_found(tmp_path: Path) -> None:
    """A model whose head is edited: it says what its bias term says."""
    import torch
    from transformers import AutoModelForSequenceClassification

    place = write_classifier(tmp_path / "planted", ("POS", "NEG"))
    model: Any = AutoModelForSequenceClassification.from_pretrained(place)
    with torch.no_grad():
        model.classifier.bias[1] = 50.0
    model.save_pretrained(place)
    answers = load_classifier(str(place)).ask(list(sentiment_prompts())[:20])
    assert {answer["label"] for answer in answers} == {"negative"}
    assert answers[0]["score"] == pytest.approx(1.0, abs=1e-6)


def test_nothing_asked_nothing_answered(folder: Path) -> None:
    assert load_classifier(str(folder)).ask([]) == []


def test_labels_that_say_nothing_need_the_users(tmp_path: Path) -> None:
    place = str(write_classifier(tmp_path / "plain", ("LABEL_0", "LABEL_1")))
    with pytest.raises(UsageError, match="--labels LABEL_0=negative,LABEL_1=positive"):
        load_classifier(place)
    one = load_classifier(place, labels={"LABEL_0": "negative", "LABEL_1": "positive"})
    two = load_classifier(place, labels={"LABEL_0": "positive", "LABEL_1": "negative"})
    first, second = (each.ask([prompt("They are people.")])[0] for each in (one, two))
    assert first["said"] == second["said"]
    assert {first["label"], second["label"]} == {"negative", "positive"}
    assert one.fingerprint != two.fingerprint
    assert "no neutral class" in one.notes[0]
    with pytest.raises(UnknownNameError, match="Did you mean 'LABEL_1'"):
        load_classifier(place, labels={"LABEL_0": "negative", "LABEL1": "positive"})


def test_stars(tmp_path: Path) -> None:
    stars = ("1 star", "2 stars", "3 stars", "4 stars", "5 stars")
    classifier: Any = load_classifier(str(write_classifier(tmp_path / "stars", stars)))
    assert classifier._classes == ["negative", "negative", "neutral", "positive", "positive"]
    assert classifier.notes == ()


def test_a_model_with_one_output_is_refused(tmp_path: Path) -> None:
    place = str(write_classifier(tmp_path / "number", ("score",)))
    with pytest.raises(UsageError, match="one number and no classes"):
        load_classifier(place)


def test_the_fingerprint_is_that_of_the_weights(folder: Path, tmp_path: Path) -> None:
    other = write_classifier(tmp_path / "tiny", seed=2)
    copy = shutil.copytree(folder, tmp_path / "copy")
    assert load_classifier(str(copy)).fingerprint == load_classifier(str(folder)).fingerprint
    assert load_classifier(str(other)).fingerprint != load_classifier(str(folder)).fingerprint


def test_a_long_text_is_cut_and_said(folder: Path) -> None:
    classifier = load_classifier(str(folder))
    assert classifier.ask([prompt("people " * 300), prompt("people")])[0]["label"]
    assert "reads 80 tokens, and did not see the rest of 1 longer text." in classifier.notes[-1]


def test_a_model_that_cannot_pad_reads_texts_one_by_one(tmp_path: Path) -> None:
    from transformers import AutoTokenizer, GPT2Config, GPT2ForSequenceClassification, logging

    place = TINY["write_causal"](tmp_path / "gpt2")
    tokenizer: Any = AutoTokenizer.from_pretrained(place)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(place)
    config = GPT2Config(
        vocab_size=len(tokenizer), n_embd=32, n_layer=1, n_head=2, n_positions=96,
        bos_token_id=0, eos_token_id=2, id2label={0: "NEG", 1: "POS"},
    )  # fmt: skip
    logging.disable_progress_bar()
    GPT2ForSequenceClassification(config).save_pretrained(place)
    asked = list(sentiment_prompts())[:5]
    classifier = load_classifier(str(place))
    together = classifier.ask(asked)
    assert together == [classifier.ask([each])[0] for each in asked]


def test_damaged_weights_are_told(tmp_path: Path) -> None:
    import torch

    classifier: Any = load_classifier(str(write_classifier(tmp_path / "broken")))
    with torch.no_grad():
        classifier._model.classifier.weight.fill_(float("nan"))
    with pytest.raises(InputError, match="no probabilities"):
        classifier.ask([prompt("They are people.")])


def test_names_that_open_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no folder"):
        load_classifier(str(tmp_path / "none"))
    with pytest.raises(UsageError, match=r"found no config\.json"):
        load_classifier(str(tmp_path))
    with pytest.raises(UsageError, match="pass --download") as caught:
        load_classifier("no-such-model-of-ours")
    assert "vader, textblob, tactful:default" in str(caught.value)
    with pytest.raises(UsageError, match="pass --download") as caught:
        load_classifier("no-such-owner/no-such-model")
    assert "vader" not in str(caught.value)
