"""tactful check."""
