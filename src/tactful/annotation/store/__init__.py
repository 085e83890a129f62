"""The log of events on disk, in SQLite or PostgreSQL."""
