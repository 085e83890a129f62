"""The report of an audit: one page to read, and its numbers as CSV and JSON."""

from tactful.audit.report.html import render_html
from tactful.audit.report.tables import write_json, write_tables

__all__ = ["render_html", "write_json", "write_tables"]
