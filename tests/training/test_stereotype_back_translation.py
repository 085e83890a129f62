"""Back-translation: what is kept, what is dropped and why, and Apertium itself where it is."""

import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

import pytest

from tactful.errors import InputError, UsageError
from tactful_lab.training.stereotypes.back_translation import THERE, apertium, back_translate

TEXTS = [
    "Los inmigrantes trabajan mucho en el campo.",
    "Los inmigrantes llegan tarde.",
    "Las reuniones del barrio empiezan siempre tarde.",
    "Siempre igual.",
]
BACK = [
    "Los inmigrantes trabajan bastante en el campo.",
    "Los colonos llegan tarde.",
    "Encuentros comienzan.",
    "¡siempre igual.".lstrip("¡"),
]


def scripted(texts: Sequence[str], direction: str) -> list[str]:
    return list(texts) if direction == THERE else list(BACK)


def test_labels_survive_or_the_translation_goes() -> None:
    found = back_translate(TEXTS, scripted)
    assert found.texts == (BACK[0], None, None, None)
    assert (found.kept, found.lost_target, found.lost_content, found.unchanged) == (1, 1, 1, 1)
    assert "Of 4 sentences 1 came back" in found.summary()
    assert back_translate([], scripted).kept == 0


def test_an_absent_program_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match="apt-get install apertium-eng-spa"):
        back_translate(TEXTS)


def test_a_program_that_fails_or_hangs_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/false")
    with pytest.raises(UsageError, match="could not translate spa-eng"):
        apertium(TEXTS, THERE)

    def hangs(*args: Any, **options: Any) -> None:
        raise subprocess.TimeoutExpired("apertium", options["timeout"])

    monkeypatch.setattr(subprocess, "run", hangs)
    with pytest.raises(InputError, match="longer than"):
        apertium(TEXTS, THERE)


@pytest.mark.skipif(shutil.which("apertium") is None, reason="Apertium is not installed")
def test_apertium_itself() -> None:
    english = apertium([TEXTS[0], "", "dos\nlíneas"], THERE)
    assert "immigrants" in english[0].lower()
    assert len(english) == 3
    found = back_translate(TEXTS[:1])
    assert found.kept == 1
    assert found.texts[0] is not None
    assert "inmigrantes" in found.texts[0].lower()
    assert "*" not in found.texts[0]
