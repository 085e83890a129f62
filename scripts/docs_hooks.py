"""A hook of MkDocs: docstrings use the roles of Sphinx, which Markdown would print as they are."""

import re
from typing import Any

_ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):(<code[^>]*>)~?")


def on_page_content(html: str, **_: Any) -> str:
    """Remove the names of roles: ``:class:`X``` becomes ``X``."""
    return _ROLE.sub(r"\1", html)
