"""How the schema-driven fuzzer writes a body of JSON lines (``SCHEMATHESIS_HOOKS``)."""

import json
from typing import Any

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def write_lines(context: Any, value: Any) -> bytes:
    """Return the value as two lines."""
    line = value if isinstance(value, bytes) else json.dumps(value).encode()
    return line + b"\n" + line
