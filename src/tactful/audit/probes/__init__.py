"""Probes: what is asked of a model about whom, as data."""
