"""A page about what a run found, in one file; the summary in the terminal shares its words."""
