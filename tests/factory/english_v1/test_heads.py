import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = pytest.mark.train

from factory.english_v1.batches import TEXT_OUTPUTS, TOKEN_OUTPUTS  # noqa: E402
from factory.english_v1.multitask import predict  # noqa: E402
from factory.learning import Lessons  # noqa: E402
from factory.network import Network  # noqa: E402
from transformers import BertConfig, BertModel  # noqa: E402

from factory.english_v1 import heads  # noqa: E402

CHOSEN = ("unhealthy", "unhealthy.hostile")


def test_new_heads_read_what_the_teachers_say_and_the_others_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(heads, "STRENGTH", 0.01)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=40, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=32,
    )  # fmt: skip
    model = Network(BertModel(config), 16, len(TEXT_OUTPUTS), len(TOKEN_OUTPUTS))
    rng = np.random.default_rng(1)
    tokens = [[1, *rng.integers(3, 40, 6).tolist(), 2] for _ in range(400)]
    shape = (len(tokens), len(TEXT_OUTPUTS))
    data = Lessons(tokens, np.zeros(shape), np.zeros(shape), [None] * len(tokens))
    rows = list(range(300))
    # What the teachers say is a reading of the same states, and nothing is said of the last rows.
    states = heads.pooled_states(model, data, range(400))
    truth = states @ rng.normal(size=(32, 2)) + [0.5, -2.0]
    answers = {name: np.where(np.arange(400) < 300, truth[:, at], np.nan)
               for at, name in enumerate(CHOSEN)}  # fmt: skip
    before, _ = predict(model, data)
    heads.refit_heads(model, data, rows, answers, CHOSEN)
    after, _ = predict(model, data)
    columns = [TEXT_OUTPUTS.index(name) for name in CHOSEN]
    for at, column in enumerate(columns):
        assert np.corrcoef(after[300:, column], truth[300:, at])[0, 1] > 0.95
        assert after[:, column].mean() == pytest.approx(truth[:, at].mean(), abs=0.2)
    others = [at for at in range(len(TEXT_OUTPUTS)) if at not in columns]
    assert np.array_equal(before[:, others], after[:, others])
