"""The engine on Ray Data."""
