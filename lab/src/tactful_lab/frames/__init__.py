"""Causal language models that write Social Bias Frames, as in the paper."""
