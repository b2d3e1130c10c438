"""Fonts and the width of texts. Needs a QGuiApplication; both canvases use the same widths."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QGuiApplication

# The middle of capital letters above the baseline, as a part of the font's pixel size. A constant
# rather than the font's own, so that Latin, Chinese and emoji labels of one row share a baseline.
MIDDLE = 0.36


@lru_cache(maxsize=64)
def _font(family: str, size: float, bold: bool) -> QFont:
    font = QFont(family)
    font.setPixelSize(max(1, round(size)))
    font.setBold(bold)
    return font


@lru_cache(maxsize=64)
def _metrics(family: str, size: float, bold: bool) -> QFontMetricsF:
    return QFontMetricsF(_font(family, size, bold))


@lru_cache(maxsize=16384)
def _width(text: str, family: str, size: float, bold: bool) -> float:
    return _metrics(family, size, bold).horizontalAdvance(text)


@lru_cache(maxsize=16384)
def _elided(text: str, family: str, size: float, bold: bool, room: float) -> str:
    mode = Qt.TextElideMode.ElideRight
    return _metrics(family, size, bold).elidedText(text, mode, max(0.0, room))


def family() -> str:
    """The application's font family."""
    return QGuiApplication.font().family()


def font(size: float, bold: bool = False) -> QFont:
    """The application's font at `size` pixels."""
    return _font(family(), size, bold)


def width(text: str, size: float = 13, bold: bool = False) -> float:
    """The advance of one line in logical pixels."""
    return _width(text, family(), size, bold)


def longest(texts: tuple[str, ...], size: float = 13, bold: bool = False) -> float:
    """The width of the widest of several lines; remembered, for an axis may have thousands."""
    return _longest(texts, family(), size, bold)


@lru_cache(maxsize=64)
def _longest(texts: tuple[str, ...], family: str, size: float, bold: bool) -> float:
    return max((_width(text, family, size, bold) for text in texts), default=0.0)


def elide(text: str, room: float, size: float = 13, bold: bool = False) -> str:
    """The text, or its beginning and "…" where it is wider than `room` pixels."""
    if width(text, size, bold) <= room:
        return text
    return _elided(text, family(), size, bold, float(int(room)))


def ending(text: str, room: float, size: float = 13) -> str:
    """The text, or "…" and its end where it is wider than `room` pixels: from a word on, if that
    leaves any."""
    if width(text, size) <= room:
        return text
    words = text.lstrip("… ,")
    ends = (words[start:].lstrip() for start in range(len(words)))
    fitting = next((end for end in ends if width(f"… {end}", size) <= room), "")
    cut_within = not words.removesuffix(fitting).endswith(" ")
    _, _, whole = fitting.partition(" ")
    return f"… {whole if cut_within and whole else fitting}".rstrip()


def shrunk(
    text: str, room: float, sizes: tuple[float, ...], bold: bool = False
) -> tuple[float, str]:
    """The first of these sizes at which the text fits into `room`, and the text; cut at the last
    where none does."""
    for size in sizes:
        if width(text, size, bold) <= room:
            return size, text
    return sizes[-1], elide(text, room, sizes[-1], bold)


def wrap(text: str, room: float, size: float = 13, bold: bool = False) -> list[str]:
    """Lines no wider than `room`, broken at spaces, and between Chinese characters; a word that is
    wider than that after its last dot, slash, hyphen or underscore that fits. Paragraphs stay
    apart."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in _words(paragraph):
            if line and width((line + word).rstrip(), size, bold) > room:
                lines.append(line.rstrip())
                line = ""
            *full, rest = _pieces(word if line else word.lstrip(), room, size, bold)
            lines += full
            line += rest
        lines.append(line.rstrip())
    return lines


def _pieces(word: str, room: float, size: float, bold: bool) -> list[str]:
    """A word in parts that fit; mostly the one."""
    found = []
    while width(word.rstrip(), size, bold) > room and len(word) > 1:
        fitting = next(
            n for n in range(len(word), 0, -1) if n == 1 or width(word[:n], size, bold) <= room
        )
        joint = max(word.rfind(mark, 0, fitting) for mark in "./_-") + 1
        cut = joint or fitting
        found.append(word[:cut])
        word = word[cut:]
    return [*found, word]


def _words(text: str) -> list[str]:
    words: list[str] = []
    for character in text:
        wide = "\u2e80" <= character <= "\u9fff" and character not in "、。，；：！？）」』》"
        if not words or words[-1].endswith(" ") or wide:
            words.append(character)
        else:
            words[-1] += character
    return words
