"""Reading and writing tables in every format."""
