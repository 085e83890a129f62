"""Figures on a project: progress, agreement, confusion and cost."""
