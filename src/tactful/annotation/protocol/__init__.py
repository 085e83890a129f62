"""Annotation protocols: their records and how they are read."""
