"""An example of a plug-in for Tactful; pyproject.toml names its entry points."""
