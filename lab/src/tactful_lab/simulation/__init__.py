"""A simulated crowd, to try a protocol before paying for it."""
