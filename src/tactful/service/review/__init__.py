"""The queue of texts that wait for a moderator."""
