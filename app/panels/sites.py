"""How attention sites are called on screen."""

from __future__ import annotations

SITE_NAMES = {
    "encoder.self": "Encoder self-attention",
    "decoder.self": "Decoder self-attention",
    "decoder.cross": "Cross-attention",
}
SHORT_NAMES = {
    "encoder.self": "Encoder self",
    "decoder.self": "Decoder self",
    "decoder.cross": "Cross",
}
