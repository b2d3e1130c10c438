"""Tokenizers: text -> `core.tokens.Tokens`, ids -> text."""

from core.text.hints import MaskHint
from core.text.tokenizer import Tokenizer

__all__ = ["MaskHint", "Tokenizer"]
