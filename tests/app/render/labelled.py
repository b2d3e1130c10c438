"""Labels of a map, and the texts drawn for them."""

from __future__ import annotations

from tests.app.render.recording import RecordingCanvas, Text


def names(count: int) -> list[str]:
    return [f"token{number}" for number in range(count)]


def labels(canvas: RecordingCanvas, known: list[str]) -> list[Text]:
    return [text for text in canvas.texts if text.words in known]
