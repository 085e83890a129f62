"""Probes: what is asked of a model about whom, as data."""

from tactful.audit.probes.load import load_probe

__all__ = ["load_probe"]
