"""How a tokenizer spells text in its pieces, and the way back to bytes. No torch, no tokenizer.

bytes          byte-level BPE (GPT-2, RoBERTa): one printable character stands for each byte, so a
               space reads Ġ and an emoji ðŁĺĢ (Radford et al. 2019, section 2.2)
sentencepiece  a space reads ▁; a character outside the vocabulary may be bytes: <0xF0>
wordpiece      a piece that continues a word begins with ##
plain          pieces are text as it stands
"""

from __future__ import annotations

import codecs
import re
from typing import Literal

Spelling = Literal["bytes", "sentencepiece", "wordpiece", "plain"]

SPACE = "▁"
CONTINUATION = "##"
_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_ERRORS = "trifocal.bytes"


def _byte_alphabet() -> dict[str, int]:
    """Character -> byte: printable Latin-1 stands for itself, the rest follows from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(b): b for b in printable} | {chr(0x100 + i): b for i, b in enumerate(others)}


BYTE_OF = _byte_alphabet()


def byte_piece(piece: str) -> int | None:
    """The byte that <0xF0> stands for, None for any other piece."""
    found = _BYTE_PIECE.fullmatch(piece)
    return int(found[1], 16) if found else None


def piece_bytes(piece: str, spelling: Spelling) -> bytes:
    """The UTF-8 bytes a piece stands for, not always whole characters."""
    if spelling == "bytes" and all(character in BYTE_OF for character in piece):
        return bytes(BYTE_OF[character] for character in piece)
    if spelling == "sentencepiece":
        byte = byte_piece(piece)
        return piece.replace(SPACE, " ").encode() if byte is None else bytes((byte,))
    return piece.encode()


def readable(data: bytes, *, final: bool = True) -> tuple[str, int]:
    """(text, pending): never U+FFFD for broken bytes; they read ⟨F0⟩⟨9F⟩.

    With final=False, trailing bytes that may still become a character are left out of the text and
    counted in `pending`.
    """
    decoder = codecs.getincrementaldecoder("utf-8")(errors=_ERRORS)
    text = decoder.decode(data, final)
    return text, len(decoder.getstate()[0])


def guess(piece: str) -> Spelling:
    """The spelling of a lone piece whose tokenizer is not known; certain marks only."""
    if SPACE in piece or byte_piece(piece) is not None:
        return "sentencepiece"
    if piece.startswith(CONTINUATION) and len(piece) > len(CONTINUATION):
        return "wordpiece"
    if all(character in BYTE_OF for character in piece) and any(c >= "\u0100" for c in piece):
        return "bytes"
    return "plain"


def _show_bytes(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    broken = error.object[error.start : error.end]
    return "".join(f"⟨{byte:02X}⟩" for byte in broken), error.end


codecs.register_error(_ERRORS, _show_bytes)
