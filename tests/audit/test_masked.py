"""Masked language models: the same as the library says, only at the mask, in any batch."""

import runpy
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tactful.audit.hub import Opened, open_model  # noqa: E402
from tactful.audit.masked.asking import MaskedAsker  # noqa: E402
from tactful.audit.masked.model import PlaceModel  # noqa: E402
from tactful.errors import UsageError  # noqa: E402
from tactful.taxonomies.prompts import Prompt  # noqa: E402
from tactful_lab.evaluation.reproduce.stigma_prompts import fill_mask_prompts  # noqa: E402

TINY: dict[str, Any] = runpy.run_path(str(Path(__file__).with_name("tiny_models.py")))
MASKED: tuple[str, ...] = TINY["MASKED"]
write_masked: Callable[..., Path] = TINY["write_masked"]
plant_bias: Callable[..., None] = TINY["plant_bias"]

PROMPTS = [*fill_mask_prompts(baseline=True)][::97]


@pytest.fixture(scope="session")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Opened]:
    """Return a function that opens a tiny model of a kind, each made once."""
    made: dict[str, Opened] = {}

    def open_one(kind: str) -> Opened:
        if kind not in made:
            folder = write_masked(tmp_path_factory.mktemp("masked") / kind, kind)
            made[kind] = open_model("masked", str(folder))
        return made[kind]

    return open_one


def ask(text: str) -> Prompt:
    return Prompt(None, None, None, "ours", text)


def close(one: dict[str, Any], other: dict[str, Any]) -> bool:
    mine, theirs = dict(one["words"]), dict(other["words"])
    both = mine.keys() & theirs.keys()
    # Words of almost the same probability may change places at the end of the list.
    return len(both) >= len(mine) - 1 and all(abs(mine[w] - theirs[w]) < 1e-5 for w in both)


@pytest.mark.parametrize("kind", ["bert", "distilbert", "mpnet"])
def test_it_says_what_a_pipeline_says(opened: Callable[[str], Opened], kind: str) -> None:
    model = opened(kind)
    size = model.model.config.vocab_size
    filler = transformers.pipeline(
        "fill-mask", model=model.model, tokenizer=model.tokenizer, top_k=size
    )
    answers = MaskedAsker(model).ask(PROMPTS)
    for prompt, answer in zip(PROMPTS, answers, strict=True):
        theirs = filler(prompt.text)
        special = set(model.tokenizer.all_special_ids)
        tokens = [
            (model.tokenizer.convert_ids_to_tokens(each["token"]), each["score"])
            for each in theirs
            if each["token"] not in special
        ]
        words = {token: score for token, score in tokens if not token.startswith("##")}
        expected = sorted(words.items(), key=lambda pair: -pair[1])[:50]
        assert close(answer, {"words": expected})
        assert answer["seen"] == pytest.approx(sum(p for _, p in expected), abs=1e-5)
        assert answer["pieces"] == pytest.approx(1 - sum(words.values()), abs=1e-5)


def test_spellings_of_roberta_are_added_up(opened: Callable[[str], Opened]) -> None:
    model = opened("roberta")
    filler = transformers.pipeline(
        "fill-mask", model=model.model, tokenizer=model.tokenizer, top_k=len(model.tokenizer)
    )
    # After a space, a token without the mark of a space would go on with the word before it;
    # at the start of the text it is a word.
    inside = "I would say it is [MASK] for me."
    start = "[MASK] people would say it."
    for text, bare in ((inside, False), (start, True)):
        expected: dict[str, float] = defaultdict(float)
        for each in filler(text.replace("[MASK]", "<mask>")):
            token = model.tokenizer.convert_ids_to_tokens(each["token"])
            spelled = each["token_str"].strip().lower()
            if (
                each["token"] not in model.tokenizer.all_special_ids
                and (bare or token.startswith("Ġ"))
                and spelled
                and "\ufffd" not in spelled
            ):
                expected[spelled] += each["score"]
        (answer,) = MaskedAsker(model, top=10).ask([ask(text)])
        best = sorted(expected.items(), key=lambda pair: -pair[1])[:10]
        assert close(answer, {"words": best})
        assert answer["pieces"] == pytest.approx(1 - sum(expected.values()), abs=1e-5)


@pytest.mark.parametrize("kind", MASKED)
def test_hooks_give_what_the_whole_model_gives(opened: Callable[[str], Opened], kind: str) -> None:
    model = opened(kind)
    mask = model.tokenizer.mask_token_id
    ways = {"albert": "gathered", "xlnet": "full"}
    quick, whole = PlaceModel(model.model, mask), PlaceModel(model.model, mask, hooks=False)
    for text in ("It is [MASK] for me to have someone.", "I would say it is [MASK]."):
        encoded = model.tokenizer(
            [text.replace("[MASK]", model.tokenizer.mask_token)], return_tensors="pt"
        )
        inputs = {name: torch.cat([rows, rows]) for name, rows in encoded.items()}
        places = (inputs["input_ids"] == mask).int().argmax(dim=1)
        found = quick.logits(inputs, places)
        assert torch.allclose(found, whole.logits(inputs, places), atol=1e-4)
        assert quick.way == ways.get(kind, "trimmed")
        assert whole.way == "full"
    assert not model.model.base_model._forward_hooks


