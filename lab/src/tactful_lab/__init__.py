"""What researchers use: evaluation, the papers' tables and systems, and simulated annotators.

The commands are entry points of ``tactful.commands``; ``pip install "tactful[lab]"`` adds them.
"""
