"""Import and export: one file per format, and what each format cannot hold."""
