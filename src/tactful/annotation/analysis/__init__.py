"""Figures of a project: progress, agreement, confusion and cost."""
