"""Decoding: filters, strategies, and the loop that yields steps."""

from core.decoding.generate import Decoding, decode

__all__ = ["Decoding", "decode"]
