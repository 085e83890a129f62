"""The embedded Spanish detector on mild sentences of ours: what it finds, and where."""

import subprocess
import sys

import numpy as np
import pytest

import tactful
from tactful.checking.advice import suggestions_for
from tactful.detectors.base import Detector
from tactful.detectors.load import EMBEDDED, embedded_cards
from tactful.detectors.stereotype_labels import CATEGORIES, consistent
from tactful.detectors.weights import weights_folder
from tactful.errors import UsageError
from tactful.taxonomies import find_entry
from tactful.taxonomies.translations import load_translated

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
def test_a_check_leaves_plain_sentences_alone(text: str) -> None:
    assert not tactful.check(text, lang="es").findings


def test_findings_never_contradict_the_hierarchy(detector: Detector) -> None:
    """DETESTS 2022, section 4.1.1."""
    for text in (*STEREOTYPES, *PLAIN):
        found = {each.id for each in detector.check(text).findings}
        found = {name for name in found if name.startswith("stereotype")}
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


def test_the_card_says_what_cannot_be_relied_on(detector: Detector) -> None:
    card = detector.card
    assert card.lang == "es"
    assert card.training["network sha256"]
    limits = " ".join(card.limits)
    assert "calibrated on English ones" in limits
    assert "research" in card.licence


def test_every_id_has_spanish_words_and_a_move(detector: Detector) -> None:
    text = "Vienen todos a lo mismo."
    for name in detector.card.ids:
        entry = load_translated(name.partition(".")[0], "es").entry(name)
        assert entry.definition != find_entry(name).definition
        english, spanish = (suggestions_for([name], text, ["todos"], lang) for lang in ("en", "es"))
        assert spanish[0] != english[0]


def test_toxicity_answers_in_spanish(detector: Detector) -> None:
    scores = detector.score(["Eres un idiota y un inútil, cállate.", PLAIN[2]])
    assert scores["toxicity"][0] > 0.5 > scores["toxicity"][1]
    assert scores["toxicity.insult"][0] > scores["toxicity.insult"][1]


@pytest.mark.parametrize(
    ("threat", "harmless"),
    [
        ("Te voy a matar esta noche.", "Mataría por un café esta noche."),
        ("Sé dónde vives y te voy a quemar la casa.", "Sé dónde vives, te llevo el libro mañana."),
    ],
)
def test_a_threat_is_told_from_harmless_words(
    detector: Detector, threat: str, harmless: str
) -> None:
    scores = detector.score([threat, harmless])["toxicity.threat"]
    limit = detector.card.report_thresholds["toxicity.threat"]
    assert scores[0] >= limit > scores[1]


def test_cards_are_read_without_opening_detectors() -> None:
    assert {card.lang for card in embedded_cards()} == set(EMBEDDED)
    files = weights_folder("default-es").parent.glob("*-es/*")
    assert sum(file.stat().st_size for file in files) < 22e6


def test_there_is_no_fast_one(detector: Detector) -> None:
    with pytest.raises(UsageError, match="no embedded detector 'fast' for the language 'es'"):
        tactful.load_detector("fast", lang="es")


def test_it_needs_no_torch() -> None:
    code = (
        "import sys, tactful; tactful.load_detector(lang='es').check('Vienen en oleadas.'); "
        "sys.exit(bool({'torch', 'sklearn', 'scipy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
