"""Import and export: one file per format, and exactly what each of them cannot carry."""