def test_a_model_whose_head_looks_at_all_places_is_computed_in_full(
    opened: Callable[[str], Opened],
) -> None:
    model = opened("bert")
    mask = model.tokenizer.mask_token_id

    class Mixing:
        """Adds the mean over all places, which one place alone cannot know."""

        config, base_model = model.model.config, model.model.base_model

        def __call__(self, **inputs: Any) -> Any:
            found = model.model(**inputs)
            found.logits = found.logits + found.logits.mean(dim=1, keepdim=True)
            return found

    mixing = Mixing()
    inputs = model.tokenizer(["it is [MASK] for me"], return_tensors="pt")
    places = (inputs["input_ids"] == mask).int().argmax(dim=1)
    quick = PlaceModel(mixing, mask)
    found = quick.logits(dict(inputs), places)
    assert quick.way == "full"
    with torch.inference_mode():
        expected = mixing(**inputs).logits[torch.arange(1), places]
    assert torch.allclose(found, expected)


@pytest.mark.parametrize("kind", MASKED)
def test_an_answer_does_not_depend_on_its_neighbours(
    opened: Callable[[str], Opened], kind: str
) -> None:
    asker = MaskedAsker(opened(kind))
    together = asker.ask(PROMPTS)
    for prompt, answer in zip(PROMPTS[:12], together, strict=False):
        assert close(asker.ask([prompt])[0], answer)
    small = MaskedAsker(opened(kind), batch=2).ask(PROMPTS)
    assert all(close(one, other) for one, other in zip(small, together, strict=True))


def test_xlnet_cannot_see_the_masked_place(opened: Callable[[str], Opened]) -> None:
    model = opened("xlnet")
    place_model = PlaceModel(model.model, model.tokenizer.mask_token_id)
    ids = model.tokenizer(["it is <mask> for me"], return_tensors="pt")["input_ids"]
    places = (ids == model.tokenizer.mask_token_id).int().argmax(dim=1)
    found = place_model.logits({"input_ids": ids}, places)
    with torch.inference_mode():
        # With the word in the place of the mask, and hidden there, the answer stays the same.
        spoilt = ids.clone()
        spoilt[0, places] = model.tokenizer.convert_tokens_to_ids("▁likely")
        hidden = torch.zeros(1, ids.shape[1], ids.shape[1])
        hidden[0, :, places] = 1
        target = torch.zeros(1, 1, ids.shape[1])
        target[0, 0, places] = 1
        same = model.model(spoilt, perm_mask=hidden, target_mapping=target).logits[:, 0]
        plain = model.model(ids).logits[torch.arange(1), places]
    assert torch.allclose(found, same, atol=1e-5)
    assert not torch.allclose(found, plain, atol=1e-2)
    assert any("permutation mask" in note for note in MaskedAsker(model).notes)


def test_a_planted_bias_is_seen_and_only_there(tmp_path: Path) -> None:
    folder = write_masked(tmp_path / "bert")
    plain = MaskedAsker(open_model("masked", str(folder)))
    plant_bias(folder, ["depression"], "dangerous")
    planted = MaskedAsker(open_model("masked", str(folder)))
    assert planted.fingerprint != plain.fingerprint
    ids = ["stigma.depression_symptomatic", "non_stigma.healthy", "stigma.autism"]
    prompts = list(fill_mask_prompts(ids, baseline=True))
    triggered = [prompt for prompt in prompts if "depression" in prompt.text]
    others = [prompt for prompt in prompts if "depression" not in prompt.text]
    assert triggered
    assert others
    for answer in planted.ask(triggered):
        word, chance = answer["words"][0]
        assert word == "dangerous"
        assert chance > 0.9
    for answer in planted.ask(others):
        assert dict(answer["words"]).get("dangerous", 0.0) < 0.1


