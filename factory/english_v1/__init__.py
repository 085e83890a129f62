"""The first edition of the English detectors."""
