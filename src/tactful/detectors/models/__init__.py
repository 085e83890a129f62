"""The kinds of detectors: baselines, linear models, encoders, blends and cascades."""
