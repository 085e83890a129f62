"""Masked language models: the words they put in the place of a mask."""
