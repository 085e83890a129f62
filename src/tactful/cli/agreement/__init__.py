"""tactful agreement."""
