"""The embedded framer."""
