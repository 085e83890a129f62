"""The web app: pages that call the API of the service they come from, and nothing else."""
