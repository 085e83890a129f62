"""Probes and protocols are data: their entry points name the path of a YAML file."""

from pathlib import Path

PROBE = Path(__file__).with_name("hobbies.yaml")
PROTOCOL = Path(__file__).with_name("tone.yaml")
