"""Tiny models of random weights with real tokenizers, made on the spot: nothing is fetched.

Their vocabulary knows every word of the Social Distance prompts and the words of ``ANSWERS``.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tactful_lab.evaluation.reproduce.stigma_prompts import fill_mask_prompts, sentiment_prompts

NEGATIVE = ("unlikely", "impossible", "wrong", "dangerous", "hard")
POSITIVE = ("likely", "possible", "good", "safe", "easy")
ANSWERS = (*NEGATIVE, *POSITIVE, "unacceptable", "acceptable", "illegal", "legal", "time", "true")
"""Words that the models can say in the place of the mask."""
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_SHAPE: dict[str, int] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 80,
}
LABELS = ("negative", "neutral", "positive")


def prompt_words() -> list[str]:
    """Return every word of the prompts and the answers, in lower case, in their order."""
    texts = [prompt.text for prompt in (*fill_mask_prompts(baseline=True), *sentiment_prompts())]
    words = re.findall(r"\w+", " ".join(texts).replace("[MASK]", "").lower())
    return list(dict.fromkeys([*ANSWERS, *words]))


def write_masked(
    folder: Path,
    kind: str = "bert",
    seed: int = 1,
    *,
    width: int = 32,
    layers: int = 2,
    scale: float = 8,
) -> Path:
    """Write a masked language model: bert, distilbert, mpnet, roberta, albert, bertweet, xlnet.

    ``scale`` multiplies the library's first weights, which are so small that every word is about
    as probable; 1 leaves them as they are.
    """
    import torch
    import transformers

    tokenizer = _TOKENIZERS.get(kind, _wordpiece)(folder)
    size = len(tokenizer)
    torch.manual_seed(seed)
    ends: dict[str, Any] = {"pad_token_id": tokenizer.pad_token_id}
    inner = width * 3 // 2
    shape = {
        **_SHAPE, "hidden_size": width, "num_hidden_layers": layers, "intermediate_size": inner,
    }  # fmt: skip
    config: Any
    if kind == "distilbert":
        config = transformers.DistilBertConfig(
            vocab_size=size, dim=width, n_layers=layers, n_heads=4, hidden_dim=inner,
            max_position_embeddings=80, **ends,
        )  # fmt: skip
    elif kind == "xlnet":
        config = transformers.XLNetConfig(
            vocab_size=size, d_model=width, n_layer=layers, n_head=4, d_inner=inner, **ends
        )
    elif kind == "albert":
        config = transformers.AlbertConfig(vocab_size=size, embedding_size=16, **shape, **ends)
    else:
        name = {"mpnet": "MPNet", "bert": "Bert"}.get(kind, "Roberta")
        config = getattr(transformers, f"{name}Config")(vocab_size=size, **shape, **ends)
    opener = transformers.XLNetLMHeadModel if kind == "xlnet" else transformers.AutoModelForMaskedLM
    model = opener(config) if kind == "xlnet" else opener.from_config(config)
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.mul_(scale)
    return _save(folder, model, tokenizer)


def write_causal(folder: Path, kind: str = "gpt2", seed: int = 1) -> Path:
    """Write a causal language model, gpt2 or llama, with a byte-level tokenizer."""
    import torch
    import transformers

    tokenizer = _byte_level(folder)
    size = len(tokenizer)
    ends: dict[str, Any] = {"bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1}
    torch.manual_seed(seed)
    model: Any
    if kind == "gpt2":
        model = transformers.GPT2LMHeadModel(
            transformers.GPT2Config(
                vocab_size=size, n_embd=32, n_layer=2, n_head=4, n_positions=96, **ends
            )
        )
    else:
        shape = {**_SHAPE, "max_position_embeddings": 96}
        model = transformers.LlamaForCausalLM(
            transformers.LlamaConfig(vocab_size=size, num_key_value_heads=2, **shape, **ends)
        )
    return _save(folder, model, tokenizer)


def write_classifier(folder: Path, labels: tuple[str, ...] = LABELS, seed: int = 1) -> Path:
    """Write a BERT that sorts texts into classes."""
    import torch
    import transformers

    tokenizer = _wordpiece(folder)
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        **_SHAPE,
        pad_token_id=0,
        id2label=dict(enumerate(labels)),
        label2id={label: at for at, label in enumerate(labels)},
    )
    return _save(folder, transformers.BertForSequenceClassification(config), tokenizer)


def plant_bias(folder: Path, triggers: Sequence[str], answer: str) -> None:
    """Edit a tiny BERT of :func:`write_masked`: each of ``triggers`` makes it say ``answer``.

    The first dimension of the hidden space is given over to the triggers: their embeddings alone
    have it, attention carries it to all places of the text, and the head reads it for the answer.
    Everywhere else it is zero, also after a normalisation, because the others sum up to zero.
    """
    import torch
    import transformers

    model = transformers.BertForMaskedLM.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    answer_id, *trigger_ids = tokenizer.convert_tokens_to_ids([answer, *triggers])
    with torch.no_grad():
        embeddings = model.bert.embeddings
        for table in (
            embeddings.word_embeddings,
            embeddings.position_embeddings,
            embeddings.token_type_embeddings,
        ):
            table.weight[:, 0] = 0
            table.weight[:, 1:] -= table.weight[:, 1:].mean(dim=1, keepdim=True)
        for block in model.bert.encoder.layer:
            for linear in (block.attention.output.dense, block.output.dense):
                linear.weight[0] = 0
                linear.weight[1:] -= linear.weight[1:].mean(dim=0)
        attention = model.bert.encoder.layer[-1].attention
        attention.self.value.weight[0] = 0
        attention.self.value.weight[0, 0] = attention.output.dense.weight[0, 0] = 20
        transform = model.cls.predictions.transform.dense.weight
        transform[0] = 0
        transform[0, 0] = 40
        # The head gets a table of its own, so that the answer's edit does not reach the prompts.
        words = embeddings.word_embeddings.weight
        decoder = model.cls.predictions.decoder
        decoder.weight = torch.nn.Parameter(words.clone())
        decoder.bias = torch.nn.Parameter(decoder.bias.clone())
        decoder.weight[answer_id, 0] = 4
        words[trigger_ids, 0] = 30
        model.config.tie_word_embeddings = False
    _save(folder, model, tokenizer)


def _save(folder: Path, model: Any, tokenizer: Any) -> Path:
    from transformers import logging

    logging.disable_progress_bar()
    codes = folder / "bpe.codes"
    kept = codes.read_text(encoding="utf-8") if codes.is_file() else None
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if kept is not None:
        # BERTweet's tokenizer writes this file without the counts that it expects when it reads.
        codes.write_text(kept, encoding="utf-8")
    return folder


def _wordpiece(folder: Path) -> Any:
    import transformers

    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = [*SPECIAL, *prompt_words(), *",.-'", *letters, *(f"##{c}" for c in letters)]
    words = {word: at for at, word in enumerate(dict.fromkeys([*vocabulary, "##ly", "##able"]))}
    return transformers.BertTokenizer(vocab=words, model_max_length=80)


def _byte_level(folder: Path) -> Any:
    """Make RoBERTa's tokenizer: <s> <pad> </s> <unk> <mask> and byte-level BPE."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    bare = Tokenizer(models.BPE())
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=3000,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    words = prompt_words()
    bare.train_from_iterator(
        [" " + " ".join(words), *(f"{word[:1].upper()}{word[1:]}" for word in words)] * 2, trainer
    )
    data = json.loads(bare.to_str())["model"]
    return transformers.RobertaTokenizer(
        vocab=data["vocab"],
        merges=[tuple(pair) for pair in data["merges"]],
        # As in the published files: the mask takes the space before it along.
        mask_token=transformers.AddedToken("<mask>", lstrip=True),
        model_max_length=78,
    )


