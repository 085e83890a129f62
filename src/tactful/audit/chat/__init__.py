"""Chat models: asked through the endpoints that serve them, or from a folder on this machine."""
