"""What the Perspective routes find in comments of ours, and whether they score as the detector.

The comments are in ``service_probes.yaml``. They, the functional cases of ``trust_tests.py`` and
Civil Comments are sent to the API itself.
"""

import argparse
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from factory.english.sources import Row
from starlette.testclient import TestClient

from perspective_scale import civil_comments, labelled
from results import machine_line, table, write_page
from tactful.detectors import Detector, load_detector
from tactful.metrics.ranking import roc_auc_score
from tactful.service.app import create_app
from tactful.service.perspective.mapping import attributes
from tactful.service.perspective.scale import PERSPECTIVE, PROBABILITY
from tactful.service.settings import ServiceSettings
from trust_tests import ABUSE, HATE_IDS, MENTIONS, OPPOSED, TAKEN_BY, Case, read_cases

PROBES = Path(__file__).with_name("service_probes.yaml")
IDS = {
    name: row.id
    for name, row in attributes().items()
    if row.id and row.id.startswith("toxicity") and row.same_as is None
}
ASKED = list(IDS)
HATE = [name for name, each in IDS.items() if each in HATE_IDS]
THRESHOLDS = {PERSPECTIVE: (0.5, 0.7, 0.8, 0.9), PROBABILITY: (0.5,)}
ROUTE = "/v1alpha1/comments:analyze"


def scores(
    client: TestClient, texts: Sequence[str], names: Sequence[str]
) -> list[dict[str, float]]:
    """Return the scores of texts by attribute, each from a request of its own."""
    found = []
    for text in texts:
        body: dict[str, Any] = {
            "comment": {"text": text},
            "languages": ["en"],
            "requestedAttributes": {name: {} for name in names},
        }
        answer = client.post(ROUTE, json=body)
        answer.raise_for_status()
        given = answer.json()["attributeScores"]
        found.append({name: given[name]["summaryScore"]["value"] for name in names})
    return found


def flagged(client: TestClient, texts: Sequence[str]) -> int:
    """Count the texts that ``/v1/moderations`` flags."""
    answer = client.post("/v1/moderations", json={"input": list(texts)})
    answer.raise_for_status()
    return sum(result["flagged"] for result in answer.json()["results"])


def reached(kind: Mapping[str, Any], found: Sequence[Mapping[str, float]], least: float) -> int:
    """Count the texts of a kind that reach a threshold on an attribute that counts for it."""
    counted = kind.get("of") or [name for name in ASKED if name not in kind.get("may", ())]
    return sum(any(each[name] >= least for name in counted) for each in found)


def functional(cases: Sequence[Case], found: Sequence[Mapping[str, float]]) -> list[object]:
    """Return AUC with and without abuse, and the shares of harmless cases below the threshold.

    A case counts by the higher score of TOXICITY and IDENTITY_ATTACK, as in ``trust_tests.py``.
    """
    hate = [max(each[name] for name in HATE) for each in found]

    def area(left_out: Collection[str]) -> float:
        kept = [at for at, case in enumerate(cases) if case.functionality not in left_out]
        gold = [int(cases[at].hateful) for at in kept]
        value = roc_auc_score(gold, [hate[at] for at in kept]).value
        return float("nan") if value is None else value

    def below(names: Collection[str]) -> str:
        kept = [at for at, case in enumerate(cases) if case.functionality in names]
        return f"{sum(hate[at] < TAKEN_BY for at in kept)} of {len(kept)}"

    return [area(()), area(ABUSE), below(MENTIONS), below(OPPOSED)]


def areas(rows: Sequence[Row], detector: Detector, client: TestClient) -> list[list[object]]:
    """Return the AUC of each attribute on Civil Comments, by the detector and through the API."""
    texts = [row.text for row in rows]
    direct = detector.score(texts)
    through = scores(client, texts, ASKED)
    found: list[list[object]] = []
    for name, each in IDS.items():
        alone = labelled(rows, each, direct[each].astype(np.float64))
        asked = labelled(rows, each, np.array([given[name] for given in through]))
        values = [roc_auc_score(part.labels, part.scores).value for part in (alone, asked)]
        number = len(alone.labels)
        found.append([name, number, int(alone.labels.sum()), *(f"{v:.4f}" for v in values)])
    return found


def main() -> int:
    """Ask the API and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    data = os.environ.get("TACTFUL_DATA")
    parser.add_argument(
        "--data", type=Path, default=data, required=not data, help="the folder of the corpora"
    )
    parser.add_argument("--model", action="append", help="a detector, repeatable")
    parser.add_argument("--results", type=Path, help="write to this file instead of results/")
    given = parser.parse_args()
    probes = yaml.safe_load(PROBES.read_text(encoding="utf-8"))
    cases, comments = read_cases(), civil_comments(given.data)
    rows: list[list[object]] = []
    tested: list[list[object]] = []
    aucs: list[list[object]] = []
    moderated: list[list[object]] = []
    for model in given.model or ["default", "open"]:
        for scale, thresholds in THRESHOLDS.items():
            settings = ServiceSettings(model=model, langs=("en",), web=False, scale=scale)
            with TestClient(create_app(settings)) as client:
                for name, kind in probes.items():
                    found = scores(client, kind["texts"], ASKED)
                    for least in thresholds:
                        what = "found" if kind.get("of") else "false alarms"
                        number = f"{reached(kind, found, least)} of {len(found)}"
                        rows.append([model, scale, least, name, what, number])
                answers = scores(client, [case.text for case in cases], HATE)
                tested.append([model, scale, *functional(cases, answers)])
                if scale == PROBABILITY:
                    counts = [
                        f"{flagged(client, kind['texts'])} of {len(kind['texts'])}"
                        for kind in probes.values()
                    ]
                    moderated.append([model, *counts])
                else:
                    measured = areas(comments, load_detector(model), client)
                    aucs += [[model, *each] for each in measured]
    options = "".join(f" --model {name}" for name in given.model or ())
    columns = ["model", "scale", "threshold", "kind", "counted", "comments"]
    functions = ["model", "scale", "AUC", "AUC without abuse of others", "mentions", "opposed"]
    named = ["model", "attribute", "comments", "with it", "AUC of the detector", "AUC by the API"]
    write_page(
        "service-probes",
        "Probes of the moderation service",
        "Comments of ours through `comments:analyze`. Threats count by THREAT, insults by INSULT, "
        "disguised ones by TOXICITY, INSULT, THREAT or PROFANITY; in benign comments no kind of "
        "toxicity may reach the threshold, in friendly swearing none but PROFANITY and "
        f"SEXUALLY_EXPLICIT.\n\n{table(columns, rows)}\n\n"
        f"Flagged by `/v1/moderations`:\n\n{table(['model', *probes], moderated)}\n\n"
        f"The {len(cases)} functional cases of [the trust tests](trust-tests.md), which are made "
        "in the manner of HateCheck, by the higher score of TOXICITY and IDENTITY_ATTACK: the AUC "
        "of hateful cases against the others, also without abuse of things, single persons and "
        f"other groups; and how many are below {TAKEN_BY} of the neutral and positive mentions, "
        "and of the cases that negate or quote hate or speak against it. The bars are an AUC of "
        "0.85, 95 % of the mentions and 70 % of the opposed cases, as probabilities.\n\n"
        f"{table(functions, tested)}\n\n"
        "The comments of Civil Comments that our models did not learn from, by the detector "
        "itself and through the API, which reads long comments in windows:\n\n"
        f"{table(named, aucs)}\n\n{machine_line()}\n"
        f"Command: `python benchmarks/service_probes.py --data DATA{options}`.",
        path=given.results,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
