"""The workshop: makes the weights that Tactful ships. It is not part of the wheel.

``python -m factory --help`` lists what it can make. Each command can be stopped at any time and
resumes from its last checkpoint when it is run again.
"""
