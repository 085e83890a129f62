"""Answers as JSON, written once and quickly."""

import json
from typing import Any

from starlette.responses import Response


class JsonAnswer(Response):
    """JSON in UTF-8; what is no number is an error, never NaN."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the bytes."""
        return json.dumps(
            content, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        ).encode("utf-8", "backslashreplace")
