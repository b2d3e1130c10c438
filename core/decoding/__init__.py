"""Decoding: filters, strategies, and the loop that yields steps."""

from core.decoding.beam import BeamSearch, Hypothesis
from core.decoding.fill import Fill, Filling
from core.decoding.generate import Decoding, decode

__all__ = ["BeamSearch", "Decoding", "Fill", "Filling", "Hypothesis", "decode"]
