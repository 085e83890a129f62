"""The report of an audit: two pages to read, and its numbers for other tools."""

from tactful.audit.report.decision import render_decision
from tactful.audit.report.exports import evidence, junit, markdown_section
from tactful.audit.report.html import render_html
from tactful.audit.report.tables import write_json, write_tables

__all__ = [
    "evidence",
    "junit",
    "markdown_section",
    "render_decision",
    "render_html",
    "write_json",
    "write_tables",
]
