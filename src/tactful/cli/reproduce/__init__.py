"""tactful reproduce."""
