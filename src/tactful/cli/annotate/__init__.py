"""tactful annotate."""