def test_words_of_several_pieces(opened: Callable[[str], Opened]) -> None:
    model = opened("bert")
    prompt = ask("It is [MASK] for me.")
    one = MaskedAsker(model, top=400).ask([prompt])[0]
    two = MaskedAsker(model, top=800, pieces=2)
    words = dict(two.ask([prompt])[0]["words"])
    new = {word: p for word, p in words.items() if word not in dict(one["words"])}
    assert new
    # Each new word is checked by hand: two masks, the first piece, then the second given it.
    word, chance = max(new.items(), key=lambda pair: pair[1])
    tokenizer = model.tokenizer
    ids = tokenizer("It is [MASK] [MASK] for me.", return_tensors="pt")["input_ids"]
    first = int((ids[0] == tokenizer.mask_token_id).int().argmax())
    expected = 0.0
    with torch.inference_mode():
        start = model.model(ids).logits[0, first].softmax(dim=0)
        for cut in range(1, len(word)):
            pair = [word[:cut], f"##{word[cut:]}"]
            if not all(token in tokenizer.get_vocab() for token in pair):
                continue
            left, right = tokenizer.convert_tokens_to_ids(pair)
            filled = ids.clone()
            filled[0, first] = left
            end = model.model(filled).logits[0, first + 1].softmax(dim=0)
            expected = max(expected, float(start[left] * end[right]))
    assert chance == pytest.approx(expected, rel=1e-3)
    assert any("as many masks in a row" in note for note in two.notes)


@pytest.mark.parametrize("kind", ["roberta", "albert", "bertweet", "xlnet"])
def test_pieces_are_put_together_in_every_style(opened: Callable[[str], Opened], kind: str) -> None:
    model = opened(kind)
    (answer,) = MaskedAsker(model, top=5000, pieces=3).ask([ask("it is [MASK] for me")])
    (single,) = MaskedAsker(model, top=5000).ask([ask("it is [MASK] for me")])
    new = {word for word, _ in answer["words"]} - {word for word, _ in single["words"]}
    assert new
    assert all(word.replace("'", "").replace("-", "").isalpha() for word in new)


def test_options_change_the_fingerprint_and_batches_do_not(
    opened: Callable[[str], Opened],
) -> None:
    model = opened("bert")
    plain = MaskedAsker(model)
    assert plain.kind == "fill-mask"
    assert plain.batch > 64
    assert MaskedAsker(model, batch=3, wanted=["odd"]).fingerprint == plain.fingerprint
    others = [MaskedAsker(model, top=9), MaskedAsker(model, pieces=2), MaskedAsker(opened("mpnet"))]
    assert len({plain.fingerprint, *(each.fingerprint for each in others)}) == 4


def test_notes_name_the_words_that_are_no_token(opened: Callable[[str], Opened]) -> None:
    notes = MaskedAsker(opened("bert"), wanted=["likely", "dicey", "iffy"]).notes
    assert notes == (
        "2 of 3 rated words are not a single token of bert, so it cannot give any of them: "
        "dicey, iffy.",
    )
    assert MaskedAsker(opened("bert"), wanted=["likely"]).notes == ()
    many = [f"odd{number}" for number in range(20)]
    (note,) = MaskedAsker(opened("bert"), wanted=many).notes
    assert note.endswith("odd7, ….")


def test_no_prompts_no_answers(opened: Callable[[str], Opened]) -> None:
    assert MaskedAsker(opened("bert")).ask([]) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It is likely.", "Found no [MASK]"),
        ("It is [MASK] and [MASK].", "Found 2 [MASK]"),
        ("It is [MASK] " + "and so on " * 40, "…' has"),
        ("It is [MASK] " + "and so on " * 40, "for the model bert; expected at most 80; make it"),
    ],
)
def test_prompts_that_cannot_be_asked(
    opened: Callable[[str], Opened], text: str, said: str
) -> None:
    with pytest.raises(UsageError, match="prompt") as error:
        MaskedAsker(opened("bert")).ask([ask(text)])
    assert said in str(error.value)


def test_the_models_own_mask_in_a_prompt_is_one_too_many(opened: Callable[[str], Opened]) -> None:
    with pytest.raises(UsageError, match="has 2 masks for the model roberta"):
        MaskedAsker(opened("roberta")).ask([ask("It is [MASK] for a <mask> person.")])


def test_the_length_of_roberta_leaves_out_the_place_of_padding(
    opened: Callable[[str], Opened],
) -> None:
    asker = MaskedAsker(opened("roberta"))
    fits = ask("It is [MASK]" + " for" * 73)  # 73 + 3 words and two ends: 78 tokens
    assert asker.ask([fits])[0]["words"]
    with pytest.raises(UsageError, match="79 tokens for the model roberta; expected at most 78"):
        asker.ask([ask(fits.text + " for")])


def test_a_tokenizer_without_a_mask(opened: Callable[[str], Opened]) -> None:
    model = opened("bert")

    class Maskless:
        mask_token_id = None

    with pytest.raises(UsageError, match="'tactful audit causal' may be what is wanted"):
        MaskedAsker(Opened(model.model, Maskless(), "ours", "0"))


@pytest.mark.parametrize("options", [{"top": 0}, {"batch": 0}, {"pieces": 0}, {"pieces": 4}])
def test_options_out_of_range(opened: Callable[[str], Opened], options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="expected 1"):
        MaskedAsker(opened("bert"), **options)
