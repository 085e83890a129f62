"""tactful score."""
