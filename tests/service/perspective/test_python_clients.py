"""Clients of the Perspective API from PyPI, with their own code, against the running server."""

import pytest
from tests.service.perspective.conftest import PYPERSPECTIVE, Run
from tests.service.perspective.test_clients import GERMAN, KIND, RUDE

pytest.importorskip("requests", reason="PyPerspective needs it")


def test_pyperspective(with_package: Run, drop_in: str) -> None:
    # It sends an empty body at first, and reads spans and detected languages of every answer.
    script = f"""
import json, os
from PyPerspective import Perspective as perspective
perspective.base_url = os.environ["SERVER"] + "/v1alpha1/comments:analyze"
client = perspective.Perspective("any-key")
rude = client.get_score("{RUDE}", tests=["TOXICITY", "FLIRTATION"])
german = client.get_score("{GERMAN}", langs=["de"])
short = client.get_score("Ok")
try:
    client.get_score(" ")
except TypeError as error:  # that of its own exception, which takes no keyword
    failed = str(error)
print(json.dumps({{
    "toxicity": rude["TOXICITY"].score, "flirtation": rude["FLIRTATION"].score,
    "span": str(rude["TOXICITY"][0]), "languages": rude.detected_langs,
    "german": german["TOXICITY"].score, "of german": german.detected_langs,
    "short": short["TOXICITY"].score, "failed": failed,
}}))
"""
    found = with_package(PYPERSPECTIVE, script, drop_in)
    assert found["toxicity"] > 0.8
    assert found["short"] < 0.5
    assert (found["flirtation"], found["german"], found["of german"]) == (None, None, [])
    assert (found["span"], found["languages"]) == (RUDE, ["en"])
    assert found["failed"] == "ApiException() takes no keyword arguments"


def test_perspective(with_package: Run, drop_in: str) -> None:
    script = f"""
import json, os
from perspective import PerspectiveAPI
client = PerspectiveAPI("any-key")
client.api_client.url = os.environ["SERVER"] + "/v1alpha1/{{endpoint}}"
print(json.dumps({{
    "rude": client.score("{RUDE}", tests=["TOXICITY", "SPAM"]),
    "kind": client.analyze_comment("{KIND}", span_annotations=True, languages=["en"],
                                   do_not_store=True, client_token="a", session_id="b"),
    "suggested": client.suggest_score(
        "{KIND}", {{"TOXICITY": {{"summaryScore": {{"value": 0.0}}}}}}, client_token="c"),
}}))
"""
    found = with_package("perspective==1.0.3", script, drop_in)
    assert found["rude"]["TOXICITY"] > 0.8
    assert found["rude"]["SPAM"] is None
    assert found["kind"]["attributeScores"]["TOXICITY"]["summaryScore"]["value"] < 0.5
    assert found["kind"]["clientToken"] == "a"
    assert found["suggested"]["clientToken"] == "c"


def test_perspectiveapi(with_package: Run, drop_in: str) -> None:
    # Its address is a constant; the transport changes it, as a host's entry in DNS would.
    script = f"""
import json, os
import httpx
from perspective import Attribute
from perspective.blocking import Perspective
class Moved(httpx.HTTPTransport):
    def handle_request(self, request):
        server = httpx.URL(os.environ["SERVER"])
        request.url = request.url.copy_with(
            scheme=server.scheme, host=server.host, port=server.port)
        return super().handle_request(request)
client = Perspective("any-key")
client._Perspective__client = httpx.Client(transport=Moved())
found = client.score("{RUDE}", [Attribute.TOXICITY, Attribute.THREAT, Attribute.FLIRTATION])
print(json.dumps([found.toxicity, found.threat, found.flirtation, found.insult]))
"""
    toxicity, threat, flirtation, insult = with_package("perspectiveapi==1.1.0", script, drop_in)
    assert toxicity > 0.8 > threat
    assert flirtation is insult is None
