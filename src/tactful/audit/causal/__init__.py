"""Causal language models: which of two opposite words they expect."""
