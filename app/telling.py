"""What is said to a person begins with a capital letter and ends with a full stop; free of Qt."""

from __future__ import annotations


def sentence(text: str) -> str:
    """With a capital letter and a full stop, whatever the core left out."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…")) else text + "."
