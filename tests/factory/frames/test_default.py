"""The whole pipeline of the embedded framer, on a few posts of ours, to a folder that works."""

import csv
import json
from functools import partial
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from factory.frames.decoder import WIDTH  # noqa: E402
from factory.frames.fitting import DecoderSettings  # noqa: E402
from factory.frames.lessons import mention_lessons, neutral_lessons  # noqa: E402
from factory.lessons.load import read_lessons  # noqa: E402
from safetensors.torch import save_file  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

from factory.frames import corpora as frames_corpora  # noqa: E402
from factory.frames import default as frames_default  # noqa: E402
from factory.frames import figures as frame_figures  # noqa: E402
from tactful.detectors.weights import weights_folder  # noqa: E402
from tactful.errors import UsageError  # noqa: E402
from tactful.frames.load import load_framer  # noqa: E402
from tactful.frames.schema import frame_problems  # noqa: E402

COLUMNS = (
    "post", "WorkerId", "offensiveYN", "intentYN", "sexYN", "whoTarget", "speakerMinorityYN",
    "targetMinority", "targetCategory", "targetStereotype",
)  # fmt: skip
GROUPS = ("women", "old folks", "immigrants")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder with posts of ours in the authors' format."""
    folder = tmp_path / "data" / "social_bias"
    folder.mkdir(parents=True)
    with (folder / "SBIC.v2.dev.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for number in range(48):
            group = GROUPS[number % 3]
            for worker in ("a", "b"):
                bad = f"Number {number}: typical {group}, they never learn."
                lewd = float(number % 4 == 0)
                ours = float(number % 6 == 0)
                writer.writerow([bad, worker, 1.0, 1.0, lewd, 1.0, ours, group, "social",
                                 f"{group} can't learn"])  # fmt: skip
                fine = f"Number {number}: the bridge opens on Monday."
                writer.writerow([fine, worker, 0.0, 0.0, 0.0, "", "", "", "", ""])
    more = tmp_path / "data" / "more"
    more.mkdir()
    tables = {
        "implicit_hate_stage3": ["post,target,implied_statement"]
        + [f"Those {GROUPS[n % 3]} came {n},{GROUPS[n % 3]},they never pay" for n in range(30)],
        "implicit_hate_stage1": ["post,class"] + [f"We saw {n} ships,not_hate" for n in range(20)],
        "sbic_train_targets": ["post,target_minority,label"]
        + [f"Those girls again {n},women,5" for n in range(20)],
        "toxigen_sample": ["label,text"] + [f"{n % 2},They came in {n}" for n in range(20)],
    }
    for name, rows in tables.items():
        (more / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path / "data"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Return a folder like that of the pretrained encoder, with random weights."""
    torch.manual_seed(1)
    words = Tokenizer.from_file(
        str(weights_folder("open-encoder-en") / "tokenizer.json")
    ).get_vocab_size()
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (words, WIDTH),
        "embeddings.position_embeddings.weight": (64, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for layer in (1, 4):
        for name, rows, columns in (
            ("attention.self.query", WIDTH, WIDTH),
            ("attention.self.key", WIDTH, WIDTH),
            ("attention.self.value", WIDTH, WIDTH),
            ("attention.output.dense", WIDTH, WIDTH),
            ("intermediate.dense", 4 * WIDTH, WIDTH),
            ("output.dense", WIDTH, 4 * WIDTH),
        ):
            shapes[f"encoder.layer.{layer}.{name}.weight"] = (rows, columns)
            shapes[f"encoder.layer.{layer}.{name}.bias"] = (rows,)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"encoder.layer.{layer}.{name}.weight"] = (WIDTH,)
            shapes[f"encoder.layer.{layer}.{name}.bias"] = (WIDTH,)
    folder = tmp_path / "base"
    folder.mkdir()
    tensors = {name: 0.05 * torch.randn(*shape) for name, shape in shapes.items()}
    save_file(tensors, folder / "model.safetensors")
    return folder


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """Return a folder with the open encoder in it."""
    folder = tmp_path / "weights"
    folder.mkdir()
    (folder / "open-encoder-en").symlink_to(weights_folder("open-encoder-en"))
    return folder


def test_from_posts_to_a_framer_that_works(
    data: Path, base: Path, output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some of our sentences and a few steps are enough, and the identity terms are measured by the
    # benchmarks.
    ours = read_lessons()
    monkeypatch.setattr(frames_corpora, "neutral_lessons", lambda: neutral_lessons()[::40])
    monkeypatch.setattr(frames_corpora, "read_lessons", lambda: ours[::40])
    monkeypatch.setattr(frame_figures, "read_lessons", lambda: ours[::20])
    monkeypatch.setattr("factory.frames.heads.GROUP_STEPS", 5)
    monkeypatch.setattr(frames_default, "mention_lessons", lambda: mention_lessons()[::40])
    monkeypatch.setattr(frame_figures, "identity_bias", lambda _: _NoBias())
    recipe = DecoderSettings(epochs=2, batch=16)
    train = partial(
        frames_default.train_frames, data, output, tmp_path / "work", base, recipe=recipe
    )
    said: list[str] = []
    train(said.append)
    card = json.loads((output / "frames-en" / "card.json").read_text(encoding="utf-8"))
    assert card["kind"] == "frames"
    assert card["training"]["tier"] == "open"
    assert card["licence"].startswith("Apache-2.0")
    assert card["thresholds"]["frame.offensive"] <= card["thresholds"]["frame.group"]
    assert {"frame.target_group", "frame.implied_statement"} <= {f["id"] for f in card["figures"]}
    assert (output / "frames-en" / "README.md").is_file()
    framer = load_framer(output / "frames-en")
    frames = framer.frame(["Typical women, they never learn.", "The bridge opens on Monday."])
    assert not any(frame_problems(frame) for frame in frames)
    assert any("step" in sentence for sentence in said)
    # Finished stages are kept: a second run does not teach the decoder again.
    again: list[str] = []
    train(again.append)
    assert not any("step" in sentence for sentence in again)
    assert json.loads((output / "frames-en" / "card.json").read_text(encoding="utf-8")) == card
    # Other posts are learnt again, and the card has their hash.
    file = data / "social_bias" / "SBIC.v2.dev.csv"
    file.write_text(file.read_text(encoding="utf-8").replace("bridge", "market"), encoding="utf-8")
    train(again.append)
    other = json.loads((output / "frames-en" / "card.json").read_text(encoding="utf-8"))
    assert other["training"]["data sha256"] != card["training"]["data sha256"]
    assert any("read.npz: made again" in sentence for sentence in again)
    assert any("step" in sentence for sentence in again)


class _NoBias:
    def summary(self) -> dict[str, object]:
        return {}


def test_without_its_encoder_or_a_corpus_it_says_what_is_missing(
    data: Path, output: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="found no 'open-encoder-en' in it"):
        frames_default.train_frames(data, tmp_path / "nothing", tmp_path / "work")
    (data / "more" / "toxigen_sample.csv").unlink()
    with pytest.raises(UsageError, match=r"found no more/toxigen_sample\.csv"):
        frames_default.train_frames(data, output, tmp_path / "work")


def test_only_corpora_that_may_be_used_commercially_teach_it() -> None:
    from factory.english.sources import SOURCES

    terms = {source.file: source.open for source in SOURCES}
    assert all(terms[name] for name in frames_corpora.FILES if name in terms)
    assert sum(name in terms for name in frames_corpora.FILES) >= 3
