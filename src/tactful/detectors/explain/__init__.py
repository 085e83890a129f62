"""Which words carry a score, and whether that explanation is faithful."""
