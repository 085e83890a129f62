"""A page about what a run found, whole in itself."""

from tactful.scale.report.about import ReportAbout
from tactful.scale.report.html import report_html

__all__ = ["ReportAbout", "report_html"]
