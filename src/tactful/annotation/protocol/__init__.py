"""Protocols of annotation: their records, and how their files are read."""
