"""One audited model: asking, keeping and replaying its answers."""
