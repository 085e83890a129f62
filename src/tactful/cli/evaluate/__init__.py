"""tactful evaluate."""
