"""From answers to estimates, tests and comparisons."""
