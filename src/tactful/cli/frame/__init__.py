"""tactful frame."""
