"""A sequence classifier of the library transformers: from a folder, or by its name on the hub."""

from collections.abc import Mapping, Sequence
from typing import Any

from tactful.audit.classifiers.labels import (
    Classifier,
    Sentiment,
    answer,
    classes_of_model,
    fingerprint,
)
from tactful.audit.hub import Opened, longest_input
from tactful.audit.protocol import Answer
from tactful.errors import InputError, UsageError
from tactful.words import counted

_BATCH = 64
_ENDLESS = 1_000_000
"""The limit of a model that has none."""


class HubClassifier(Classifier):
    """The label with the highest probability (Mei et al. 2023, section 4.3)."""

    def __init__(self, opened: Opened, labels: Mapping[str, Sentiment], batch: int | None = None):
        config = opened.model.config
        self.name, self.batch = opened.name, batch or _BATCH
        self._names = [str(config.id2label[at]) for at in range(config.num_labels)]
        if len(self._names) < 2:
            raise UsageError(
                f"'{self.name}' gives one number and no classes; expected two classes or more; "
                "wrap it in a function of your own and name that as module:function."
            )
        self._classes = classes_of_model(self.name, self._names, labels)
        self.fingerprint = fingerprint(opened.fingerprint, *self._names, labels=labels)
        self._model, self._tokenizer = opened.model, opened.tokenizer
        self._longest = longest_input(opened) or _ENDLESS
        self._cut = 0

    @property
    def notes(self) -> Sequence[str]:
        """Which classes it has, and whether texts were cut."""
        notes = []
        if "neutral" not in self._classes:
            notes.append(
                f"{self.name} has no neutral class: what has no sentiment is called negative or "
                "positive, too."
            )
        if self._cut:
            notes.append(
                f"{self.name} reads {counted(self._longest, 'token')}, and did not see the rest of "
                f"{counted(self._cut, 'longer text')}."
            )
        return tuple(notes)

    def answers(self, texts: list[str]) -> list[Answer]:
        """Return one answer for each text of a batch."""
        import torch

        if len(texts) > 1 and self._tokenizer.pad_token is None:
            # A model that cannot pad, such as GPT-2, reads its texts one by one.
            return [self.answers([text])[0] for text in texts]
        known = self._tokenizer(texts, verbose=False)["input_ids"]
        self._cut += sum(len(tokens) > self._longest for tokens in known)
        given = self._tokenizer(
            texts,
            padding=len(texts) > 1,
            truncation=True,
            max_length=self._longest,
            return_tensors="pt",
        )
        with torch.inference_mode():
            probabilities: Any = self._model(**given).logits.float().softmax(dim=-1)
        if not bool(torch.isfinite(probabilities).all()):
            raise InputError(
                f"'{self.name}' answers with numbers that are no probabilities; its weights are "
                "damaged: fetch or save them again."
            )
        values, places = probabilities.max(dim=-1)
        return [
            answer(self._classes[place], value, self._names[place])
            for value, place in zip(values.tolist(), places.tolist(), strict=True)
        ]
