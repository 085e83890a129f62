"""Tactful as a service: the HTTP API, drop-ins for two others, the web app and the editor."""
