"""Rendering templates as pages; all values are escaped."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tactful import __version__
from tactful.checking.options import LEAST
from tactful.checking.reports.run import group_of
from tactful.documents.language import LANGUAGE_NAMES
from tactful.service.engine.engine import Engine
from tactful.service.http.errors import WORDS_PER_TOKEN
from tactful.service.settings import ServiceSettings
from tactful.service.web.words import LANGUAGES, entries_in, families_in, words_in
from tactful.terms.lexicon import ROOT

_TEMPLATES = Path(__file__).parent / "templates"


@cache
def environment() -> Environment:
    """Return the environment of the templates; an undefined variable is an error."""
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


class Site:
    """The pages of one service."""

    def __init__(self, engine: Engine, settings: ServiceSettings):
        self._settings = settings
        self.root = settings.root_path
        """The prefix of all paths."""
        self._ids = {lang: list(card.ids) for lang, card in engine.cards.items()}
        self._data = {lang: self._data_in(lang) for lang in LANGUAGES}

    def page(self, template: str, lang: str, **values: Any) -> str:
        """Return a page in one of our languages."""
        name = template.removesuffix(".html")
        return (
            environment()
            .get_template(template)
            .render(
                root=self.root,
                word=words_in(lang),
                languages=LANGUAGES,
                served={each: LANGUAGE_NAMES.get(each, each) for each in self._ids},
                families=self._families(lang),
                data=self._data[lang],
                version=__version__,
                here=name,
                least=round(100 * LEAST),
                rewrites=self._settings.rewrite_endpoint is not None,
                webhooks=self._settings.webhook_texts,
                links=self._links(),
                **values,
            )
        )

    def _links(self) -> list[tuple[str, str]]:
        links = [("write", "/"), ("compare", "/compare"), ("table", "/table")]
        if self._settings.annotation is not None:
            links.append(("annotation", "/annotate"))
        if self._settings.audits is not None:
            links.append(("audits", "/audits"))
        if self._settings.feedback is not None:
            links.append(("review", "/review"))
        return [*links, ("api", "/docs")]

    def _families(self, lang: str) -> dict[str, str]:
        """Return the families of which the served detectors score an id, and that of terms."""
        scored = {group_of(name) for ids in self._ids.values() for name in ids} | {ROOT}
        return {group: title for group, title in families_in(lang).items() if group in scored}

    def _data_in(self, lang: str) -> Markup:
        """Return what scripts need, as a block of data that is never run."""
        data = {
            "root": self.root,
            "words": words_in(lang).sections["script"],
            "sample": words_in(lang)("write.sample"),
            "entries": entries_in(lang),
            "families": self._families(lang),
            "ids": self._ids,
            "least": LEAST,
            "rewrites": self._settings.rewrite_endpoint is not None,
            "mostCharacters": self._settings.max_text_chars,
            "mostWords": round(self._settings.max_tokens * WORDS_PER_TOKEN, -2),
            "mostTexts": self._settings.max_texts,
            "mostBytes": self._settings.max_body_bytes,
        }
        # The one character with which text could end the block; JSON can escape it.
        text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
        return Markup(text)  # noqa: S704 (our own words, escaped above)
