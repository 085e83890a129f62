"""Markdown and templates: values are always shown as text."""

import pytest
from jinja2 import UndefinedError

from tactful.annotation.protocol.records import Condition
from tactful.annotation.web.pages import environment, markdown


def test_markdown_shows_html_as_text() -> None:
    made = markdown("# Title\n\n<b onclick=x>bold</b>\n\n<script>\nalert(1)\n</script>")
    assert "<h1>Title</h1>" in made
    assert "<b " not in made
    assert "<script" not in made


def test_markdown_loads_no_images_and_runs_no_links() -> None:
    made = markdown(
        "![a](http://elsewhere/a.png) [b](javascript:x) [c](data:text/html,x) [d](/help)"
    )
    assert "<img" not in made
    assert "javascript:" not in made.split("href")[-1]
    assert made.count("href=") == 2  # that of the image that is no image, and the good one


def test_templates_escape_and_refuse_what_they_do_not_know() -> None:
    made = environment().from_string("{{ name }}").render(name="<&\"'>")
    assert made == "&lt;&amp;&#34;&#39;&gt;"
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nobody }}").render()


def test_conditions_become_json_in_an_attribute() -> None:
    template = environment().from_string('<p data-when="{{ when | conditions }}">')
    made = template.render(when=[Condition("a", ('"', "<"))])
    assert made == '<p data-when="[[&#34;a&#34;, [&#34;\\&#34;&#34;, &#34;&lt;&#34;]]]">'
