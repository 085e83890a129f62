"""The errors of the Perspective API, worded as its documentation words them.

The error types are those of its page "Limits and errors"; any other mistake in a request is an
``INVALID_REQUEST``. Texts of users are never repeated; names of fields and attributes are, cut
short.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tactful.service.http.errors import ServiceError
from tactful.service.perspective.mapping import Attribute

ERROR = "type.googleapis.com/google.commentanalyzer.v1alpha1.Error"
BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"
_LONGEST_NAME = 100


def shown(name: str) -> str:
    """Return a name in a printable and short form."""
    kept = "".join(each if each.isprintable() else "?" for each in name[:_LONGEST_NAME])
    return kept if len(name) <= _LONGEST_NAME else kept + "…"


def invalid(message: str, error_type: str = "INVALID_REQUEST", **more: Any) -> ServiceError:
    """Return the error of a request that cannot be answered."""
    return _refusal(message, [{"@type": ERROR, "errorType": error_type, **more}])


def _refusal(message: str, details: Sequence[Mapping[str, Any]]) -> ServiceError:
    return ServiceError(400, message, details=details)


def bad_payload(violations: Sequence[tuple[str, str]]) -> ServiceError:
    """Return the error of an invalid body: the fields, and what is wrong with each."""
    told = [{"field": field, "description": sentence} for field, sentence in violations]
    return _refusal(
        "\n".join(sentence for _, sentence in violations),
        [{"@type": BAD_REQUEST, "errorType": "INVALID_REQUEST", "fieldViolations": told}],
    )


def no_counterpart(found: Sequence[tuple[str, Attribute]]) -> ServiceError:
    """Return the error of attributes that we cannot score, with the nearest ones that we can."""
    name, attribute = found[0]
    return _refusal(
        f"Attribute {shown(name)} cannot be scored here: {attribute.reason} The nearest attribute "
        f"is {attribute.nearest}. Leave {shown(name)} out, or send dropUnsupportedAttributes.",
        [
            {
                "@type": ERROR,
                "errorType": "INVALID_REQUEST",
                "attributeWithoutCounterpartError": {
                    "attribute": shown(each),
                    "nearestAttribute": row.nearest,
                    "reason": row.reason,
                },
            }
            for each, row in found
        ],
    )


def language_not_supported(
    names: Sequence[str], languages: Sequence[str], requested: bool
) -> ServiceError:
    """Return the error of attributes that cannot be scored in a language."""
    told = [shown(each) for each in languages]
    key = "requestedLanguages" if requested else "detectedLanguages"
    return _refusal(
        f"Attribute {shown(names[0])} does not support request languages: {', '.join(told)}",
        [
            {
                "@type": ERROR,
                "errorType": "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE",
                "languageNotSupportedByAttributeError": {key: told, "attribute": shown(name)},
            }
            for name in names
        ],
    )
