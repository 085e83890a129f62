"""The embedded Spanish detector on mild sentences of ours: what it finds, and where."""

import subprocess
import sys

import numpy as np
import pytest

import tactful
from tactful.detectors.base import Detector
from tactful.detectors.load import EMBEDDED, embedded_cards
from tactful.detectors.stereotype_labels import CATEGORIES, consistent
from tactful.detectors.weights import weights_folder
from tactful.errors import UsageError

STEREOTYPES = {
    "Esta gente no se integra ni quiere integrarse: tienen otra cultura.": "stereotype.culture",
    "Vienen en oleadas y nadie controla nada; esto es una invasión.": "stereotype.migration",
    "Los inmigrantes vienen solo a cobrar ayudas.": "stereotype.benefits",
    "Señorías, los inmigrantes huyen del hambre y de la miseria.": "stereotype.suffering",
}
PLAIN = (
    "Los vecinos del barrio dicen que la plaza es para todos y que hay sitio.",
    "El Ayuntamiento aprobó ayer el presupuesto para las escuelas infantiles.",
    "Gracias por el artículo, muy interesante.",
    "Hoy he comido lentejas con mi abuela.",
)


@pytest.fixture(scope="module")
def detector() -> Detector:
    return tactful.load_detector(lang="es")


@pytest.mark.parametrize(("text", "category"), STEREOTYPES.items())
def test_stereotypes_are_found_with_words_and_category(
    detector: Detector, text: str, category: str
) -> None:
    report = detector.check(text)
    found = {finding.id: finding for finding in report.findings}
    assert {"stereotype", category} <= found.keys()
    assert found["stereotype"].spans
    assert all(span.cut(text).strip() for each in report.findings for span in each.spans)
    assert "Tactful" in found["stereotype"].explanation


@pytest.mark.parametrize("text", PLAIN)
def test_plain_sentences_are_left_alone(detector: Detector, text: str) -> None:
    assert not [each for each in detector.check(text).findings if each.id != "pcl"]


def test_findings_never_contradict_the_hierarchy(detector: Detector) -> None:
    """DETESTS 2022, section 4.1.1."""
    for text in (*STEREOTYPES, *PLAIN):
        found = {each.id for each in detector.check(text).findings} - {"pcl"}
        assert found == consistent(found)
    scores = detector.score([*STEREOTYPES, *PLAIN])
    for name in CATEGORIES:
        assert (scores[name] <= scores["stereotype"] + 1e-6).all()


def test_scores_do_not_depend_on_the_company(detector: Detector) -> None:
    texts = [*STEREOTYPES, *PLAIN, "", " ", "¡" * 500, "moro " * 400]
    together = detector.score(texts)
    for at, text in enumerate(texts):
        for name, values in detector.score([text]).items():
            assert np.isfinite(values).all()
            assert values[0] == pytest.approx(together[name][at], abs=0.02)


def test_what_no_spanish_text_taught_is_marked(detector: Detector) -> None:
    assert detector.card.experimental == ("pcl",)
    text = "Con nuestra ayuda, hasta estos pobres podrán volver a sonreír y tener esperanza."
    found = {each.id: each.explanation for each in detector.check(text).findings}
    assert found["pcl"].endswith("Es un experimento: no se aprendió con textos en este idioma.")
    others = detector.check(next(iter(STEREOTYPES))).findings
    assert not [each for each in others if "experimento" in each.explanation]


def test_the_card_says_what_cannot_be_relied_on(detector: Detector) -> None:
    card = detector.card
    assert card.lang == "es"
    assert card.training["data_hash"]
    limits = " ".join(card.limits)
    assert "experiment" in limits
    assert "culture and dehumanisation only from rules" in limits
    assert "research" in card.licence


def test_cards_are_read_without_opening_detectors() -> None:
    assert {card.lang for card in embedded_cards()} == set(EMBEDDED)
    files = weights_folder("default-es").parent.glob("*-es/*")
    assert sum(file.stat().st_size for file in files) < 30e6


def test_there_is_no_fast_one(detector: Detector) -> None:
    with pytest.raises(UsageError, match="no embedded detector 'fast' for the language 'es'"):
        tactful.load_detector("fast", lang="es")


def test_it_needs_no_torch() -> None:
    code = (
        "import sys, tactful; tactful.load_detector(lang='es').check('Vienen en oleadas.'); "
        "sys.exit(bool({'torch', 'sklearn', 'scipy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
