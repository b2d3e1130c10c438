"""What a clone without Git-LFS has in place of a large file."""

from __future__ import annotations

from pathlib import Path


def is_pointer(start: bytes) -> bool:
    """Whether a file that begins so only names what Git-LFS keeps elsewhere."""
    return start.startswith(b"version https://git-lfs")


def pointer(path: Path, size: int, what: str = "the weights themselves") -> str:
    """The sentence that says so."""
    return (
        f"{path} is a Git-LFS pointer of {size} bytes, not {what}; fetch them with “git lfs pull”"
    )
