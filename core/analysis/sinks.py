"""Attention without the tokens that heads rest on when they have nothing to say."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.spelling import CONTINUATION, guess, piece_bytes, readable

if TYPE_CHECKING:  # it imports torch, which the list of views must not
    from core.tokens import Tokens

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]


def sinks(tokens: Tokens, mask: int | None) -> Bools:
    """[position]: the first token, special tokens and punctuation (attention sinks: Xiao et al.
    2023; Clark et al. 2019, section 3.2). Padding is not among them: it is hidden anyway; nor is
    the model's token `mask`, which stands for a word."""
    flags = [
        (special and token != mask) or _is_punctuation(tokens, i)
        for i, (special, token) in enumerate(zip(tokens.special, tokens.ids, strict=True))
    ]
    if False in tokens.padding:
        flags[tokens.padding.index(False)] = True
    found: Bools = np.array(flags, dtype=bool) & ~np.array(tokens.padding, dtype=bool)
    return found


def without(weights: Floats, columns: Bools) -> Floats:
    """Weights […, query, key] with these keys at 0 and every row rescaled to the sum 1; a row that
    had nothing else is all 0."""
    kept = np.where(columns, np.float32(0), weights)
    sums = kept.sum(axis=-1, keepdims=True)
    rescaled: Floats = np.divide(kept, sums, out=np.zeros_like(kept), where=sums > 0)
    return rescaled


def _is_punctuation(tokens: Tokens, index: int) -> bool:
    piece = tokens.pieces[index]
    spelling = tokens.spelling or guess(piece)
    if spelling == "wordpiece":
        piece = piece.removeprefix(CONTINUATION) or piece
    text = readable(piece_bytes(piece, spelling))[0].strip()
    return bool(text) and all(unicodedata.category(c).startswith("P") for c in text)
