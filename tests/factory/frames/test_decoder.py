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
from factory.frames.lessons import Lesson, States, batches, joined_states, make_batch  # noqa: E402

from tactful.frames.decoder import END, SEPARATOR, START, Source, StatementDecoder, _log_softmax  # noqa: E402  # noqa: E402

PIECES = 13
RECIPE = DecoderSettings(epochs=60, batch=4, rate=1e-3, smoothing=0.0)


def lessons() -> list[Lesson]:
    """Return four lines that differ by post: group 4 or 5, and other statements."""
    return [
        Lesson(0, (4,), (6, 7, 8), 1.0),
        Lesson(1, (4,), (9, 7, 10), 1.0),
        Lesson(2, (5,), (6, 11, 8), 1.0),
        Lesson(3, (5,), (9, 11, 12), 1.0),
    ]


def states() -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [rng.normal(size=(length, WIDTH)).astype(np.float32) for length in (4, 6, 5, 3)]


def sources() -> list[Source]:
    """Return the texts as the decoder reads them; some of their tokens can be written."""
    places = [np.arange(len(each), dtype=np.int64) + at for at, each in enumerate(states())]
    return [Source(each, place) for each, place in zip(states(), places, strict=True)]


def joined() -> States:
    return joined_states(states(), [each.places for each in sources()])


def tiny() -> FrameDecoder:
    torch.manual_seed(1)
    return FrameDecoder(Shape(PIECES, layers=(0,), dropout=0.0))


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> tuple[FrameDecoder, Path]:
    decoder, folder = tiny(), tmp_path_factory.mktemp("decoder")
    fit_decoder(decoder, lessons(), joined(), RECIPE, folder)
    write_decoder(decoder, folder)
    return decoder, folder


def test_the_search_writes_what_was_taught(taught: tuple[FrameDecoder, Path]) -> None:
    decoder = StatementDecoder(taught[1])
    found = decoder.statements(sources(), [lesson.group for lesson in lessons()], beams=3)
    assert [each[0].pieces for each in found] == [lesson.statement for lesson in lessons()]
    assert [each[0].pieces for each in decoder.groups(sources(), beams=3)] == [
        (4,),
        (4,),
        (5,),
        (5,),
    ]
    for candidates in found:
        scores = [each.score for each in candidates]
        assert scores == sorted(scores, reverse=True)
        assert all(score <= 0 for score in scores)
        assert len({each.pieces for each in candidates}) == len(candidates)


def test_the_score_is_the_model_s_own_log_probability(taught: tuple[FrameDecoder, Path]) -> None:
    decoder, folder = taught
    best = StatementDecoder(folder).statements(sources()[:1], [(4,)], beams=3)[0][0]
    line = [START, 4, SEPARATOR, *best.pieces, END]
    with torch.no_grad():
        odds = decoder(
            torch.tensor([line[:-1]]),
            torch.from_numpy(states()[0])[None],
            torch.ones(1, len(states()[0])),
            torch.from_numpy(sources()[0].places)[None],
        )
    chances = _log_softmax(odds[0].numpy())
    expected = sum(chances[at, line[at + 1]] for at in range(2, len(line) - 1))
    assert best.score == pytest.approx(expected, abs=0.1)  # int8


def test_lines_of_other_lengths_beside_it_change_nothing(taught: tuple[FrameDecoder, Path]) -> None:
    decoder = StatementDecoder(taught[1])
    alone = decoder.statements(sources()[:1], [(4,)], beams=2)[0]
    beside = decoder.statements(sources()[:2], [(4,), (5, 5, 5, 4)], beams=2)[0]
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
        torch.nn.init.normal_(decoder.pointer.weight)
        source = torch.from_numpy(sources()[1].places)[None, : memory.shape[1]]
        whole = decoder(pieces, memory, mask, source)
        for at in range(pieces.shape[1]):
            there = torch.ones(1, at + 1, dtype=torch.long)
            odds, copied, own = step(
                pieces[:, at], torch.tensor([at]), own, there, cross, mask, memory
            )
            assert not torch.allclose(odds[0], whole[0, at], atol=1e-2)
            odds = odds.scatter_add(1, source, copied)
            assert torch.allclose(odds[0], whole[0, at], atol=1e-4)


def test_a_share_of_the_lines_is_learnt_without_the_text() -> None:
    rng = np.random.default_rng(1)
    seen = [
        (float(batch.states[row].abs().sum()), int(batch.mask[row].sum()), batch.source[row].sum())
        for _ in range(40)
        for batch in batches(lessons(), joined(), 4, rng, blind=0.5)
        for row in range(len(batch.pieces))
    ]
    blind = [each for each in seen if each[0] == 0]
    assert 40 < len(blind) < 120
    assert all(mask == 1 and source == 0 for _, mask, source in blind)


def test_without_the_text_no_statement_of_one_post_is_sure(
    taught: tuple[FrameDecoder, Path],
) -> None:
    decoder = StatementDecoder(taught[1])
    best = [each[0] for each in decoder.statements(sources(), [x.group for x in lessons()])]
    blind = decoder.blind_scores([each.group for each in lessons()], [each.pieces for each in best])
    assert all(np.isfinite(blind))
    assert sum(blind) < sum(each.score for each in best)
    assert decoder.blind_scores([(4,)], [best[0].pieces]) == pytest.approx(blind[:1], abs=0.1)
    assert decoder.blind_scores([], []) == []


def test_the_group_weighs_half_and_padding_nothing() -> None:
    batch = make_batch([Lesson(0, (3,), (5, 6), 2.0), Lesson(1, (3, 4), (5, 6, 7), 1.0)], joined())
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
    fit_decoder(whole, lessons(), joined(), recipe, tmp_path / "whole")

    def stop(step: int, total: int, loss: float) -> None:
        if step == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_decoder(parts, lessons(), joined(), recipe, tmp_path / "parts", stop)
    again = tiny()
    fit_decoder(again, lessons(), joined(), recipe, tmp_path / "parts")
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
