"""The framer that comes with Tactful: constraints, order, long and odd texts, damaged folders."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import tactful
from tactful.detectors.weights import weights_folder
from tactful.errors import FileFormatError, UnknownNameError, UsageError
from tactful.frames.embedded import EmbeddedFramer, framer_folder, load_embedded_framer, pool
from tactful.frames.groups import load_groups
from tactful.frames.load import Framer, load_framer
from tactful.frames.schema import CATEGORICAL, frame_problems

STANDARDS = "We shouldn't lower our standards to hire more women."
TEXTS = [
    STANDARDS,
    "The bridge opens on Monday.",
    "Typical old people, they can't learn anything new.",
    "",
    "🙂" * 20,
    "Immigrants only come here for our money. " * 60,
]


@pytest.fixture(scope="module")
def framer() -> EmbeddedFramer:
    return load_embedded_framer(weights_folder("frames-en"))


def test_the_paper_s_own_example_is_about_women(framer: EmbeddedFramer) -> None:
    # Figure 1: "women are less qualified" is implied by this sentence.
    frame = framer.frame([STANDARDS])[0]
    assert frame.target_groups[0] == "women"
    assert "women" in frame.implied_statements[0]
    first = frame.implications[0]
    assert first.probability is not None
    assert 0 < first.probability <= frame.probabilities["group"]
    assert "women" in " ".join(first.evidence)


@pytest.mark.parametrize(
    ("text", "group", "statement"),
    [
        (
            "Old people should not be allowed to vote.",
            "old folks",
            "old folks should not be allowed to vote",
        ),
        ("Blind people cannot be teachers.", "blind people", "blind people cannot be teachers"),
    ],
)
def test_a_group_that_the_text_names_goes_before_an_unclear_guess(
    framer: EmbeddedFramer, text: str, group: str, statement: str
) -> None:
    (frame,) = framer.frame([text])
    assert frame.target_groups == (group,)
    assert frame.implied_statements == (statement,)


def test_every_frame_holds_the_constraints_whatever_the_text(framer: EmbeddedFramer) -> None:
    frames = framer.frame(TEXTS)
    assert len(frames) == len(TEXTS)
    for frame in frames:
        assert not frame_problems(frame)
        assert list(frame.probabilities) == list(CATEGORICAL)
        assert bool(frame.target_groups) == (frame.answers["group"] == "yes")
    assert not frames[1].target_groups


def test_a_text_has_the_same_frame_alone_and_among_others(framer: EmbeddedFramer) -> None:
    together = framer.frame(TEXTS)
    for text, frame in zip(TEXTS[:3], together[:3], strict=True):
        alone = framer.frame([text])[0]
        assert alone.target_groups == frame.target_groups
        # Dynamic int8 rounds by batch, so that the last digits may differ.
        for name, value in frame.probabilities.items():
            assert alone.probabilities[name] == pytest.approx(value, abs=0.02)
    assert framer.frame(TEXTS) == together
    assert framer.frame([]) == []


def test_in_group_language_is_never_more_than_a_maybe(framer: EmbeddedFramer) -> None:
    # Section 2: the identity of the speaker is not categorised.
    frames = framer.frame([*TEXTS, "We girls are all the same, I never understood maths either."])
    assert all(frame.answers.get("in_group", "no") in ("no", "maybe") for frame in frames)


def test_what_is_claimed_below_a_half_is_a_maybe(framer: EmbeddedFramer) -> None:
    for frame in framer.frame(TEXTS):
        if frame.answers["offensive"] == "maybe":
            assert frame.probabilities["offensive"] < 0.5
        if frame.answers["offensive"] == "yes":
            assert frame.probabilities["offensive"] >= 0.5


def test_groups_come_from_the_list_of_the_card(framer: EmbeddedFramer) -> None:
    assert framer.groups == tuple(group.name for group in load_groups())
    readings = framer.encoder.readings(TEXTS[:3], "frame.group")
    shares = framer.group_shares(pool(readings))
    assert shares.shape == (3, len(framer.groups) + 1)
    assert np.allclose(shares.sum(axis=1), 1)
    for names in framer.named_groups(readings, pool(readings)):
        assert sum(named.share for named in names) == pytest.approx(1)
        assert [named.share for named in names] == sorted(
            (named.share for named in names), reverse=True
        )


def test_scores_are_those_of_the_frames(framer: EmbeddedFramer) -> None:
    scores = framer.score(TEXTS[:3])
    for at, frame in enumerate(framer.frame(TEXTS[:3])):
        for name, value in frame.probabilities.items():
            assert scores[name][at] == pytest.approx(value, abs=1e-4)


def test_load_framer_opens_it() -> None:
    assert framer_folder("en") == weights_folder("frames-en")
    assert framer_folder("xx") is None
    framer = tactful.load_framer()
    assert isinstance(framer, Framer)
    assert framer.card.name == "frames-en"
    bare = load_framer(statements=False).frame([STANDARDS])[0]
    assert (bare.target_groups, bare.implied_statements) == (("women",), ())
    assert load_framer(least=0.99).frame([STANDARDS])[0].target_groups == ()
    likely = load_framer(least=0.01).frame([STANDARDS])[0]
    assert likely.implied_statements == framer.frame([STANDARDS])[0].implied_statements != ()


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        ("defaultt", {}, UnknownNameError, "default"),
        ("./nowhere", {}, UsageError, "There is no folder 'nowhere'"),
        ("default", {"lang": "xx"}, UnknownNameError, "xx"),
        ("default", {"least": 2.0}, UsageError, "expected 0 to 1"),
    ],
)
def test_wrong_calls_are_refused(
    name: str, options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        load_framer(name, **options)  # type: ignore[arg-type]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the framer, beside links to the detectors that it could read with."""
    for name in ("open-encoder-en", "open-fast-en"):
        (tmp_path / name).symlink_to(weights_folder(name))
    shutil.copytree(weights_folder("frames-en"), tmp_path / "frames-en")
    return tmp_path / "frames-en"


@pytest.mark.parametrize("name", ["heads.npz", "memory.onnx", "step.onnx", "vocabulary.json"])
def test_a_damaged_file_is_named(copy: Path, name: str) -> None:
    (copy / name).write_bytes(b"damaged")
    with pytest.raises(FileFormatError, match=name):
        load_framer(copy).frame([STANDARDS])


def test_heads_that_do_not_fit_the_card_are_refused(copy: Path) -> None:
    card = json.loads((copy / "card.json").read_text(encoding="utf-8"))
    card["training"]["groups"] = card["training"]["groups"][:-1]
    (copy / "card.json").write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"expected the .* of the card and one more"):
        load_framer(copy).frame([STANDARDS])


def test_a_framer_without_its_encoder_says_so(copy: Path) -> None:
    card = json.loads((copy / "card.json").read_text(encoding="utf-8"))
    card["training"]["encoder"] = "open-fast-en"
    (copy / "card.json").write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(FileFormatError, match="found no encoder beside it"):
        load_framer(copy).frame([STANDARDS])
