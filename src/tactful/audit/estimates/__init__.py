"""From answers to figures: measures, tests and comparisons."""
