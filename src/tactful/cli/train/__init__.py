"""tactful train."""
