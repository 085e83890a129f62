"""The tiny encoders and texts of :mod:`tests.tiny_models`."""

from tests.tiny_models import labels, texts, tiny_encoder, wide_encoder

__all__ = ["labels", "texts", "tiny_encoder", "wide_encoder"]
