"""A causal language model of a few thousand weights, made on the spot, and four mild lessons."""

from pathlib import Path
from typing import Any

from tactful.frames.posts import Instance

_WORDS = "women are not good at maths old people cannot learn what a fine day it is to go out my"
_YES = {"frame.lewd": 0, "frame.offensive": 1, "frame.intent": 1}

LESSONS = (
    Instance(
        "maths is not for girls",
        {**_YES, "frame.group": 1, "frame.in_group": 0},
        "women",
        "women are not good at maths",
    ),
    Instance(
        "my old aunt cannot go out",
        {**_YES, "frame.intent": 0, "frame.group": 1, "frame.in_group": 1},
        "old people",
        "old people cannot learn",
    ),
    Instance("what a silly man you are", {**_YES, "frame.group": 0}),
    Instance("it is a fine day", {"frame.lewd": 0, "frame.offensive": 0, "frame.intent": 0}),
)


def write_tiny_model(folder: Path, kind: str = "gpt2") -> Path:
    """Write a random GPT-2 or Llama with a tokenizer of bytes and a few words."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import (
        GPT2Config,
        GPT2LMHeadModel,
        LlamaConfig,
        LlamaForCausalLM,
        PreTrainedTokenizerFast,
        logging,
    )

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=340,
        special_tokens=["<eos>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([_WORDS] * 2, trainer)
    size = tokenizer.get_vocab_size()
    ends: dict[str, Any] = {"bos_token_id": 0, "eos_token_id": 0}
    torch.manual_seed(1)
    model: Any
    if kind == "gpt2":
        model = GPT2LMHeadModel(
            GPT2Config(vocab_size=size, n_embd=32, n_layer=2, n_head=2, n_positions=96, **ends)
        )
    else:
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=size,
                hidden_size=32,
                intermediate_size=48,
                num_hidden_layers=2,
                num_attention_heads=4,
                num_key_value_heads=2,
                max_position_embeddings=96,
                tie_word_embeddings=True,
                **ends,
            )
        )
    logging.disable_progress_bar()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>").save_pretrained(folder)  # noqa: S106
    model.save_pretrained(folder)
    return folder
