"""A chat model on this machine, asked without an endpoint: a folder, or a gguf file."""

from collections.abc import Sequence
from typing import Any

from tactful.audit.causal.scores import next_tokens, reads_in_steps
from tactful.audit.causal.tokens import Tokens
from tactful.audit.chat.asking import SURE, TOP, WORDS_AFTER, ChatAsker, Manner
from tactful.audit.chat.reading import letter_masses
from tactful.audit.hub import Opened
from tactful.audit.protocol import Answer
from tactful.taxonomies.prompts import Prompt

_GENERATED_AT_ONCE = 16


class LocalAsker(ChatAsker):
    """A causal language model of transformers, with the chat template of its tokenizer.

    By log-probabilities, what prompts have in common at their beginning is read once.
    """

    def __init__(self, opened: Opened, manner: Manner, batch: int | None = None):
        known = manner.fingerprint("local", opened.fingerprint)
        super().__init__(opened.name, known, manner)
        self._model, self._tokenizer = opened.model.eval(), opened.tokenizer
        self.batch = batch or (256 if manner.by == "logprobs" else _GENERATED_AT_ONCE)
        sample = self._context("it is")
        self._in_steps = reads_in_steps(self._model, sample)
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token

    @property
    def notes(self) -> Sequence[str]:
        """Whether the model knows the form of a conversation."""
        if self._tokenizer.chat_template:
            return ()
        return (
            f"{self.name} has no chat template, so it read each prompt as a plain text that it "
            "continues; a model that was not trained to answer may answer at random.",
        )

    def ask(self, prompts: Sequence[Prompt]) -> list[Answer]:
        """Return one answer for each prompt, in their order."""
        contexts = [self._context(prompt.text) for prompt in prompts]
        if self.manner.by != "logprobs":
            return self._generated(contexts, self.manner.tokens)
        found = next_tokens(self._model, contexts, TOP, self._in_steps)
        first = [[(self._text([token]), value) for token, value in each] for each in found]
        answers: list[Answer] = [
            {"said": [each[0][0]], "refused": [False], "tokens": [len(context), 1]}
            for each, context in zip(first, contexts, strict=True)
        ]
        unsure = [
            at
            for at, (prompt, each) in enumerate(zip(prompts, first, strict=True))
            if sum(letter_masses(each, self._letters(prompt))) < SURE
        ]
        said = self._generated([contexts[at] for at in unsure], WORDS_AFTER)
        for at, answer in zip(unsure, said, strict=True):
            answers[at] = answer
        for answer, each in zip(answers, first, strict=True):
            answer["first"] = [list(pair) for pair in each]
        return answers

    def _letters(self, prompt: Prompt) -> str:
        return self.manner.asked[prompt.template, prompt.question].letters

    def _context(self, text: str) -> Tokens:
        if not self._tokenizer.chat_template:
            system = "" if self.manner.system is None else f"{self.manner.system}\n"
            return tuple(self._tokenizer(f"{system}{text}\n")["input_ids"])
        given = self._tokenizer.apply_chat_template(
            self.manner.messages(text), add_generation_prompt=True, return_dict=True
        )
        return tuple(given["input_ids"])

    def _generated(self, contexts: Sequence[Tokens], most: int) -> list[Answer]:
        answers: list[Answer] = []
        for start in range(0, len(contexts), _GENERATED_AT_ONCE):
            answers += self._some_generated(contexts[start : start + _GENERATED_AT_ONCE], most)
        return answers

    def _some_generated(self, contexts: Sequence[Tokens], most: int) -> list[Answer]:
        import torch

        sampling, padding = self.manner.sampling, self._tokenizer.pad_token_id
        width = max(map(len, contexts))
        rows = [[*[padding] * (width - len(row)), *row] for row in contexts]
        real = [[*[0] * (width - len(row)), *[1] * len(row)] for row in contexts]
        how: dict[str, Any] = {"do_sample": False}
        if sampling.temperature:
            torch.manual_seed(sampling.seed or 0)
            how = {"do_sample": True, "temperature": sampling.temperature, "top_k": 0}
            how["top_p"] = 1.0 if sampling.top_p is None else sampling.top_p
        number = sampling.n if sampling.temperature else 1
        with torch.inference_mode():
            out = self._model.generate(
                torch.tensor(rows),
                attention_mask=torch.tensor(real),
                max_new_tokens=most,
                num_return_sequences=number,
                pad_token_id=padding,
                **how,
            )
        # At temperature 0 all answers to a prompt are the same one.
        times = sampling.n // number
        texts = [self._text(row[width:].tolist()) for row in out]
        lengths = [int((row[width:] != padding).sum()) for row in out]
        return [
            {
                "said": texts[at * number : (at + 1) * number] * times,
                "refused": [False] * sampling.n,
                "tokens": [len(context), sum(lengths[at * number : (at + 1) * number])],
            }
            for at, context in enumerate(contexts)
        ]

    def _text(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(tokens), skip_special_tokens=True))
