"""The feedback of users and moderators: stored only where the operator asks for it."""
