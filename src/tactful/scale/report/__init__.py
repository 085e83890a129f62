"""A page about what a run found, whole in itself; the summary in the terminal shares its words."""
