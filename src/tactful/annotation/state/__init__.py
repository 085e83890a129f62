"""What follows from the events of a project, by pure functions."""
