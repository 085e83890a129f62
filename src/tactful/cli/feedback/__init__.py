"""tactful feedback."""
