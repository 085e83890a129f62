"""What the OpenAPI document and the discovery document say of the drop-in."""

from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")

from starlette.testclient import TestClient

from tactful.service.app import create_app
from tactful.service.perspective.discovery import discovery_document, openapi_schema
from tactful.service.settings import ServiceSettings


@pytest.mark.parametrize("name", ["AnalyzeCommentRequest", "SuggestCommentScoreRequest"])
def test_both_documents_have_the_fields_that_are_read(name: str) -> None:
    document = discovery_document("http://localhost:8000/tactful")
    assert document["rootUrl"] == "http://localhost:8000/tactful/"
    fields = document["schemas"][name]["properties"]
    schema = openapi_schema(name, ("comment",))
    assert set(schema["properties"]) == set(fields)
    assert schema["properties"]["comment"]["type"] == "object"
    assert "$ref" not in str(schema)


def test_every_reference_of_the_discovery_document_leads_somewhere() -> None:
    document = discovery_document("http://localhost/")

    def references(value: Any) -> set[str]:
        if isinstance(value, dict):
            inner = {each for cell in value.values() for each in references(cell)}
            return inner | ({value["$ref"]} if "$ref" in value else set())
        if isinstance(value, list):
            return {each for cell in value for each in references(cell)}
        return set()

    assert references(document) <= set(document["schemas"])


def test_the_discovery_document_knows_the_path_of_a_proxy() -> None:
    settings = ServiceSettings(model="fast", langs=("en",), web=False, root_path="/tactful")
    with TestClient(create_app(settings), base_url="https://news.example") as client:
        answer = client.get("/$discovery/rest")
    assert answer.json()["rootUrl"] == "https://news.example/tactful/"
