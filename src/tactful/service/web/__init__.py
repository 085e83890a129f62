"""The web app: pages that call only the API of the service they come from."""
