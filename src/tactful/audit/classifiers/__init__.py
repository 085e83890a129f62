"""Sentiment classifiers that can be audited: built-in ones, models, functions, endpoints."""

from tactful.audit.classifiers.labels import parse_labels
from tactful.audit.classifiers.load import load_classifier

__all__ = ["load_classifier", "parse_labels"]
