"""tactful audit."""
