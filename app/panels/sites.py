"""How attention sites are called on screen."""

from __future__ import annotations

SITE_NAMES = {
    "encoder.self": "Encoder self-attention",
    "decoder.self": "Decoder self-attention",
    "decoder.cross": "Cross-attention",
}
BRIEF_NAMES = {"encoder.self": "Encoder", "decoder.self": "Decoder", "decoder.cross": "Cross"}
SHORT_NAMES = {
    "encoder.self": "Encoder self",
    "decoder.self": "Decoder self",
    "decoder.cross": "Cross",
}
