"""The check: options, configuration, the checker, explanations and reports."""
