"""A drop-in for the Perspective API: its requests, answers and errors, with our own scores.

``attributes.yaml`` says by which of our ids each attribute is scored, and why; ``mapping`` reads
it. ``requests`` reads what clients send, ``spans`` cuts and counts, ``analysis`` scores, ``scale``
turns probabilities into scores, ``responses`` writes what clients read, ``answering`` does all of
that, ``discovery`` describes the API to Google's own clients, and ``calibration`` carries old
thresholds over to new ones.
"""
