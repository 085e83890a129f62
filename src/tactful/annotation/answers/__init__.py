"""Answers, checked against the questions of a step."""
