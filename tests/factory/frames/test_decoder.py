"""The decoder of statements: taught, written as two graphs, searched without torch."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from factory.frames.decoder import (  # noqa: E402
    HEADS,
    WIDTH,
    FrameDecoder,
    Shape,
    Step,
    warm_started,
)
from factory.frames.fitting import (  # noqa: E402
    DecoderSettings,
    batch_loss,
    fit_decoder,
    write_decoder,
)
from factory.frames.lessons import Lesson, joined_states, make_batch  # noqa: E402

from tactful.frames.decoder import StatementDecoder, _log_softmax  # noqa: E402
from tactful.frames.vocabulary import END, SEPARATOR, START  # noqa: E402

PIECES = 12
RECIPE = DecoderSettings(epochs=60, batch=4, rate=1e-3, smoothing=0.0)


def lessons() -> list[Lesson]:
    """Return four lines that differ by post: group 3 or 4, and other statements."""
    return [
        Lesson(0, (3,), (5, 6, 7), 1.0),
        Lesson(1, (3,), (8, 6, 9), 1.0),
        Lesson(2, (4,), (5, 10, 7), 1.0),
        Lesson(3, (4,), (8, 10, 11), 1.0),
    ]


def states() -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [rng.normal(size=(length, WIDTH)).astype(np.float32) for length in (4, 6, 5, 3)]


def tiny() -> FrameDecoder:
    torch.manual_seed(1)
    return FrameDecoder(Shape(PIECES, layers=(0,), dropout=0.0))


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> tuple[FrameDecoder, Path]:
    decoder, folder = tiny(), tmp_path_factory.mktemp("decoder")
    fit_decoder(decoder, lessons(), joined_states(states()), RECIPE, folder)
    write_decoder(decoder, folder)
    return decoder, folder


def test_the_search_writes_what_was_taught(taught: tuple[FrameDecoder, Path]) -> None:
    decoder = StatementDecoder(taught[1])
    found = decoder.statements(states(), [lesson.group for lesson in lessons()], beams=3)
    assert [each[0].pieces for each in found] == [lesson.statement for lesson in lessons()]
    assert [each[0].pieces for each in decoder.groups(states(), beams=3)] == [
        (3,),
        (3,),
        (4,),
        (4,),
    ]
    for candidates in found:
        scores = [each.score for each in candidates]
        assert scores == sorted(scores, reverse=True)
        assert all(score <= 0 for score in scores)
        assert len({each.pieces for each in candidates}) == len(candidates)


def test_the_score_is_the_model_s_own_log_probability(taught: tuple[FrameDecoder, Path]) -> None:
    decoder, folder = taught
    best = StatementDecoder(folder).statements(states()[:1], [(3,)], beams=3)[0][0]
    line = [START, 3, SEPARATOR, *best.pieces, END]
    with torch.no_grad():
        odds = decoder(
            torch.tensor([line[:-1]]),
            torch.from_numpy(states()[0])[None],
            torch.ones(1, len(states()[0])),
        )
    chances = _log_softmax(odds[0].numpy())
    expected = sum(chances[at, line[at + 1]] for at in range(2, len(line) - 1))
    assert best.score == pytest.approx(expected, abs=0.1)  # int8


def test_lines_of_other_lengths_beside_it_change_nothing(taught: tuple[FrameDecoder, Path]) -> None:
    decoder = StatementDecoder(taught[1])
    alone = decoder.statements(states()[:1], [(3,)], beams=2)[0]
    beside = decoder.statements([states()[0], states()[1]], [(3,), (4, 4, 4, 3)], beams=2)[0]
    assert alone[0].pieces == beside[0].pieces
    assert alone[0].score == pytest.approx(beside[0].score, abs=0.1)


def test_one_step_after_the_other_is_the_whole_line_at_once() -> None:
    decoder = tiny().eval()
    pieces = torch.tensor([[START, 3, SEPARATOR, 5]])
    memory = torch.from_numpy(states()[0])[None]
    mask = torch.ones(1, memory.shape[1], dtype=torch.long)
    cross = torch.stack([torch.stack(layer.cross_keys(memory)) for layer in decoder.layers])
    own = torch.zeros(1, 2, 1, HEADS, 0, WIDTH // HEADS)
    step = Step(decoder)
    with torch.no_grad():
        whole = decoder(pieces, memory, mask)
        for at in range(pieces.shape[1]):
            there = torch.ones(1, at + 1, dtype=torch.long)
            odds, own = step(pieces[:, at], torch.tensor([at]), own, there, cross, mask)
            assert torch.allclose(odds[0], whole[0, at], atol=1e-4)


def test_the_group_weighs_half_and_padding_nothing() -> None:
    batch = make_batch(
        [Lesson(0, (3,), (5, 6), 2.0), Lesson(1, (3, 4), (5, 6, 7), 1.0)], joined_states(states())
    )
    assert batch.pieces.tolist()[0] == [START, 3, SEPARATOR, 5, 6, END, END, END]
    assert batch.weights.tolist()[0] == [0, 1, 1, 2, 2, 2, 0, 0]
    assert batch.weights.tolist()[1] == [0, 0.5, 0.5, 0.5, 1, 1, 1, 1]
    assert batch.mask.sum(1).tolist() == [4, 6]
    assert float(batch_loss(tiny(), batch).detach()) > 0


def test_a_stopped_run_goes_on_to_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = DecoderSettings(epochs=4, batch=2, rate=1e-3)
    monkeypatch.setattr("factory.frames.fitting.CHECKPOINT_STEPS", 3)
    whole, parts = tiny(), tiny()
    fit_decoder(whole, lessons(), joined_states(states()), recipe, tmp_path / "whole")

    def stop(step: int, total: int, loss: float) -> None:
        if step == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_decoder(parts, lessons(), joined_states(states()), recipe, tmp_path / "parts", stop)
    again = tiny()
    fit_decoder(again, lessons(), joined_states(states()), recipe, tmp_path / "parts")
    for one, other in zip(whole.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)


def test_layers_start_as_those_of_the_encoder() -> None:
    torch.manual_seed(2)
    names = {
        f"encoder.layer.1.{name}.{part}": torch.randn(
            *([*shape] if part == "weight" else shape[:1])
        )
        for name, shape in {
            "attention.self.query": (WIDTH, WIDTH),
            "attention.self.key": (WIDTH, WIDTH),
            "attention.self.value": (WIDTH, WIDTH),
            "attention.output.dense": (WIDTH, WIDTH),
            "attention.output.LayerNorm": (WIDTH,),
            "intermediate.dense": (4 * WIDTH, WIDTH),
            "output.dense": (WIDTH, 4 * WIDTH),
            "output.LayerNorm": (WIDTH,),
        }.items()
        for part in ("weight", "bias")
    } | {
        "embeddings.word_embeddings.weight": torch.randn(20, WIDTH),
        "embeddings.position_embeddings.weight": torch.randn(64, WIDTH),
        "embeddings.LayerNorm.weight": torch.ones(WIDTH),
        "embeddings.LayerNorm.bias": torch.zeros(WIDTH),
    }
    decoder = warm_started(Shape(3, layers=(1,)), names, [7, 2, 19])
    assert torch.equal(decoder.pieces.weight[0], names["embeddings.word_embeddings.weight"][7])
    layer = decoder.layers[0]
    key = names["encoder.layer.1.attention.self.key.weight"]
    assert torch.equal(layer.own.key.weight, key)
    assert torch.equal(layer.cross.key.weight, key)
