"""The English detectors of both tiers: what they learn from, the network, the folders."""
