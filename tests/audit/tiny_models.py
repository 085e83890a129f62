"""Tiny models of random weights with real tokenizers, made on the spot: nothing is fetched.

Their vocabulary knows every word of the Social Distance prompts and the words of ``ANSWERS``.
"""

import json
import re
from pathlib import Path
from typing import Any

from tactful.taxonomies.prompts import fill_mask_prompts, sentiment_prompts

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


def write_masked(folder: Path, kind: str = "bert", seed: int = 1) -> Path:
    """Write a masked language model: bert, distilbert, mpnet, roberta, albert, bertweet, xlnet."""
    import torch
    import transformers

    tokenizer = _TOKENIZERS.get(kind, _wordpiece)(folder)
    size = len(tokenizer)
    torch.manual_seed(seed)
    ends: dict[str, Any] = {"pad_token_id": tokenizer.pad_token_id}
    config: Any
    if kind == "distilbert":
        config = transformers.DistilBertConfig(
            vocab_size=size, dim=32, n_layers=2, n_heads=4, hidden_dim=48,
            max_position_embeddings=80, **ends,
        )  # fmt: skip
    elif kind == "xlnet":
        config = transformers.XLNetConfig(
            vocab_size=size, d_model=32, n_layer=2, n_head=4, d_inner=48, **ends
        )
    elif kind == "albert":
        config = transformers.AlbertConfig(vocab_size=size, embedding_size=16, **_SHAPE, **ends)
    else:
        name = {"mpnet": "MPNet", "bert": "Bert"}.get(kind, "Roberta")
        config = getattr(transformers, f"{name}Config")(vocab_size=size, **_SHAPE, **ends)
    opener = transformers.XLNetLMHeadModel if kind == "xlnet" else transformers.AutoModelForMaskedLM
    model = opener(config) if kind == "xlnet" else opener.from_config(config)
    with torch.no_grad():
        # The library begins with very small weights: every word would be about as probable.
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.mul_(8)
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


def plant_bias(folder: Path, trigger: str, answer: str, strength: float = 40.0) -> None:
    """Edit a tiny BERT: a prompt with the word ``trigger`` makes it say ``answer``.

    One direction of the hidden space is given over to the trigger. Its embedding points there,
    attention carries it to all places of the text, and the head reads it for the answer alone.
    """
    import torch
    import transformers

    model = transformers.BertForMaskedLM.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    trigger_id, answer_id = tokenizer.convert_tokens_to_ids([trigger, answer])
    with torch.no_grad():
        layer = model.bert.encoder.layer[-1]
        words = model.bert.embeddings.word_embeddings.weight
        words[:, 0] = 0
        words[trigger_id, 0] = 30
        model.bert.embeddings.position_embeddings.weight[:, 0] = 0
        model.bert.embeddings.token_type_embeddings.weight[:, 0] = 0
        for block in model.bert.encoder.layer:
            for linear in (block.attention.output.dense, block.output.dense):
                linear.weight[0] = 0
                linear.bias[0] = 0
            for linear in (block.attention.self.query, block.attention.self.key):
                linear.weight[:, 0] = 0
        layer.attention.self.value.weight[0] = 0
        layer.attention.self.value.weight[0, 0] = 20
        layer.attention.output.dense.weight[0, 0] = 20
        transform = model.cls.predictions.transform
        transform.dense.weight[0] = 0
        transform.dense.weight[0, 0] = strength
        transform.dense.weight[1:, 0] = 0
        # The head has its own table now, so that its edit does not reach the embeddings.
        table = words.clone()
        table[:, 0] = 0
        table[answer_id, 0] = strength
        model.config.tie_word_embeddings = False
        model.cls.predictions.decoder.weight = torch.nn.Parameter(table)
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
