"""A drop-in for the Perspective API: its requests, answers and errors, with our own scores.

``attributes.yaml`` says which attribute stands for which of our ids, and why; ``mapping`` reads
it. ``requests`` reads what clients send, ``spans`` cuts and counts, ``analysis`` scores,
``responses`` writes what clients read, ``discovery`` describes the API to Google's own clients, and
``calibration`` carries old thresholds over to new ones.
"""
