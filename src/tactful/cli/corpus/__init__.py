"""tactful corpus."""
