"""The embedded Spanish detector."""
