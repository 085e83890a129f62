"""Objects as JavaScript writes them: keys without quotes, single quotes, commas at the end.

Perspective's own quickstart sends ``{comment: {text: "…"}, requestedAttributes: {TOXICITY: {}}}``,
and Google's servers read it. Here such a text is rewritten as JSON, token by token, and nothing is
evaluated.
"""

import re

LONGEST = 65_536
"""Characters; a longer text must be JSON. The longest comment has a third of them."""
_TOKEN = re.compile(
    r"""
    (?P<space> \s++ )
    | (?P<double> "(?: [^"\\] | \\. )*+" )
    | (?P<single> '(?: [^'\\] | \\. )*+' )
    | (?P<name> [A-Za-z_$] [\w$]*+ )
    | (?P<number> -? [0-9] [0-9.eE+-]*+ )
    | (?P<mark> [{}\[\],:] )
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_OPEN: tuple[list[str], ...] = (["{"], ["["], [])
_IN_SINGLE = re.compile(r"\\(.)|\"", re.DOTALL)


def strict_json(text: str) -> str:
    """Return the JSON of a loosely written text; what has another token is a ValueError.

    >>> strict_json("{comment: {text: 'hi'},}")
    '{ "comment" : { "text" : "hi" } }'
    """
    if len(text) > LONGEST:
        raise ValueError("too long to be read loosely")
    tokens: list[str] = []
    is_name = False
    """Whether the last token is a word without quotes, which a colon makes a key."""
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError("no token")
        at, token, kind = match.end(), match[0], match.lastgroup
        if kind == "space":
            continue
        if is_name and token[0] == ":":
            tokens[-1] = f'"{tokens[-1]}"'
        elif token in ("}", "]") and tokens[-1:] == [","] and tokens[-2:-1] not in _OPEN:
            tokens.pop()
        tokens.append(_double_quoted(token) if kind == "single" else token)
        is_name = kind == "name"
    # A word that is no key, and none of JSON's own, is an error of the parser that comes next.
    return " ".join(tokens)


def _double_quoted(token: str) -> str:
    """Return a text in single quotes as one in double quotes."""

    def escaped(match: re.Match[str]) -> str:
        return "'" if match[1] == "'" else '\\"' if match[1] is None else match[0]

    return f'"{_IN_SINGLE.sub(escaped, token[1:-1])}"'
