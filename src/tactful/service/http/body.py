"""Reading bodies: JSON within its limits, valid text, and known fields."""

import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from starlette.requests import Request

from tactful.service.http.errors import from_validation, invalid, not_json
from tactful.service.models import MOST_ENTRIES
from tactful.service.settings import ServiceSettings

Model = TypeVar("Model", bound=BaseModel)

_LONG = 10_000
"""Bytes; a shorter body cannot have enough errors to take long to validate."""
_ESCAPED_NUL = b"\\u0000"
_JSON_TYPE = re.compile(r"application/(json|[\w.-]+\+json)\s*(;|\Z)", re.IGNORECASE)


async def read_json_body(request: Request) -> bytes:
    """Return a body whose type is JSON; any other type is answered with 415.

    A page of another site can make a browser send texts, forms and bodies without a type without
    a CORS check; before it sends JSON, the browser checks. So the type may only be missing if the
    request is not from a browser, which would send ``Origin``.
    """
    given = request.headers.get("content-type")
    is_json = _JSON_TYPE.match(given) if given is not None else "origin" not in request.headers
    if not is_json:
        raise invalid(
            "The body is not said to be JSON; expected 'Content-Type: application/json'.",
            "UNSUPPORTED_MEDIA_TYPE",
            415,
        )
    return await request.body()


async def read_json(request: Request) -> Any:
    """Return the JSON of a body; what is no JSON, too deep or no text is answered with 400.

    The parser refuses deep nesting and lone surrogates by itself; NUL is looked for here.
    """
    body = await read_json_body(request)
    try:
        found = from_json(body, allow_inf_nan=False)
    except ValueError:
        raise not_json() from None
    if _ESCAPED_NUL in body and _has_nul(found):
        raise _nul()
    return found


async def read_model(request: Request, model: type[Model]) -> Model:
    """Return a body as a model; a field that is wrong is named in the answer (422)."""
    body = await read_json_body(request)
    if len(body) > _LONG:
        _check_counts(body, model)
    try:
        found = model.model_validate_json(body)
    except ValidationError as error:
        raise from_validation(error.errors(include_url=False, include_input=False)) from None
    if _ESCAPED_NUL in body and _has_nul(from_json(body)):
        raise _nul()
    return found


def check_length(text: str, settings: ServiceSettings) -> None:
    """Refuse a text that is longer than texts may be."""
    if len(text) > settings.max_text_chars:
        raise invalid(
            f"A text has {len(text):,} characters; expected at most {settings.max_text_chars:,}.",
            "TEXT_TOO_LONG",
        )


def check_texts(texts: list[str], settings: ServiceSettings) -> None:
    """Refuse more texts than may be in a request, and any that is too long."""
    if len(texts) > settings.max_texts:
        raise invalid(
            f"There are {len(texts):,} texts; expected at most {settings.max_texts:,}; send the "
            "others in a further request.",
            "TOO_MANY_TEXTS",
        )
    for text in texts:
        check_length(text, settings)
    characters, most = sum(map(len, texts)), 2 * settings.max_text_chars
    if characters > most:
        raise invalid(
            f"The texts have {characters:,} characters; expected at most {most:,} in one request; "
            "send the others in a further request.",
            "TEXTS_TOO_LONG",
            413,
        )


def _check_counts(body: bytes, model: type[BaseModel]) -> None:
    """Refuse far too many fields before each of them becomes an error."""
    try:
        found = from_json(body, allow_inf_nan=False)
    except ValueError:
        raise not_json() from None
    if not isinstance(found, dict):
        return
    most = len(model.model_fields)
    if len(found) > most:
        raise invalid(
            f"The request has {len(found):,} fields; expected at most {most}.", "FIELD_INVALID", 422
        )
    for name, value in found.items():
        if isinstance(value, dict) and len(value) > MOST_ENTRIES:
            where = f"'{name}'" if name in model.model_fields else "a field"
            raise invalid(
                f"Found {len(value):,} entries in {where}; expected at most {MOST_ENTRIES}.",
                "FIELD_INVALID",
                422,
            )


def _has_nul(value: object) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(_has_nul(key) or _has_nul(each) for key, each in value.items())
    return isinstance(value, list) and any(_has_nul(each) for each in value)


def _nul() -> Exception:
    return invalid(
        "The request holds the character NUL (U+0000), which is no part of a text.", "NUL_IN_TEXT"
    )
