"""Evaluation: tasks, official formats and the papers' tables."""
