"""``/docs``: a page on the API, written from its OpenAPI document; no script, nothing from afar."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.responses import FileResponse, HTMLResponse, Response

from tactful.service.settings import ServiceSettings

STYLE = Path(__file__).with_name("reference.css")
_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="{root}/docs/reference.css">
</head>
<body>
<main>
"""
_FOOT = "</main>\n</body>\n</html>\n"


def install(app: FastAPI, settings: ServiceSettings) -> None:
    """Add the page and its style to the app."""

    @cache
    def page() -> str:
        return "".join(_page(app.openapi(), settings.root_path))

    @app.get("/docs", include_in_schema=False)
    def docs() -> Response:
        return HTMLResponse(page())

    @app.get("/docs/reference.css", include_in_schema=False)
    def style() -> Response:
        return FileResponse(STYLE, media_type="text/css")


def _page(document: dict[str, Any], root: str) -> Iterator[str]:
    info = document["info"]
    title = f"{info['title']} {info['version']}: the API"
    yield _HEAD.format(title=escape(title), root=escape(root))
    yield f"<h1>{escape(title)}</h1>\n<p>{escape(info['description'])}</p>\n"
    yield f'<p><a href="{escape(root)}/openapi.json">The OpenAPI document</a>'
    yield f' · <a href="{escape(root)}/">The web app</a></p>\n<nav aria-label="Paths"><ul>\n'
    operations = [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    for path, method, operation in operations:
        yield f'<li><a href="#{_anchor(method, path)}"><code>{method.upper()} {escape(path)}</code>'
        yield f"</a> {escape(operation.get('summary', ''))}</li>\n"
    yield "</ul></nav>\n"
    for path, method, operation in operations:
        yield from _operation(path, method, operation, document)
    yield _FOOT


def _operation(
    path: str, method: str, operation: dict[str, Any], document: dict[str, Any]
) -> Iterator[str]:
    yield f'<section id="{_anchor(method, path)}">\n'
    yield f"<h2><code>{method.upper()} {escape(path)}</code></h2>\n"
    yield f"<p>{escape(operation.get('description', operation.get('summary', '')))}</p>\n"
    parameters = [_field(each["name"], each.get("schema", {}), each.get("required", False),
                         each.get("description"))
                  for each in operation.get("parameters", ())]  # fmt: skip
    if parameters:
        yield _table("Parameters", ("name", "type", "default", "meaning"), parameters)
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = _resolved(content.get("schema", {}), document)
    fields = [
        _field(name, each, name in schema.get("required", ()), each.get("description"))
        for name, each in schema.get("properties", {}).items()
    ]
    if fields:
        yield _table("Body", ("field", "type", "default", "meaning"), fields)
    for example in schema.get("examples", ())[:1]:
        shown = escape(json.dumps(example, indent=2, ensure_ascii=False))
        yield f'<h3>Example</h3>\n<pre tabindex="0"><code>{shown}</code></pre>\n'
    answers = [
        (code, escape(answer.get("description", "")))
        for code, answer in operation.get("responses", {}).items()
    ]
    yield _table("Answers", ("code", "meaning"), answers)
    yield "</section>\n"


def _field(
    name: str, schema: dict[str, Any], required: bool, description: str | None
) -> tuple[str, ...]:
    default = "" if "default" not in schema else json.dumps(schema["default"], ensure_ascii=False)
    return (
        f"<code>{escape(name)}</code>",
        escape(_type(schema)),
        "required" if required else f"<code>{escape(default)}</code>",
        escape(description or ""),
    )


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", schema.get("$ref", "any").rpartition("/")[2]))


def _resolved(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    if reference is None:
        return schema
    found: dict[str, Any] = document
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found


def _table(title: str, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f"<h3>{title}</h3>\n<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n"
        "</table>\n"
    )


def _anchor(method: str, path: str) -> str:
    return escape(f"{method}{path}".replace("/", "-").translate(str.maketrans("", "", "{}:$")))
