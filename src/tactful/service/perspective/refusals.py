"""The errors of the Perspective API, worded as its documentation words them.

The error types are those of its page "Limits and errors"; any other mistake in a request is an
``INVALID_REQUEST``. Texts of users are never repeated; names of fields and attributes are, cut
short.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tactful.service.http.errors import ServiceError
from tactful.service.perspective.mapping import Attribute

MOST_BYTES = 20_480
"""The longest comment, in bytes of UTF-8."""
ERROR = "type.googleapis.com/google.commentanalyzer.v1alpha1.Error"
BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"
_LONGEST_NAME = 100


def shown(name: str) -> str:
    """Return a name as it may be repeated: printable, and short."""
    kept = "".join(each if each.isprintable() else "?" for each in name[:_LONGEST_NAME])
    return kept if len(name) <= _LONGEST_NAME else kept + "…"


def refuse(message: str, details: Sequence[Mapping[str, Any]]) -> ServiceError:
    """Return a 400 with its details."""
    return ServiceError(400, "INVALID_ARGUMENT", message, details=tuple(details))


def invalid(message: str, **more: Any) -> ServiceError:
    """Return the error of a request that has no error type of its own."""
    return refuse(message, [{"@type": ERROR, "errorType": "INVALID_REQUEST", **more}])


def bad_payload(violations: Sequence[tuple[str, str]]) -> ServiceError:
    """Return the error of a body that is not what the API takes: field and what is wrong."""
    told = [{"field": field, "description": sentence} for field, sentence in violations]
    return refuse(
        "\n".join(sentence for _, sentence in violations),
        [{"@type": BAD_REQUEST, "errorType": "INVALID_REQUEST", "fieldViolations": told}],
    )


def comment_empty() -> ServiceError:
    """Return the error of a comment without a letter."""
    return refuse("Comment must be non-empty.", [{"@type": ERROR, "errorType": "COMMENT_EMPTY"}])


def comment_too_long(size: int) -> ServiceError:
    """Return the error of a comment of too many bytes."""
    return refuse(
        f"Comment text was too many bytes. Value ({size}) exceeded limit ({MOST_BYTES}).",
        [
            {
                "@type": ERROR,
                "errorType": "COMMENT_TOO_LONG",
                "commentTooLongError": {"size": size, "limit": MOST_BYTES},
            }
        ],
    )


def no_attributes() -> ServiceError:
    """Return the error of a request that asks for nothing."""
    return refuse(
        "Missing requested_attributes", [{"@type": ERROR, "errorType": "NO_REQUESTED_ATTRIBUTES"}]
    )


def unknown_attribute(name: str) -> ServiceError:
    """Return the error of a name that neither Perspective nor we have."""
    return invalid(f"Unknown requested attribute: {shown(name)}")


def no_counterpart(found: Sequence[tuple[str, Attribute]]) -> ServiceError:
    """Return the error of attributes that nothing of ours stands for, with what comes nearest."""
    name, attribute = found[0]
    return refuse(
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


def wrong_score_type(name: str, score_type: str) -> ServiceError:
    """Return the error of a score type other than a probability."""
    return invalid(f"Requested score type {score_type} is not supported by attribute {shown(name)}")


def language_not_supported(
    names: Sequence[str], languages: Sequence[str], requested: bool
) -> ServiceError:
    """Return the error of attributes that cannot be scored in a language."""
    told = [shown(each) for each in languages]
    key = "requestedLanguages" if requested else "detectedLanguages"
    return refuse(
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


def language_not_detected() -> ServiceError:
    """Return the error of a comment whose language nobody can tell."""
    return refuse(
        "Unable to detect language", [{"@type": ERROR, "errorType": "LANGUAGE_DETECTION_FAILED"}]
    )
