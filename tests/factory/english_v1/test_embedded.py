import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")
pytestmark = pytest.mark.train

from factory.english_v1.batches import TEXT_OUTPUTS, TOKEN_OUTPUTS, encode  # noqa: E402
from factory.english_v1.multitask import Settings  # noqa: E402
from factory.learning import load_tokenizer  # noqa: E402
from factory.network import open_network  # noqa: E402
from factory.records import IDS, fingerprint  # noqa: E402

from factory.english_v1 import default, embedded, fast, multitask  # noqa: E402
from tactful.corpora import load_corpus  # noqa: E402
from tactful.detectors import load_detector, read_card  # noqa: E402
from tactful.files import sha256  # noqa: E402
from tactful.training import calibrate  # noqa: E402

FOLDERS = {"dpm": "dont_patronize_me", "ucc": "unhealthy_comments", "sbic": "social_bias"}
DETECTORS = ("encoder-en", "fast-en", "default-en", "cascade-en")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data folder with our samples in place of the corpora, and some unlabelled texts."""
    samples = Path(str(load_corpus("ucc", sample=True).path)).parent
    folder = tmp_path / "data"
    for corpus, name in FOLDERS.items():
        shutil.copytree(samples / corpus, folder / name)
    comments = folder / FOLDERS["ucc"] / "train_comments_text_only.txt"
    comments.write_text("A mild remark.\nAnother one, as mild.\n", encoding="utf-8")
    posts = folder / FOLDERS["sbic"] / "SBIC_train_partial_offensive_only.csv"
    posts.write_text("text,n_rows,offensive_mean,offensive\nA post.,3,0.5,1\n", encoding="utf-8")
    return folder


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        default, "TEACHERS", (Settings(seed=1, epochs=1), Settings(seed=2, epochs=1))
    )
    monkeypatch.setattr(default, "STUDENT", Settings(seed=3, epochs=1))
    monkeypatch.setattr(default, "FINAL", Settings(seed=4, epochs=1))
    monkeypatch.setattr(calibrate, "REPETITIONS", 5)
    lessons = {name: replace(lesson, steps=5) for name, lesson in fast.LESSONS.items()}
    monkeypatch.setattr(fast, "LESSONS", lessons)


@pytest.mark.usefixtures("short")
def test_one_run_writes_all_embedded_detectors_and_a_second_repeats_nothing(
    data: Path, wide_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    work, first = tmp_path / "work", tmp_path / "first"
    embedded.train_default(data, first, work, wide_encoder, said.append, "a command")
    texts = ["These poor souls need our help.", "The bridge opens on Monday."]
    for name in DETECTORS:
        card = read_card(first / name)
        assert card.ids == IDS
        assert set(card.thresholds) == set(IDS)
        assert card.training["command"] == "a command"
        assert len(str(card.training["data sha256"])) == 64
        assert card.bias
        assert (first / name / "README.md").is_file()
        scores = load_detector(first / name).score(texts)
        assert all(((found > 0) & (found < 1)).all() for found in scores.values())
    assert (
        len(default.read_sources(data, wide_encoder).taught)
        == (read_card(first / "encoder-en").training["scales"]["texts"])
    )
    together = load_detector(first / "default-en").score(texts)["pcl"]
    assert load_detector(first / "default-en").score(texts[:1])["pcl"][0] == together[0]
    assert any("teacher2: step" in line for line in said)
    assert any("final: step" in line for line in said)

    def nothing_left(*_: object, **__: object) -> None:
        raise AssertionError("a stage that was done is done again")

    monkeypatch.setattr(default, "train", nothing_left)
    monkeypatch.setattr(default, "predict", nothing_left)
    second = tmp_path / "second"
    embedded.train_default(data, second, work, wide_encoder, said.append, "a command")
    for name in DETECTORS:
        once, again = (load_detector(each / name).score(texts) for each in (first, second))
        for identifier in IDS:
            np.testing.assert_allclose(once[identifier], again[identifier], atol=1e-6)


@pytest.mark.usefixtures("short")
def test_changed_data_and_settings_are_learnt_again(
    data: Path, tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    trained: list[str] = []
    learn = multitask.train

    def counted(*values: Any) -> None:
        trained.append(values[4].name)
        learn(*values)

    monkeypatch.setattr(default, "train", counted)

    def run() -> tuple[list[str], str]:
        said.clear()
        trained.clear()
        sources = default.read_sources(data, tiny_encoder)
        stage = default.student_stage(sources, tmp_path / "work", said.append)
        stage.file()
        about = default.about_training(sources, stage, "a command")
        assert about["data sha256"] == fingerprint(sources.records)
        assert about["base sha256"] == sha256(tiny_encoder / "model.safetensors")
        return sorted(trained), str(about["data sha256"])

    everything = ["final", "student", "teacher1", "teacher2"]
    first = run()
    assert first[0] == everything
    assert run() == ([], first[1])
    assert said == []
    # A setting of the student reaches what depends on the student, and nothing else.
    monkeypatch.setattr(default, "STUDENT", Settings(seed=3, epochs=1, rate=1e-5))
    assert run() == (["final", "student"], first[1])
    assert any(line.endswith("changed since it was made: recipe.") for line in said)
    comments = data / FOLDERS["ucc"] / "train_comments_text_only.txt"
    comments.write_text("A mild remark.\nAnd a new one.\n", encoding="utf-8")
    names, found = run()
    assert names == everything
    assert found != first[1]
    assert any("made again" in line and "data sha256" in line for line in said)


def test_opinions_are_asked_for_where_they_are_used(data: Path, tiny_encoder: Path) -> None:
    sources = default.read_sources(data, tiny_encoder)
    encoded = encode(sources.records, load_tokenizer(tiny_encoder))
    model = open_network(tiny_encoder, TEXT_OUTPUTS, TOKEN_OUTPUTS, 1)
    found = default._logits(model, encoded, [2, 5])
    assert np.isfinite(found[[2, 5]]).all()
    assert np.isnan(np.delete(found, [2, 5], axis=0)).all()
