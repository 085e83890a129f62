"""The callable has the shapes of transformers' pipelines.

The shapes are those of the documentation of ``TextClassificationPipeline`` (``top_k=None``) and of
``TokenClassificationPipeline`` (``aggregation_strategy="simple"``); where transformers and torch
are installed, a pipeline of theirs with a tiny random model is asked as well.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tactful.checking.adapters import pipeline
from tactful.errors import InputError, UnknownNameError, UsageError

BOTH = "Help these people 🙂, the poor souls."
NONE = "Hello."


def shape(answer: Any) -> Any:
    """Return an answer with the types in place of the values, one for each list."""
    if isinstance(answer, list):
        return [shape(each) for each in answer[:1]]
    if isinstance(answer, dict):
        return {key: shape(value) for key, value in answer.items()}
    return float if isinstance(answer, np.floating) else type(answer)


def test_a_text_gives_labels_and_scores_highest_first(detector: Any) -> None:
    answer = pipeline(detector)(BOTH)
    assert answer == [
        {"label": "pcl", "score": pytest.approx(0.9)},
        {"label": "pcl.compassion", "score": pytest.approx(0.8)},
        {"label": "unhealthy.sarcastic", "score": pytest.approx(0.125)},
    ]
    assert shape(answer) == [{"label": str, "score": float}]


def test_a_list_gives_a_list_of_answers(detector: Any) -> None:
    classify = pipeline(detector)
    assert classify([BOTH, NONE]) == [classify(BOTH), classify(NONE)]
    assert classify([BOTH]) == [classify(BOTH)]
    assert classify([]) == []
    assert classify((BOTH,)) == [classify(BOTH)]


def test_top_k_and_threshold_shorten_the_answer(detector: Any) -> None:
    labels = [each["label"] for each in pipeline(detector, top_k=1)(BOTH)]
    assert labels == ["pcl"]
    labels = [each["label"] for each in pipeline(detector, threshold=0.5)(BOTH)]
    assert labels == ["pcl", "pcl.compassion"]
    assert pipeline(detector, threshold=0.5)([NONE]) == [[]]
    labels = [each["label"] for each in pipeline(detector, threshold={"pcl": 0.95})(BOTH)]
    assert labels == ["pcl.compassion", "unhealthy.sarcastic"]


def test_only_keeps_some_ids(detector: Any) -> None:
    answer = pipeline(detector, only=["unhealthy"], threshold=0.1)(BOTH)
    assert [each["label"] for each in answer] == ["unhealthy.sarcastic"]


def test_items_may_be_mappings_with_a_text(detector: Any) -> None:
    classify = pipeline(detector)
    assert classify({"text": BOTH}) == classify(BOTH)
    assert classify([{"text": BOTH}]) == [classify(BOTH)]
    with pytest.raises(UsageError, match=r"keys \['text', 'text_pair'\]; expected 'text' alone"):
        classify({"text": "a", "text_pair": "b"})


def test_a_stream_is_read_a_batch_at_a_time(detector: Any) -> None:
    taken = []

    def endless() -> Iterator[str]:
        while True:
            taken.append(BOTH)
            yield BOTH

    answers = pipeline(detector, batch_size=4)(endless())
    assert taken == []
    assert next(answers)[0]["label"] == "pcl"
    assert len(taken) == 4
    for _ in range(4):
        next(answers)
    assert len(taken) == 8
    assert detector.calls == [4, 4]


def test_the_size_of_a_batch_can_be_given_with_the_call(detector: Any) -> None:
    pipeline(detector)([NONE] * 5, batch_size=2)
    assert detector.calls == [2, 2, 1]


class MapStyle:
    """A dataset as torch has them: a length and items by number, and no __iter__."""

    def __init__(self, texts: list[str]):
        self.texts = texts

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, at: int) -> str:
        return self.texts[at]


def test_a_dataset_is_streamed(detector: Any) -> None:
    classify = pipeline(detector)
    answers = classify(MapStyle([BOTH, NONE]))
    assert not isinstance(answers, list)
    assert list(answers) == classify([BOTH, NONE])


def test_a_column_of_hugging_face_datasets_is_streamed(detector: Any) -> None:
    datasets = pytest.importorskip("datasets")
    table = datasets.Dataset.from_dict({"text": [BOTH, NONE]})
    classify = pipeline(detector)
    assert list(classify(table["text"])) == classify([BOTH, NONE])
    assert list(classify(table)) == classify([BOTH, NONE])


def test_spans_have_the_form_of_token_classification(detector: Any) -> None:
    mark = pipeline(detector, aggregation="spans")
    assert mark.task == "token-classification"
    answer = mark(BOTH)
    assert answer == [
        {
            "entity_group": "pcl",
            "score": pytest.approx(0.9),
            "word": "these people",
            "start": 5,
            "end": 17,
        },
        {
            "entity_group": "pcl.compassion",
            "score": pytest.approx(0.8),
            "word": "poor souls",
            "start": 25,
            "end": 35,
        },
    ]
    assert all(BOTH[each["start"] : each["end"]] == each["word"] for each in answer)
    assert mark([NONE, BOTH]) == [[], answer]


def test_spans_follow_the_threshold(detector: Any) -> None:
    assert pipeline(detector, threshold=0.95, aggregation="spans")(BOTH) == []
    found = pipeline(detector, threshold={"pcl.compassion": 0.85}, aggregation="spans")(BOTH)
    assert [each["entity_group"] for each in found] == ["pcl"]
    found = pipeline(detector, top_k=1, aggregation="spans")(BOTH)
    assert [each["entity_group"] for each in found] == ["pcl"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"aggregation": "simple"}, "Found aggregation 'simple'; expected None or 'spans'"),
        ({"top_k": 0}, "Found top_k 0; expected a whole number above 0"),
        ({"batch_size": 0}, "Found batch_size 0"),
        ({"threshold": 2.0}, "expected 0 to 1"),
        ({"threshold": {"pcll": 0.5}}, "Did you mean 'pcl'"),
        ({"only": ["pcll"]}, "Did you mean 'pcl'"),
    ],
)
def test_a_wrong_option_is_refused(detector: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        pipeline(detector, **options)


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="no detector named 'quick'"):
        pipeline("quick")


def test_what_is_no_text_is_refused_with_its_row(detector: Any) -> None:
    classify = pipeline(detector, batch_size=2)
    with pytest.raises(InputError, match=r"Row 3: found nothing \(None\)"):
        classify([NONE, NONE, NONE, None])
    with pytest.raises(UsageError, match="Found a value of type int; expected a text, a list"):
        classify(5)


def test_the_embedded_default_answers(embedded_weights: Path) -> None:
    answer = pipeline(top_k=3)("We must save these poor people.")
    assert len(answer) == 3
    assert answer[0]["score"] >= answer[1]["score"] >= answer[2]["score"]


@pytest.fixture
def tiny_bert() -> Any:
    """Return the parts of a tiny BERT with random weights, and a tokenizer without files."""
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    words = {word: at for at, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])}
    plain = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))  # noqa: S106
    plain.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="[PAD]")  # noqa: S106
    config = transformers.BertConfig(
        vocab_size=4, hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=8, num_labels=3,
    )  # fmt: skip
    return transformers, config, tokenizer


def test_transformers_gives_the_same_shapes_for_classes(detector: Any, tiny_bert: Any) -> None:
    transformers, config, tokenizer = tiny_bert
    model = transformers.BertForSequenceClassification(config)
    theirs = transformers.pipeline("text-classification", model=model, tokenizer=tokenizer)
    ours = pipeline(detector)
    assert shape(ours(BOTH)) == shape(theirs(BOTH, top_k=None))
    assert shape(ours([BOTH])) == shape(theirs([BOTH], top_k=None))
    scores = [each["score"] for each in theirs(BOTH, top_k=None)]
    assert scores == sorted(scores, reverse=True)


def test_transformers_gives_the_same_shapes_for_spans(detector: Any, tiny_bert: Any) -> None:
    transformers, config, tokenizer = tiny_bert
    model = transformers.BertForTokenClassification(config)
    theirs = transformers.pipeline(
        "token-classification", model=model, tokenizer=tokenizer, aggregation_strategy="simple",
        ignore_labels=[],
    )  # fmt: skip
    ours = pipeline(detector, aggregation="spans")
    assert shape(ours(BOTH)) == shape(theirs(BOTH))
    assert shape(ours([BOTH, BOTH])) == shape(theirs([BOTH, BOTH]))
