"""The models of Tactful that learnt from research corpora; each folder holds one and its card."""

from pathlib import Path

FOLDER = Path(__file__).parent
