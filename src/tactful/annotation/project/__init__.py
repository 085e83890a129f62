"""A project: its folder, its log and the work on it."""
