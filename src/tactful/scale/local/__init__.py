"""The local engine: worker processes, a manifest and parts that survive a crash."""
