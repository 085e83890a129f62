"""The discovery document: what Google's own clients read to know how to call the API.

It describes the same methods and fields as that of commentanalyzer v1alpha1, in our words, with
the address of this server in place of Google's.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

DOCUMENT = Path(__file__).with_name("discovery.json")
VERSION = "v1alpha1"


@cache
def _document() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    return found


def schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return the schemas of requests and responses by name."""
    found: Mapping[str, Mapping[str, Any]] = _document()["schemas"]
    return found


def discovery_document(root_url: str) -> dict[str, Any]:
    """Return the document for a server at ``root_url``."""
    root = root_url.rstrip("/") + "/"
    return {**_document(), "rootUrl": root, "baseUrl": root}


def openapi_schema(name: str, required: Sequence[str] = ()) -> dict[str, Any]:
    """Return a schema of the document as OpenAPI writes it, with all that it refers to inside.

    A field may be null, which is the same as leaving it out, unless it is ``required``.
    """
    found = _expanded(schemas()[name])
    if required:
        found["required"] = list(required)
        for each in required:
            found["properties"][each]["type"] = "object"
    return found


def _expanded(schema: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        named = schemas()[schema["$ref"]]
        return _expanded({**named, "description": schema.get("description", named["description"])})
    found = {key: value for key, value in schema.items() if key in ("type", "description")}
    if "enum" in schema:
        found["enum"] = [*schema["enum"], None]
    if "properties" in schema:
        found["properties"] = {
            name: _nullable(_expanded(inner)) for name, inner in schema["properties"].items()
        }
        found["additionalProperties"] = False
    elif "additionalProperties" in schema:
        found["additionalProperties"] = _nullable(_expanded(schema["additionalProperties"]))
    if "items" in schema:
        found["items"] = _expanded(schema["items"])
    return found


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "type": [schema["type"], "null"]}
