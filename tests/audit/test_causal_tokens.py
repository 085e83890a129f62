"""The tokens of a word are those by which the text with the word differs from the one without."""

from typing import Any

import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("transformers")

from tactful.audit.causal.tokens import PromptTokenizer
from tactful.errors import UsageError

TEXT = "It is likely for me to rent a room. To rent a room is unlikely. It is safe and it is un"
ENDS = ["<s>", "</s>", "<unk>"]


def byte_level(begins: bool = False, ends: bool = False, **special: str) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    bare = Tokenizer(models.BPE())
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=ENDS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bare.train_from_iterator([TEXT] * 3, trainer)
    return wrapped(bare, begins, ends, **special)


def sentence_piece(begins: bool = True, ends: bool = False, **special: str) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    words = ["▁It", "▁it", "▁is", "▁likely", "▁safe", "▁un", "likely", "safe", "▁to", "▁a", "▁"]
    letters = "abcdefghijklmnopqrstuvwxyzIT."
    vocabulary = [*((each, 0.0) for each in ENDS), *((word, -2.0) for word in words)]
    vocabulary += [(letter, -6.0) for letter in letters]
    bare = Tokenizer(models.Unigram(vocabulary, unk_id=2, byte_fallback=False))
    bare.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    bare.decoder = decoders.Metaspace(prepend_scheme="first")
    return wrapped(bare, begins, ends, **special)


def wrapped(bare: Any, begins: bool, ends: bool, **special: str) -> Any:
    from tokenizers import processors
    from transformers import PreTrainedTokenizerFast

    if begins or ends:
        form = f"{'<s> ' if begins else ''}$A{' </s>' if ends else ''}"
        bare.post_processor = processors.TemplateProcessing(
            single=form, special_tokens=[("<s>", 0), ("</s>", 1)]
        )
    names = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    chosen = {name: token for name, token in {**names, **special}.items() if token}
    return PreTrainedTokenizerFast(tokenizer_object=bare, **chosen)


def names(tokenizer: Any, tokens: tuple[int, ...]) -> list[str]:
    return list(tokenizer.convert_ids_to_tokens(list(tokens)))


def test_the_space_belongs_to_the_word_in_byte_level_bpe() -> None:
    tokenizer = byte_level()
    unit = PromptTokenizer(tokenizer).unit("It is [MASK].", ["likely", "unlikely"], whole=False)
    assert names(tokenizer, unit.context) == ["It", "Ġis"]
    assert names(tokenizer, unit.tails[0]) == ["Ġlikely"]
    assert "".join(names(tokenizer, unit.tails[1])) == "Ġunlikely"


def test_the_space_belongs_to_the_word_in_sentence_piece() -> None:
    tokenizer = sentence_piece()
    unit = PromptTokenizer(tokenizer).unit("It is [MASK].", ["likely", "unlikely"], whole=False)
    assert names(tokenizer, unit.context) == ["<s>", "▁It", "▁is"]
    assert [names(tokenizer, tail) for tail in unit.tails] == [["▁likely"], ["▁un", "likely"]]


def test_a_sentence_goes_on_to_its_end() -> None:
    tokenizer = sentence_piece(ends=True)
    unit = PromptTokenizer(tokenizer).unit("It is [MASK] to a.", ["likely", "safe"], whole=True)
    assert names(tokenizer, unit.context) == ["<s>", "▁It", "▁is"]
    assert names(tokenizer, unit.tails[1]) == ["▁safe", "▁to", "▁a", "."]


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("make", [byte_level, sentence_piece])
def test_context_and_tail_are_the_whole_text(make: Any, whole: bool) -> None:
    tokenizer = make()
    words = ["likely", "unlikely", "safe", "é"]
    for text in ("It is [MASK].", "To rent is [MASK], it is.", "[MASK]", "a[MASK]b", "It[MASK]"):
        unit = PromptTokenizer(tokenizer).unit(text, words, whole)
        for word, tail in zip(words, unit.tails, strict=True):
            full = text.replace("[MASK]", word) if whole else text.split("[MASK]")[0] + word
            plain = tokenizer(full, add_special_tokens=False)["input_ids"]
            assert [*unit.context, *tail][-len(plain) :] == plain
            assert len(unit.context) >= 1


def test_words_that_melt_into_the_text_are_compared_from_a_common_beginning() -> None:
    tokenizer = sentence_piece()
    unit = PromptTokenizer(tokenizer).unit("It is un[MASK]", ["likely", "safe"], whole=False)
    assert names(tokenizer, unit.context) == ["<s>", "▁It", "▁is", "▁un"]
    unit = PromptTokenizer(tokenizer).unit("It i[MASK]", ["s", "t"], whole=False)
    assert names(tokenizer, unit.context) == ["<s>", "▁It"]
    assert names(tokenizer, unit.tails[0]) == ["▁is"]


@pytest.mark.parametrize(
    ("special", "begin"),
    [({}, ["<s>"]), ({"bos_token": ""}, ["</s>"])],
)
def test_a_prompt_that_begins_with_the_word_has_a_token_before_it(
    special: Any, begin: list[str]
) -> None:
    tokenizer = byte_level(**special)
    cut = PromptTokenizer(tokenizer)
    assert cut.begin == ()
    assert names(tokenizer, cut.unit("[MASK] it is.", ["It", "To"], whole=True).context) == begin


def test_without_any_such_token_that_prompt_is_refused() -> None:
    cut = PromptTokenizer(byte_level(bos_token="", eos_token=""))
    with pytest.raises(UsageError, match="no token for the beginning"):
        cut.unit("[MASK] it is.", ["It", "To"], whole=True)


def test_the_end_token_of_a_tokenizer_is_left_out() -> None:
    cut = PromptTokenizer(byte_level(begins=True, ends=True))
    assert cut.begin == (0,)
    assert 1 not in cut.unit("It is [MASK].", ["safe"], whole=True).tails[0]


@pytest.mark.parametrize(("text", "count"), [("It is safe.", 0), ("[MASK] is [MASK].", 2)])
def test_a_prompt_needs_one_place_for_the_word(text: str, count: int) -> None:
    with pytest.raises(UsageError, match=rf"Found {count} times \[MASK\] in the prompt"):
        PromptTokenizer(byte_level()).unit(text, ["safe"], whole=False)


def test_a_word_of_which_nothing_is_left_is_refused() -> None:
    cut = PromptTokenizer(byte_level())
    with pytest.raises(UsageError, match="leaves nothing of the word ''"):
        cut.unit("It is[MASK]", [""], whole=False)


def test_tokens_of_a_word_within_a_sentence() -> None:
    tokenizer = sentence_piece()
    cut = PromptTokenizer(tokenizer)
    assert names(tokenizer, cut.tokens_of("likely")) == ["▁likely"]
    assert names(tokenizer, cut.tokens_of("unsafe")) == ["▁un", "safe"]
