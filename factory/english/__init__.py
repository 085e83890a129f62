"""The English detectors: sources, teachers and students of both tiers."""
