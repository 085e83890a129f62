"""``/docs``: a page on the API, written from its OpenAPI document; no script, no other server."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.responses import FileResponse, HTMLResponse, Response

from tactful.service.settings import ServiceSettings
from tactful.service.web.rendering import environment

STYLE = Path(__file__).with_name("reference.css")


def install(app: FastAPI, settings: ServiceSettings) -> None:
    """Add the page and its style to the app."""

    @cache
    def page() -> str:
        template = environment().get_template("reference.html")
        document = app.openapi()
        info = document["info"]
        return template.render(
            title=f"{info['title']} {info['version']}: the API",
            description=info["description"],
            root=settings.root_path,
            operations=list(_operations(document)),
        )

    @app.get("/docs", include_in_schema=False)
    def docs() -> Response:
        return HTMLResponse(page())

    @app.get("/docs/reference.css", include_in_schema=False)
    def style() -> Response:
        return FileResponse(STYLE, media_type="text/css")


def _operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {})
            schema = content.get("application/json", {}).get("schema", {})
            summary = operation.get("summary", "")
            example = next(iter(schema.get("examples", ())), None)
            anchor = f"{method}{path}".replace("/", "-")
            yield {
                "name": f"{method.upper()} {path}",
                "anchor": anchor.translate(str.maketrans("", "", "{}:$")),
                "summary": summary,
                "description": operation.get("description", summary),
                "parameters": [
                    _field(each["name"], each.get("schema", {}) | each, each.get("required", False))
                    for each in operation.get("parameters", ())
                ],
                "fields": [
                    _field(name, each, name in schema.get("required", ()))
                    for name, each in schema.get("properties", {}).items()
                ],
                "example": example and json.dumps(example, indent=2, ensure_ascii=False),
                "answers": {
                    code: answer.get("description", "")
                    for code, answer in operation.get("responses", {}).items()
                },
            }


def _field(name: str, schema: dict[str, Any], required: bool) -> dict[str, Any]:
    default = json.dumps(schema["default"], ensure_ascii=False) if "default" in schema else ""
    return {
        "name": name,
        "type": _type(schema),
        "required": required,
        "default": default,
        "meaning": schema.get("description", ""),
    }


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", schema.get("$ref", "any").rpartition("/")[2]))