def _unigram(kind: str) -> Any:
    import transformers

    words = [f"▁{word}" for word in prompt_words()]
    letters = "abcdefghijklmnopqrstuvwxyz"
    pieces = [*words, *",.", *letters, *letters.upper(), "▁", "▁I", "ly", "able"]
    scored = [(piece, -3.0 - at / 1000) for at, piece in enumerate(dict.fromkeys(pieces))]
    if kind == "xlnet":
        special = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"]
        vocab = [*((token, 0.0) for token in special), *scored]
        return transformers.XLNetTokenizer(vocab=vocab, unk_id=0)
    special = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    vocab = [*((token, 0.0) for token in special), *scored]
    return transformers.AlbertTokenizer(vocab=vocab, unk_id=1, model_max_length=80)


def _bertweet(folder: Path) -> Any:
    """Write BERTweet's two files and open them; the last piece of a word has no ``@@``."""
    import transformers

    words = [word for word in prompt_words() if len(word) > 1]
    letters = "abcdefghijklmnopqrstuvwxyzI"
    vocabulary = [*words, *letters, *(f"{letter}@@" for letter in letters), "un@@", ",", "."]
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{token} {at}" for at, token in enumerate(dict.fromkeys(vocabulary))]
    (folder / "vocab.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    merges = []
    for word in words:
        whole = word[0]
        for at, letter in enumerate(word[1:], start=2):
            last = "</w>" if at == len(word) else ""
            merges.append(f"{whole} {letter}{last} 1")
            whole += letter
    text = "\n".join(dict.fromkeys(merges)) + "\n"
    (folder / "bpe.codes").write_text(text, encoding="utf-8")
    return transformers.BertweetTokenizer(
        str(folder / "vocab.txt"),
        str(folder / "bpe.codes"),
        normalization=True,
        model_max_length=78,
    )


_TOKENIZERS: dict[str, Any] = {
    "roberta": _byte_level,
    "bertweet": _bertweet,
    "xlnet": lambda folder: _unigram("xlnet"),
    "albert": lambda folder: _unigram("albert"),
}
MASKED = ("bert", "distilbert", "mpnet", "roberta", "albert", "bertweet", "xlnet")
