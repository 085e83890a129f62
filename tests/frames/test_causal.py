"""A tiny causal framer: it repeats what it learnt, and never breaks a constraint when searched."""

import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tactful.detectors.card import Card, write_card  # noqa: E402
from tactful.errors import FileFormatError, UsageError  # noqa: E402
from tactful.frames import Framer, frame_problems, load_framer  # noqa: E402
from tactful.frames.schema import CATEGORICAL  # noqa: E402
from tactful_lab.frames.causal import (  # noqa: E402
    CausalFramer,
    constrained_frame,
    frame_as_written,
    load_causal_framer,
)
from tactful_lab.frames.causal_decoding import Decoded, draws_for  # noqa: E402
from tactful_lab.frames.causal_tokens import LineTokenizer  # noqa: E402
from tactful_lab.frames.linearise import Parsed  # noqa: E402

TINY = runpy.run_path(str(Path(__file__).parents[1] / "tiny_causal.py"))
LESSONS = TINY["LESSONS"]
POSTS = [lesson.post for lesson in LESSONS]
CARD = Card("tiny", "1", CATEGORICAL, kind="frames-causal")
OTHERS = ["", "fine", "old people go out and what is it " * 12, "[END] [SEP] é \ud83d 日本"]


def random_model(folder: Path, kind: str) -> tuple[Any, Any]:
    from tactful.audit.base_model import find_base
    from tactful_lab.training.causal.base import load_base

    return load_base(find_base(TINY["write_tiny_model"](folder, kind)))


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def untaught(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Any, Any]:
    return random_model(tmp_path_factory.mktemp("untaught"), request.param)


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a model that knows the four lessons by heart."""
    from tactful_lab.training.causal.data import encode_lines
    from tactful_lab.training.causal.language_model import CausalPlan, train_causal

    model, wrapped = random_model(tmp_path_factory.mktemp("base"), request.param)
    lines = encode_lines(LESSONS, LineTokenizer(wrapped), 64, 96)
    model = train_causal(model, wrapped, lines, CausalPlan(epochs=150, batch=4, rate=5e-3))
    written = tmp_path_factory.mktemp("framer")
    model.save_pretrained(written)
    wrapped.save_pretrained(written)
    write_card(CARD, written)
    return written


@pytest.mark.parametrize("decoding", ["greedy", "sample"])
@pytest.mark.parametrize("constrained", [True, False])
def test_it_repeats_what_it_learnt(folder: Path, decoding: str, constrained: bool) -> None:
    framer = load_causal_framer(folder, decoding=decoding, constrained=constrained)
    for frame, lesson in zip(framer.frame(POSTS), LESSONS, strict=True):
        assert frame.target_groups == ((lesson.group,) if lesson.group else ())
        assert frame.implied_statements == ((lesson.statement,) if lesson.statement else ())
        for name, value in lesson.values.items():
            assert frame.answers[name] == ("yes" if value else "no")
            assert (frame.probabilities[name] > 0.5) == bool(value)
        assert not constrained or frame_problems(frame) == []
        for each in frame.implications:
            assert each.group == lesson.group
            assert 0.5 < (each.probability or 0) <= 1
            assert 0.5 < (each.likelihood or 0) <= 1
    # Where a variable has no value, its place is not learnt: anything may be there.
    assert not any(each.malformed or each.inconsistent for each in framer.decode(POSTS[:2]))


def test_the_folder_is_a_framer(folder: Path) -> None:
    framer = load_framer(folder)
    assert isinstance(framer, Framer)
    assert framer.card == CARD
    assert framer.frame([]) == []


def test_company_and_order_do_not_matter(folder: Path) -> None:
    for decoding in ("greedy", "sample"):
        together = load_causal_framer(folder, decoding=decoding).decode(POSTS)
        alone = load_causal_framer(folder, decoding=decoding, batch=1).decode(POSTS[::-1])[::-1]
        for one, other in zip(together, alone, strict=True):
            assert one.parsed == other.parsed
            assert one.score == pytest.approx(other.score, abs=1e-3)
            assert dict(one.probabilities) == pytest.approx(dict(other.probabilities), abs=1e-4)


def test_scores_are_those_of_the_line(folder: Path) -> None:
    framer = load_causal_framer(folder)
    tokenizer = LineTokenizer(framer._tokenizer.wrapped)
    model = framer._model
    (decoded,) = framer.decode(POSTS[:1])
    lesson = LESSONS[0]
    start = tokenizer.encode_prompt(lesson.post, 64)
    words = [tokenizer.encode_words(text) for text in (lesson.group, lesson.statement)]
    values = [tokenizer.values[name][lesson.values[name]] for name in CATEGORICAL]
    sep = tokenizer.separator
    line = [*values[:4], sep, *words[0], sep, *words[1], sep, values[4], tokenizer.end]
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([[*start, *line]])).logits[0, len(start) - 1 : -1]
    each = logits.log_softmax(-1).gather(1, torch.tensor(line)[:, None])[:, 0]
    assert decoded.score == pytest.approx(float(each.sum()), abs=1e-3)
    group = slice(5, 5 + len(words[0]) + 1)
    assert decoded.group_probability == pytest.approx(float(each[group].sum().exp()), abs=1e-4)
    two = logits[1, list(tokenizer.values["frame.offensive"])].softmax(0)
    assert decoded.probabilities["frame.offensive"] == pytest.approx(float(two[1]), abs=1e-4)


def test_samples_follow_the_seed(untaught: tuple[Any, Any]) -> None:
    def lines(**options: Any) -> list[float]:
        framer = CausalFramer(*untaught, CARD, decoding="sample", most_tokens=12, **options)
        return [each.score for each in framer.decode(POSTS)]

    assert lines(seed=1) == lines(seed=1)
    assert lines(seed=1) != lines(seed=2)
    # Of more samples the most probable is never less probable: the first ten are the same.
    assert all(
        many >= few - 1e-3 for many, few in zip(lines(samples=10), lines(samples=1), strict=True)
    )
    assert draws_for(["a", "b"], 3, 5, 1).shape == (2, 3, 5)
    assert (draws_for(["a"], 3, 5, 1) == draws_for(["b", "a"], 3, 5, 1)[1]).all()


@pytest.mark.parametrize("decoding", ["greedy", "sample"])
def test_what_an_untaught_model_writes_is_counted_and_repaired(
    untaught: tuple[Any, Any], decoding: str
) -> None:
    framer = CausalFramer(*untaught, CARD, decoding=decoding, most_tokens=20)
    texts = [*POSTS, *OTHERS]
    assert all(each.malformed for each in framer.decode(texts))
    for frame in framer.frame(texts):
        assert frame_problems(frame) == []
        assert set(frame.probabilities) == set(CATEGORICAL)


TEXTS = st.text(max_size=8).map(str.strip)
SHARES = st.floats(0, 1)


@st.composite
def written(draw: st.DrawFn) -> Decoded:
    """Draw any line that a model could have written, and any probabilities."""
    values = draw(st.dictionaries(st.sampled_from(CATEGORICAL), st.integers(0, 1)))
    parsed = Parsed(values, draw(TEXTS), draw(TEXTS), draw(st.booleans()))
    chances = {name: draw(SHARES) for name in CATEGORICAL}
    return Decoded(parsed, chances, -1.0, draw(SHARES), draw(SHARES))


@given(written())
def test_the_search_never_breaks_a_constraint(decoded: Decoded) -> None:
    frame = constrained_frame(decoded)
    assert frame_problems(frame) == []
    assert (frame.answers["frame.group"] == "yes") == bool(decoded.parsed.group)
    as_written = frame_as_written(decoded)
    assert as_written.target_groups == ((decoded.parsed.group,) if decoded.parsed.group else ())


def test_an_inconsistent_line_is_seen() -> None:
    values = dict.fromkeys(CATEGORICAL, 0) | {"frame.group": 1}
    chances = dict.fromkeys(CATEGORICAL, 0.1) | {"frame.group": 0.9, "frame.offensive": 0.4}
    line = Decoded(Parsed(values, "women", "women cannot drive"), chances, -1.0, 0.5, 0.25)
    assert line.inconsistent
    assert not line.malformed
    frame = constrained_frame(line)
    assert frame.answers["frame.offensive"] == "yes"
    assert frame.implications[0].probability == pytest.approx(0.45)
    assert frame.implications[0].likelihood == 0.25
    assert frame_problems(frame_as_written(line)) != []
    nothing = replace(line, parsed=Parsed(dict.fromkeys(CATEGORICAL, 0)))
    assert not nothing.inconsistent
    assert constrained_frame(nothing).answers["frame.group"] == "no"


def test_wrong_settings_and_folders_are_refused(untaught: tuple[Any, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="greedy or sample"):
        CausalFramer(*untaught, CARD, decoding="beam")
    for wrong in ({"samples": 0}, {"batch": 0}, {"most_tokens": 0}):
        with pytest.raises(UsageError, match=next(iter(wrong))):
            CausalFramer(*untaught, CARD, **wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="list of texts"):
        CausalFramer(*untaught, CARD).frame("one text")
    write_card(CARD, tmp_path)
    with pytest.raises(FileFormatError, match="frames-lm"):
        load_causal_framer(tmp_path)


def test_a_model_without_the_tokens_of_a_frame_is_refused(tmp_path: Path) -> None:
    TINY["write_tiny_model"](tmp_path)
    write_card(CARD, tmp_path)
    with pytest.raises(FileFormatError, match=r"\[STR\]"):
        load_causal_framer(tmp_path)
