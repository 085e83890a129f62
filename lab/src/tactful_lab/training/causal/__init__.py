"""Causal language models that learn to write frames."""
