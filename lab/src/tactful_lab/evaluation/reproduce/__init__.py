"""The papers' tables on the user's own copy of the data."""
