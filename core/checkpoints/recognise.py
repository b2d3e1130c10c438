"""What a file that is no weights file really is: the likely cause of a broken download."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from core.disk.pointer import is_pointer, pointer
from core.errors import CheckpointError, UnsupportedModel


def refuse_impostor(path: Path) -> None:
    """CheckpointError when the file is empty, a Git-LFS pointer, a web page or other text."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(512)
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from None
    if size == 0:
        raise CheckpointError(f"{path} is empty (0 bytes); download it again")
    if is_pointer(start):
        raise CheckpointError(pointer(path, size))
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        raise CheckpointError(
            f"{path} is a web page, not weights; the download was redirected, perhaps to a "
            "sign-in page: download it again"
        )
    if size > 8 and _is_text(start):
        raise CheckpointError(f"{path} is a text file, not weights; download it again")


def refuse_parts(names: Iterable[str], where: str) -> None:
    """Raises for tensors that no model computes with as they are: an adapter's, packed numbers."""
    for name in names:
        if any(part in name for part in _ADAPTER):
            raise CheckpointError(
                f"{where} holds an adapter's matrices ({name}), which change another model; merge "
                "the two first (peft: merge_and_unload)"
            )
        if name.endswith(_PACKED):
            raise UnsupportedModel(
                f"{where} holds quantised weights ({name}); supported are float32, float16 and "
                "bfloat16"
            )


_ADAPTER = (".lora_A.", ".lora_B.", ".lora_embedding_", ".lora_magnitude", ".ia3_", ".base_layer.")
_PACKED = (
    *(".qweight", ".qzeros", ".g_idx", ".SCB", ".absmax", ".quant_map", ".quant_state"),
    *(".weight_scale", ".weight_scale_inv", ".weight_packed", ".weight_zero_point"),
)
"""How GPTQ, AWQ, bitsandbytes and others name what goes with packed weights."""


def _is_text(start: bytes) -> bool:
    """True for plain text throughout; a weights file has zero bytes in its first eight."""
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(start) - 4:
            return False
    return all(byte >= 32 or byte in b"\t\r\n" for byte in start)
