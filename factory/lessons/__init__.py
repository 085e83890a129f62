"""Texts written for training, as data: see README.md in this folder."""
